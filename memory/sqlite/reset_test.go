package sqlite_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// copies finds texts, in lower case, in a memory file, its log and the log's
// index, and says how often each occurs where. Bytes over 127 count as they are.
func copies(t *testing.T, path string, texts ...string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		content, err := os.ReadFile(path + suffix)
		if err != nil && !os.IsNotExist(err) {
			t.Fatalf("ReadFile(): %v", err)
		}
		for i, b := range content {
			if 'A' <= b && b <= 'Z' {
				content[i] = b | 0x20
			}
		}
		for _, s := range texts {
			if n := bytes.Count(content, []byte(s)); n > 0 {
				found[fmt.Sprintf("%q in *%s", s, suffix)] = n
			}
		}
	}
	return found
}

// chatter fills a session with n messages, long and short, whose words all begin
// with the mark; no other session has them.
func chatter(t *testing.T, db *sqlite.DB, session, mark string, n int) {
	t.Helper()
	var batch []memory.Entry
	for i := range n {
		m := memory.Message{ClientID: fmt.Sprintf("%sid%d", mark, i), Role: memory.RoleUser, Sender: mark + "sender", SentAt: time.Unix(int64(i), 0), Source: "test",
			ToolCallID: mark + "call", ToolName: mark + "tool", ToolCalls: []byte(`["` + mark + `arguments"]`)}
		for j := range 5 + i%7*i%90 {
			m.Content += fmt.Sprintf("%sword%d%s is common. ", mark, i*j%199, []string{"", "s", "ing", "ly"}[j%4])
		}
		m.Size = len(m.Content)
		batch = append(batch, analyse(m))
	}
	if _, err := db.Append(t.Context(), session, batch); err != nil {
		t.Fatalf("Append(): %v", err)
	}
}

func TestResetLeavesNoCopy(t *testing.T) {
	t.Parallel()
	for _, journal := range []string{"wal", "delete"} {
		for _, mode := range []memory.ResetMode{memory.ResetSummary, memory.ResetAll, memory.ResetRemove, memory.ResetMessages} {
			t.Run(fmt.Sprint(journal, " ", mode), func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "m.db")
				db := open(t, sqlite.Options{Path: path, JournalMode: journal, Sync: "normal"})
				chatter(t, db, "kept", "alpha", 100)
				chatter(t, db, "s", "omega", 200)
				chatter(t, db, "kept", "gamma", 50)
				vectors := fillVectors(t, db)
				r := memory.Reset{Mode: mode}
				if mode == memory.ResetMessages {
					for _, m := range pages(t, db, "s") {
						r.Messages = append(r.Messages, m.ID)
					}
				}
				const omega = true
				if len(copies(t, path, "omega")) == 0 || len(copies(t, path, vectors[omega]...)) == 0 {
					t.Fatal("the texts are not in the file before the reset: the test looks in the wrong place")
				}
				if removed, err := db.Reset(t.Context(), "s", r); err != nil || removed != 200 {
					t.Errorf("Reset() = %d, %v, want 200", removed, err)
				}
				if wiped, err := db.Wipe(t.Context()); err != nil || !wiped {
					t.Errorf("Wipe() = %v, %v, want true", wiped, err)
				}
				if found := copies(t, path, "omega"); len(found) > 0 {
					t.Errorf("after the reset there are still %v", found)
				}
				if found := copies(t, path, vectors[omega]...); len(found) > 0 {
					t.Errorf("after the reset there are still %d vectors of what was deleted", len(found))
				}
				if found := copies(t, path, vectors[!omega]...); len(found) == 0 {
					t.Error("the other vectors are gone too: the test looks for the wrong bytes")
				}
				if len(copies(t, path, "alphaword", "gammaword")) < 2 {
					t.Error("what another session says is gone too")
				}
				sound(t, db)
			})
		}
	}
}

