package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// A process that reads what was there before keeps the log from being emptied;
// what is left to do is done when it has gone.
func TestResetBesideAReader(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.db")
	db := open(t, sqlite.Options{Path: path, Sync: "normal"})
	chatter(t, db, "s", "omega", 50)
	chatter(t, db, "kept", "alpha", 50)
	reader := child(t, "read", path)
	out, err := reader.StdoutPipe()
	if err != nil {
		t.Fatalf("StdoutPipe(): %v", err)
	}
	if err := reader.Start(); err != nil {
		t.Fatalf("Start(): %v", err)
	}
	readLines(out, func(int) {
		if n, err := db.Reset(t.Context(), "s", memory.Reset{Mode: memory.ResetAll}); err != nil || n != 50 {
			t.Errorf("Reset() = %d, %v, want 50", n, err)
		}
		for range 2 {
			if wiped, err := db.Wipe(t.Context()); err != nil || wiped {
				t.Errorf("Wipe(beside a reader) = %v, %v, want false", wiped, err)
			}
		}
		if f := finding(t, db, "deletions"); f.OK {
			t.Errorf("Check() = %+v, want it to say that deleted text may be left", f)
		}
		if err := reader.Process.Kill(); err != nil {
			t.Errorf("Kill(): %v", err)
		}
	})
	if err := reader.Wait(); err == nil {
		t.Error("the reader ended by itself, want it killed")
	}
	if len(copies(t, path, "omega")) == 0 {
		t.Error("no copy was left for the job: the reader was in nobody's way")
	}
	if wiped, err := db.Wipe(t.Context()); err != nil || !wiped {
		t.Errorf("Wipe() = %v, %v, want true now", wiped, err)
	}
	if found := copies(t, path, "omega"); len(found) > 0 {
		t.Errorf("after the wipe there are still %v", found)
	}
	sound(t, db)
}

func finding(t *testing.T, db *sqlite.DB, name string) sqlite.Finding {
	t.Helper()
	list, err := db.Check(t.Context())
	if err != nil {
		t.Fatalf("Check(): %v", err)
	}
	for _, f := range list {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("Check() = %+v, want a finding %q", list, name)
	return sqlite.Finding{}
}

// A process that is killed in the middle of a reset has deleted everything or
// nothing.
func TestKilledReset(t *testing.T) {
	t.Parallel()
	const messages = 600
	path := filepath.Join(t.TempDir(), "m.db")
	db := open(t, sqlite.Options{Path: path, Sync: "normal"})
	chatter(t, db, "s", "omega", messages)
	chatter(t, db, "kept", "alpha", 50)
	fillVectors(t, db)
	for range 3 {
		killReset(t, path)
		n, err := db.Messages(t.Context(), "s")
		if left := len(pages(t, db, "s")); err != nil || left != n || n != 0 && n != messages {
			t.Fatalf("after the kill there are %d messages of %d, %v, want all or none", left, n, err)
		}
		if n == 0 {
			break
		}
		sound(t, db)
	}
	if _, err := db.Reset(t.Context(), "s", memory.Reset{Mode: memory.ResetAll}); err != nil {
		t.Errorf("Reset(): %v", err)
	}
	if wiped, err := db.Wipe(t.Context()); err != nil || !wiped {
		t.Errorf("Wipe() = %v, %v, want true", wiped, err)
	}
	if found := copies(t, path, "omega"); len(found) > 0 {
		t.Errorf("after the reset there are still %v", found)
	}
	sound(t, db)
}

// killReset lets a process reset the session and kills it as soon as it writes:
// what does not fit into its memory goes into the log before the end.
func killReset(t *testing.T, path string) {
	t.Helper()
	resetter := child(t, "reset", path, "s")
	ready, begin, err := os.Pipe()
	if err != nil {
		t.Fatalf("Pipe(): %v", err)
	}
	defer ready.Close()
	resetter.Stdin = ready
	if err := resetter.Start(); err != nil {
		t.Fatalf("Start(): %v", err)
	}
	before := logState(t, path)
	begin.Close()
	ended := make(chan error, 1)
	go func() { ended <- resetter.Wait() }()
	for {
		select {
		case <-ended: // it was faster than this test
			return
		default:
		}
		if logState(t, path) != before {
			break
		}
	}
	if err := resetter.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("Kill(): %v", err)
	}
	<-ended
}

// logState is the size of the log, and when it was written last.
func logState(t *testing.T, path string) [2]int64 {
	t.Helper()
	info, err := os.Stat(path + "-wal")
	if err != nil {
		t.Fatalf("Stat(): %v", err)
	}
	return [2]int64{info.Size(), info.ModTime().UnixNano()}
}

// Two processes reset a session at once: one deletes, the other finds nothing
// left to delete.
func TestTwoResetsAtOnce(t *testing.T) {
	t.Parallel()
	for _, mode := range []memory.ResetMode{memory.ResetAll, memory.ResetRemove} {
		path := filepath.Join(t.TempDir(), "m.db")
		one, two := open(t, sqlite.Options{Path: path, Sync: "normal"}), open(t, sqlite.Options{Path: path, Sync: "normal"})
		chatter(t, one, "s", "omega", 50)
		removed, errs := make([]int, 2), make([]error, 2)
		var both sync.WaitGroup
		for i, db := range []*sqlite.DB{one, two} {
			both.Go(func() {
				removed[i], errs[i] = db.Reset(t.Context(), "s", memory.Reset{Mode: mode})
				if _, err := db.Wipe(t.Context()); err != nil {
					t.Errorf("Wipe(): %v", err)
				}
			})
		}
		both.Wait()
		if removed[0]+removed[1] != 50 {
			t.Errorf("Reset(%s) twice at once = %d, %v, want 50 once", mode, removed, errs)
		}
		for _, err := range errs {
			if err != nil && (mode != memory.ResetRemove || !errors.Is(err, memory.ErrNotFound)) {
				t.Errorf("Reset(%s) = %v, want none, or that the session is gone", mode, err)
			}
		}
		if wiped, err := one.Wipe(t.Context()); err != nil || !wiped {
			t.Errorf("Wipe() = %v, %v, want true", wiped, err)
		}
		if found := copies(t, path, "omega"); len(found) > 0 {
			t.Errorf("after both there are still %v", found)
		}
		sound(t, one)
	}
}
