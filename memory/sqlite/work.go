package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"mcp-memory/memory"
)

// AddWork queues an item, or replaces the payload of the one with its kind and
// key. What waits after a failure goes on waiting: most often it is the endpoint
// that does not work.
func (db *DB) AddWork(ctx context.Context, w memory.Work) error {
	if w.Kind == "" {
		return memory.Invalidf("work needs a kind")
	}
	payload := append([]byte{}, w.Payload...) // nil would be NULL
	err := db.writer.do(ctx, func(tx tx) error {
		return tx.exec(`
			INSERT INTO work(kind, key, payload, session, added_at) VALUES(?, ?, ?, ?, ?)
			ON CONFLICT(kind, key) DO UPDATE SET payload = excluded.payload, session = excluded.session, version = version + 1`,
			w.Kind, w.Key, payload, w.Session, db.opts.Now().UnixNano())
	})
	return db.translate("add work", err)
}

// dueWork finds the oldest item of a kind that may be done now; the time is given
// twice.
const dueWork = `
	SELECT id FROM work
	WHERE kind = ? AND not_before <= ? AND expires <= ?
	ORDER BY id
	LIMIT 1`

// ClaimWork gives the owner the oldest item of the kind that may be done now;
// false when there is none. Looking for one takes no write lock.
func (db *DB) ClaimWork(ctx context.Context, kind, owner string, lasting time.Duration) (memory.WorkClaim, bool, error) {
	now := db.opts.Now()
	due := []any{kind, now.UnixNano(), now.UnixNano()}
	var id int64
	if err := db.reader.row(ctx, dueWork, due, &id); err != nil {
		return memory.WorkClaim{}, false, db.translateUnlessNone("look for work", err)
	}
	c := memory.WorkClaim{Owner: owner}
	err := db.writer.do(ctx, func(tx tx) error {
		return tx.row(`
			UPDATE work SET owner = ?, expires = ?
			WHERE id = (`+dueWork+`)
			RETURNING kind, key, payload, session, version, tries`,
			append([]any{owner, now.Add(lasting).UnixNano()}, due...), &c.Kind, &c.Key, &c.Payload, &c.Session, &c.Version, &c.Tries)
	})
	return c, err == nil, db.translateUnlessNone("claim work", err)
}

// translateUnlessNone translates an error, but for the one that says that there
// is no row.
func (db *DB) translateUnlessNone(doing string, err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return db.translate(doing, err)
}

// RenewWork makes the claim last from now on; false when another has the item or
// had it meanwhile.
func (db *DB) RenewWork(ctx context.Context, c memory.WorkClaim, lasting time.Duration) (bool, error) {
	expires := db.opts.Now().Add(lasting).UnixNano()
	var renewed int64
	err := db.writer.do(ctx, func(tx tx) (err error) {
		renewed, err = tx.change(`UPDATE work SET expires = ? WHERE kind = ? AND key = ? AND owner = ?`, expires, c.Kind, c.Key, c.Owner)
		return err
	})
	return renewed > 0 && err == nil, db.translate("renew work", err)
}

// FinishWork takes a done item off the queue. One that was replaced meanwhile
// stays, to be done anew. ErrConflict: another has taken the item over.
func (db *DB) FinishWork(ctx context.Context, c memory.WorkClaim) error {
	err := db.writer.do(ctx, func(tx tx) error {
		gone, err := tx.change(`
			DELETE FROM work
			WHERE kind = ? AND key = ? AND owner = ? AND version = ?`, c.Kind, c.Key, c.Owner, c.Version)
		if err != nil || gone > 0 {
			return err
		}
		return keepWork(tx, c, `tries = 0, not_before = 0, last_error = NULL`)
	})
	return db.translate("finish work", err)
}

// PostponeWork notes a failed try and gives the item back; it is not offered
// before then. ErrConflict as with FinishWork.
func (db *DB) PostponeWork(ctx context.Context, c memory.WorkClaim, until time.Time, reason string) error {
	err := db.writer.do(ctx, func(tx tx) error {
		return keepWork(tx, c, `tries = tries + 1, not_before = ?, last_error = ?`, until.UnixNano(), reason)
	})
	return db.translate("postpone work", err)
}

// LeaveWork gives the item back as it was taken. ErrConflict as with FinishWork.
func (db *DB) LeaveWork(ctx context.Context, c memory.WorkClaim) error {
	err := db.writer.do(ctx, func(tx tx) error { return keepWork(tx, c, `tries = tries`) })
	return db.translate("leave work", err)
}

// keepWork gives an item back with a change to it.
func keepWork(tx tx, c memory.WorkClaim, change string, args ...any) error {
	n, err := tx.change(`
		UPDATE work SET owner = NULL, expires = 0, `+change+`
		WHERE kind = ? AND key = ? AND owner = ?`, append(args, c.Kind, c.Key, c.Owner)...)
	if err == nil && n == 0 {
		return memory.Conflictf("the work on %s was taken over", c.Kind)
	}
	return err
}

// Backlog lists the work that is not done, oldest first.
func (db *DB) Backlog(ctx context.Context) ([]memory.WorkState, error) {
	list, err := collect(ctx, db.reader, `
		SELECT kind, key, added_at, not_before, tries, coalesce(last_error, ''), iif(expires > ?, owner, '')
		FROM work
		ORDER BY id`, []any{db.opts.Now().UnixNano()},
		func(rows *sql.Rows) (memory.WorkState, error) {
			var s memory.WorkState
			var added, notBefore int64
			err := rows.Scan(&s.Kind, &s.Key, &added, &notBefore, &s.Tries, &s.LastError, &s.Owner)
			s.AddedAt, s.NotBefore = timeOrZero(added), timeOrZero(notBefore)
			return s, err
		})
	return list, db.translate("read the backlog", err)
}
