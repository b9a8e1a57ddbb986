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
// it: the full-text index is merged without it, words that no message has any more
// go, the file is written anew, and the log is emptied. False: a reader, most
// often of another process, is at what was there before; the work of the kind
// memory.WipeKind stays, to try again. With nothing to wipe it does nothing.
func (db *DB) Wipe(ctx context.Context) (bool, error) {
	var version int64
	var rewritten bool
	err := db.reader.row(ctx, `SELECT version, length(payload) > 0 FROM work WHERE kind = ?`, []any{memory.WipeKind}, &version, &rewritten)
	if none(err) {
		return true, nil
	}
	if err == nil && !rewritten {
		rewritten, err = db.rewrite(ctx, version)
	}
	if err != nil || !rewritten {
		return false, db.translate("write the file anew", err)
	}
	empty := false
	err = db.impatiently(ctx, func(conn *sql.Conn) (err error) {
		empty, err = emptyLog(ctx, conn)
		return err
	})
	if err != nil || !empty {
		return false, db.translate("empty the log", err)
	}
	// An item that a worker has is left to it.
	err = db.writer.do(ctx, func(tx tx) error {
		return tx.exec(`DELETE FROM work WHERE kind = ? AND version = ? AND expires <= ?`, memory.WipeKind, version, db.opts.Now().UnixNano())
	})
	return err == nil, db.translate("end the wipe", err)
}

// rewrite leaves nothing of what was deleted in the file, which the log may still
// have, and notes that: it is not done again for the same deletions. False: a
// reader is in the way, as it can be without a log.
//
// That deleted cells are overwritten, and freed pages too, is not enough: a page
// that was split keeps copies of what has moved to another, in its gap, and only a
// file that is written anew is without them.
func (db *DB) rewrite(ctx context.Context, version int64) (bool, error) {
	if err := errors.Join(db.Tidy(ctx), db.forgetWords(ctx)); err != nil {
		return false, err
	}
	err := db.impatiently(ctx, func(conn *sql.Conn) error {
		_, err := conn.ExecContext(ctx, `VACUUM`)
		return err
	})
	if err != nil {
		if busy(err) {
			err = nil
		}
		return false, err
	}
	return true, db.writer.do(ctx, func(tx tx) error {
		return tx.exec(`UPDATE work SET payload = x'01' WHERE kind = ? AND version = ?`, memory.WipeKind, version)
	})
}

// emptyLog writes the log into the file and cuts it to nothing; false when a
// reader is in the way. A file without a log has none to empty.
func emptyLog(ctx context.Context, conn *sql.Conn) (bool, error) {
	var blocked, pages, moved int64
	err := conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&blocked, &pages, &moved)
	if busy(err) {
		return false, nil
	}
	return err == nil && blocked == 0, err
}

// impatiently runs fn on the writing connection, which waits no longer than
// checkpointWait for others meanwhile.
func (db *DB) impatiently(ctx context.Context, fn func(*sql.Conn) error) error {
	return db.writer.alone(ctx, func(conn *sql.Conn) (err error) {
		var before int64
		if err := conn.QueryRowContext(ctx, `PRAGMA busy_timeout`).Scan(&before); err != nil {
			return err
		}
		set := func(ctx context.Context, wait int64) error {
			_, err := conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA busy_timeout = %d`, wait))
			return err
		}
		if err := set(ctx, checkpointWait.Milliseconds()); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, set(context.WithoutCancel(ctx), before)) }()
		return fn(conn)
	})
}
