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
// that looking fails is logged once until it works again.
func (db *DB) Watch(ctx context.Context, every time.Duration, changed func()) error {
	if every <= 0 {
		every = watchEvery
	}
	pool, err := sql.Open("sqlite", dsn(db.opts, false))
	if err != nil {
		return fmt.Errorf("open the watching connection: %w", err)
	}
	w := watcher{db: db, pool: pool}
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
	w.disconnect()
	if err := pool.Close(); err != nil {
		return fmt.Errorf("close the watching connection: %w", err)
	}
	return nil
}

// watcher keeps the one connection whose versions can be compared: SQLite counts
// the changes made by others than the connection that asks.
type watcher struct {
	db      *DB
	pool    *sql.DB
	conn    *sql.Conn // nil = to be connected
	version int64
	failing bool
}

// look says whether the file has changed since the last look.
func (w *watcher) look(ctx context.Context) bool {
	fresh := w.conn == nil
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
	if w.conn == nil {
		if w.conn, err = w.pool.Conn(ctx); err != nil {
			w.conn = nil
			return 0, fmt.Errorf("connect: %w", err)
		}
	}
	err = w.conn.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&version)
	return version, err
}

// disconnect gives the connection up: the next look makes a new one.
func (w *watcher) disconnect() {
	if w.conn == nil {
		return
	}
	if err := w.conn.Close(); err != nil && !errors.Is(err, sql.ErrConnDone) {
		w.db.opts.Log.Debug("close the watching connection", "err", err)
	}
	w.conn = nil
}
