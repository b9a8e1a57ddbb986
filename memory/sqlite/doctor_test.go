package sqlite_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// The ways to damage a full-text index. The last one leaves an index that is
// sound by itself and has lost words.
var damages = map[string][]string{
	"pages gone":          {"DELETE FROM message_fts_data WHERE id > 10"},
	"pages cut":           {"UPDATE message_fts_data SET block = substr(block, 1, 9) WHERE id > 10"},
	"pages zeroed":        {"UPDATE message_fts_data SET block = zeroblob(length(block)) WHERE id > 10"},
	"all gone":            {"DELETE FROM message_fts_data"},
	"structure gone":      {"DELETE FROM message_fts_data WHERE id = 10"},
	"sizes gone":          {"DELETE FROM message_fts_docsize"},
	"tree and pages gone": {"DELETE FROM message_fts_idx", "DELETE FROM message_fts_data WHERE id > 10"},
}

// fill stores messages that each hold "common" and a word of their own, some of
// them long, and closes the file.
func fill(t *testing.T, n int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "m.db")
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Sync: "normal"})
	if err != nil {
		t.Fatalf("Open(): %v", err)
	}
	batch := make([]memory.Entry, n)
	for i := range batch {
		content := fmt.Sprintf("common word%d", i)
		if i%10 == 0 {
			content += strings.Repeat(" and something long about the weather in the mountains.", 40)
		}
		batch[i] = analyse(memory.Message{Role: memory.RoleUser, Sender: "Ann", Content: content, SentAt: time.Unix(int64(i), 0), Source: "test"})
	}
	if _, err := db.Append(t.Context(), "s", batch); err != nil {
		t.Fatalf("Append(): %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatalf("Close(): %v", err)
	}
	return path
}

// wholeAgain checks that n messages are there and all of them found.
func wholeAgain(t *testing.T, db *sqlite.DB, n int) {
	t.Helper()
	if got := len(newest(t, db)); got != n {
		t.Errorf("%d messages are there, want %d", got, n)
	}
	if got := search(t, db, "common"); got != n {
		t.Errorf("Match(common) = %d hits, want %d", got, n)
	}
	for _, i := range []int{0, 7, 90} {
		if got := search(t, db, fmt.Sprintf("word%d", i)); got != 1 {
			t.Errorf("Match(word%d) = %d hits, want 1", i, got)
		}
	}
	frequencies, err := db.Frequencies(t.Context(), []string{"ann"})
	if err != nil || frequencies.Documents != n || frequencies.MeanTerms < 2 {
		t.Errorf("Frequencies() = %+v, %v, want %d documents", frequencies, err, n)
	}
	if words, err := db.Words(t.Context(), "ord9", 100); err != nil || len(words) < 2 || words[0].Text != "word9" {
		t.Errorf("Words(ord9) = %v, %v, want word9 and more", words, err)
	}
	sound(t, db)
}

func TestDamageMendedBySearch(t *testing.T) {
	t.Parallel()
	for name, statements := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := fill(t, 100)
			execute(t, path, statements...)
			wholeAgain(t, open(t, sqlite.Options{Path: path, Analyse: analyse}), 100)
		})
	}
}

func TestDamageMendedByAppend(t *testing.T) {
	t.Parallel()
	for name, statements := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := fill(t, 100)
			execute(t, path, statements...)
			db := open(t, sqlite.Options{Path: path, Analyse: analyse})
			say(t, db, "common newcomer")
			if got := search(t, db, "newcom"); got != 1 {
				t.Errorf("Match(newcomer) = %d hits, want 1", got)
			}
			wholeAgain(t, db, 101)
		})
	}
}

// TestDamageWhileOpen damages the index under a process that has read it.
func TestDamageWhileOpen(t *testing.T) {
	t.Parallel()
	path := fill(t, 100)
	db := open(t, sqlite.Options{Path: path, Analyse: analyse})
	search(t, db, "common")
	execute(t, path, damages["pages gone"]...)
	wholeAgain(t, db, 100)
}

