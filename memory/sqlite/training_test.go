package sqlite_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// TestDeletions deletes messages in the ways that SQL offers: all are counted,
// those without text are not.
func TestDeletions(t *testing.T) {
	t.Parallel()
	db := open(t, sqlite.Options{})
	say(t, db, "one", "two", "three", "")
	for i, c := range []struct {
		statement string
		want      int
	}{
		{"DELETE FROM messages WHERE features IS NULL", 0},
		{"DELETE FROM messages WHERE content = 'two'", 1},
		{"DELETE FROM messages WHERE content = 'two'", 1},
		{"DELETE FROM sessions", 3},
	} {
		err := db.OnWriter(func(conn *sql.Conn) error {
			_, err := conn.ExecContext(t.Context(), c.statement)
			return err
		})
		if err != nil {
			t.Fatalf("%s: %v", c.statement, err)
		}
		if got, err := db.Deletions(t.Context()); err != nil || got != c.want {
			t.Errorf("Deletions() after %d, %s = %d, %v, want %d", i, c.statement, got, err, c.want)
		}
	}
}

// TestLearntWordsPlan: the look for new words, which every search makes, begins
// behind the last word that is known.
func TestLearntWordsPlan(t *testing.T) {
	t.Parallel()
	db := open(t, sqlite.Options{})
	if _, err := db.LearntWords(t.Context(), fixtureModel(), 7); err != nil {
		t.Fatalf("LearntWords(): %v", err)
	}
	plans := plansOf(t, db, db.Statements(), "FROM learnt_words")
	if len(plans) != 1 {
		t.Errorf("%d statements read learnt words, want 1", len(plans))
	}
	for statement, plan := range plans {
		if plan[0] != "SEARCH w USING INTEGER PRIMARY KEY (rowid>?)" {
			t.Errorf("the plan of %s\nbegins %q, want a search by id", statement, plan[0])
		}
		if slices.ContainsFunc(plan, func(step string) bool { return strings.Contains(step, "TEMP B-TREE") }) {
			t.Errorf("the plan of %s\nis %q, want no sort", statement, plan)
		}
	}
}

// BenchmarkLearntWords looks for new words when there are none.
func BenchmarkLearntWords(b *testing.B) {
	db, err := sqlite.Open(b.Context(), sqlite.Options{Path: b.TempDir() + "/m.db", Sync: "normal"})
	if err != nil {
		b.Fatalf("Open(): %v", err)
	}
	defer db.Close()
	model := fixtureModel()
	if err := db.UseModel(b.Context(), model); err != nil {
		b.Fatalf("UseModel(): %v", err)
	}
	const words = 5000
	list := make([]memory.LearntWord, words)
	for i := range list {
		list[i] = memory.LearntWord{Hash: uint32(i), Vector: fmt.Append(nil, i)}
	}
	if err := db.AddLearntWords(b.Context(), model, list); err != nil {
		b.Fatalf("AddLearntWords(): %v", err)
	}
	for b.Loop() {
		if got, err := db.LearntWords(b.Context(), model, words); err != nil || len(got) != 0 {
			b.Fatalf("LearntWords() = %d, %v, want none", len(got), err)
		}
	}
}
