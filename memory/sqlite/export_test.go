package sqlite

import (
	"context"
	"database/sql"
	"io/fs"
	"maps"
	"slices"

	"mcp-memory/memory"
)

// FileURI is fileURI.
func FileURI(path string) string { return fileURI(path) }

// Readers is the pool of reading connections.
func (db *DB) Readers() *sql.DB { return db.reader.pool }

// OnWriter runs fn on the writing connection, outside a transaction.
func (db *DB) OnWriter(fn func(*sql.Conn) error) error {
	<-db.writer.slot
	defer func() { db.writer.slot <- struct{}{} }()
	return fn(db.writer.conn)
}

// InWrite runs fn inside a write transaction; insert adds a sender in it.
func (db *DB) InWrite(ctx context.Context, fn func(insert func(sender string) error) error) error {
	return db.writer.do(ctx, func(tx tx) error {
		return fn(func(sender string) error { return tx.exec(`INSERT INTO senders(name) VALUES(?)`, sender) })
	})
}

// Statements are the texts of all statements that were prepared so far.
func (db *DB) Statements() []string {
	<-db.writer.slot
	defer func() { db.writer.slot <- struct{}{} }()
	db.reader.mu.Lock()
	defer db.reader.mu.Unlock()
	return slices.Concat(slices.Collect(maps.Keys(db.writer.by)), slices.Collect(maps.Keys(db.reader.by)))
}

// NearestStatement is what Nearest runs on the first vector table; the statement is
// not kept.
func (db *DB) NearestStatement(ctx context.Context, f memory.Filter) (string, error) {
	where, _, err := db.vectorFilter(ctx, f)
	return nearestSQL(1, where), err
}

// Migrate applies the migrations in scripts.
func (db *DB) Migrate(ctx context.Context, scripts fs.FS) error { return db.migrate(ctx, scripts) }

// LatestVersion is latestVersion.
func LatestVersion() int { return latestVersion() }

// Looker is one look of Watch, and what ends its connection.
func (db *DB) Looker(ctx context.Context) (look func() bool, end func()) {
	w := watcher{db: db}
	return func() bool { return w.look(ctx) }, w.disconnect
}
