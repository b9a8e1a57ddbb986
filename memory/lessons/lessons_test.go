package lessons_test

import (
	"path/filepath"
	"testing"

	"mcp-memory/memory/lessons"
	"mcp-memory/memory/sqlite"
)

// newLessons is an engine on a new file, unless the configuration has a store.
func newLessons(t *testing.T, c lessons.Config) *lessons.Lessons {
	t.Helper()
	if c.Store == nil {
		c.Store = openDB(t, filepath.Join(t.TempDir(), "memory.db"))
	}
	s, err := lessons.New(c)
	if err != nil {
		t.Fatalf("New(): %v", err)
	}
	return s
}

func openDB(t *testing.T, path string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Sync: "normal"})
	if err != nil {
		t.Fatalf("Open(): %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close(): %v", err)
		}
	})
	return db
}
