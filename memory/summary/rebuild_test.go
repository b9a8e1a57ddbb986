package summary_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/summary"
)

// live makes an engine that goes by the clock.
func live(c *summary.Config) { c.Runes, c.Now = 400, time.Now }

// slowly answers after so long, or when the call is cancelled.
func slowly(d time.Duration) func(context.Context, int, memory.Prompt) (string, error) {
	return func(ctx context.Context, _ int, _ memory.Prompt) (string, error) {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(d):
			return "", nil
		}
	}
}

func TestRebuild(t *testing.T) {
	t.Parallel()
	f := open(t, small)
	list := talk(0, 18)
	f.say("s", list...)
	f.model.answer = answers(good)
	f.tick()
	f.model.answer = nil
	if n, err := f.Rebuild(t.Context(), "s"); err != nil || n != 18 {
		t.Errorf("Rebuild() = %d, %v, want 18", n, err)
	}
	f.want("s", joined(list), 18)
	if v, err := f.Current(t.Context(), "s"); err != nil || v.Version != 2 {
		t.Errorf("Current() = %+v, %v, want version 2: a rebuild is one version", v, err)
	}
	f.run(`UPDATE summary_state SET base = '{"current_discussion":{"description":"<base>"}}'`)
	if n, err := f.Rebuild(t.Context(), "s"); err != nil || n != 18 {
		t.Errorf("Rebuild() with a base = %d, %v, want 18", n, err)
	}
	f.want("s", "<base>"+joined(list), 18)
	if _, err := f.Rebuild(t.Context(), "unknown"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Rebuild(unknown) = %v, want ErrNotFound", err)
	}
}

// A session whose messages are gone is rebuilt from its base alone.
func TestRebuildWithoutMessages(t *testing.T) {
	t.Parallel()
	f := open(t, nil)
	f.say("s", "<a>", "<b>")
	f.tick()
	f.run(`DELETE FROM messages; UPDATE summary_state SET base = '{"current_discussion":{"description":"<base>"}}'`)
	if n, err := f.Rebuild(t.Context(), "s"); err != nil || n != 0 {
		t.Errorf("Rebuild() = %d, %v, want 0", n, err)
	}
	f.want("s", "<base>", 2)
	f.wantCalls(1)
}

// What a rebuild had done when it failed is gone on with; until it is complete,
// the old summary stays.
func TestRebuildGoesOn(t *testing.T) {
	t.Parallel()
	f := open(t, small)
	list := talk(0, 18)
	f.say("s", list...)
	f.tick()
	f.model.answer = func(_ context.Context, n int, _ memory.Prompt) (string, error) {
		if n == 5 {
			return "no", nil
		}
		return "", nil
	}
	if n, err := f.Rebuild(t.Context(), "s"); err == nil || n != 6 {
		t.Errorf("Rebuild() with a failed chunk = %d, %v, want 6 and an error", n, err)
	}
	f.wantCalls(5)
	if v, err := f.Current(t.Context(), "s"); err != nil || v.Version != 3 {
		t.Errorf("Current() = %+v, %v, want version 3 as it was", v, err)
	}
	if list, err := f.Failures(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("Failures() = %+v, %v, want it noted", list, err)
	}
	if n, err := f.Rebuild(t.Context(), "s"); err != nil || n != 18 {
		t.Errorf("Rebuild() again = %d, %v, want 18", n, err)
	}
	f.wantCalls(7)
	f.want("s", joined(list), 18)
}

// A slow rebuild is answered in time and goes on; a second call joins it; the old
// summary is current until it is done.
func TestRebuildWithin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := open(t, live)
		list := talk(0, 18)
		f.say("s", list...)
		f.tick()
		f.model.answer = slowly(20 * time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		r, err := f.RebuildWithin(ctx, "s", 25*time.Second)
		if err != nil || r != (summary.Rebuilt{Count: 6, Running: true}) {
			t.Errorf("RebuildWithin(25 s) = %+v, %v, want it running, with 6 messages", r, err)
		}
		cancel() // the call is over: that ends nothing
		if v, err := f.Current(t.Context(), "s"); err != nil || v.Version != 3 {
			t.Errorf("Current() meanwhile = %+v, %v, want version 3", v, err)
		}
		if r, err := f.RebuildWithin(t.Context(), "s", 25*time.Second); err != nil || !r.Running || r.Count != 12 {
			t.Errorf("RebuildWithin() again = %+v, %v, want it running, with 12 messages", r, err)
		}
		if n, err := f.Rebuild(t.Context(), "s"); err != nil || n != 18 {
			t.Errorf("Rebuild() joined = %d, %v, want 18", n, err)
		}
		f.wantCalls(6)
		if v, err := f.Current(t.Context(), "s"); err != nil || v.Version != 3 || v.Model != "fake" {
			t.Errorf("Current() = %+v, %v, want the same text, which is no new version", v, err)
		}
	})
}

