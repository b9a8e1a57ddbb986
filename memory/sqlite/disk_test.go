package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// TestFull lets the file grow no further, as on a full disk: appends are refused
// whole, and go on when there is room again.
func TestFull(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"wal", "delete"} {
		db := open(t, sqlite.Options{JournalMode: mode, Analyse: analyse})
		model := memory.EmbeddingModel{Provider: "test", Name: "plane", Dimensions: 2}
		if err := db.UseModel(t.Context(), model); err != nil {
			t.Fatalf("UseModel(): %v", err)
		}
		say(t, db, "common 0")
		limitPages(t, db, "PRAGMA max_page_count = 1") // the present size is the least there is
		stored, err := fillUp(t.Context(), db)
		if !errors.Is(err, memory.ErrUnavailable) || !strings.Contains(err.Error(), "full") {
			t.Errorf("%s: Append() on a full disk = %v, want ErrUnavailable that says so", mode, err)
		}
		if got := len(newest(t, db)); got != 1+stored {
			t.Errorf("%s: %d messages are there, want the %d acknowledged", mode, got, 1+stored)
		}
		sound(t, db)
		limitPages(t, db, "PRAGMA max_page_count = 1000000")
		say(t, db, "common again")
		if got := search(t, db, "common"); got != 2+stored {
			t.Errorf("%s: Match(common) = %d hits, want %d", mode, got, 2+stored)
		}
		sound(t, db)
	}
}

func limitPages(t *testing.T, db *sqlite.DB, pragma string) {
	t.Helper()
	err := db.OnWriter(func(conn *sql.Conn) error {
		_, err := conn.ExecContext(t.Context(), pragma)
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", pragma, err)
	}
}

// fillUp appends until that fails, two messages a batch, and returns how many
// were acknowledged.
func fillUp(ctx context.Context, db *sqlite.DB) (stored int, err error) {
	for i := range 10000 {
		batch := make([]memory.Entry, 2)
		for j := range batch {
			batch[j] = analyse(memory.Message{Role: memory.RoleUser, SentAt: time.Unix(int64(i), 0), Source: "test",
				Content: fmt.Sprintf("common %d %d %s", i, j, strings.Repeat("filler ", 200))})
		}
		if _, err := db.Append(ctx, "s", batch); err != nil {
			return stored, err
		}
		stored += len(batch)
	}
	return stored, errors.New("the disk never got full")
}
