package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// writer is the one connection that writes. Its transactions begin IMMEDIATE:
// one that reads first and writes later would fail with SQLITE_BUSY at once
// when another process wrote in between.
type writer struct {
	pool *sql.DB
	slot chan struct{} // holds one token; who has it may use conn
	conn *sql.Conn
	by   map[string]*sql.Stmt
}

func newWriter(ctx context.Context, pool *sql.DB) (*writer, error) {
	pool.SetMaxOpenConns(1)
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	w := &writer{pool: pool, slot: make(chan struct{}, 1), conn: conn, by: map[string]*sql.Stmt{}}
	w.slot <- struct{}{}
	return w, nil
}

// close waits for the running transaction, then closes the connection. Later
// writes fail instead of waiting.
func (w *writer) close() error {
	<-w.slot
	defer func() { w.slot <- struct{}{} }()
	for _, st := range w.by {
		st.Close() // what matters is reported by the connection
	}
	return errors.Join(w.conn.Close(), w.pool.Close())
}

// tx is a running write transaction. It ends when the function it was given to
// returns; it never leaves this package.
type tx struct{ w *writer }

// do runs fn in one write transaction: all of it or nothing. The wait for the
// lock ends with ctx; a transaction once begun does not stop when the caller
// goes away.
func (w *writer) do(ctx context.Context, fn func(tx) error) (err error) {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-w.slot:
	}
	defer func() { w.slot <- struct{}{} }()
	t := tx{w}
	if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		// When ctx ends in just this moment, the driver reports that although
		// the transaction has begun.
		return errors.Join(err, t.rollback())
	}
	done := false
	defer func() { // also when fn panics
		if !done {
			if rbErr := t.rollback(); rbErr != nil {
				err = errors.Join(err, rbErr)
			}
		}
	}()
	if err := fn(t); err != nil {
		return err
	}
	if err := t.exec("COMMIT"); err != nil {
		return err
	}
	done = true
	return nil
}

// alone runs fn on the connection, outside of a transaction, while nobody else
// has it.
func (w *writer) alone(ctx context.Context, fn func(*sql.Conn) error) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-w.slot:
	}
	defer func() { w.slot <- struct{}{} }()
	return fn(w.conn)
}

// rollback undoes the transaction unless SQLite has done so by itself, as it
// does when the disk is full.
func (t tx) rollback() error {
	err := t.exec("ROLLBACK")
	if code(err) == sqliteError { // "no transaction is active"
		return nil
	}
	return err
}

func (t tx) statement(query string) (*sql.Stmt, error) {
	if st := t.w.by[query]; st != nil {
		return st, nil
	}
	st, err := t.w.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	if namesVectorTable(query) {
		t.w.forgetVectors()
	}
	t.w.by[query] = st
	return st, nil
}

// forgetVectors closes the statements on vector tables, see reader. Here the
// last one is kept: it serves a whole batch.
func (w *writer) forgetVectors() {
	for query, st := range w.by {
		if namesVectorTable(query) {
			st.Close() // it is not running
			delete(w.by, query)
		}
	}
}

func (t tx) exec(query string, args ...any) error {
	_, err := t.change(query, args...)
	return err
}

// insert runs an INSERT and returns the rowid it gave.
func (t tx) insert(query string, args ...any) (int64, error) {
	res, err := t.run(query, args)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// change runs a statement and returns how many rows it changed.
func (t tx) change(query string, args ...any) (int64, error) {
	res, err := t.run(query, args)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (t tx) run(query string, args []any) (sql.Result, error) {
	st, err := t.statement(query)
	if err != nil {
		return nil, err
	}
	return st.ExecContext(context.Background(), args...)
}

// row runs a query of one row and scans it; sql.ErrNoRows when there is none.
func (t tx) row(query string, args []any, into ...any) error {
	st, err := t.statement(query)
	if err != nil {
		return err
	}
	return st.QueryRowContext(context.Background(), args...).Scan(into...)
}

// script runs several statements without parameters.
func (t tx) script(text string) error {
	_, err := t.w.conn.ExecContext(context.Background(), text)
	return err
}
