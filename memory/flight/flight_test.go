package flight_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/memory/flight"
)

// counting reports 1, waits, and reports 2.
func counting(wait time.Duration, runs *int) flight.Work[int] {
	return func(ctx context.Context, report func(int)) error {
		*runs++
		report(1)
		select {
		case <-time.After(wait):
			report(2)
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func TestCallsShareARun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := flight.New[int](func(key string, err error) { t.Errorf("run %s failed: %v", key, err) })
		defer g.Close()
		runs := 0
		n, running, err := g.Do(t.Context(), "a", time.Second, counting(time.Minute, &runs))
		if n != 1 || !running || err != nil {
			t.Errorf("Do(1 s) = %d, %v, %v, want 1 so far", n, running, err)
		}
		if n, running, err = g.Do(t.Context(), "a", 0, counting(time.Minute, &runs)); n != 2 || running || err != nil || runs != 1 {
			t.Errorf("Do(again) = %d, %v, %v after %d runs, want 2 after one", n, running, err, runs)
		}
		if n, _, _ = g.Do(t.Context(), "a", 0, counting(0, &runs)); n != 2 || runs != 2 {
			t.Errorf("Do(after the end) = %d after %d runs, want a second run", n, runs)
		}
	})
}

func TestTheLastCallEndsARun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := flight.New[int](nil)
		defer g.Close()
		runs := 0
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		if _, _, err := g.Do(short, "a", 0, counting(time.Hour, &runs)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Do(cancelled) = %v, want the cause", err)
		}
		// The next call does not join the run that was given up.
		if n, _, err := g.Do(t.Context(), "a", 0, counting(time.Second, &runs)); n != 2 || err != nil || runs != 2 || time.Since(began) > time.Minute {
			t.Errorf("Do(after a cancelled one) = %d, %v after %d runs and %v, want a run of its own", n, err, runs, time.Since(began))
		}
	})
}

func TestFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bad := errors.New("bad")
		told := make(chan error, 2)
		g := flight.New[int](func(_ string, err error) { told <- err })
		fail := func(context.Context, func(int)) error {
			time.Sleep(time.Minute)
			return bad
		}
		if _, _, err := g.Do(t.Context(), "a", 0, fail); !errors.Is(err, bad) || len(told) != 0 {
			t.Errorf("Do(failing) = %v and %d told, want its error, nobody told", err, len(told))
		}
		if _, running, err := g.Do(t.Context(), "a", time.Second, fail); !running || err != nil {
			t.Errorf("Do(failing later) = %v, %v, want it running", running, err)
		}
		if err := <-told; !errors.Is(err, bad) {
			t.Errorf("told of %v, want the error of the run that nobody waits for", err)
		}
		if _, running, _ := g.Do(t.Context(), "a", time.Second, fail); !running {
			t.Error("Do() is not running, want it to")
		}
		g.Close()
		if _, _, err := g.Do(t.Context(), "a", 0, fail); !errors.Is(err, flight.ErrClosed) {
			t.Errorf("Do(closed) = %v, want ErrClosed", err)
		}
	})
}
