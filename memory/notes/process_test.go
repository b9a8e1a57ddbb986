package notes_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-memory/memory/notes"
	"mcp-memory/memory/notes/folder"
	"mcp-memory/memory/sqlite"
)

// childEnv makes the test binary a process that writes sections and nothing
// else: "database workspace name count", separated by line ends.
const childEnv = "MEMORY_NOTES_TEST_CHILD"

// The day that all processes write into.
const busyDay = "2026-03-08"

func TestMain(m *testing.M) {
	task := os.Getenv(childEnv)
	if task == "" {
		os.Exit(m.Run())
	}
	fields := strings.Split(task, "\n")
	if err := child(context.Background(), fields[0], fields[1], fields[2], fields[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child writes sections, or is killed in the midst of one.
func child(ctx context.Context, database, workspace, name, count string) error {
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil { // until all may begin
		return err
	}
	n, db, err := openNotes(ctx, database, workspace, 0)
	if err != nil {
		return err
	}
	defer db.Close()
	sections := 0
	if _, err := fmt.Sscan(count, &sections); err != nil {
		return err
	}
	for i := range sections {
		if _, err := n.AppendSection(ctx, busyDay, section(name, i)); err != nil {
			return err
		}
	}
	return nil
}

// openNotes opens the notes as a process of their own would. A workspace named
// "!path" kills the process right after its first write to a file; the clock of
// the store is ahead of the time.
func openNotes(ctx context.Context, database, workspace string, ahead time.Duration) (*notes.Notes, *sqlite.DB, error) {
	workspace, killed := strings.CutPrefix(workspace, "!")
	db, err := sqlite.Open(ctx, sqlite.Options{Path: database, Sync: "normal", Now: func() time.Time { return time.Now().Add(ahead) }})
	if err != nil {
		return nil, nil, err
	}
	files, err := folder.New(workspace)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	c := notes.Config{Store: db, Files: files, Location: time.UTC}
	if killed {
		c.Files = deadly{files}
	}
	n, err := notes.New(c)
	return n, db, err
}

// deadly is a folder whose first write kills the process once it is done.
type deadly struct{ notes.Files }

func (d deadly) Write(ctx context.Context, path string, was, content []byte) error {
	if err := d.Files.Write(ctx, path, was, content); err != nil {
		return err
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	return errors.Join(self.Kill(), waitForever())
}

func waitForever() error { select {} }

func section(name string, i int) notes.Section {
	return notes.Section{Session: name, From: int64(2 * i), To: int64(2*i + 1), Text: fmt.Sprintf("<%s wrote number %d>", name, i)}
}

// start prepares a process. It begins its work when the returned function is
// called.
func start(t *testing.T, database, workspace, name string, count int) (cmd *exec.Cmd, begin func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join([]string{database, workspace, name, fmt.Sprint(count)}, "\n"))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, func() { in.Close() }
}

// Eight processes write into the note of the same day at once: no section is lost
// or doubled.
func TestProcessesWriteOneDay(t *testing.T) {
	t.Parallel()
	const processes = 8
	sections := 50
	if testing.Short() {
		sections = 10
	}
	database, workspace := filepath.Join(t.TempDir(), "m.db"), filepath.Join(t.TempDir(), "w")
	if _, db, err := openNotes(t.Context(), database, workspace, 0); err != nil {
		t.Fatal(err)
	} else if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var starts []func()
	for p := range processes {
		cmd, begin := start(t, database, workspace, fmt.Sprint("p", p), sections)
		all.Go(func() {
			if err := cmd.Wait(); err != nil {
				t.Errorf("process %d: %v", p, err)
			}
		})
		starts = append(starts, begin)
	}
	for _, begin := range starts {
		begin()
	}
	all.Wait()
	content, err := os.ReadFile(filepath.Join(workspace, "memory", busyDay+".md"))
	if err != nil {
		t.Fatal(err)
	}
	for p := range processes {
		for i := range sections {
			if n := strings.Count(string(content), section(fmt.Sprint("p", p), i).Text); n != 1 {
				t.Errorf("section %d of process %d is there %d times, want once", i, p, n)
			}
		}
	}
	if want := "# " + busyDay + "\n\n## p"; !strings.HasPrefix(string(content), want) {
		t.Errorf("the note begins %.40q, want %q", content, want)
	}
}

// A process that is killed between the file and the database has written its
// section once, also after the next try.
func TestKilledBetweenFileAndDatabase(t *testing.T) {
	t.Parallel()
	database, workspace := filepath.Join(t.TempDir(), "m.db"), filepath.Join(t.TempDir(), "w")
	cmd, begin := start(t, database, "!"+workspace, "s --> x", 1)
	begin()
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
		t.Fatalf("Wait() = %v, want a process that was killed", err)
	}
	n, db, err := openNotes(t.Context(), database, workspace, time.Minute) // the lease of the killed one has ended
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for range 2 {
		if wrote, err := n.AppendSection(t.Context(), busyDay, section("s --> x", 0)); err != nil || wrote {
			t.Errorf("AppendSection() after the kill = %v, %v, want false: it is there", wrote, err)
		}
	}
	content, err := os.ReadFile(filepath.Join(workspace, "memory", busyDay+".md"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(content), "wrote number 0"); n != 1 || !strings.HasSuffix(string(content), "wrote number 0>\n") {
		t.Errorf("the section is there %d times, want once: %q", n, content)
	}
}
