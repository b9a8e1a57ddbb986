//go:build cgo && compat

package sqlite_test

import (
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	vec "github.com/asg017/sqlite-vec-go-bindings/cgo"
	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3", SQLite in C

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// sameDistance is how far apart the distances of the two libraries may be: they
// add float32 in another order.
const sameDistance = 1e-6

// TestCompatUpstreamReads writes memory files and reads them with sqlite-vec in C.
func TestCompatUpstreamReads(t *testing.T) {
	t.Parallel()
	for _, size := range []struct{ dimensions, messages int }{{2, 300}, {8, 1024}, {64, 6000}, {384, 1500}, {1536, 300}} {
		t.Run(fmt.Sprintf("%d dimensions", size.dimensions), func(t *testing.T) {
			t.Parallel()
			w := writeMemory(t, size.dimensions, size.messages)
			w.archive(t, size.messages/4)
			checkReadings(t, w)
		})
	}
}

// TestCompatUpstreamWrites lets sqlite-vec in C delete and insert vectors, reads
// them, writes more, and lets C read these.
func TestCompatUpstreamWrites(t *testing.T) {
	t.Parallel()
	w := writeMemory(t, 64, 3000)
	w.rewriteUpstream(t, 700)
	checkReadings(t, w)
	checkHealth(t, w)
	w.say(t, 500)
	w.archive(t, 1500)
	checkReadings(t, w)
	checkHealth(t, w)
}

// upstream opens a file with the C libraries and the pragma that matters to a
// search. The caller closes it.
func upstream(tb testing.TB, path, parameters string) *sql.DB {
	tb.Helper()
	vec.Auto() // once more changes nothing
	pool, err := sql.Open("sqlite3", sqlite.FileURI(path)+"?"+parameters)
	if err != nil {
		tb.Fatalf("open %s in C: %v", path, err)
	}
	pool.SetMaxOpenConns(1)
	var mapped int
	if err := pool.QueryRowContext(tb.Context(), "PRAGMA mmap_size = 268435456").Scan(&mapped); err != nil || mapped != 268435456 {
		tb.Fatalf("PRAGMA mmap_size in C = %d, %v, want 268435456", mapped, err)
	}
	return pool
}

// serialized is a vector as sqlite-vec takes it.
func serialized(tb testing.TB, v []float32) []byte {
	tb.Helper()
	b, err := vec.SerializeFloat32(v)
	if err != nil {
		tb.Fatalf("SerializeFloat32(): %v", err)
	}
	return b
}

// tableOf is the name of the only vector table of a file.
func tableOf(tb testing.TB, pool *sql.DB) string {
	tb.Helper()
	var name string
	if err := pool.QueryRowContext(tb.Context(), `SELECT 'vec_message_' || id FROM embedding_models`).Scan(&name); err != nil {
		tb.Fatalf("look up the vector table: %v", err)
	}
	return name
}

// asked is a search.
type asked struct {
	name   string
	filter memory.Filter
	vector []float32
	k      int
}

// questions are searches with each filter, and one for everything.
func (w *written) questions() []asked {
	early, late := minute(w.said/3), minute(w.said*2/3)
	filters := []struct {
		name   string
		filter memory.Filter
	}{
		{"everything", memory.Filter{}},
		{"session", memory.Filter{Session: "home"}},
		{"unknown session", memory.Filter{Session: "nobody's"}},
		{"role", memory.Filter{Role: memory.RoleTool}},
		{"since", memory.Filter{Since: late}},
		{"until", memory.Filter{Until: early}},
		{"all filters", memory.Filter{Session: "home", Role: memory.RoleUser, Since: early, Until: late}},
	}
	list := []asked{{"a large k", memory.Filter{}, w.random(), 4096}}
	for _, f := range filters {
		for range 4 {
			list = append(list, asked{f.name, f.filter, w.random(), 20})
		}
	}
	return list
}

// near is a passage that a search found.
type near struct {
	ref   int64
	value float64 // its distance, or its cosine
}

// checkReadings makes sure that both libraries read the vectors that were
// written, and that they and the store find the same neighbours.
func checkReadings(t *testing.T, w *written) {
	t.Helper()
	questions := w.questions()
	var nearest, ours, theirs [][]near
	w.with(t, func(db *sqlite.DB) {
		checkVectors(t, "ours", db.Readers(), w.vectors)
		for _, q := range questions {
			nearest = append(nearest, nearestOf(t, db, w.model, q))
			ours = append(ours, neighboursOf(t, db.Readers(), q))
		}
	})
	w.withUpstream(t, func(pool *sql.DB) {
		checkVectors(t, "C", pool, w.vectors)
		for _, q := range questions {
			theirs = append(theirs, neighboursOf(t, pool, q))
		}
	})
	for i, q := range questions {
		checkPassing(t, q, theirs[i], w.vectors)
		checkSame(t, q.name+", distances", ours[i], theirs[i])
		checkSame(t, q.name+", cosines", nearest[i], cosines(theirs[i]))
	}
}

// checkVectors reads all vectors and compares them bit for bit.
func checkVectors(t *testing.T, reader string, pool *sql.DB, want map[int64]spokenVector) {
	t.Helper()
	rows, err := pool.QueryContext(t.Context(), `SELECT passage_id, embedding FROM `+tableOf(t, pool))
	if err != nil {
		t.Fatalf("%s: read the vectors: %v", reader, err)
	}
	defer rows.Close()
	read := 0
	for ; rows.Next(); read++ {
		var ref int64
		var stored []byte
		if err := rows.Scan(&ref, &stored); err != nil {
			t.Fatalf("%s: read a vector: %v", reader, err)
		}
		if s, ok := want[ref]; !ok || !slices.Equal(stored, s.stored) {
			t.Errorf("%s: vector of passage %d begins with %v, want %v (written: %t)", reader, ref, first(stored), first(s.stored), ok)
		}
	}
	if err := rows.Err(); err != nil || read != len(want) {
		t.Errorf("%s: read %d vectors, %v, want %d", reader, read, err, len(want))
	}
}

// first is the first number of a stored vector; 0 when it has none.
func first(stored []byte) float32 {
	if len(stored) < 4 {
		return 0
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(stored))
}

// nearestOf asks the store.
func nearestOf(t *testing.T, db *sqlite.DB, model memory.EmbeddingModel, q asked) []near {
	t.Helper()
	hits, err := db.Nearest(t.Context(), model, q.vector, q.filter, q.k)
	if err != nil {
		t.Fatalf("Nearest(%s): %v", q.name, err)
	}
	var list []near
	for _, h := range hits {
		list = append(list, near{h.MessageID<<8 | int64(h.Ord), h.Score})
	}
	return list
}

// neighboursOf asks a library for the nearest passages, in its own words.
func neighboursOf(t *testing.T, pool *sql.DB, q asked) []near {
	t.Helper()
	query, args := `SELECT passage_id, distance FROM `+tableOf(t, pool)+` WHERE embedding MATCH ? AND k = ?`, []any{serialized(t, unit(q.vector)), q.k}
	narrow := func(condition string, arg any) { query, args = query+" AND "+condition, append(args, arg) }
	if q.filter.Session != "" {
		narrow("session_id = coalesce((SELECT id FROM sessions WHERE name = ?), 0)", q.filter.Session)
	}
	if q.filter.Role != "" {
		narrow("role = ?", map[memory.Role]int{memory.RoleUser: 0, memory.RoleAssistant: 1, memory.RoleSystem: 2, memory.RoleTool: 3}[q.filter.Role])
	}
	if !q.filter.Since.IsZero() {
		narrow("sent_at >= ?", q.filter.Since.UnixNano())
	}
	if !q.filter.Until.IsZero() {
		narrow("sent_at < ?", q.filter.Until.UnixNano())
	}
	rows, err := pool.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatalf("%s: %v", q.name, err)
	}
	defer rows.Close()
	var list []near
	for rows.Next() {
		var n near
		if err := rows.Scan(&n.ref, &n.value); err != nil {
			t.Fatalf("%s: %v", q.name, err)
		}
		list = append(list, n)
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", q.name, err)
	}
	return list
}

