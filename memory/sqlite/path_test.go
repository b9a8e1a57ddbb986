package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

func TestFileURI(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		`/home/u/m.db`:                 `file:///home/u/m.db`,
		`/home/a b/m.db`:               `file:///home/a%20b/m.db`,
		`/home/u/what?mode=memory.db`:  `file:///home/u/what%3Fmode=memory.db`,
		`/home/u/c#.db`:                `file:///home/u/c%23.db`,
		`/home/u/100%20.db`:            `file:///home/u/100%2520.db`,
		`/home/记忆/m.db`:                `file:///home/%E8%AE%B0%E5%BF%86/m.db`,
		`C:\Users\a b\m.db`:            `file:///C:/Users/a%20b/m.db`,
		`c:/Users/u/m.db`:              `file:///c:/Users/u/m.db`,
		`C:\Users\王小明\m.db`:            `file:///C:/Users/%E7%8E%8B%E5%B0%8F%E6%98%8E/m.db`,
		`\\srv\share\m.db`:             `file:////srv/share/m.db`,
		`\\srv\share\what?#%.db`:       `file:////srv/share/what%3F%23%25.db`,
		`/home/u/back\slash.db`:        `file:///home/u/back%5Cslash.db`,
		`/home/u/semi;colon&amp=1+.db`: `file:///home/u/semi;colon&amp=1+.db`,
	} {
		if got := sqlite.FileURI(path); got != want {
			t.Errorf("FileURI(%s) = %s, want %s", path, got, want)
		}
	}
}

func TestOpenPaths(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"plain.db", "a b.db", "what?.db", "what?mode=memory.db", "c#.db", "100%20.db", "%", "a&b=c;d+e.db", `q"uo'te.db`, "记忆 🙂.db",
		"missing/directory/m.db", "-wal", "no extension",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "new")
			path := filepath.Join(dir, name)
			db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
			if err != nil {
				t.Fatalf("Open(%q): %v", path, err)
			}
			say(t, db, "hello")
			if err := db.Close(); err != nil {
				t.Fatalf("Close(): %v", err)
			}
			if got := files(t, dir); !slices.Equal(got, []string{name}) {
				t.Errorf("files after Open(%q) = %q, want this one alone", name, got)
			}
			again := open(t, sqlite.Options{Path: path})
			if got := newest(t, again); !slices.Equal(got, []string{"hello"}) {
				t.Errorf("messages after opening %q again = %q, want what was said", name, got)
			}
		})
	}
}

func TestOpenRelativePath(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	say(t, open(t, sqlite.Options{Path: "sub/m.db"}), "hello")
	if _, err := os.Stat(filepath.Join(dir, "sub", "m.db")); err != nil {
		t.Errorf("the file of a relative path: %v", err)
	}
}

func TestOpenModes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("file modes are those of Unix")
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	db := open(t, sqlite.Options{Path: filepath.Join(dir, "m.db")})
	say(t, db, "hello")
	for name, want := range map[string]os.FileMode{"m.db": 0o600, "m.db-wal": 0o600, "m.db-shm": 0o600, ".": 0o700, "..": 0o700} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("mode of %s = %v, %v, want %v", name, info.Mode().Perm(), err, want)
		}
	}
}

