package sqlite_test

import (
	"bytes"
	"database/sql"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatalf("MkdirAll(): %v", err)
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatalf("WriteFile(): %v", err)
	}
}

// files lists all files below a directory.
func files(t *testing.T, dir string) []string { return keys(snapshot(t, dir)) }

func keys(m map[string][]byte) []string { return slices.Sorted(maps.Keys(m)) }

// snapshot reads all files below a directory.
func snapshot(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		all[name], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatalf("read %s: %v", dir, err)
	}
	return all
}

func equalSnapshots(a, b map[string][]byte) bool { return maps.EqualFunc(a, b, bytes.Equal) }

// raw opens a file with SQLite alone, as another program would.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	pool, err := sql.Open("sqlite", sqlite.FileURI(path))
	if err != nil {
		t.Fatalf("Open(%s): %v", path, err)
	}
	pool.SetMaxOpenConns(1)
	t.Cleanup(func() { pool.Close() })
	return pool
}

// execute runs statements on a file, as another program would, and closes it.
func execute(t *testing.T, path string, statements ...string) {
	t.Helper()
	pool := raw(t, path)
	for _, s := range statements {
		if _, err := pool.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := pool.Close(); err != nil {
		t.Fatalf("Close(): %v", err)
	}
}

// say appends messages of the user to session s, one batch each.
func say(t *testing.T, db *sqlite.DB, contents ...string) {
	t.Helper()
	for _, content := range contents {
		m := memory.Message{Role: memory.RoleUser, Content: content, SentAt: time.Unix(1e9, 0), Source: "test"}
		if _, err := db.Append(t.Context(), "s", []memory.Entry{analyse(m)}); err != nil {
			t.Fatalf("Append(%q): %v", content, err)
		}
	}
}

// newest are the contents of session s.
func newest(t *testing.T, db *sqlite.DB) []string {
	t.Helper()
	list, err := db.Newest(t.Context(), "s", 10000)
	if err != nil {
		t.Fatalf("Newest(): %v", err)
	}
	var contents []string
	for _, m := range list {
		contents = append(contents, m.Content)
	}
	return contents
}

// search finds messages that have all the words.
func search(t *testing.T, db *sqlite.DB, words ...string) int {
	t.Helper()
	hits, err := db.Match(t.Context(), memory.TextQuery{All: words}, memory.Filter{}, memory.BestFirst, 0, 10000)
	if err != nil {
		t.Fatalf("Match(%q): %v", words, err)
	}
	return len(hits)
}

// sound checks that Check finds nothing wrong.
func sound(t *testing.T, db *sqlite.DB) {
	t.Helper()
	findings, err := db.Check(t.Context())
	if err != nil || len(findings) < 5 {
		t.Fatalf("Check() = %+v, %v, want five findings", findings, err)
	}
	for _, f := range findings {
		if !f.OK {
			t.Errorf("Check() found %s: %s", f.Name, f.Detail)
		}
	}
}
