package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Mark returns a short text that is another one whenever the messages of the
// session are others: some were added or deleted. Marks are good for comparing
// only. A session that does not exist has the mark "". Without a session it is
// the mark of all of them, which changes with any session's and is never "".
func (db *DB) Mark(ctx context.Context, session string) (string, error) {
	if session == "" {
		return db.markAll(ctx)
	}
	var id, next, messages int64
	err := db.reader.row(ctx, `
		SELECT h.session_id, h.next_seq, h.messages
		FROM sessions s
		JOIN message_meta h ON h.session_id = s.id
		WHERE s.name = ?`, []any{session}, &id, &next, &messages)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", db.translate("read the mark of a session", err)
	}
	return fmt.Sprintf("%d.%d.%d", id, next, messages), nil
}

// markAll adds up. Numbers of sessions and of arrivals are never given again, so
// that what comes cannot make up for what goes.
func (db *DB) markAll(ctx context.Context) (string, error) {
	var sessions, ids, next, messages int64
	err := db.reader.row(ctx, `
		SELECT count(*), coalesce(sum(session_id), 0), coalesce(sum(next_seq), 0), coalesce(sum(messages), 0)
		FROM message_meta`, nil, &sessions, &ids, &next, &messages)
	if err != nil {
		return "", db.translate("read the mark of all sessions", err)
	}
	return fmt.Sprintf("%d.%d.%d.%d", sessions, ids, next, messages), nil
}