// fillVectors gives all that waits a vector, and returns the bytes of some of
// those of texts with the mark omega (true) and of others (false).
func fillVectors(t *testing.T, db *sqlite.DB) map[bool][]string {
	t.Helper()
	model := memory.EmbeddingModel{Provider: "test", Name: "cube", Dimensions: 3}
	if err := db.UseModel(t.Context(), model); err != nil {
		t.Fatalf("UseModel(): %v", err)
	}
	written := map[bool][]string{}
	for number := float32(1); ; {
		list, err := db.Waiting(t.Context(), 100)
		if err != nil {
			t.Fatalf("Waiting(): %v", err)
		}
		if len(list) == 0 {
			return written
		}
		var vectors []memory.Vector
		for _, p := range list {
			number++
			v := []float32{1, number, 3 - number}
			vectors = append(vectors, memory.Vector{Ref: p.Ref, Values: v})
			if omega := strings.HasPrefix(p.Text, "omega"); len(written[omega]) < 20 {
				written[omega] = append(written[omega], unitBytes(v))
			}
		}
		if err := db.SaveVectors(t.Context(), model, vectors); err != nil {
			t.Fatalf("SaveVectors(): %v", err)
		}
	}
}

// unitBytes are the bytes of a vector, scaled to length 1 as the store does, in
// lower case as copies compares.
func unitBytes(v []float32) string {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	scale := 1 / math.Sqrt(sum)
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(float64(x)*scale)))
	}
	for i := range b {
		if 'A' <= b[i] && b[i] <= 'Z' {
			b[i] |= 0x20
		}
	}
	return string(b)
}

func pages(t *testing.T, db *sqlite.DB, session string) []memory.Message {
	t.Helper()
	list, err := db.Page(t.Context(), session, memory.Position{}, false, 10000, 1<<20)
	if err != nil {
		t.Fatalf("Page(): %v", err)
	}
	return list
}

// A sentence among many: little of the index goes, so that nothing is written
// anew by itself.
func TestResetOfAFewLeavesNoCopy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.db")
	db := open(t, sqlite.Options{Path: path, Sync: "normal"})
	chatter(t, db, "s", "alpha", 300)
	chatter(t, db, "s", "omega", 3)
	chatter(t, db, "s", "gamma", 300)
	vectors := fillVectors(t, db)
	r := memory.Reset{Mode: memory.ResetMessages}
	for _, m := range pages(t, db, "s") {
		if strings.HasPrefix(m.Content, "omega") {
			r.Messages = append(r.Messages, m.ID)
		}
	}
	if removed, err := db.Reset(t.Context(), "s", r); err != nil || removed != 3 {
		t.Errorf("Reset() = %d, %v, want 3", removed, err)
	}
	if wiped, err := db.Wipe(t.Context()); err != nil || !wiped {
		t.Errorf("Wipe() = %v, %v, want true", wiped, err)
	}
	if found := copies(t, path, append(vectors[true], "omega")...); len(found) > 0 {
		t.Errorf("after the reset there are still %v", found)
	}
	if found := copies(t, path, vectors[false]...); len(found) == 0 {
		t.Error("the other vectors are gone too: the test looks for the wrong bytes")
	}
	sound(t, db)
}

// Sessions that take turns share their pages, which are split again and again:
// what moves to another page leaves copies behind.
func TestResetLeavesNoCopyOfWhatMoved(t *testing.T) {
	t.Parallel()
	const sessions, messages = 8, 800
	path := filepath.Join(t.TempDir(), "m.db")
	db := open(t, sqlite.Options{Path: path, Sync: "normal"})
	mark := func(session int) string { return "mark" + string(rune('a'+session)) + "zq" }
	random := rand.New(rand.NewPCG(1, 2))
	for i := range messages {
		session := random.IntN(sessions)
		m := memory.Message{Role: memory.RoleUser, Sender: mark(session) + "sender", SentAt: time.Unix(int64(i), 0), Source: "test"}
		for range 1 + random.IntN(40) {
			m.Content += fmt.Sprintf("%s%d common%d ", mark(session), random.IntN(300), random.IntN(500))
		}
		m.Size = len(m.Content)
		if _, err := db.Append(t.Context(), fmt.Sprint(session), []memory.Entry{analyse(m)}); err != nil {
			t.Fatalf("Append(): %v", err)
		}
	}
	for session := range sessions / 2 {
		if _, err := db.Reset(t.Context(), fmt.Sprint(session), memory.Reset{Mode: memory.ResetAll}); err != nil {
			t.Errorf("Reset(): %v", err)
		}
	}
	if wiped, err := db.Wipe(t.Context()); err != nil || !wiped {
		t.Errorf("Wipe() = %v, %v, want true", wiped, err)
	}
	for session := range sessions {
		if found := copies(t, path, mark(session)); (len(found) > 0) != (session >= sessions/2) {
			t.Errorf("of session %d there are %v", session, found)
		}
	}
	sound(t, db)
}