// TestDamageWithoutAnalyser can only report.
func TestDamageWithoutAnalyser(t *testing.T) {
	t.Parallel()
	path := fill(t, 100)
	execute(t, path, damages["pages gone"]...)
	db := open(t, sqlite.Options{Path: path})
	q := memory.TextQuery{All: []string{"common"}}
	_, err := db.Match(t.Context(), q, memory.Filter{}, memory.BestFirst, 0, 10)
	if !errors.Is(err, memory.ErrUnavailable) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("Match() = %v, want ErrUnavailable that names the file and the damage", err)
	}
	if got := len(newest(t, db)); got != 100 {
		t.Errorf("%d messages are there, want 100", got)
	}
	if _, err := db.Repair(t.Context()); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("Repair() = %v, want ErrUnavailable", err)
	}
	wantFinding(t, db, "full text")
}

// TestLostTree takes away the tree over the pages of the index: a search misses
// words without noticing. Check notices, Repair mends.
func TestLostTree(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"all":  "DELETE FROM message_fts_idx",
		"half": "DELETE FROM message_fts_idx WHERE pgno > (SELECT avg(pgno) FROM message_fts_idx)",
	} {
		path := fill(t, 200)
		execute(t, path, statement)
		db := open(t, sqlite.Options{Path: path, Analyse: analyse})
		wantFinding(t, db, "full text")
		repaired(t, db)
		wholeAgain(t, db, 200)
		if t.Failed() {
			t.Fatalf("with a lost tree (%s)", name)
		}
	}
}

func repaired(t *testing.T, db *sqlite.DB) {
	t.Helper()
	findings, err := db.Repair(t.Context())
	if err != nil || slices.ContainsFunc(findings, func(f sqlite.Finding) bool { return !f.OK }) {
		t.Errorf("Repair() = %+v, %v, want all well", findings, err)
	}
}

// wantFinding checks that Check finds fault with the thing named.
func wantFinding(t *testing.T, db *sqlite.DB, name string) {
	t.Helper()
	findings, err := db.Check(t.Context())
	if err != nil {
		t.Fatalf("Check(): %v", err)
	}
	for _, f := range findings {
		if f.Name == name && !f.OK {
			return
		}
	}
	t.Errorf("Check() = %+v, want a fault of %s", findings, name)
}

func TestRepairHealthy(t *testing.T) {
	t.Parallel()
	path := fill(t, 100)
	db := open(t, sqlite.Options{Path: path, Analyse: analyse})
	q := memory.TextQuery{Any: []string{"common", "weather"}}
	before, err := db.Match(t.Context(), q, memory.Filter{}, memory.BestFirst, 0, 200)
	if err != nil {
		t.Fatalf("Match(): %v", err)
	}
	waiting, err := db.Waiting(t.Context(), 1000)
	if err != nil {
		t.Fatalf("Waiting(): %v", err)
	}
	for range 2 {
		repaired(t, db)
	}
	after, err := db.Match(t.Context(), q, memory.Filter{}, memory.BestFirst, 0, 200)
	if err != nil || !slices.Equal(before, after) {
		t.Errorf("Match() after Repair = %d hits, %v, want the same %d in the same order", len(after), err, len(before))
	}
	if again, err := db.Waiting(t.Context(), 1000); err != nil || !slices.Equal(again, waiting) {
		t.Errorf("Waiting() after Repair = %d passages, %v, want the same %d", len(again), err, len(waiting))
	}
	wholeAgain(t, db, 100)
}

