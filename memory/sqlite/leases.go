package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Acquire takes the named lease for the owner or renews it; false while another
// owner holds it.
func (db *DB) Acquire(ctx context.Context, name, owner string, lasting time.Duration) (bool, error) {
	now := db.opts.Now().UnixNano()
	held := false
	err := db.writer.do(ctx, func(tx tx) error {
		var fence int64
		err := tx.row(`
			INSERT INTO leases(name, owner, fence, expires) VALUES(?1, ?2, 1, ?3)
			ON CONFLICT(name) DO UPDATE SET
				fence = fence + (owner <> excluded.owner), owner = excluded.owner, expires = excluded.expires
			WHERE owner = excluded.owner OR expires <= ?4
			RETURNING fence`, []any{name, owner, now + int64(lasting), now}, &fence)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		held = err == nil
		return err
	})
	return held && err == nil, db.translate("acquire the lease", err)
}

// Release gives the lease back, if the owner still has it.
func (db *DB) Release(ctx context.Context, name, owner string) error {
	err := db.writer.do(ctx, func(tx tx) error {
		return tx.exec(`UPDATE leases SET expires = 0 WHERE name = ? AND owner = ?`, name, owner)
	})
	return db.translate("release the lease", err)
}