// TestOpenRefuses opens paths that cannot serve. Each is refused with an error
// that names it, and nothing there has changed afterwards.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(t *testing.T, path string)
		want error
		text string
	}{
		"directory":          {func(t *testing.T, path string) { mkdir(t, path) }, memory.ErrInvalid, "directory"},
		"text file":          {func(t *testing.T, path string) { write(t, path, []byte(strings.Repeat("notes\n", 100))) }, memory.ErrInvalid, "not a SQLite database"},
		"short text file":    {func(t *testing.T, path string) { write(t, path, []byte("x")) }, memory.ErrInvalid, "not a SQLite database"},
		"truncated header":   {func(t *testing.T, path string) { write(t, path, []byte("SQLite format 3\x00\x10\x00\x02\x02")) }, memory.ErrInvalid, "not a SQLite database"},
		"truncated file":     {truncated, memory.ErrUnavailable, "damaged"},
		"damaged header":     {damaged, memory.ErrInvalid, "not a SQLite database"},
		"foreign, marked":    {foreign("PRAGMA application_id = 7"), memory.ErrInvalid, "another program"},
		"foreign, versioned": {foreign("PRAGMA user_version = 1"), memory.ErrInvalid, "another program"},
		"foreign, plain":     {foreign("SELECT 1"), memory.ErrInvalid, "another program"},
		"newer version":      {newer, memory.ErrInvalid, "newer version"},
		"below a file": {func(t *testing.T, path string) {
			write(t, filepath.Dir(path), []byte("a file"))
		}, memory.ErrUnavailable, "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "sub dir", "m?.db")
			if name != "below a file" {
				mkdir(t, filepath.Dir(path))
			}
			c.make(t, path)
			before := snapshot(t, dir)
			db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
			if err == nil {
				db.Close()
				t.Fatal("Open() = nil, want an error")
			}
			if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
				t.Errorf("Open() = %q, want one line that names %s and says %q", err, path, c.text)
			}
			if !errors.Is(err, c.want) {
				t.Errorf("Open() = %v, want %v", err, c.want)
			}
			if after := snapshot(t, dir); !equalSnapshots(before, after) {
				t.Errorf("files after a refused Open = %q, want them as they were: %q", keys(after), keys(before))
			}
		})
	}
}

func TestOpenRefusesOptions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, o := range map[string]sqlite.Options{
		"no path":      {},
		"sync":         {Path: filepath.Join(dir, "m.db"), Sync: "off"},
		"journal mode": {Path: filepath.Join(dir, "m.db"), JournalMode: "memory"},
		"device":       {Path: os.DevNull},
	} {
		if db, err := sqlite.Open(t.Context(), o); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("Open(%s) = %v, %v, want ErrInvalid", name, db, err)
		}
	}
	if got := files(t, dir); len(got) != 0 {
		t.Errorf("files after refused options = %q, want none", got)
	}
}

func TestOpenEmptyFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.db")
	write(t, path, nil)
	db := open(t, sqlite.Options{Path: path})
	say(t, db, "hello")
	if got := newest(t, db); !slices.Equal(got, []string{"hello"}) {
		t.Errorf("messages in a file that was empty = %q, want what was said", got)
	}
}

// TestOpenUnfinished opens a file whose creation was cut off before the first
// migration.
func TestOpenUnfinished(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.db")
	execute(t, path, "PRAGMA auto_vacuum = incremental", "PRAGMA journal_mode = wal")
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Fatalf("Stat(%s) = %v, want a file with a header", path, err)
	}
	say(t, open(t, sqlite.Options{Path: path}), "hello")
}

func foreign(script string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		execute(t, path, "CREATE TABLE messages(id INTEGER PRIMARY KEY, body TEXT)", "INSERT INTO messages(body) VALUES('theirs')", script)
	}
}

// ours makes a closed file with one message.
func ours(t *testing.T, path string) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err != nil {
		t.Fatalf("Open(%s): %v", path, err)
	}
	say(t, db, "hello")
	if err := db.Close(); err != nil {
		t.Fatalf("Close(): %v", err)
	}
}

func newer(t *testing.T, path string) {
	ours(t, path)
	execute(t, path, "PRAGMA user_version = 999", "PRAGMA wal_checkpoint(TRUNCATE)")
}

func truncated(t *testing.T, path string) {
	ours(t, path)
	if err := os.Truncate(path, 100); err != nil {
		t.Fatalf("Truncate(): %v", err)
	}
}

// damaged spoils the page size, which makes the file unreadable for SQLite.
func damaged(t *testing.T, path string) {
	ours(t, path)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("ReadFile(): %v", err)
	}
	copy(content[16:], "\x00\x03")
	write(t, path, content)
}
