package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/jobs"
)

func item(key, payload string) memory.Work {
	return memory.Work{Kind: "note", Key: key, Payload: []byte(payload)}
}

func add(t *testing.T, r *jobs.Runner, items ...memory.Work) {
	t.Helper()
	for _, w := range items {
		if err := r.Add(t.Context(), w); err != nil {
			t.Fatalf("Add(%s): %v", w.Key, err)
		}
	}
}

// noted configures a worker that notes what it did.
func noted(store jobs.Store, done *notes) jobs.Config {
	return jobs.Config{Store: store, Workers: map[string]jobs.Worker{
		"note": func(_ context.Context, w memory.Work) error {
			done.add("%s: %s", w.Key, w.Payload)
			return nil
		},
	}}
}

func wantBacklog(t *testing.T, r *jobs.Runner, want ...string) {
	t.Helper()
	list, err := r.Backlog(t.Context())
	var got []string
	for _, w := range list {
		got = append(got, fmt.Sprintf("%s %d %s", w.Key, w.Tries, w.LastError))
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Backlog() = %q, %v, want %q", got, err, want)
	}
}

// TestWork: work outlives the process that added it, is done at once when it is
// added here and at the next look when elsewhere, each item once.
func TestWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var done notes
		path := t.TempDir() + "/memory.db"
		only := newRunner(t, jobs.Config{Store: openFile(t, path)}) // a process that has no workers
		add(t, only, item("a", "1"), item("b", "2"), item("a", "3"), memory.Work{Kind: "unknown", Key: "c"})
		p, other := start(t, noted(openFile(t, path), &done)), start(t, noted(openFile(t, path), &done))
		pass(1999 * time.Millisecond)
		done.want(t, "at the start")
		pass(3 * time.Second)
		done.want(t, "after the start", "a: 3", "b: 2")
		add(t, p.Runner, item("d", "4"))
		pass(time.Millisecond)
		done.want(t, "added here", "d: 4")
		add(t, only, item("e", "5"))
		pass(10 * time.Second)
		done.want(t, "added elsewhere", "e: 5")
		for i := range 50 {
			add(t, p.Runner, item(fmt.Sprint(i), ""))
		}
		pass(time.Minute)
		if got := done.take(); len(got) != 50 || len(slices.Compact(slices.Sorted(slices.Values(got)))) != 50 {
			t.Errorf("50 items were done in %d steps: %q", len(got), got)
		}
		wantBacklog(t, only, "c 0 ")
		p.end()
		other.end()
	})
}

// TestFailingWork: the waits between tries, and what the error may say of them.
// Other items are not kept waiting.
func TestFailingWork(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		failure error
		want    []time.Duration // at least, between tries
	}{
		{"doubled", errors.New("no answer"), []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute,
			32 * time.Minute, 64 * time.Minute, 128 * time.Minute, 256 * time.Minute, 6 * time.Hour, 6 * time.Hour}},
		{"as asked for", &memory.RetryError{Err: errors.New("busy"), After: 7 * time.Minute}, []time.Duration{7 * time.Minute, 7 * time.Minute}},
		{"not said", &memory.RetryError{Err: errors.New("busy")}, []time.Duration{30 * time.Second, time.Minute}},
		{"no use", &memory.RetryError{Err: errors.New("wrong key"), Never: true}, []time.Duration{6 * time.Hour, 6 * time.Hour}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var done, log notes
				var tries []time.Time
				config := noted(open(t), &done)
				config.Poll = time.Minute
				config.Log = slog.New(slog.NewTextHandler(&log, nil))
				config.Workers["bad"] = func(context.Context, memory.Work) error {
					tries = append(tries, time.Now())
					if len(tries) > len(c.want) {
						return nil
					}
					return fmt.Errorf("write the note: %w", c.failure)
				}
				p := start(t, config)
				add(t, p.Runner, memory.Work{Kind: "bad", Key: "x"}, item("good", ""))
				pass(time.Second)
				done.want(t, "beside it", "good: ")
				wantBacklog(t, p.Runner, "x 1 write the note: "+c.failure.Error())
				for _, wait := range c.want {
					pass(wait + config.Poll)
				}
				var got []time.Duration
				for i := range len(tries) - 1 {
					got = append(got, tries[i+1].Sub(tries[i]))
				}
				late := func(got, want time.Duration) bool { return got >= want && got <= want+config.Poll }
				if !slices.EqualFunc(got, c.want, late) {
					t.Errorf("waits between tries = %v, want %v and up to a poll more", got, c.want)
				}
				if lines := log.take(); len(lines) != len(c.want) || !strings.Contains(lines[0], "kind=bad") {
					t.Errorf("log has %d lines, want %d: %q", len(lines), len(c.want), lines)
				}
				wantBacklog(t, p.Runner)
				p.end()
			})
		})
	}
}

// TestReplacedWhileWorking: what comes in while an item is being done is not lost.
func TestReplacedWhileWorking(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var done notes
		p := start(t, jobs.Config{Store: open(t), Workers: map[string]jobs.Worker{
			"note": func(_ context.Context, w memory.Work) error {
				time.Sleep(time.Minute)
				done.add("%s", w.Payload)
				return nil
			},
		}})
		add(t, p.Runner, item("s", "old"))
		pass(time.Second)
		add(t, p.Runner, item("s", "newer"), item("s", "newest"))
		pass(10 * time.Minute)
		done.want(t, "both", "old", "newest")
		wantBacklog(t, p.Runner)
		p.end()
	})
}

// TestKilledWhileWorking: the item of a killed process is done by another once
// its lease has ended; the item of one that stops, at the next look.
func TestKilledWhileWorking(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		kill   func(*mortal, *process)
		before time.Duration // after which it is not taken over yet
		after  time.Duration // after which it is
	}{
		{"killed", func(m *mortal, _ *process) { m.dead.Store(true) }, 19 * time.Second, 41 * time.Second},
		{"stopped", func(_ *mortal, p *process) { p.end() }, 0, 10 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var done notes
				path := t.TempDir() + "/memory.db"
				store := &mortal{DB: openFile(t, path)}
				a := start(t, jobs.Config{Store: store, Name: "a", Workers: map[string]jobs.Worker{
					"note": func(ctx context.Context, _ memory.Work) error {
						<-ctx.Done()
						return ctx.Err()
					},
				}})
				add(t, a.Runner, item("s", "x"))
				b := start(t, noted(openFile(t, path), &done))
				pass(5 * time.Minute)
				done.want(t, "while a lives")
				if list, err := b.Backlog(t.Context()); err != nil || len(list) != 1 || list[0].Owner != "a" {
					t.Errorf("Backlog() = %+v, %v, want an item of a", list, err)
				}
				c.kill(store, a)
				pass(c.before)
				done.want(t, "right after")
				pass(c.after - c.before)
				done.want(t, "later", "s: x")
				wantBacklog(t, b.Runner)
				if c.name == "killed" {
					a.end()
				}
				b.end()
			})
		})
	}
}

// TestAddRefused: what the store refuses is the caller's error.
func TestAddRefused(t *testing.T) {
	t.Parallel()
	r := newRunner(t, jobs.Config{Store: open(t)})
	if err := r.Add(t.Context(), memory.Work{Key: "x"}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("Add(no kind) = %v, want ErrInvalid", err)
	}
}
