package sqlite_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// TestOpenAtOnce opens one new file many times at once: one of them makes the
// schema, the others find it.
func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	for range 5 {
		path := filepath.Join(t.TempDir(), "m.db")
		var work sync.WaitGroup
		begin := make(chan struct{})
		for range 6 {
			work.Go(func() {
				<-begin
				db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
				if err != nil {
					t.Errorf("Open() beside others: %v", err)
					return
				}
				if err := db.Close(); err != nil {
					t.Errorf("Close() beside others: %v", err)
				}
			})
		}
		close(begin)
		work.Wait()
		sound(t, open(t, sqlite.Options{Path: path}))
	}
}

// TestProcesses lets four processes open one new file at once and append to it.
func TestProcesses(t *testing.T) {
	t.Parallel()
	const processes, messages = 4, 250
	path := filepath.Join(t.TempDir(), "m.db")
	var commands []*exec.Cmd
	for p := range processes {
		commands = append(commands, child(t, "append", path, fmt.Sprint("p", p), fmt.Sprint(messages)))
	}
	runAtOnce(t, commands)
	db := open(t, sqlite.Options{Path: path})
	if got := len(newest(t, db)); got != processes*messages {
		t.Errorf("%d processes of %d messages stored %d, want all", processes, messages, got)
	}
	if got := search(t, db, "wrote"); got != processes*messages {
		t.Errorf("Match(wrote) = %d hits, want %d", got, processes*messages)
	}
	sound(t, db)
}

// runAtOnce starts processes, lets them begin together and waits for them.
func runAtOnce(t *testing.T, commands []*exec.Cmd) {
	t.Helper()
	ready, begin, err := os.Pipe()
	if err != nil {
		t.Fatalf("Pipe(): %v", err)
	}
	for _, cmd := range commands {
		cmd.Stdin = ready
		if err := cmd.Start(); err != nil {
			t.Fatalf("Start(): %v", err)
		}
	}
	ready.Close()
	begin.Close()
	for p, cmd := range commands {
		if err := cmd.Wait(); err != nil {
			t.Errorf("process %d: %v", p, err)
		}
	}
}

// TestProcessesSpend lets two processes and two handles of this one book into
// one row at once.
func TestProcessesSpend(t *testing.T) {
	t.Parallel()
	const users, calls = 4, 100
	path := filepath.Join(t.TempDir(), "m.db")
	first, second := open(t, sqlite.Options{Path: path}), open(t, sqlite.Options{Path: path})
	var work sync.WaitGroup
	for _, db := range []*sqlite.DB{first, second} {
		work.Go(func() {
			if err := spendMany(t.Context(), db, calls); err != nil {
				t.Errorf("Spend(): %v", err)
			}
		})
	}
	runAtOnce(t, []*exec.Cmd{child(t, "spend", path, fmt.Sprint(calls)), child(t, "spend", path, fmt.Sprint(calls))})
	work.Wait()
	want := memory.Usage{Requests: users * calls, Input: 10 * users * calls, Output: 2 * users * calls}
	for _, db := range []*sqlite.DB{first, second} {
		if got, err := db.Spent(t.Context(), "2026-11-01"); err != nil || got != want {
			t.Errorf("Spent() = %+v, %v, want %+v", got, err, want)
		}
	}
}

// TestKill ends a process in the middle of its appends, a few times over. What
// it acknowledged is there.
func TestKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.db")
	var acknowledged []string
	for round := range 4 {
		cmd := child(t, "append", path, fmt.Sprint("round", round), "100000")
		acknowledged = append(acknowledged, killAfter(t, cmd, 10+17*round)...)
	}
	db := open(t, sqlite.Options{Path: path})
	list, err := db.Newest(t.Context(), "s", 100000)
	if err != nil {
		t.Fatalf("Newest(): %v", err)
	}
	stored := map[string]bool{}
	for _, m := range list {
		stored[m.ClientID] = true
	}
	for _, id := range acknowledged {
		if !stored[id] {
			t.Errorf("message %s was acknowledged and is gone", id)
		}
	}
	if got := search(t, db, "wrote"); got != len(list) {
		t.Errorf("Match(wrote) = %d hits, want the %d stored", got, len(list))
	}
	sound(t, db)
}

// killAfter runs a process until it has printed n lines, kills it and returns
// all that it printed.
func killAfter(t *testing.T, cmd *exec.Cmd, n int) []string {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatalf("StdoutPipe(): %v", err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("Start(): %v", err)
	}
	printed := readLines(out, func(count int) {
		if count == n {
			if err := cmd.Process.Kill(); err != nil {
				t.Errorf("Kill(): %v", err)
			}
		}
	})
	if err := cmd.Wait(); err == nil {
		t.Error("the process ended by itself, want it killed")
	}
	if len(printed) < n {
		t.Fatalf("the process printed %d lines, want %d at least", len(printed), n)
	}
	if last := printed[len(printed)-1]; !strings.HasPrefix(last, "round") {
		t.Errorf("the process printed %q, want ids", last)
	}
	return printed
}
