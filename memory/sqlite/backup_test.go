package sqlite_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// Case G03: a copy of the file alone loses what its log still holds.
func TestBackup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := open(t, sqlite.Options{Path: filepath.Join(dir, "memory.db")})
	for range 100 {
		say(t, db, "common needle")
	}
	fixtureVectors(t, db)
	copied := filepath.Join(dir, "out 100%.db")
	if err := db.Backup(t.Context(), copied); err != nil {
		t.Fatalf("Backup() = %v", err)
	}
	say(t, db, "common later")
	if _, err := os.Stat(copied + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Stat(the log of the copy) = %v, want none", err)
	}
	again := open(t, sqlite.Options{Path: copied})
	if got := search(t, again, "common"); got != 100 {
		t.Errorf("the copy has %d messages with the word, want 100", got)
	}
	hits, err := again.Nearest(t.Context(), fixtureModel(), []float32{1, 50}, memory.Filter{}, 1)
	if err != nil || len(hits) != 1 {
		t.Errorf("Nearest() on the copy = %+v, %v, want a hit", hits, err)
	}
	sound(t, again)
	if err := db.Backup(t.Context(), copied); err == nil {
		t.Error("Backup() onto a database: no error")
	}
	if got := search(t, again, "common"); got != 100 {
		t.Errorf("after a refused backup the copy has %d messages, want 100", got)
	}
}
