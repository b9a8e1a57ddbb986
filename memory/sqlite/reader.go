package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
)

// reader is the pool that searches and lists. It keeps one prepared statement
// for each text, so that a query is parsed once a connection. Texts come from a
// small fixed set; none holds a value. Those that name a vector table are not
// kept: every new model has a table of its own, and a statement on one that is
// gone holds 100 kB for nothing.
type reader struct {
	pool *sql.DB
	mu   sync.Mutex
	by   map[string]*sql.Stmt
}

func (r *reader) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if st := r.by[query]; st != nil {
		return st, nil
	}
	st, err := r.pool.PrepareContext(context.WithoutCancel(ctx), query)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	if r.by == nil {
		r.by = map[string]*sql.Stmt{}
	}
	r.by[query] = st
	return st, nil
}

func (r *reader) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if namesVectorTable(query) {
		return r.pool.QueryContext(ctx, query, args...)
	}
	st, err := r.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	return st.QueryContext(ctx, args...)
}

// row runs a query of one row and scans it; sql.ErrNoRows when there is none.
func (r *reader) row(ctx context.Context, query string, args []any, into ...any) error {
	st, err := r.statement(ctx, query)
	if err != nil {
		return err
	}
	return st.QueryRowContext(ctx, args...).Scan(into...)
}

// collect runs a query and gathers what scan makes of each row.
func collect[T any](ctx context.Context, r *reader, query string, args []any, scan func(*sql.Rows) (T, error)) ([]T, error) {
	rows, err := r.query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}
