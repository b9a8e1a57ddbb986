// Package sqlite keeps the memory in one SQLite file: messages, their full text
// (FTS5), their vectors (sqlite-vec), and the queues and leases of the work on
// them. All SQL of the program is here; a method is one transaction and keeps
// one invariant.
//
// Several processes may use one file at the same time. Writes go through a
// single connection that takes the write lock when a transaction begins, reads
// through a small pool that never takes it, so that a search answers while
// another process writes.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	_ "modernc.org/sqlite"     // the driver, SQLite in Go
	_ "modernc.org/sqlite/vec" // sqlite-vec on every connection

	"mcp-memory/memory"
)

// Options says which file to open and how.
type Options struct {
	Path        string // required; its directory is made (0700) when missing
	Sync        string // "full" (default) survives a power cut, "normal" a crash of the program only
	JournalMode string // "wal" (default), "delete" or "truncate"; the latter two for network file systems
	// Analyse makes the index entry of a stored message again. It is needed to
	// rebuild a damaged full-text index; nil = such an index is reported only.
	Analyse func(memory.Message) memory.Entry
	Now     func() time.Time // nil = time.Now
	Log     *slog.Logger     // nil = discarded
}

// DB is an open memory file. It is safe for concurrent use.
type DB struct {
	opts   Options
	writer *writer
	reader *reader

	vocabulary  vocabulary
	frequencies frequencyCache
	rebuild     sync.Mutex // one rebuild of the full-text index at a time
}

// openTries is how often opening is tried while other processes open the same
// new file; each try waits a little longer, with jitter.
const openTries = 10

// Open opens or creates the file and brings its schema up to date. A path that
// cannot serve (a directory, not SQLite, from a newer version, not writable) is
// refused with an error that names it; nothing is touched then.
func Open(ctx context.Context, opts Options) (*DB, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := prepareFile(opts.Path); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		db, err := open(ctx, opts)
		if err == nil {
			return db, nil
		}
		if try == openTries || !busy(err) {
			return nil, openError(opts.Path, err)
		}
		wait := time.Duration(try)*20*time.Millisecond + rand.N(50*time.Millisecond)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

func (o Options) withDefaults() (Options, error) {
	if o.Path == "" {
		return o, memory.Invalidf("the path of the database is empty")
	}
	abs, err := filepath.Abs(o.Path)
	if err != nil {
		return o, fmt.Errorf("resolve %s: %w", o.Path, err)
	}
	o.Path = abs
	o.Sync, o.JournalMode = orDefault(o.Sync, "full"), orDefault(o.JournalMode, "wal")
	if o.Sync != "full" && o.Sync != "normal" {
		return o, memory.Invalidf("sync must be full or normal, got %q", o.Sync)
	}
	if o.JournalMode != "wal" && o.JournalMode != "delete" && o.JournalMode != "truncate" {
		return o, memory.Invalidf("journal_mode must be wal, delete or truncate, got %q", o.JournalMode)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o, nil
}

func orDefault(s, d string) string {
	if s == "" {
		return d
	}
	return s
}

// open connects and migrates, once.
func open(ctx context.Context, opts Options) (*DB, error) {
	writePool, err := sql.Open("sqlite", dsn(opts, true))
	if err != nil {
		return nil, fmt.Errorf("open writer: %w", err)
	}
	w, err := newWriter(ctx, writePool)
	if err != nil {
		return nil, fmt.Errorf("open writer: %w", err)
	}
	readPool, err := sql.Open("sqlite", dsn(opts, false))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open readers: %w", err), w.close())
	}
	readPool.SetMaxOpenConns(min(runtime.NumCPU(), 4))
	readPool.SetMaxIdleConns(4)
	db := &DB{opts: opts, writer: w, reader: &reader{pool: readPool}}
	if err := db.migrate(ctx, migrations); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// Close ends all work on the file. A write that is running finishes first.
func (db *DB) Close() error {
	return errors.Join(db.reader.pool.Close(), db.writer.close())
}

// prepareFile makes sure that the path can hold our database before SQLite
// touches it, and creates the file for its owner alone.
func prepareFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return createFile(path)
	case err != nil:
		return memory.Unavailablef("cannot open the database %s: %v", path, unwrapPath(err))
	case info.IsDir():
		return memory.Invalidf("cannot open the database %s: it is a directory; give the path of a file", path)
	case !info.Mode().IsRegular():
		return memory.Invalidf("cannot open the database %s: it is not a regular file", path)
	}
	return inspectFile(path)
}

func createFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return memory.Unavailablef("cannot create the directory of the database %s: %v", path, unwrapPath(err))
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return memory.Unavailablef("cannot create the database %s: %v", path, unwrapPath(err))
	}
	return f.Close()
}

// unwrapPath takes the path out of an error of package os: the message names it
// already.
func unwrapPath(err error) error {
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		return pe.Err
	}
	return err
}
