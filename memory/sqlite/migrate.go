package sqlite

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

// Each migration is one numbered file, applied in one transaction together with
// its number in user_version. A released file is never edited.
//
//go:embed migrations/*.sql
var migrations embed.FS

// latestVersion is the schema version that this program knows: the number of
// migrations.
func latestVersion() int {
	names, _ := fs.Glob(migrations, "migrations/*.sql") // the pattern is legal
	return len(names)
}

// migrate applies those of the scripts that the file has not seen yet. An
// up-to-date file is only read, so that opening never waits for a writer.
func (db *DB) migrate(ctx context.Context, scripts fs.FS) error {
	var version int
	if err := db.reader.row(ctx, "PRAGMA user_version", nil, &version); err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	names, err := fs.Glob(scripts, "migrations/*.sql") // sorted by number
	if err != nil {
		return err
	}
	if version > len(names) {
		return newerError(db.opts.Path, version)
	}
	for number := version + 1; number <= len(names); number++ {
		script, err := fs.ReadFile(scripts, names[number-1])
		if err != nil {
			return err
		}
		if err := db.applyMigration(ctx, number, string(script)); err != nil {
			return fmt.Errorf("apply migration %s: %w", strings.TrimPrefix(names[number-1], "migrations/"), err)
		}
	}
	return nil
}

// applyMigration runs one migration unless another process has done so since.
func (db *DB) applyMigration(ctx context.Context, number int, script string) error {
	return db.writer.do(ctx, func(tx tx) error {
		var current int
		if err := tx.row("PRAGMA user_version", nil, &current); err != nil || current >= number {
			return err
		}
		mark := fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d;", number, applicationID)
		return tx.script(script + mark)
	})
}