// The last call that waits takes the rebuild with it when it is cancelled; a call
// that comes then begins a new one.
func TestCancelledRebuild(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := open(t, live)
		f.say("s", "<a>")
		f.model.answer = func(ctx context.Context, n int, p memory.Prompt) (string, error) {
			text, err := slowly(time.Hour)(ctx, n, p)
			time.Sleep(time.Second) // the connection takes a moment to close
			return text, err
		}
		ctx, cancel := context.WithCancel(t.Context())
		var calls sync.WaitGroup
		for range 2 {
			calls.Go(func() {
				if _, err := f.Rebuild(ctx, "s"); !errors.Is(err, context.Canceled) {
					t.Errorf("Rebuild(cancelled) = %v, want context.Canceled", err)
				}
			})
		}
		synctest.Wait()
		f.wantCalls(1)
		before := time.Now()
		f.model.answer = nil
		cancel()
		synctest.Wait()
		if n, err := f.Rebuild(t.Context(), "s"); err != nil || n != 1 {
			t.Errorf("Rebuild() after a cancelled one = %d, %v, want 1", n, err)
		}
		calls.Wait()
		if took := time.Since(before); took > 2*time.Second {
			t.Errorf("the cancelled rebuild took %v to end, want at most 2 s", took)
		}
		f.want("s", "<a>", 1)
	})
}

// Close ends what runs in the background, and waits for it.
func TestClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := open(t, live)
		f.say("s", "<a>")
		f.model.answer = slowly(time.Hour)
		if r, err := f.RebuildWithin(t.Context(), "s", time.Second); err != nil || !r.Running {
			t.Errorf("RebuildWithin(1 s) = %+v, %v, want it running", r, err)
		}
		f.Close()
		f.want("s", "", 0)
		if _, err := f.Rebuild(t.Context(), "s"); !errors.Is(err, memory.ErrUnavailable) {
			t.Errorf("Rebuild() after Close = %v, want ErrUnavailable", err)
		}
	})
}

// Another process is rebuilding the session, and its job leaves it alone.
func TestRebuildElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "m.db")
		one, two := openFile(t, path, live), openFile(t, path, live)
		one.say("s", "<a>")
		one.model.answer = slowly(time.Minute)
		if r, err := one.RebuildWithin(t.Context(), "s", time.Second); err != nil || !r.Running {
			t.Errorf("RebuildWithin(1 s) = %+v, %v, want it running", r, err)
		}
		if _, err := two.Rebuild(t.Context(), "s"); !errors.Is(err, memory.ErrConflict) {
			t.Errorf("Rebuild() in another process = %v, want ErrConflict", err)
		}
		two.tick()
		two.wantCalls(0)
		if n, err := one.Rebuild(t.Context(), "s"); err != nil || n != 1 {
			t.Errorf("Rebuild() joined = %d, %v, want 1", n, err)
		}
		two.want("s", "<a>", 1)
	})
}

// A rebuild waits for the job that works on the session; it does not fail.
func TestRebuildAfterJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := open(t, live)
		f.say("s", "<a>")
		f.model.answer = slowly(time.Minute)
		var job sync.WaitGroup
		job.Go(f.tick)
		synctest.Wait()
		if n, err := f.Rebuild(t.Context(), "s"); err != nil || n != 1 {
			t.Errorf("Rebuild() beside the job = %d, %v, want 1", n, err)
		}
		job.Wait()
		f.wantCalls(2)
		f.want("s", "<a>", 1)
	})
}

// A reset while the session is rebuilt makes the rebuild void.
func TestResetDuringRebuild(t *testing.T) {
	t.Parallel()
	f := open(t, small)
	list := talk(0, 18)
	f.say("s", list...)
	f.tick()
	f.model.answer = func(_ context.Context, n int, _ memory.Prompt) (string, error) {
		if n == 5 {
			f.run(`DELETE FROM messages; DELETE FROM summaries; UPDATE sessions SET generation = generation + 1`)
		}
		return "", nil
	}
	if _, err := f.Rebuild(t.Context(), "s"); !errors.Is(err, memory.ErrConflict) {
		t.Errorf("Rebuild() beside a reset = %v, want ErrConflict", err)
	}
	f.want("s", "", 0)
	f.wantCalls(5)
	if n, err := f.Rebuild(t.Context(), "s"); err != nil || n != 0 {
		t.Errorf("Rebuild() after the reset = %d, %v, want 0", n, err)
	}
	f.want("s", "", 0)
}
