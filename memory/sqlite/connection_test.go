package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// TestPragmas reads the settings of every connection, those of the pool all
// open at once.
func TestPragmas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		o    sqlite.Options
		want map[string]string
	}{
		{sqlite.Options{}, map[string]string{"journal_mode": "wal", "synchronous": "2"}},
		{sqlite.Options{Sync: "normal"}, map[string]string{"journal_mode": "wal", "synchronous": "1"}},
		{sqlite.Options{JournalMode: "truncate"}, map[string]string{"journal_mode": "truncate", "synchronous": "2"}},
	} {
		c.want["busy_timeout"], c.want["foreign_keys"], c.want["secure_delete"] = "10000", "1", "1"
		c.want["auto_vacuum"] = "2"
		db := open(t, c.o)
		size := db.Readers().Stats().MaxOpenConnections
		if want := min(runtime.NumCPU(), 4); size != want {
			t.Errorf("readers = %d connections, want %d", size, want)
		}
		for range size {
			conn, err := db.Readers().Conn(t.Context())
			if err != nil {
				t.Fatalf("Conn(): %v", err)
			}
			defer conn.Close()
			checkPragmas(t, conn, c.want)
			checkPragmas(t, conn, map[string]string{"query_only": "1", "mmap_size": "268435456"})
			checkQuotes(t, conn)
		}
		err := db.OnWriter(func(conn *sql.Conn) error {
			checkPragmas(t, conn, c.want)
			checkPragmas(t, conn, map[string]string{"query_only": "0", "mmap_size": "0"})
			checkQuotes(t, conn)
			return nil
		})
		if err != nil {
			t.Errorf("OnWriter(): %v", err)
		}
	}
}

func checkPragmas(t *testing.T, conn *sql.Conn, want map[string]string) {
	t.Helper()
	for name, value := range want {
		var got string
		if err := conn.QueryRowContext(t.Context(), "PRAGMA "+name).Scan(&got); err != nil || got != value {
			t.Errorf("PRAGMA %s = %q, %v, want %q", name, got, err, value)
		}
	}
}

// checkQuotes makes sure that a misspelt column in double quotes is an error and
// no string.
func checkQuotes(t *testing.T, conn *sql.Conn) {
	t.Helper()
	var got string
	if err := conn.QueryRowContext(t.Context(), `SELECT "no such column"`).Scan(&got); err == nil {
		t.Errorf(`SELECT "no such column" = %q, want an error`, got)
	}
}

func TestJournalModes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.db")
	for i, mode := range []string{"delete", "truncate", "wal", "delete"} {
		db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, JournalMode: mode})
		if err != nil {
			t.Fatalf("Open(%s): %v", mode, err)
		}
		say(t, db, "hello")
		if got := search(t, db, "hello"); got != i+1 {
			t.Errorf("%s: Match(hello) = %d hits, want %d", mode, got, i+1)
		}
		wal := slices.ContainsFunc(files(t, filepath.Dir(path)), func(name string) bool {
			return strings.HasSuffix(name, "-wal") || strings.HasSuffix(name, "-shm")
		})
		if wal != (mode == "wal") {
			t.Errorf("%s: files beside the database are %q", mode, files(t, filepath.Dir(path)))
		}
		if err := db.Close(); err != nil {
			t.Errorf("%s: Close(): %v", mode, err)
		}
	}
}

