package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"mcp-memory/memory"
)

// sqliteError is SQLite's general error, among others for a ROLLBACK without a
// transaction.
const sqliteError = lib.SQLITE_ERROR

// code is the primary SQLite result code of err; 0 when it is none of SQLite's.
func code(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

func busy(err error) bool {
	c := code(err)
	return c == lib.SQLITE_BUSY || c == lib.SQLITE_LOCKED
}

// corrupt says whether SQLite found a damaged page or a damaged FTS5 index
// (SQLITE_CORRUPT_VTAB has the same primary code).
func corrupt(err error) bool { return code(err) == lib.SQLITE_CORRUPT }

// openError says what is wrong with the path, in one line.
func openError(path string, err error) error {
	if _, ok := errors.AsType[*memory.PublicError](err); ok {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	switch code(err) {
	case lib.SQLITE_NOTADB:
		return memory.Invalidf("%s is not a SQLite database; give another path, it was left as it is", path)
	case lib.SQLITE_CORRUPT:
		return memory.Unavailablef("the database %s is damaged; restore it from a backup, it was left as it is", path)
	case lib.SQLITE_READONLY, lib.SQLITE_PERM, lib.SQLITE_CANTOPEN:
		return memory.Unavailablef("cannot open the database %s for writing: %v", path, err)
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return memory.Unavailablef("the database %s is locked by another program; try again later", path)
	}
	return fmt.Errorf("open the database %s: %w", path, err)
}

// translate turns what the driver reports into the errors of package memory.
func (db *DB) translate(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("%s: %w", doing, memory.ErrNotFound)
	}
	if _, ok := errors.AsType[*memory.PublicError](err); ok {
		return err
	}
	switch code(err) {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return memory.Unavailablef("the database %s is busy with another writer; nothing was changed, try again", db.opts.Path)
	case lib.SQLITE_FULL:
		return memory.Unavailablef("the disk of the database %s is full; nothing was changed", db.opts.Path)
	case lib.SQLITE_READONLY, lib.SQLITE_PERM:
		return memory.Unavailablef("the database %s cannot be written: it is read-only", db.opts.Path)
	case lib.SQLITE_IOERR:
		return memory.Unavailablef("the disk of the database %s reports an error; nothing was changed", db.opts.Path)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
