package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"iter"

	"mcp-memory/memory"
)

// Documents counts the messages with text.
func (db *DB) Documents(ctx context.Context) (int, error) {
	var n int
	err := db.reader.row(ctx, `SELECT documents FROM corpus_totals WHERE corpus = 'message'`, nil, &n)
	return n, db.translate("count messages", err)
}

// Deletions counts the messages with text that have ever been deleted from the
// file.
func (db *DB) Deletions(ctx context.Context) (int, error) {
	var n int
	err := db.reader.row(ctx, `SELECT deleted FROM corpus_totals WHERE corpus = 'message'`, nil, &n)
	return n, db.translate("count deleted messages", err)
}

// TrainingRows gives all passages that are embedded, archived ones included, in
// order of session and arrival. The features are good until the next row is
// asked for. An error ends the rows.
//
// They are read on a connection of their own that goes when they end: it maps no
// file, so that what is read once does not stay in the memory of the process.
func (db *DB) TrainingRows(ctx context.Context) iter.Seq2[memory.TrainingRow, error] {
	return func(yield func(memory.TrainingRow, error) bool) {
		if err := db.trainingRows(ctx, yield); err != nil {
			yield(memory.TrainingRow{}, db.translate("read the training rows", err))
		}
	}
}

// trainingRows returns nil when yield wants no more.
func (db *DB) trainingRows(ctx context.Context, yield func(memory.TrainingRow, error) bool) error {
	return db.apart(ctx, func(conn *sql.Conn) error { return readTrainingRows(ctx, conn, yield) })
}

// apart runs fn on a connection of its own, which reads, maps no file, and has
// nothing in memory of what was there before.
func (db *DB) apart(ctx context.Context, fn func(*sql.Conn) error) error {
	pool, err := sql.Open("sqlite", dsn(db.opts, false))
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer pool.Close()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `PRAGMA mmap_size = 0`); err != nil {
		return err
	}
	return fn(conn)
}

func readTrainingRows(ctx context.Context, conn *sql.Conn, yield func(memory.TrainingRow, error) bool) error {
	rows, err := conn.QueryContext(ctx, `
		SELECT m.session_id, coalesce(p.features, m.features)
		FROM messages m INDEXED BY messages_arrival
		LEFT JOIN passages p ON p.message_id = m.id
		WHERE m.features IS NOT NULL
		ORDER BY m.session_id, m.seq, p.id`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var r memory.TrainingRow
		var features sql.RawBytes
		if err := rows.Scan(&r.Session, &features); err != nil {
			return err
		}
		r.Features = features
		if !yield(r, nil) {
			return nil
		}
	}
	return rows.Err()
}
