package sqlite_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// copies counts the places of a text in a memory file, its log and the log's
// index.
func copies(t *testing.T, path string, texts ...string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		content, err := os.ReadFile(path + suffix)
		if err != nil && !os.IsNotExist(err) {
			t.Fatalf("ReadFile(): %v", err)
		}
		for _, s := range texts {
			if n := bytes.Count(bytes.ToLower(content), []byte(s)); n > 0 {
				found[s+" in *"+suffix] = n
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
				db := open(t, sqlite.Options{Path: path, JournalMode: journal})
				chatter(t, db, "kept", "alpha", 100)
				chatter(t, db, "s", "omega", 200)
				chatter(t, db, "kept", "gamma", 50)
				fillVectors(t, db)
				chatter(t, db, "s", "omega", 0)
				r := memory.Reset{Mode: mode}
				if mode == memory.ResetMessages {
					for _, m := range pages(t, db, "s") {
						r.Messages = append(r.Messages, m.ID)
					}
				}
				if len(copies(t, path, "omega")) == 0 {
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
				if len(copies(t, path, "alphaword", "gammaword")) < 2 {
					t.Error("what another session says is gone too")
				}
				sound(t, db)
			})
		}
	}
}

// fillVectors gives all that waits a vector, whose bytes spell it.
func fillVectors(t *testing.T, db *sqlite.DB) {
	t.Helper()
	if err := db.UseModel(t.Context(), fixtureModel()); err != nil {
		t.Fatalf("UseModel(): %v", err)
	}
	for {
		list, err := db.Waiting(t.Context(), 100)
		if err != nil {
			t.Fatalf("Waiting(): %v", err)
		}
		if len(list) == 0 {
			return
		}
		var vectors []memory.Vector
		for i, p := range list {
			vectors = append(vectors, memory.Vector{Ref: p.Ref, Values: []float32{1, float32(i)}})
		}
		if err := db.SaveVectors(t.Context(), fixtureModel(), vectors); err != nil {
			t.Fatalf("SaveVectors(): %v", err)
		}
	}
}

func pages(t *testing.T, db *sqlite.DB, session string) []memory.Message {
	t.Helper()
	list, err := db.Page(t.Context(), session, memory.Position{}, false, 10000, 1<<20)
	if err != nil {
		t.Fatalf("Page(): %v", err)
	}
	return list
}
