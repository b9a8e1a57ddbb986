//go:build cgo && compat

package sqlite_test

import (
	"database/sql"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
	"mcp-memory/memory/sqlite"
)

// spokenVector is a message and its vector.
type spokenVector struct {
	session string
	role    memory.Role
	sentAt  time.Time
	stored  []byte // the vector at length 1, as sqlite-vec keeps it
}

// written is a closed memory file and what should be in its vector table. Never
// do both libraries have the file open at the same time: when one closes it, the
// system takes away the locks that the other has in the same process.
type written struct {
	path    string
	model   memory.EmbeddingModel
	rng     *rand.Rand
	said    int // messages so far
	vectors map[int64]spokenVector
}

// writeMemory writes a file of so many messages, each with a vector.
func writeMemory(tb testing.TB, dimensions, messages int) *written {
	tb.Helper()
	w := &written{
		path:    filepath.Join(tb.TempDir(), "memory.db"),
		model:   memory.EmbeddingModel{Provider: "test", Name: "random", Dimensions: dimensions},
		rng:     rand.New(rand.NewPCG(uint64(dimensions), 1)),
		vectors: map[int64]spokenVector{},
	}
	w.say(tb, messages)
	return w
}

// with opens the file with the store of this package, and closes it.
func (w *written) with(tb testing.TB, fn func(*sqlite.DB)) {
	tb.Helper()
	db, err := sqlite.Open(tb.Context(), sqlite.Options{Path: w.path, Sync: "normal", Analyse: analyse})
	if err != nil {
		tb.Fatalf("Open(): %v", err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			tb.Errorf("Close(): %v", err)
		}
	}()
	fn(db)
}

// withUpstream opens the file with the C libraries, and closes it.
func (w *written) withUpstream(tb testing.TB, fn func(*sql.DB)) {
	tb.Helper()
	pool := upstream(tb, w.path, "_foreign_keys=1")
	fn(pool)
	if err := pool.Close(); err != nil {
		tb.Errorf("close the file in C: %v", err)
	}
}

// The conversations: two sessions take turns of 250 messages, all roles speak,
// a message a minute.
var (
	compatSessions = []string{"work", "home"}
	compatRoles    = []memory.Role{memory.RoleUser, memory.RoleAssistant, memory.RoleTool, memory.RoleSystem, memory.RoleUser}
	compatBegin    = time.Date(2026, time.March, 1, 10, 0, 0, 0, time.UTC)
)

const compatTurn = 250

func minute(n int) time.Time { return compatBegin.Add(time.Duration(n) * time.Minute) }

// say records n messages and their vectors.
func (w *written) say(tb testing.TB, n int) {
	tb.Helper()
	w.with(tb, func(db *sqlite.DB) {
		h, err := history.New(history.Config{Store: db, Location: time.UTC, MaxHotBytes: -1})
		if err != nil {
			tb.Fatalf("New(): %v", err)
		}
		if err := db.UseModel(tb.Context(), w.model); err != nil {
			tb.Fatalf("UseModel(%+v): %v", w.model, err)
		}
		for end := w.said + n; w.said < end; {
			w.turn(tb, h, min(compatTurn, end-w.said))
			w.embed(tb, db)
		}
	})
}

// turn records n messages into the session whose turn it is.
func (w *written) turn(tb testing.TB, h *history.History, n int) {
	tb.Helper()
	session := compatSessions[w.said/compatTurn%len(compatSessions)]
	drafts := make([]memory.Draft, n)
	for i := range drafts {
		drafts[i] = memory.Draft{
			Role: compatRoles[w.said%len(compatRoles)], SentAt: minute(w.said), Content: fmt.Sprintf("message number %d", w.said),
		}
		w.said++
	}
	added, err := h.Append(tb.Context(), session, "test", drafts)
	if err != nil || added.Added != n {
		tb.Fatalf("Append(%s, %d) = %+v, %v, want all added", session, n, added, err)
	}
	for i, d := range drafts {
		ref := (added.FirstID + int64(i)) << 8
		w.vectors[ref] = spokenVector{session: session, role: d.Role, sentAt: d.SentAt}
	}
}

// embed gives all messages that wait a vector, which the store scales to length 1.
func (w *written) embed(tb testing.TB, db *sqlite.DB) {
	tb.Helper()
	pending, err := db.Waiting(tb.Context(), compatTurn)
	if err != nil {
		tb.Fatalf("Waiting(): %v", err)
	}
	vectors := make([]memory.Vector, len(pending))
	for i, p := range pending {
		v := w.random()
		s, known := w.vectors[p.Ref]
		if !known {
			tb.Fatalf("Waiting() has passage %d, which was not recorded", p.Ref)
		}
		vectors[i], s.stored = memory.Vector{Ref: p.Ref, Values: v}, serialized(tb, unit(v))
		w.vectors[p.Ref] = s
	}
	if err := db.SaveVectors(tb.Context(), w.model, vectors); err != nil {
		tb.Fatalf("SaveVectors(%d): %v", len(vectors), err)
	}
}

// random is a vector of any length and direction.
func (w *written) random() []float32 {
	v := make([]float32, w.model.Dimensions)
	for i := range v {
		v[i] = float32(3 * w.rng.NormFloat64())
	}
	return v
}

// unit scales v to length 1.
func unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	scale := 1 / math.Sqrt(sum)
	u := make([]float32, len(v))
	for i, x := range v {
		u[i] = float32(float64(x) * scale)
	}
	return u
}

// archive takes the messages before the minute out of hot history, and their
// vectors with them.
func (w *written) archive(t *testing.T, before int) {
	t.Helper()
	const session = "work"
	w.with(t, func(db *sqlite.DB) {
		if _, err := db.Archive(t.Context(), session, memory.Position{SentAt: minute(before).UnixNano()}, false); err != nil {
			t.Fatalf("Archive(%s): %v", session, err)
		}
	})
	maps.DeleteFunc(w.vectors, func(_ int64, s spokenVector) bool {
		return s.session == session && s.sentAt.Before(minute(before))
	})
}

// rewriteUpstream deletes the first n vectors in C and inserts every second of
// them again with another value, in the other order.
func (w *written) rewriteUpstream(t *testing.T, n int) {
	t.Helper()
	refs := slices.Sorted(maps.Keys(w.vectors))[:n]
	slices.Reverse(refs)
	w.withUpstream(t, func(pool *sql.DB) {
		table := tableOf(t, pool)
		for _, ref := range refs {
			changeOne(t, pool, `DELETE FROM `+table+` WHERE passage_id = ?`, ref)
		}
		for i, ref := range refs {
			s := w.vectors[ref]
			delete(w.vectors, ref)
			if i%2 == 1 {
				continue
			}
			s.stored = serialized(t, unit(w.random()))
			w.vectors[ref] = s
			changeOne(t, pool, `
				INSERT INTO `+table+`(passage_id, session_id, sent_at, role, embedding)
				SELECT ?1, session_id, sent_at, role, ?2 FROM messages WHERE id = ?1 >> 8`, ref, s.stored)
		}
		changeOne(t, pool, `UPDATE embedding_models SET vectors = ?`, len(w.vectors))
	})
}

// changeOne runs a statement that changes one row.
func changeOne(t *testing.T, pool *sql.DB, statement string, args ...any) {
	t.Helper()
	result, err := pool.ExecContext(t.Context(), statement, args...)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		t.Fatalf("%s changed %d rows, %v, want 1", statement, n, err)
	}
}
