package summary_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	_ "modernc.org/sqlite"

	"mcp-memory/memory"
	"mcp-memory/memory/summary"
)

// Two processes on one file tick at the same time: one of them asks the model.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.db")
	shared := &model{}
	use := func(c *summary.Config) { c.Model = shared }
	one, two := openFile(t, path, use), openFile(t, path, use)
	list := talk(0, 7)
	one.say("s", list...)
	var both sync.WaitGroup
	shared.answer = func(context.Context, int, memory.Prompt) (string, error) {
		two.tick() // while the first one works
		return "", nil
	}
	for _, f := range []*fixture{one, two} {
		both.Go(func() {
			if err := f.Tick(t.Context()); err != nil {
				t.Errorf("Tick(): %v", err)
			}
		})
	}
	both.Wait()
	if n := shared.calls(); n != 1 {
		t.Errorf("%d calls of the model, want 1", n)
	}
	two.want("s", joined(list), 7)
}

// An update waits for the one that works, and then finds nothing left to do.
func TestUpdateWaits(t *testing.T) {
	t.Parallel()
	f := open(t, nil)
	f.say("s", "<a>")
	working, goOn := make(chan struct{}), make(chan struct{})
	f.model.answer = func(context.Context, int, memory.Prompt) (string, error) {
		close(working)
		<-goOn
		return "", nil
	}
	var both sync.WaitGroup
	both.Go(func() {
		if err := f.Tick(t.Context()); err != nil {
			t.Errorf("Tick(): %v", err)
		}
	})
	<-working
	both.Go(func() {
		if err := f.Update(t.Context(), "s"); err != nil {
			t.Errorf("Update(): %v", err)
		}
	})
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := f.Update(short, "s"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Update() beside another one = %v, want it to wait until its time is over", err)
	}
	close(goOn)
	both.Wait()
	f.wantCalls(1)
	f.want("s", "<a>", 1)
}

// The lease is kept while the model works for a long time.
func TestLongWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "m.db")
		clock := func(c *summary.Config) { c.Now = time.Now }
		one, two := openFile(t, path, clock), openFile(t, path, clock)
		one.say("s", "<a>")
		one.model.answer = func(context.Context, int, memory.Prompt) (string, error) {
			for range 20 {
				time.Sleep(time.Minute)
				two.tick()
			}
			return "", nil
		}
		one.tick()
		two.wantCalls(0)
		one.want("s", "<a>", 1)
	})
}

// A process that has lost its lease ends its call and saves nothing.
func TestLostLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := open(t, func(c *summary.Config) { c.Now = time.Now })
		f.say("s", "<a>")
		f.model.answer = func(ctx context.Context, _ int, _ memory.Prompt) (string, error) {
			f.run(`UPDATE leases SET owner = 'another'`)
			<-ctx.Done()
			return "", ctx.Err()
		}
		before := time.Now()
		if err := f.Update(t.Context(), "s"); !errors.Is(err, memory.ErrConflict) {
			t.Errorf("Update() with a lost lease = %v, want ErrConflict", err)
		}
		if took := time.Since(before); took > 15*time.Second {
			t.Errorf("the call ended after %v, want it soon", took)
		}
		f.want("s", "", 0)
		if list, err := f.Failures(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("Failures() = %+v, %v, want none", list, err)
		}
	})
}

// run executes a statement on the fixture's file, as another process would.
func (f *fixture) run(statement string) {
	f.t.Helper()
	other, err := sql.Open("sqlite", "file:"+f.path+"?_pragma=busy_timeout(10000)")
	if err != nil {
		f.t.Fatalf("Open(): %v", err)
	}
	defer other.Close()
	if _, err := other.ExecContext(f.t.Context(), statement); err != nil {
		f.t.Fatalf("%s: %v", statement, err)
	}
}

// A reset during a call brings nothing back, whatever the call gives.
func TestResetDuringCall(t *testing.T) {
	t.Parallel()
	for name, reset := range map[string]string{
		"reset":  `DELETE FROM messages; DELETE FROM summaries; DELETE FROM summary_state; UPDATE sessions SET generation = generation + 1`,
		"remove": `PRAGMA foreign_keys = on; DELETE FROM sessions`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for answer, text := range map[string]string{"a summary": "", "garbage": "no"} {
				f := open(t, nil)
				f.say("s", "<a>")
				f.model.answer = func(context.Context, int, memory.Prompt) (string, error) {
					f.run(reset)
					return text, nil
				}
				if err := f.Tick(t.Context()); err != nil && text == "" {
					t.Errorf("Tick() with %s: %v", answer, err)
				}
				f.want("s", "", 0)
				if list, err := f.Failures(t.Context()); err != nil || len(list) != 0 {
					t.Errorf("Failures() after %s = %+v, %v, want none", answer, list, err)
				}
			}
		})
	}
}

// listed is a store whose list of what is due was read a moment ago.
type listed struct {
	summary.Store
	sessions []string
}

func (s *listed) DueSummaries(context.Context, time.Time, bool) ([]string, error) {
	return s.sessions, nil
}

// Two processes list a session; when one has failed with it and put it off, the
// other does not pay for the same failure.
func TestPutOffByAnother(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *summary.Config) { c.Store = &listed{c.Store, []string{"s"}} })
	f.say("s", "<a>")
	f.model.answer = answers("no")
	if err := f.Tick(t.Context()); err == nil {
		t.Error("Tick() with garbage: no error")
	}
	f.tick()
	f.wantCalls(1)
}

// faulty is a store whose saves fail: before they are written, or after.
type faulty struct {
	summary.Store
	before, after bool
}

var errKilled = errors.New("killed")

func (s *faulty) SaveSummary(ctx context.Context, session string, mark memory.SummaryMark, sum memory.Summary, model string, cursor memory.SummaryCursor) (memory.SummaryVersion, error) {
	if s.before {
		return memory.SummaryVersion{}, errKilled
	}
	v, err := s.Store.SaveSummary(ctx, session, mark, sum, model, cursor)
	if s.after {
		return memory.SummaryVersion{}, errKilled
	}
	return v, err
}

// The program dies between the reply and the save, or after it: summary and
// cursor are together all the same, and nothing is in the summary twice.
func TestKilledAtSave(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		store faulty
		calls int // in all
	}{
		"before the save": {faulty{before: true}, 4},
		"after the save":  {faulty{after: true}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := open(t, func(conf *summary.Config) {
				small(conf)
				c.store.Store = conf.Store
				conf.Store = &c.store
			})
			list := talk(0, 18)
			f.say("s", list...)
			if err := f.Tick(t.Context()); !errors.Is(err, errKilled) {
				t.Errorf("Tick() = %v, want %v", err, errKilled)
			}
			f.wantCalls(1)
			c.store.before, c.store.after = false, false
			f.tick()
			f.wantCalls(c.calls)
			f.want("s", joined(list), 18)
		})
	}
}
