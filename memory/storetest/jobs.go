package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcp-memory/memory"
)

var scheduling = theme{
	"a tick runs once":                      runsTickOnce,
	"one of many has a tick":                grantsOneOfMany,
	"a run under way is in the way":         keepsOthersOut,
	"a lost run is taken over":              takesOverRun,
	"a run is left":                         leavesRun,
	"a failed run is kept":                  keepsFailure,
	"a failed run may be tried again":       retriesRun,
	"success ends the failures":             forgetsFailures,
	"a clock that was wrong does no harm":   survivesWrongClock,
	"jobs are apart":                        keepsJobsApart,
	"renewing keeps a run, its loss shows":  renewsRun,
	"what never ran has no state":           knowsNoJobs,
	"a tick may be long ago or before 1970": takesAnyTick,
	"a run ends once":                       endsOnce,
}

// tick is the nth tick of a job.
func tick(n int) time.Time { return at(0).Add(time.Duration(n) * 15 * time.Minute).UTC() }

func claim(owner string, n int) memory.JobClaim {
	return memory.JobClaim{Job: "tidy", Tick: tick(n), Owner: owner, Lasting: time.Hour}
}

// wantBegin claims a job and returns the state before.
func wantBegin(t *testing.T, s Store, c memory.JobClaim, want bool) memory.JobState {
	t.Helper()
	before, got, err := s.BeginJob(t.Context(), c)
	if err != nil || got != want {
		t.Errorf("BeginJob(%+v) = %v, %v, want %v", c, got, err, want)
	}
	if before.Job != c.Job {
		t.Errorf("BeginJob(%+v): the state before is that of %q", c, before.Job)
	}
	return before
}

func end(t *testing.T, s Store, e memory.JobEnd) {
	t.Helper()
	if e.Job == "" {
		e.Job = "tidy"
	}
	if err := s.EndJob(t.Context(), e); err != nil {
		t.Errorf("EndJob(%+v): %v", e, err)
	}
}

// state reads the state of the only job.
func state(t *testing.T, s Store) memory.JobState {
	t.Helper()
	list, err := s.JobStates(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("JobStates() = %+v, %v, want one", list, err)
	}
	return list[0]
}

func knowsNoJobs(t *testing.T, s Store) {
	if list, err := s.JobStates(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("JobStates() = %+v, %v, want none", list, err)
	}
	if ok, err := s.RenewJob(t.Context(), "tidy", "ann", time.Hour); err != nil || ok {
		t.Errorf("RenewJob(never begun) = %v, %v, want false", ok, err)
	}
	if err := s.EndJob(t.Context(), memory.JobEnd{Job: "tidy", Owner: "ann"}); !errors.Is(err, memory.ErrConflict) {
		t.Errorf("EndJob(never begun) = %v, want ErrConflict", err)
	}
}

func runsTickOnce(t *testing.T, s Store) {
	if before := wantBegin(t, s, claim("ann", 1), true); before != (memory.JobState{Job: "tidy"}) {
		t.Errorf("state before the first run = %+v, want none", before)
	}
	running := state(t, s)
	if !running.Tick.Equal(tick(1)) || running.Owner != "ann" || !running.Done.IsZero() || !running.Ended.IsZero() {
		t.Errorf("state while it runs = %+v, want tick %v of ann", running, tick(1))
	}
	end(t, s, memory.JobEnd{Owner: "ann"})
	done := state(t, s)
	if !done.Done.Equal(tick(1)) || done.Owner != "" || done.Ended.Before(done.Started) || time.Since(done.Started).Abs() > time.Minute {
		t.Errorf("state after it = %+v, want it done just now", done)
	}
	wantBegin(t, s, claim("bob", 1), false)
	wantBegin(t, s, claim("bob", 0), false)
	if before := wantBegin(t, s, claim("bob", 2), true); !before.Done.Equal(tick(1)) {
		t.Errorf("the run before tick 2 was for %v, want %v", before.Done, tick(1))
	}
}

