package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"mcp-memory/memory"
)

// checkpointWait is how long a wipe waits for readers that stand in its way.
const checkpointWait = 500 * time.Millisecond

// Wipe makes sure that nothing of what was deleted is left in the file or beside
// it: the full-text index is written anew without it, words that no message has
// any more go, freed pages, which are empty, are given back, and the log is emptied. False: a reader, most often of
// another process, is at what was there before; the work of the kind
// memory.WipeKind stays, to try again. With nothing to wipe it does nothing.
func (db *DB) Wipe(ctx context.Context) (bool, error) {
	var version int64
	err := db.reader.row(ctx, `SELECT version FROM work WHERE kind = ?`, []any{memory.WipeKind}, &version)
	if none(err) {
		return true, nil
	}
	if err != nil {
		return false, db.translate("look for what is to be wiped", err)
	}
	if err := db.Tidy(ctx); err != nil {
		return false, err
	}
	if err := db.forgetWords(ctx); err != nil {
		return false, err
	}
	wiped := false
	err = db.writer.alone(ctx, func(conn *sql.Conn) error {
		if err := shrink(ctx, conn); err != nil {
			return err
		}
		wiped, err = emptyLog(ctx, conn)
		return err
	})
	if err != nil || !wiped {
		return false, db.translate("empty the log", err)
	}
	// An item that a worker has is left to it.
	err = db.writer.do(ctx, func(tx tx) error {
		return tx.exec(`DELETE FROM work WHERE kind = ? AND version = ? AND expires <= ?`, memory.WipeKind, version, db.opts.Now().UnixNano())
	})
	return err == nil, db.translate("end the wipe", err)
}

// shrink gives free pages back. The statement frees one page a row.
func shrink(ctx context.Context, conn *sql.Conn) error {
	rows, err := conn.QueryContext(ctx, `PRAGMA incremental_vacuum`)
	if err != nil {
		return fmt.Errorf("give free pages back: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

// emptyLog writes the log into the file and cuts it to nothing; false when a
// reader is in the way. A file without such a log has none to empty.
func emptyLog(ctx context.Context, conn *sql.Conn) (empty bool, err error) {
	var before int64
	if err := conn.QueryRowContext(ctx, `PRAGMA busy_timeout`).Scan(&before); err != nil {
		return false, err
	}
	if _, err := conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA busy_timeout = %d`, checkpointWait.Milliseconds())); err != nil {
		return false, err
	}
	defer func() {
		_, resetErr := conn.ExecContext(context.WithoutCancel(ctx), fmt.Sprintf(`PRAGMA busy_timeout = %d`, before))
		err = errors.Join(err, resetErr)
	}()
	var blocked, pages, moved int64
	err = conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&blocked, &pages, &moved)
	if busy(err) {
		return false, nil
	}
	return err == nil && blocked == 0, err
}
