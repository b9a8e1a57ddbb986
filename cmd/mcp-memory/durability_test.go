package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
	"mcp-memory/memory/sqlite"
)

// Four servers start at once on a new file and record at the same time: nothing
// is lost, nothing fails (case F01).
func TestProcessesShareANewFile(t *testing.T) {
	t.Parallel()
	const processes, each = 4, 250
	db := filepath.Join(t.TempDir(), "new", "memory.db")
	var all sync.WaitGroup
	for p := range processes {
		c := launch(t, nil, "stdio", "--db", db, "--sync", "normal")
		all.Go(func() {
			if r := c.request("initialize", initializeParams("2025-06-18")); r.Error != nil {
				t.Errorf("process %d: initialize = error %+v", p, r.Error)
				return
			}
			for i := range each {
				a := c.tool("add_messages", fmt.Sprintf(`{"session_id":"s%d","messages":[{"role":"user","content":"process %d says %d"}]}`, i%3, p, i))
				if a.bad {
					t.Errorf("process %d, message %d: %s", p, i, a.text)
				}
			}
		})
	}
	all.Wait()
	if n := len(everything(t, db)); n != processes*each {
		t.Errorf("%d messages are stored, want %d", n, processes*each)
	}
}

// A server that is killed with calls in flight has kept every message that it
// acknowledged, and its file is whole.
func TestKilledServersLoseNothing(t *testing.T) {
	t.Parallel()
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	db := filepath.Join(t.TempDir(), "memory.db")
	acknowledged := map[string]bool{}
	for round := range rounds {
		for _, content := range addUntilKilled(t, db, round) {
			acknowledged[content] = true
		}
	}
	stored := map[string]int{}
	for _, content := range everything(t, db) {
		stored[content]++
	}
	for content := range acknowledged {
		if stored[content] != 1 {
			t.Errorf("%q was acknowledged and is stored %d times", content, stored[content])
		}
	}
	if len(acknowledged) < rounds {
		t.Errorf("only %d messages were acknowledged in %d rounds: the test kills too early", len(acknowledged), rounds)
	}
}

// addUntilKilled keeps 20 calls in flight, kills the server at some moment, and
// returns the messages that were acknowledged until then.
func addUntilKilled(t *testing.T, db string, round int) (acknowledged []string) {
	c := start(t, nil, "stdio", "--db", db)
	c.ended = true // it will not end well
	const inFlight, calls = 20, 400
	content := func(id int) string { return fmt.Sprintf("round %d call %d", round, id) }
	call := func(id int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add_messages","arguments":{"messages":[{"role":"user","content":%q}]}}}`+"\n", id, content(id))
	}
	killAfter := 1 + rand.IntN(calls/2)
	for id := 100; id < 100+inFlight; id++ {
		fmt.Fprint(c.in, call(id))
	}
	for next := 100 + inFlight; ; next++ {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			break
		}
		var r response
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("the program printed %.200q", line)
		}
		if strings.Contains(string(r.Result), `"added":1`) {
			var id int
			if err := json.Unmarshal(r.ID, &id); err != nil {
				t.Fatal(err)
			}
			acknowledged = append(acknowledged, content(id))
		}
		if len(acknowledged) == killAfter {
			if err := c.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Fprint(c.in, call(next)) // fails once the process is gone
	}
	_ = c.cmd.Wait()
	return acknowledged
}

// everything checks the file and returns the contents of all messages.
func everything(t *testing.T, path string) (contents []string) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Options{
		Path:    path,
		Analyse: func(m memory.Message) memory.Entry { return history.Analyse(m, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	findings, err := db.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if !f.OK {
			t.Errorf("check of the %s: %s", f.Name, f.Detail)
		}
	}
	err = db.Export(t.Context(), "", func(m memory.Message) error {
		contents = append(contents, m.Content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return contents
}