func grantsOneOfMany(t *testing.T, s Store) {
	var granted atomic.Int32
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			owner := fmt.Sprint("owner ", i)
			_, ok, err := s.BeginJob(t.Context(), claim(owner, 1))
			if err != nil {
				t.Errorf("BeginJob(%s): %v", owner, err)
			}
			if ok {
				granted.Add(1)
				end(t, s, memory.JobEnd{Owner: owner})
			}
		})
	}
	all.Wait()
	if granted.Load() != 1 {
		t.Errorf("tick 1 was granted %d times, want once", granted.Load())
	}
}

func keepsOthersOut(t *testing.T, s Store) {
	wantBegin(t, s, claim("ann", 1), true)
	forced := claim("bob", 2)
	forced.Forced = true
	wantBegin(t, s, claim("bob", 2), false)
	wantBegin(t, s, forced, false)
	if err := s.EndJob(t.Context(), memory.JobEnd{Job: "tidy", Owner: "bob"}); !errors.Is(err, memory.ErrConflict) {
		t.Errorf("EndJob by another = %v, want ErrConflict", err)
	}
	end(t, s, memory.JobEnd{Owner: "ann"})
	forced.Tick = tick(0)
	wantBegin(t, s, forced, true)
}

func takesOverRun(t *testing.T, s Store) {
	lost := claim("ann", 1)
	lost.Lasting = -time.Second
	wantBegin(t, s, lost, true)
	if got := state(t, s); !got.BrokenOff() {
		t.Errorf("state of a run whose lease has ended = %+v, want it broken off", got)
	}
	wantBegin(t, s, claim("bob", 1), true)
	if ok, err := s.RenewJob(t.Context(), "tidy", "ann", time.Hour); err != nil || ok {
		t.Errorf("RenewJob(taken over) = %v, %v, want false", ok, err)
	}
	if err := s.EndJob(t.Context(), memory.JobEnd{Job: "tidy", Owner: "ann"}); !errors.Is(err, memory.ErrConflict) {
		t.Errorf("EndJob(taken over) = %v, want ErrConflict", err)
	}
	if got := state(t, s); got.Owner != "bob" || !got.Ended.IsZero() {
		t.Errorf("state after the take-over = %+v, want it run by bob", got)
	}
}

func leavesRun(t *testing.T, s Store) {
	wantBegin(t, s, claim("ann", 1), true)
	if err := s.LeaveJob(t.Context(), "tidy", "bob"); !errors.Is(err, memory.ErrConflict) {
		t.Errorf("LeaveJob by another = %v, want ErrConflict", err)
	}
	if err := s.LeaveJob(t.Context(), "tidy", "ann"); err != nil {
		t.Errorf("LeaveJob(): %v", err)
	}
	if got := state(t, s); !got.BrokenOff() || got.Failures != 0 {
		t.Errorf("state after LeaveJob = %+v, want it broken off, no failure", got)
	}
	wantBegin(t, s, claim("bob", 1), true)
}

func keepsFailure(t *testing.T, s Store) {
	for n := 1; n <= 2; n++ {
		wantBegin(t, s, claim("ann", n), true)
		end(t, s, memory.JobEnd{Owner: "ann", Failure: fmt.Sprint("it's broken ", n)})
		got := state(t, s)
		if got.Failures != n || got.LastError != fmt.Sprint("it's broken ", n) || !got.Done.IsZero() || got.Ended.IsZero() {
			t.Errorf("state after failure %d = %+v, want it counted and not done", n, got)
		}
		wantBegin(t, s, claim("bob", n), false)
	}
}

