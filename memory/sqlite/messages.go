package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mcp-memory/memory"
)

// messageColumns are what scanMessage reads. The first parameter is how many
// bytes of the content are read at most.
const messageColumns = `
	m.id, coalesce(m.client_id, ''), s.name, m.seq, m.role, coalesce(n.name, ''), m.sent_at,
	CASE WHEN m.bytes <= ?1 THEN m.content ELSE substr(m.content, 1, ?1) END,
	m.bytes, coalesce(m.tool_name, ''), coalesce(m.tool_call_id, ''), m.tool_calls, m.source,
	m.dropped OR (m.sent_at, m.seq) < (h.start_at, h.start_seq)`

const messageTables = `
	JOIN sessions s ON s.id = m.session_id
	JOIN message_meta h ON h.session_id = m.session_id
	LEFT JOIN senders n ON n.id = m.sender_id`

// whole reads contents whole.
const whole = math.MaxInt64

func scanMessage(rows *sql.Rows) (memory.Message, error) { return scanMessageRow(rows, whole) }

// scanMessageRow reads a message whose content was limited to maxBytes. SQL
// cuts by characters, so what is too long still is cut here, on a border.
func scanMessageRow(row interface{ Scan(...any) error }, maxBytes int64) (memory.Message, error) {
	var m memory.Message
	var role, sentAt int64
	var calls sql.NullString
	err := row.Scan(&m.ID, &m.ClientID, &m.Session, &m.Seq, &role, &m.Sender, &sentAt,
		&m.Content, &m.Size, &m.ToolName, &m.ToolCallID, &calls, &m.Source, &m.Archived)
	if err != nil {
		return m, err
	}
	m.Role, m.SentAt = roles[role], time.Unix(0, sentAt).UTC()
	if calls.Valid {
		m.ToolCalls = json.RawMessage(calls.String)
	}
	if int64(len(m.Content)) > maxBytes {
		cut := int(maxBytes)
		for cut > 0 && !utf8.RuneStart(m.Content[cut]) {
			cut--
		}
		m.Content = strings.Clone(m.Content[:cut])
	}
	return m, nil
}

// Message returns one message by its id, content whole; ErrNotFound when there
// is none.
func (db *DB) Message(ctx context.Context, id int64) (memory.Message, error) {
	st, err := db.reader.statement(ctx, `SELECT`+messageColumns+` FROM messages m`+messageTables+` WHERE m.id = ?2`)
	if err != nil {
		return memory.Message{}, err
	}
	m, err := scanMessageRow(st.QueryRowContext(ctx, int64(whole), id), whole)
	if errors.Is(err, sql.ErrNoRows) {
		return m, memory.NotFoundf("there is no message %d", id)
	}
	return m, db.translate("read message", err)
}

// Newest returns the last n hot messages of the session, oldest first; none for
// an unknown session.
func (db *DB) Newest(ctx context.Context, session string, n int) ([]memory.Message, error) {
	newest, err := collect(ctx, db.reader, `SELECT`+messageColumns+`
		FROM sessions s
		JOIN message_meta h ON h.session_id = s.id
		CROSS JOIN messages m ON m.session_id = s.id
		LEFT JOIN senders n ON n.id = m.sender_id
		WHERE s.name = ?2 AND NOT m.dropped AND (m.sent_at, m.seq) >= (h.start_at, h.start_seq)
		ORDER BY m.sent_at DESC, m.seq DESC
		LIMIT ?3`, []any{int64(whole), session, n}, scanMessage)
	slices.Reverse(newest)
	return newest, db.translate("read the newest messages", err)
}

// Page returns up to n messages of a session, the archive included, in order:
// those before from when older is true, else those after it. Contents are cut
// after maxBytes.
func (db *DB) Page(ctx context.Context, session string, from memory.Position, older bool, n, maxBytes int) ([]memory.Message, error) {
	compare, order := ">", ""
	if older {
		compare, order = "<", " DESC"
	}
	page, err := collect(ctx, db.reader, `SELECT`+messageColumns+`
		FROM sessions s
		JOIN message_meta h ON h.session_id = s.id
		CROSS JOIN messages m ON m.session_id = s.id
		LEFT JOIN senders n ON n.id = m.sender_id
		WHERE s.name = ?2 AND (m.sent_at, m.seq) `+compare+` (?3, ?4)
		ORDER BY m.sent_at`+order+`, m.seq`+order+`
		LIMIT ?5`, []any{maxBytes, session, from.SentAt, from.Seq, n},
		func(rows *sql.Rows) (memory.Message, error) { return scanMessageRow(rows, int64(maxBytes)) })
	if older {
		slices.Reverse(page)
	}
	return page, db.translate("read a page of messages", err)
}

// Around returns a message with those around it in its session, in order; its
// own content is whole, that of the others cut after maxBytes. ErrNotFound when
// it is gone.
func (db *DB) Around(ctx context.Context, id int64, before, after, maxBytes int) ([]memory.Message, error) {
	m, err := db.Message(ctx, id)
	if err != nil {
		return nil, err
	}
	older, err := db.Page(ctx, m.Session, m.Position(), true, before, maxBytes)
	if err != nil {
		return nil, err
	}
	newer, err := db.Page(ctx, m.Session, m.Position(), false, after, maxBytes)
	if err != nil {
		return nil, err
	}
	return append(append(older, m), newer...), nil
}

// Export yields every message, of one session or ("") of all, in order of
// session, then position. It reads one consistent state of the file.
func (db *DB) Export(ctx context.Context, session string, yield func(memory.Message) error) error {
	rows, err := db.reader.query(ctx, `SELECT`+messageColumns+`
		FROM sessions s
		JOIN message_meta h ON h.session_id = s.id
		CROSS JOIN messages m ON m.session_id = s.id
		LEFT JOIN senders n ON n.id = m.sender_id
		WHERE ?2 = '' OR s.name = ?2
		ORDER BY s.id, m.sent_at, m.seq`, int64(whole), session)
	if err != nil {
		return db.translate("export messages", err)
	}
	defer rows.Close()
	for rows.Next() {
		m, err := scanMessage(rows)
		if err != nil {
			return db.translate("export messages", err)
		}
		if err := yield(m); err != nil {
			return err
		}
	}
	return db.translate("export messages", rows.Err())
}
