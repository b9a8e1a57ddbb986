package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"mcp-memory/memory"
)

// titleRunes is how much of the first user message names a session.
const titleRunes = 80

// messageRow is where a message goes: its session and numbers.
type messageRow struct {
	id, session int64
	role        memory.Role
	sentAt      int64
}

// Append stores a batch in order, all of it or nothing, each message with its
// full text and its place in the embed queue. An entry whose client id or key
// the session knows already changes nothing.
func (db *DB) Append(ctx context.Context, session string, batch []memory.Entry) (memory.Appended, error) {
	return db.AppendSince(ctx, session, memory.NoGeneration, batch)
}

// AppendSince is Append to a session that was of the generation when the batch
// was begun: ErrConflict when it was reset or removed since. With NoGeneration
// there was none that could have been.
func (db *DB) AppendSince(ctx context.Context, session string, generation int64, batch []memory.Entry) (memory.Appended, error) {
	var done memory.Appended
	err := db.repairing(ctx, func() error {
		done = memory.Appended{}
		return db.writer.do(ctx, func(tx tx) error {
			if err := stillOf(tx, session, generation); err != nil {
				return err
			}
			a, err := beginAppend(tx, session, db.opts.Now())
			if err != nil {
				return err
			}
			for i := range batch {
				if err := a.add(&batch[i], &done); err != nil {
					return err
				}
			}
			done.HotBytes = a.hot
			return a.finish(done)
		})
	})
	return done, db.translate("append messages", err)
}

// Generation is the generation of a session, which each reset raises;
// NoGeneration for one that does not exist.
func (db *DB) Generation(ctx context.Context, session string) (int64, error) {
	var generation int64
	err := db.reader.row(ctx, selectGeneration, []any{session}, &generation)
	return generation, db.translate("read the generation of a session", err)
}

const selectGeneration = `SELECT coalesce((SELECT generation FROM sessions WHERE name = ?), -1)`

// stillOf returns ErrConflict when the session is not of the generation any more.
func stillOf(tx tx, session string, generation int64) error {
	if generation == memory.NoGeneration {
		return nil
	}
	var now int64
	if err := tx.row(selectGeneration, []any{session}, &now); err != nil || now == generation {
		return err
	}
	return memory.Conflictf("session %q was reset while these messages were on their way: nothing was recorded; send them again if they are of what comes now", session)
}

// appender is one append to one session, inside its transaction.
type appender struct {
	tx      tx
	session int64
	titled  bool
	nextSeq int64
	start   memory.Position // the cut-off
	hot     int64           // hot bytes
	first   int64           // earliest and latest sent_at added
	last    int64
	docs    int
	terms   int
}

// beginAppend finds or makes the session. Its row is only written when it is
// new: a retry that adds nothing leaves no trace.
func beginAppend(tx tx, name string, now time.Time) (*appender, error) {
	a := &appender{tx: tx}
	err := tx.row(`
		SELECT s.id, s.title IS NOT NULL, m.next_seq, m.start_at, m.start_seq, m.hot_bytes
		FROM sessions s
		JOIN message_meta m ON m.session_id = s.id
		WHERE s.name = ?`, []any{name},
		&a.session, &a.titled, &a.nextSeq, &a.start.SentAt, &a.start.Seq, &a.hot)
	if !errors.Is(err, sql.ErrNoRows) {
		return a, err
	}
	a.session, err = tx.insert(`
		INSERT INTO sessions(name, generation, created_at)
		SELECT ?, generation, ?
		FROM resets`, name, now.UnixNano())
	if err != nil {
		return nil, err
	}
	if err := tx.exec(`INSERT INTO message_meta(session_id) VALUES(?)`, a.session); err != nil {
		return nil, err
	}
	return a, tx.row(`SELECT next_seq, start_at, start_seq FROM message_meta WHERE session_id = ?`,
		[]any{a.session}, &a.nextSeq, &a.start.SentAt, &a.start.Seq)
}

func (a *appender) add(e *memory.Entry, done *memory.Appended) error {
	id, err := a.known(e)
	switch {
	case err != nil:
		return err
	case id != 0:
		done.Duplicates++
	default:
		if id, err = a.insert(e); err != nil {
			return err
		}
		if done.Added++; done.Added == 1 {
			a.first, a.last = e.Message.SentAt.UnixNano(), e.Message.SentAt.UnixNano()
		}
		a.first = min(a.first, e.Message.SentAt.UnixNano())
		a.last = max(a.last, e.Message.SentAt.UnixNano())
	}
	if done.FirstID == 0 {
		done.FirstID = id
	}
	done.LastID = id
	return nil
}

