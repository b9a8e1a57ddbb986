package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/jobs"
	"mcp-memory/memory/sqlite"
)

func open(t testing.TB) *sqlite.DB {
	t.Helper()
	return openFile(t, t.TempDir()+"/memory.db")
}

// openFile opens a file, which may be open as well elsewhere.
func openFile(t testing.TB, path string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Sync: "normal"})
	if err != nil {
		t.Fatalf("Open(): %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close(): %v", err)
		}
	})
	return db
}

// notes are what jobs write down, safe for many runners.
type notes struct {
	mu    sync.Mutex
	lines []string
}

func (n *notes) add(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

// take returns the lines since the last time.
func (n *notes) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	lines := n.lines
	n.lines = nil
	return lines
}

func (n *notes) want(t *testing.T, when string, want ...string) {
	t.Helper()
	if got := n.take(); !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", when, got, want)
	}
}

// Write makes notes the target of a log.
func (n *notes) Write(line []byte) (int, error) {
	n.add("%s", strings.TrimSpace(string(line)))
	return len(line), nil
}

// process is a runner that runs, as in a process of its own.
type process struct {
	*jobs.Runner
	t    *testing.T
	stop context.CancelFunc
	done chan error
}

func newRunner(t *testing.T, c jobs.Config) *jobs.Runner {
	t.Helper()
	if c.Location == nil {
		c.Location = time.UTC
	}
	r, err := jobs.New(c)
	if err != nil {
		t.Fatalf("New(): %v", err)
	}
	return r
}

// start runs a runner until the test stops it.
func start(t *testing.T, c jobs.Config) *process {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	p := &process{newRunner(t, c), t, stop, make(chan error, 1)}
	go func() { p.done <- p.Run(ctx) }()
	return p
}

// pass lets time pass in the bubble, and what is due in it be done.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (p *process) end() {
	p.t.Helper()
	p.stop()
	if err := <-p.done; err != nil {
		p.t.Errorf("Run() = %v, want nil", err)
	}
}

// status is what List says of the first job.
func status(t *testing.T, r *jobs.Runner) jobs.Status {
	t.Helper()
	list, err := r.List(t.Context())
	if err != nil || len(list) == 0 {
		t.Fatalf("List() = %+v, %v", list, err)
	}
	return list[0]
}

// mortal is the store of a process that can be killed: nothing that it does
// afterwards arrives.
type mortal struct {
	*sqlite.DB
	dead atomic.Bool
}

var errDead = errors.New("the process is dead")

func (m *mortal) BeginJob(ctx context.Context, c memory.JobClaim) (memory.JobState, bool, error) {
	if m.dead.Load() {
		return memory.JobState{}, false, errDead
	}
	return m.DB.BeginJob(ctx, c)
}

func (m *mortal) RenewJob(ctx context.Context, job, owner string, lasting time.Duration) (bool, error) {
	if m.dead.Load() {
		return false, errDead
	}
	return m.DB.RenewJob(ctx, job, owner, lasting)
}

func (m *mortal) EndJob(ctx context.Context, e memory.JobEnd) error {
	if m.dead.Load() {
		return errDead
	}
	return m.DB.EndJob(ctx, e)
}

func (m *mortal) ClaimWork(ctx context.Context, kind, owner string, lasting time.Duration) (memory.WorkClaim, bool, error) {
	if m.dead.Load() {
		return memory.WorkClaim{}, false, errDead
	}
	return m.DB.ClaimWork(ctx, kind, owner, lasting)
}

func (m *mortal) RenewWork(ctx context.Context, c memory.WorkClaim, lasting time.Duration) (bool, error) {
	if m.dead.Load() {
		return false, errDead
	}
	return m.DB.RenewWork(ctx, c, lasting)
}

func (m *mortal) PostponeWork(ctx context.Context, c memory.WorkClaim, until time.Time, reason string) error {
	if m.dead.Load() {
		return errDead
	}
	return m.DB.PostponeWork(ctx, c, until, reason)
}
