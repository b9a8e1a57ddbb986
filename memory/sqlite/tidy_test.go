package sqlite_test

import (
	"fmt"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// Tidy leaves one segment of the full-text index, and the same answers.
func TestTidy(t *testing.T) {
	t.Parallel()
	db := open(t, sqlite.Options{})
	for i := range 300 {
		m := memory.Message{Role: memory.RoleUser, Content: fmt.Sprintf("note %d about the harbour and word%d", i, i%50), SentAt: time.Unix(int64(i), 0)}
		if _, err := db.Append(t.Context(), "s", []memory.Entry{analyse(m)}); err != nil {
			t.Fatal(err)
		}
	}
	before := segments(t, db)
	if err := db.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := segments(t, db); before < 2 || after != 1 {
		t.Errorf("Tidy() left %d of %d segments, want 1 of several", after, before)
	}
	n, err := db.Count(t.Context(), memory.TextQuery{All: []string{"word7"}}, memory.Filter{}, 100)
	if err != nil || n != 6 {
		t.Errorf("Count(word7) after Tidy = %d, %v, want 6", n, err)
	}
}

func segments(t *testing.T, db *sqlite.DB) (n int) {
	t.Helper()
	if err := db.Readers().QueryRowContext(t.Context(), `SELECT count(DISTINCT segid) FROM message_fts_idx`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
