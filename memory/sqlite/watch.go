package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// watchEvery is how often Watch looks when it is not told.
const watchEvery = time.Second

// Watch looks every so often whether the file has changed and calls changed when
// it has, whoever changed it: another process, another DB, or this one. It calls
// it in its own goroutine, several changes between two looks once, and once when
// it begins and after each failure, since it cannot know what was before. It
// returns when ctx ends. every 0 = once a second. A look takes some microseconds;
// that looking fails is logged, once until it works again.
func (db *DB) Watch(ctx context.Context, every time.Duration, changed func()) {
	if every <= 0 {
		every = watchEvery
	}
	w := watcher{db: db}
	defer w.disconnect()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for ctx.Err() == nil {
		if w.look(ctx) {
			changed()
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// watcher keeps the one connection whose versions can be compared: SQLite counts
// the changes made by others than the connection that asks.
type watcher struct {
	db      *DB
	pool    *sql.DB // nil = to be connected
	conn    *sql.Conn
	version int64
	failing bool
}

// look says whether the file has changed since the last look.
func (w *watcher) look(ctx context.Context) bool {
	fresh := w.pool == nil
	version, err := w.ask(ctx)
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		w.disconnect()
		if !w.failing {
			w.db.opts.Log.Warn("cannot watch the database", "err", err)
		}
		w.failing = true
		return false
	}
	w.failing = false
	changed := fresh || version != w.version
	w.version = version
	return changed
}

// ask reads the version that the connection sees.
func (w *watcher) ask(ctx context.Context) (version int64, err error) {
	if w.pool == nil {
		if err := w.connect(ctx); err != nil {
			return 0, err
		}
	}
	err = w.conn.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&version)
	return version, err
}

// connect makes the connection, without the readers' memory map of the file: it
// would count the same pages twice.
func (w *watcher) connect(ctx context.Context) error {
	pool, err := sql.Open("sqlite", dsn(w.db.opts, false))
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return errors.Join(fmt.Errorf("connect: %w", err), pool.Close())
	}
	if _, err := conn.ExecContext(ctx, `PRAGMA mmap_size = 0`); err != nil {
		return errors.Join(fmt.Errorf("unmap: %w", err), conn.Close(), pool.Close())
	}
	w.pool, w.conn = pool, conn
	return nil
}

// disconnect gives the connection up: the next look makes a new one.
func (w *watcher) disconnect() {
	if w.pool == nil {
		return
	}
	if err := errors.Join(w.conn.Close(), w.pool.Close()); err != nil {
		w.db.opts.Log.Debug("close the watching connection", "err", err)
	}
	w.pool, w.conn = nil, nil
}
