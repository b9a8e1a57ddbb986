package sqlite

import (
	"context"
	"database/sql"
	"fmt"
)

// Backup writes a copy of the database, complete and in order, into the file at
// path, which must be empty or not there yet. Whatever is committed when it begins
// is in it; others may go on reading and writing meanwhile. The copy opens alone,
// with no log beside it.
func (db *DB) Backup(ctx context.Context, path string) error {
	pool, err := sql.Open("sqlite", dsn(db.opts, true))
	if err != nil {
		return fmt.Errorf("open for backup: %w", err)
	}
	defer pool.Close()
	_, err = pool.ExecContext(ctx, `VACUUM INTO ?`, path)
	return db.translate("back up the database", err)
}
