package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
	"mcp-memory/memory/sqlite"
	"mcp-memory/memory/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Store {
		return open(t, sqlite.Options{Sync: "normal"})
	})
}

// open opens a file, by default a new one, and closes it when the test ends.
func open(t *testing.T, o sqlite.Options) *sqlite.DB {
	t.Helper()
	if o.Path == "" {
		o.Path = filepath.Join(t.TempDir(), "memory.db")
	}
	db, err := sqlite.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("Open(%+v): %v", o, err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close(): %v", err)
		}
	})
	return db
}

// analyse is how the program sets Options.Analyse.
func analyse(m memory.Message) memory.Entry { return history.Analyse(m, time.UTC) }
