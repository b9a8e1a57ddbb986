//go:build cgo && compat

package sqlite_test

import (
	"database/sql"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	vec "github.com/asg017/sqlite-vec-go-bindings/cgo"
	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3", SQLite in C

	"mcp-memory/memory"
	"mcp-memory/memory/history"
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

func serialized(tb testing.TB, v []float32) []byte {
	tb.Helper()
	b, err := vec.SerializeFloat32(v)
	if err != nil {
		tb.Fatalf("SerializeFloat32(): %v", err)
	}
	return b
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
			execute1(t, pool, `DELETE FROM `+table+` WHERE passage_id = ?`, ref)
		}
		for i, ref := range refs {
			s := w.vectors[ref]
			delete(w.vectors, ref)
			if i%2 == 1 {
				continue
			}
			s.stored = serialized(t, unit(w.random()))
			w.vectors[ref] = s
			execute1(t, pool, `
				INSERT INTO `+table+`(passage_id, session_id, sent_at, role, embedding)
				SELECT ?1, session_id, sent_at, role, ?2 FROM messages WHERE id = ?1 >> 8`, ref, s.stored)
		}
		execute1(t, pool, `UPDATE embedding_models SET vectors = ?`, len(w.vectors))
	})
}

// execute1 runs a statement that changes one row.
func execute1(t *testing.T, pool *sql.DB, statement string, args ...any) {
	t.Helper()
	result, err := pool.ExecContext(t.Context(), statement, args...)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		t.Fatalf("%s changed %d rows, %v, want 1", statement, n, err)
	}
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