// checkPassing makes sure that as many as there are were found, and none that
// the filter keeps out.
func checkPassing(t *testing.T, q asked, got []near, vectors map[int64]spokenVector) {
	t.Helper()
	passes := func(s spokenVector) bool { return q.filter.Lets(s.session, s.role, s.sentAt, false) }
	there := 0
	for _, s := range vectors {
		if passes(s) {
			there++
		}
	}
	if want := min(q.k, there); len(got) != want {
		t.Errorf("%s: found %d neighbours, want %d", q.name, len(got), want)
	}
	for _, n := range got {
		if s, ok := vectors[n.ref]; !ok || !passes(s) {
			t.Errorf("%s: found passage %d of %+v, which is not asked for", q.name, n.ref, s)
		}
	}
}

// cosines turns distances between vectors of length 1 into cosines.
func cosines(distances []near) []near {
	list := slices.Clone(distances)
	for i, n := range list {
		list[i].value = 1 - n.value*n.value/2
	}
	return list
}

// checkSame compares two results place by place. Passages may change places, or
// take turns at the last one, when they are equally near.
func checkSame(t *testing.T, name string, got, want []near) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: found %d, want %d", name, len(got), len(want))
		return
	}
	values := map[int64]float64{}
	for _, n := range want {
		values[n.ref] = n.value
	}
	for i, n := range got {
		value, listed := values[n.ref]
		if !listed {
			value = want[len(want)-1].value
		}
		if math.Abs(n.value-want[i].value) > sameDistance || math.Abs(n.value-value) > sameDistance {
			t.Errorf("%s: place %d is passage %d at %v, want %d at %v", name, i, n.ref, n.value, want[i].ref, want[i].value)
		}
	}
}

// checkHealth makes sure that the store finds nothing wrong with the file.
func checkHealth(t *testing.T, w *written) {
	t.Helper()
	w.with(t, func(db *sqlite.DB) {
		findings, err := db.Check(t.Context())
		if err != nil {
			t.Fatalf("Check(): %v", err)
		}
		for _, f := range findings {
			if !f.OK {
				t.Errorf("Check() finds %+v, want all in order", f)
			}
		}
	})
}