// known returns the id of the message that e repeats; 0 when it is new. With a
// client id only that counts, else the key.
func (a *appender) known(e *memory.Entry) (int64, error) {
	var id int64
	var err error
	switch {
	case e.Message.ClientID != "":
		err = a.tx.row(`SELECT id FROM messages WHERE session_id = ? AND client_id = ?`,
			[]any{a.session, e.Message.ClientID}, &id)
	case e.Key != nil && !e.Fresh:
		err = a.tx.row(`SELECT id FROM messages WHERE session_id = ? AND dedup = ? LIMIT 1`,
			[]any{a.session, e.Key}, &id)
	default:
		return 0, nil
	}
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

// insert stores a new message and everything that is found by.
func (a *appender) insert(e *memory.Entry) (int64, error) {
	m := &e.Message
	sender, err := a.sender(m.Sender)
	if err != nil {
		return 0, err
	}
	var features []byte
	if len(e.Passages) > 0 {
		features = e.Passages[0].Features
	}
	row := messageRow{session: a.session, role: m.Role, sentAt: m.SentAt.UnixNano()}
	row.id, err = a.tx.insert(`
		INSERT INTO messages(session_id, seq, sent_at, role, bytes, sender_id, client_id, dedup,
			source, features, tool_name, tool_call_id, tool_calls, content)
		VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		a.session, a.nextSeq, row.sentAt, roleCode(m.Role), len(m.Content), sender, orNull(m.ClientID), e.Key,
		m.Source, features, orNull(m.ToolName), orNull(m.ToolCallID), orNull(string(m.ToolCalls)), m.Content)
	if err != nil {
		return 0, err
	}
	if pos := (memory.Position{SentAt: row.sentAt, Seq: a.nextSeq}); !pos.Before(a.start) {
		a.hot += int64(len(m.Content))
	}
	a.nextSeq++
	if err := indexEntry(a.tx, &row, e); err != nil {
		return 0, err
	}
	if err := a.queue(&row, e.Passages); err != nil {
		return 0, err
	}
	if len(e.Passages) > 0 {
		a.docs++
		a.terms += e.Passages[0].Terms
	}
	return row.id, a.title(m)
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (a *appender) sender(name string) (any, error) {
	if name == "" {
		return nil, nil
	}
	var id int64
	err := a.tx.row(`SELECT id FROM senders WHERE name = ?`, []any{name}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return a.tx.insert(`INSERT INTO senders(name) VALUES(?)`, name)
	}
	return id, err
}

// queue puts the passages that get a vector into the embed queue.
func (a *appender) queue(row *messageRow, passages []memory.Passage) error {
	for _, p := range passages {
		if !p.Embed {
			continue
		}
		if err := a.tx.exec(`INSERT INTO embed_queue(corpus, ref) VALUES('message', ?)`, passageID(row.id, p.Ord)); err != nil {
			return err
		}
	}
	return nil
}

// title names the session after its first user message.
func (a *appender) title(m *memory.Message) error {
	if a.titled || m.Role != memory.RoleUser {
		return nil
	}
	title := titleOf(m.Content)
	if title == "" {
		return nil
	}
	a.titled = true
	return a.tx.exec(`UPDATE sessions SET title = ? WHERE id = ?`, title, a.session)
}

// titleOf is the beginning of a content, on one line.
func titleOf(content string) string {
	title := strings.Join(strings.Fields(content[:min(len(content), 8*titleRunes)]), " ")
	runes := []rune(strings.ToValidUTF8(title, ""))
	if len(runes) > titleRunes {
		return string(runes[:titleRunes-1]) + "…"
	}
	return string(runes)
}

func (a *appender) finish(done memory.Appended) error {
	if done.Added == 0 {
		return nil
	}
	if err := a.tx.exec(`
		UPDATE message_meta SET
			next_seq  = ?,
			first_at  = CASE messages WHEN 0 THEN ? ELSE min(first_at, ?) END,
			last_at   = CASE messages WHEN 0 THEN ? ELSE max(last_at, ?) END,
			messages  = messages + ?,
			hot_bytes = ?
		WHERE session_id = ?`,
		a.nextSeq, a.first, a.first, a.last, a.last, done.Added, a.hot, a.session); err != nil {
		return err
	}
	return addTotals(a.tx, a.docs, a.terms)
}

func addTotals(tx tx, docs, terms int) error {
	if docs == 0 {
		return nil
	}
	return tx.exec(`UPDATE corpus_totals SET documents = documents + ?, terms = terms + ? WHERE corpus = 'message'`, docs, terms)
}

// indexEntry writes the full text of a message, its parts and its words.
func indexEntry(tx tx, row *messageRow, e *memory.Entry) error {
	for _, p := range e.Passages {
		id := passageID(row.id, p.Ord)
		body, part := strings.Join(p.Tokens, " "), ""
		if p.Ord > 0 {
			body, part = "", body
			if err := tx.exec(`INSERT OR REPLACE INTO passages(id, message_id, start, length, features) VALUES(?, ?, ?, ?, ?)`,
				id, row.id, p.Start, p.End-p.Start, p.Features); err != nil {
				return err
			}
		}
		if err := tx.exec(`INSERT INTO message_fts(rowid, scope, head, body, part) VALUES(?, ?, ?, ?, ?)`,
			id, scopeOf(row), strings.Join(p.Head, " "), body, part); err != nil {
			return err
		}
	}
	return addWords(tx, e.Words)
}

// addWords adds the words that the vocabulary lacks. They are looked for first:
// an INSERT that adds nothing still writes a page, and most messages bring no
// new word.
func addWords(tx tx, words []memory.Word) error {
	if len(words) == 0 {
		return nil
	}
	pairs := make([][2]string, len(words))
	for i, w := range words {
		pairs[i] = [2]string{w.Text, w.Token}
	}
	list, err := json.Marshal(pairs)
	if err != nil {
		return err
	}
	var missing string
	if err := tx.row(`
		SELECT json_group_array(json(j.value))
		FROM json_each(?) j
		WHERE NOT EXISTS (SELECT 1 FROM words WHERE word = j.value ->> 0)`, []any{string(list)}, &missing); err != nil || missing == "[]" {
		return err
	}
	return tx.exec(`
		INSERT OR IGNORE INTO words(word, token)
		SELECT value ->> 0, value ->> 1
		FROM json_each(?)`, missing)
}