func retriesRun(t *testing.T, s Store) {
	wantBegin(t, s, claim("ann", 1), true)
	end(t, s, memory.JobEnd{Owner: "ann", Failure: "down", RetryAt: time.Now().Add(time.Hour)})
	wantBegin(t, s, claim("bob", 1), false)
	wantBegin(t, s, claim("bob", 2), true)
	end(t, s, memory.JobEnd{Owner: "bob", Failure: "down", RetryAt: time.Now().Add(-time.Hour)})
	if got := state(t, s); got.RetryAt.IsZero() {
		t.Errorf("state = %+v, want the time of the next try", got)
	}
	wantBegin(t, s, claim("cid", 2), true)
	end(t, s, memory.JobEnd{Owner: "cid", Failure: "down"})
	wantBegin(t, s, claim("bob", 2), false)
}

func forgetsFailures(t *testing.T, s Store) {
	wantBegin(t, s, claim("ann", 1), true)
	end(t, s, memory.JobEnd{Owner: "ann", Failure: "down", RetryAt: time.Now()})
	wantBegin(t, s, claim("ann", 2), true)
	end(t, s, memory.JobEnd{Owner: "ann"})
	if got := state(t, s); got.Failures != 0 || got.LastError != "" || !got.RetryAt.IsZero() || !got.Done.Equal(tick(2)) {
		t.Errorf("state after a success = %+v, want no failure left", got)
	}
}

func survivesWrongClock(t *testing.T, s Store) {
	ahead := claim("ann", 1)
	ahead.Tick = time.Now().AddDate(10, 0, 0)
	wantBegin(t, s, ahead, true)
	end(t, s, memory.JobEnd{Owner: "ann"})
	wantBegin(t, s, claim("ann", 1), true)
	end(t, s, memory.JobEnd{Owner: "ann"})
	wantBegin(t, s, claim("bob", 1), false)
}

func keepsJobsApart(t *testing.T, s Store) {
	wantBegin(t, s, claim("ann", 1), true)
	other := claim("bob", 1)
	other.Job = "count"
	wantBegin(t, s, other, true)
	end(t, s, memory.JobEnd{Job: "count", Owner: "bob", Failure: "no"})
	list, err := s.JobStates(t.Context())
	if err != nil || len(list) != 2 || list[0].Job != "count" || list[1].Owner != "ann" || list[1].Failures != 0 {
		t.Errorf("JobStates() = %+v, %v, want count failed, tidy running", list, err)
	}
}

func renewsRun(t *testing.T, s Store) {
	c := claim("ann", 1)
	c.Lasting = -time.Second
	wantBegin(t, s, c, true)
	// Late, but nobody else was there.
	if ok, err := s.RenewJob(t.Context(), "tidy", "ann", time.Hour); err != nil || !ok {
		t.Errorf("RenewJob() = %v, %v, want true", ok, err)
	}
	wantBegin(t, s, claim("bob", 2), false)
	if ok, err := s.RenewJob(t.Context(), "tidy", "bob", time.Hour); err != nil || ok {
		t.Errorf("RenewJob by another = %v, %v, want false", ok, err)
	}
}

func takesAnyTick(t *testing.T, s Store) {
	c := claim("ann", 0)
	c.Tick = time.Date(1969, 7, 20, 20, 17, 40, 1, time.UTC)
	c.Forced = true
	wantBegin(t, s, c, true)
	end(t, s, memory.JobEnd{Owner: "ann"})
	if got := state(t, s); !got.Done.Equal(c.Tick) {
		t.Errorf("Done = %v, want %v", got.Done, c.Tick)
	}
}

func endsOnce(t *testing.T, s Store) {
	wantBegin(t, s, claim("ann", 1), true)
	end(t, s, memory.JobEnd{Owner: "ann"})
	if err := s.EndJob(t.Context(), memory.JobEnd{Job: "tidy", Owner: "ann", Failure: "late"}); !errors.Is(err, memory.ErrConflict) {
		t.Errorf("EndJob again = %v, want ErrConflict", err)
	}
	if ok, err := s.RenewJob(t.Context(), "tidy", "ann", time.Hour); err != nil || ok {
		t.Errorf("RenewJob(ended) = %v, %v, want false", ok, err)
	}
	if got := state(t, s); got.Failures != 0 || got.Owner != "" {
		t.Errorf("state = %+v, want it done", got)
	}
}