// TestCheck damages one thing at a time.
func TestCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		statement, want string
		mended          bool // by Repair
	}{
		"index row missing":        {"DELETE FROM message_fts_docsize WHERE id = 7 << 8", "index", true},
		"index row of a part":      {"DELETE FROM message_fts_docsize WHERE id = (SELECT max(id) FROM passages)", "index", true},
		"index row stray":          {"INSERT INTO message_fts_docsize(id, sz, origin) VALUES(9999 << 8, x'00000000', 0)", "index", true},
		"message gone":             {"DELETE FROM messages WHERE id = 7", "index", true},
		"wrong total":              {"UPDATE corpus_totals SET documents = documents + 1", "index", true},
		"session gone":             {"DELETE FROM sessions", "references", false},
		"vector of a gone message": {"DELETE FROM messages WHERE id = 3", "vectors", false},
		"vector not counted":       {"UPDATE embedding_models SET vectors = vectors + 1", "vectors", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := fill(t, 30)
			embedAll(t, path)
			execute(t, path, c.statement)
			db := open(t, sqlite.Options{Path: path, Analyse: analyse})
			wantFinding(t, db, c.want)
			if c.mended {
				findings, err := db.Repair(t.Context())
				if i := slices.IndexFunc(findings, func(f sqlite.Finding) bool { return f.Name == c.want }); err != nil || i < 0 || !findings[i].OK {
					t.Errorf("Repair() = %+v, %v, want nothing wrong with %s", findings, err, c.want)
				}
			}
		})
	}
}

func embedAll(t *testing.T, path string) {
	t.Helper()
	db := open(t, sqlite.Options{Path: path})
	model := memory.EmbeddingModel{Provider: "test", Name: "plane", Dimensions: 2}
	if err := db.UseModel(t.Context(), model); err != nil {
		t.Fatalf("UseModel(): %v", err)
	}
	list, err := db.Waiting(t.Context(), 1000)
	if err != nil {
		t.Fatalf("Waiting(): %v", err)
	}
	vectors := make([]memory.Vector, len(list))
	for i, p := range list {
		vectors[i] = memory.Vector{Ref: p.Ref, Values: []float32{1, float32(i)}}
	}
	if err := db.SaveVectors(t.Context(), model, vectors); err != nil {
		t.Fatalf("SaveVectors(): %v", err)
	}
	sound(t, db)
}

// TestCheckQueue: the check tells what waits for a vector, and of what failed, why.
func TestCheckQueue(t *testing.T) {
	t.Parallel()
	db := open(t, sqlite.Options{Path: fill(t, 9)})
	queue := func() string {
		t.Helper()
		findings, err := db.Check(t.Context())
		i := slices.IndexFunc(findings, func(f sqlite.Finding) bool { return f.Name == "queue" })
		if err != nil || i < 0 || !findings[i].OK {
			t.Fatalf("Check() = %+v, %v, want a sound queue", findings, err)
		}
		return findings[i].Detail
	}
	list, err := db.Waiting(t.Context(), 100)
	if err != nil {
		t.Fatalf("Waiting(): %v", err)
	}
	if got, want := queue(), fmt.Sprintf("%d waiting, 0 failed before", len(list)); got != want {
		t.Errorf("queue = %q, want %q", got, want)
	}
	for _, p := range list[1:3] {
		if err := db.Postpone(t.Context(), []int64{p.Ref}, time.Now(), "HTTP 500"); err != nil {
			t.Fatalf("Postpone(): %v", err)
		}
	}
	if got, want := queue(), "2 failed before: message 1, part 2: HTTP 500 (tries: 1); message 1, part 3: HTTP 500 (tries: 1)"; !strings.HasSuffix(got, want) {
		t.Errorf("queue = %q, want %q at its end", got, want)
	}
	for _, p := range list {
		if err := db.Postpone(t.Context(), []int64{p.Ref}, time.Now(), "HTTP 500"); err != nil {
			t.Fatalf("Postpone(): %v", err)
		}
	}
	if got, want := queue(), fmt.Sprintf("and %d more", len(list)-5); !strings.HasSuffix(got, want) {
		t.Errorf("queue = %q, want %q at its end", got, want)
	}
}
