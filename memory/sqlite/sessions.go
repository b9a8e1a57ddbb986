package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"time"

	"mcp-memory/memory"
)

// Sessions lists n sessions that have messages, the most recently used first, beginning after the
// mark; nil = from the first one.
func (db *DB) Sessions(ctx context.Context, after *memory.SessionMark, n int) ([]memory.Session, error) {
	mark := memory.SessionMark{LastAt: math.MaxInt64}
	if after != nil {
		mark = *after
	}
	list, err := collect(ctx, db.reader, `
		SELECT s.name, coalesce(s.title, ''), h.messages, h.first_at, h.last_at
		FROM message_meta h
		CROSS JOIN sessions s ON s.id = h.session_id
		WHERE h.messages > 0
		AND (h.last_at < ?1 OR (h.last_at = ?1 AND s.id > (SELECT id FROM sessions WHERE name = ?2)))
		ORDER BY h.last_at DESC, h.session_id
		LIMIT ?3`, []any{mark.LastAt, mark.ID, n},
		func(rows *sql.Rows) (memory.Session, error) {
			var s memory.Session
			var first, last int64
			err := rows.Scan(&s.ID, &s.Title, &s.Messages, &first, &last)
			s.FirstAt, s.LastAt = time.Unix(0, first).UTC(), time.Unix(0, last).UTC()
			return s, err
		})
	return list, db.translate("list sessions", err)
}

// HotOutline lists the hot messages of the session without their text, oldest
// first.
func (db *DB) HotOutline(ctx context.Context, session string) ([]memory.Outline, error) {
	list, err := collect(ctx, db.reader, `
		SELECT m.sent_at, m.seq, m.role, m.bytes
		FROM sessions s
		JOIN message_meta h ON h.session_id = s.id
		CROSS JOIN messages m ON m.session_id = s.id
		WHERE s.name = ? AND NOT m.dropped AND (m.sent_at, m.seq) >= (h.start_at, h.start_seq)
		ORDER BY m.sent_at, m.seq`, []any{session},
		func(rows *sql.Rows) (memory.Outline, error) {
			var o memory.Outline
			var role int
			err := rows.Scan(&o.Position.SentAt, &o.Position.Seq, &role, &o.Bytes)
			o.Role = roles[role]
			return o, err
		})
	return list, db.translate("read hot history", err)
}

// Archive moves the cut-off of the session forward to start and returns how many
// messages left hot history; their vectors go, unless keepVectors. A cut-off
// never moves back: an earlier start changes nothing.
func (db *DB) Archive(ctx context.Context, session string, start memory.Position, keepVectors bool) (int, error) {
	var moved int
	err := db.writer.do(ctx, func(tx tx) error {
		var id int64
		var old memory.Position
		err := tx.row(`
			SELECT s.id, h.start_at, h.start_seq
			FROM sessions s
			JOIN message_meta h ON h.session_id = s.id
			WHERE s.name = ?`, []any{session}, &id, &old.SentAt, &old.Seq)
		if errors.Is(err, sql.ErrNoRows) {
			return unknownSession(session)
		}
		if err != nil || !old.Before(start) {
			return err
		}
		leaving := []any{id, old.SentAt, old.Seq, start.SentAt, start.Seq}
		var bytes int64
		if err := tx.row(`SELECT count(*), coalesce(sum(bytes), 0) FROM messages WHERE `+leavingHot, leaving, &moved, &bytes); err != nil {
			return err
		}
		if err := tx.exec(`
			UPDATE message_meta SET start_at = ?, start_seq = ?, hot_bytes = hot_bytes - ?
			WHERE session_id = ?`, start.SentAt, start.Seq, bytes, id); err != nil {
			return err
		}
		if keepVectors {
			return nil
		}
		return db.dropVectors(ctx, tx, leavingHot, leaving)
	})
	if err != nil {
		moved = 0
	}
	return moved, db.translate("archive messages", err)
}

// leavingHot selects the messages between two cut-offs, of one session.
const leavingHot = `session_id = ?1 AND NOT dropped AND (sent_at, seq) >= (?2, ?3) AND (sent_at, seq) < (?4, ?5)`