// TestReadsBesideWriter holds the write lock on another connection. Whatever
// only reads answers at once, opening the file included; a write waits as long
// as its context lets it.
func TestReadsBesideWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	db := open(t, sqlite.Options{Path: path})
	model := memory.EmbeddingModel{Provider: "test", Name: "plane", Dimensions: 2}
	say(t, db, "hello one", "hello two")
	if err := db.UseModel(t.Context(), model); err != nil {
		t.Fatalf("UseModel(): %v", err)
	}
	other := raw(t, path)
	execLock(t, other, "BEGIN IMMEDIATE")
	began := time.Now()
	search(t, db, "hello")
	newest(t, db)
	again := open(t, sqlite.Options{Path: path})
	search(t, again, "hello")
	reads := map[string]func(context.Context) error{
		"Nearest": func(ctx context.Context) error {
			_, err := again.Nearest(ctx, model, []float32{1, 0}, memory.Filter{}, 3)
			return err
		},
		"UseModel": func(ctx context.Context) error { return again.UseModel(ctx, model) },
		"Sessions": func(ctx context.Context) error { _, err := again.Sessions(ctx, nil, 3); return err },
		"Around":   func(ctx context.Context) error { _, err := again.Around(ctx, 1, 1, 1, 100); return err },
		"Waiting":  func(ctx context.Context) error { _, err := again.Waiting(ctx, 3); return err },
	}
	for name, read := range reads {
		if err := read(t.Context()); err != nil {
			t.Errorf("%s beside a writer: %v", name, err)
		}
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("reading beside a writer took %v, want under a second", took)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := db.Append(ctx, "s", []memory.Entry{analyse(memory.Message{Role: memory.RoleUser, Content: "x", SentAt: time.Unix(1, 0)})}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Append() beside a writer = %v, want DeadlineExceeded", err)
	}
	execLock(t, other, "ROLLBACK")
	say(t, db, "hello three")
	if got := search(t, again, "hello"); got != 3 {
		t.Errorf("Match(hello) after the lock = %d hits, want 3", got)
	}
}

func execLock(t *testing.T, pool *sql.DB, statement string) {
	t.Helper()
	if _, err := pool.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// TestCloseWaits closes the file during a write, which goes on to its end.
func TestCloseWaits(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.db")
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err != nil {
		t.Fatalf("Open(): %v", err)
	}
	closed := make(chan error, 1)
	err = db.InWrite(t.Context(), func(insert func(string) error) error {
		go func() { closed <- db.Close() }()
		for db.Readers().PingContext(t.Context()) == nil { // until Close is at work
			runtime.Gosched()
		}
		return insert("written while closing")
	})
	if err != nil {
		t.Errorf("a write while closing: %v", err)
	}
	if err := <-closed; err != nil {
		t.Errorf("Close() during a write: %v", err)
	}
	if names, err := open(t, sqlite.Options{Path: path}).Senders(t.Context()); err != nil || !slices.Equal(names, []string{"written while closing"}) {
		t.Errorf("Senders() = %q, %v, want what was written while closing", names, err)
	}
}

// TestClosed uses a file that is closed: an error, and no endless wait.
func TestClosed(t *testing.T) {
	t.Parallel()
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "m.db")})
	if err != nil {
		t.Fatalf("Open(): %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatalf("Close(): %v", err)
	}
	if err := db.Skip(t.Context(), memory.EmbeddingModel{}, []int64{1}); err == nil {
		t.Error("Skip() after Close = nil, want an error")
	}
	if _, err := db.Senders(t.Context()); err == nil {
		t.Error("Senders() after Close = nil, want an error")
	}
	db.Close() // may complain, must return
}

// TestModelChangedElsewhere changes the model through one handle while another
// one searches and saves with the old one, as two processes would.
func TestModelChangedElsewhere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.db")
	first, second := open(t, sqlite.Options{Path: path, Sync: "normal"}), open(t, sqlite.Options{Path: path, Sync: "normal"})
	say(t, first, "hello")
	model := func(i int) memory.EmbeddingModel {
		return memory.EmbeddingModel{Provider: "test", Name: string(rune('a' + i%2)), Dimensions: 2}
	}
	done := make(chan error, 1)
	go func() {
		var err error
		for i := 0; i < 30 && err == nil; i++ {
			err = first.UseModel(t.Context(), model(i))
		}
		done <- err
	}()
	for running := true; running; {
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("UseModel(): %v", err)
			}
			running = false
		default:
		}
		if _, err := second.Nearest(t.Context(), model(0), []float32{1, 0}, memory.Filter{}, 3); err != nil && !errors.Is(err, memory.ErrUnavailable) {
			t.Fatalf("Nearest() while the model changes = %v, want nil or ErrUnavailable", err)
		}
		if err := second.SaveVectors(t.Context(), model(0), []memory.Vector{{Ref: 256, Values: []float32{1, 0}}}); err != nil && !errors.Is(err, memory.ErrUnavailable) {
			t.Fatalf("SaveVectors() while the model changes = %v, want nil or ErrUnavailable", err)
		}
	}
	if err := second.UseModel(t.Context(), model(0)); err != nil {
		t.Errorf("UseModel(): %v", err)
	}
	sound(t, first)
}
