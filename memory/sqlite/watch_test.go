package sqlite_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// watched counts the changes that a watcher tells of.
type watched struct {
	t    *testing.T
	stop context.CancelFunc
	done chan struct{}

	mu    sync.Mutex
	count int
}

// watch begins to watch in a goroutine that ends with the test.
func watch(t *testing.T, db *sqlite.DB) *watched {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	w := &watched{t: t, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		db.Watch(ctx, 0, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.count++
		})
	}()
	return w
}

// after lets a time pass and compares how often the watcher has told.
func (w *watched) after(d time.Duration, when string, want int) {
	w.t.Helper()
	time.Sleep(d)
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.count != want {
		w.t.Errorf("%s: told %d times, want %d", when, w.count, want)
	}
}

func (w *watched) end() {
	w.stop()
	<-w.done
}

func record(t *testing.T, db *sqlite.DB, session, content string) {
	t.Helper()
	m := memory.Message{Role: memory.RoleUser, Content: content, SentAt: time.Now(), Source: "test"}
	if _, err := db.Append(t.Context(), session, []memory.Entry{analyse(m)}); err != nil {
		t.Fatalf("Append(): %v", err)
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"wal", "delete"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "memory.db")
			synctest.Test(t, func(t *testing.T) {
				o := sqlite.Options{Path: path, JournalMode: mode, Sync: "normal"}
				mine, other := open(t, o), open(t, o)
				w := watch(t, mine)
				defer w.end()
				w.after(10*time.Second, "nothing changed", 1)
				record(t, other, "s", "one")
				w.after(time.Second, "another wrote", 2)
				w.after(10*time.Second, "a while later", 2)
				record(t, other, "s", "two")
				record(t, mine, "s", "three")
				w.after(time.Second, "two wrote at once", 3)
				if _, err := other.Newest(t.Context(), "s", 5); err != nil {
					t.Fatal(err)
				}
				w.after(10*time.Second, "another read", 3)
			})
		})
	}
}

// A watcher that cannot look says so once, and hears of what it has missed when
// it can look again.
func TestWatchGoesOnAfterFailures(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be moved there")
	}
	path := filepath.Join(t.TempDir(), "memory.db")
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		db := open(t, sqlite.Options{Path: path, Sync: "normal", Log: slog.New(slog.NewTextHandler(&log, nil))})
		record(t, db, "s", "one")
		move(t, path, path+".away")
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		w := watch(t, db)
		defer w.end()
		w.after(5*time.Second, "a directory in its place", 0)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		move(t, path+".away", path)
		w.after(time.Second, "the file is back", 1)
		if n := strings.Count(log.String(), "cannot watch the database"); n != 1 {
			t.Errorf("logged %d times, want once: %s", n, &log)
		}
	})
}

// move renames a database with the files beside it.
func move(t *testing.T, from, to string) {
	t.Helper()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(from+suffix, to+suffix); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkWatch(b *testing.B) {
	db, err := sqlite.Open(b.Context(), sqlite.Options{Path: filepath.Join(b.TempDir(), "memory.db")})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	look, end := db.Looker(b.Context())
	defer end()
	for b.Loop() {
		look()
	}
}
