package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"mcp-memory/memory"
)

// Drop takes messages of a session out of hot history by hand and returns how
// many that were; those that are not hot stay as they are. The cut-off stays, and
// the messages stay in the archive; their vectors go, unless keepVectors.
func (db *DB) Drop(ctx context.Context, session string, messages []int64, keepVectors bool) (int, error) {
	list, err := jsonArray(messages)
	if err != nil {
		return 0, err
	}
	dropped := 0
	err = db.writer.do(ctx, func(tx tx) error {
		id, err := knownSession(tx, session)
		if err != nil {
			return err
		}
		hot := []any{id, list}
		var bytes, last int64
		if err := tx.row(`SELECT count(*), coalesce(sum(m.bytes), 0)`+fromDroppable, hot, &dropped, &bytes); err != nil || dropped == 0 {
			return err
		}
		if err := tx.row(`SELECT max(dropped) FROM messages WHERE session_id = ?`, []any{id}, &last); err != nil {
			return err
		}
		if err := tx.exec(`UPDATE messages SET dropped = ?3 WHERE id IN (SELECT m.id`+fromDroppable+`)`, id, list, last+1); err != nil {
			return err
		}
		if err := tx.exec(`UPDATE message_meta SET hot_bytes = hot_bytes - ? WHERE session_id = ?`, bytes, id); err != nil || keepVectors {
			return err
		}
		return db.dropVectors(ctx, tx, droppedBy, []any{id, last + 1})
	})
	if err != nil {
		dropped = 0
	}
	return dropped, db.translate("drop messages", err)
}

// fromDroppable selects, of the messages listed, those of one session that are
// hot.
const fromDroppable = `
	FROM json_each(?2) j
	CROSS JOIN messages m ON m.id = j.value
	CROSS JOIN message_meta h ON h.session_id = m.session_id
	WHERE m.session_id = ?1 AND NOT m.dropped AND (m.sent_at, m.seq) >= (h.start_at, h.start_seq)`

// droppedBy selects the messages that one compaction by hand has dropped.
const droppedBy = `session_id = ?1 AND dropped = ?2`

// Undrop brings back what the last Drop has taken out of hot history, and returns
// how many messages are hot again: not those that lie before the cut-off by now.
// They are queued for their vectors. ErrNotFound: nothing is dropped.
func (db *DB) Undrop(ctx context.Context, session string) (int, error) {
	back := 0
	err := db.writer.do(ctx, func(tx tx) error {
		id, err := knownSession(tx, session)
		if err != nil {
			return err
		}
		var last, bytes int64
		if err := tx.row(`SELECT coalesce(max(dropped), 0) FROM messages WHERE session_id = ?`, []any{id}, &last); err != nil {
			return err
		}
		if last == 0 {
			return memory.NotFoundf("session %q has no compaction to bring back", session)
		}
		dropped := []any{id, last}
		if err := tx.row(`
			SELECT count(*), coalesce(sum(m.bytes), 0)
			FROM message_meta h
			CROSS JOIN messages m ON m.session_id = h.session_id
			WHERE h.session_id = ?1 AND m.dropped = ?2 AND (m.sent_at, m.seq) >= (h.start_at, h.start_seq)`, dropped, &back, &bytes); err != nil {
			return err
		}
		if err := queueAgain(tx, dropped); err != nil {
			return err
		}
		if err := tx.exec(`UPDATE messages SET dropped = 0 WHERE `+droppedBy, dropped...); err != nil {
			return err
		}
		return tx.exec(`UPDATE message_meta SET hot_bytes = hot_bytes + ? WHERE session_id = ?`, bytes, id)
	})
	if err != nil {
		back = 0
	}
	return back, db.translate("bring messages back", err)
}

// queueAgain queues the passages of dropped messages that are about to be hot
// and have no vector.
func queueAgain(tx tx, dropped []any) error {
	var active int64
	if err := tx.row(activeModel, nil, &active); err != nil {
		return err
	}
	missing := ""
	if active != 0 {
		missing = ` AND NOT EXISTS (SELECT 1 FROM ` + vectorTable(active) + ` v WHERE v.passage_id = coalesce(p.id, m.id << 8))`
	}
	return tx.exec(`
		INSERT OR IGNORE INTO embed_queue(corpus, ref)
		SELECT 'message', coalesce(p.id, m.id << 8)
		FROM messages m
		CROSS JOIN message_meta h ON h.session_id = m.session_id
		LEFT JOIN passages p ON p.message_id = m.id
		WHERE m.session_id = ?1 AND m.dropped = ?2 AND m.features IS NOT NULL
		AND (m.sent_at, m.seq) >= (h.start_at, h.start_seq)`+missing, dropped...)
}

// knownSession returns the number of a session; ErrNotFound when there is none
// of that name.
func knownSession(tx tx, name string) (int64, error) {
	var id int64
	err := tx.row(`SELECT id FROM sessions WHERE name = ?`, []any{name}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, unknownSession(name)
	}
	return id, err
}

func unknownSession(name string) error { return memory.NotFoundf("there is no session %q", name) }
