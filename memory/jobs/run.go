package jobs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"mcp-memory/memory"
)

// Run runs jobs and does work until ctx ends; then it cancels what runs, waits
// for it and returns. Errors of jobs and workers are logged, and kept for List
// and Backlog. Unless a tick or a wake comes first, the store is not touched before
// Config.Delay has passed. Run is called once at a time.
func (r *Runner) Run(ctx context.Context) error {
	ticking, err := r.startTicking()
	if err != nil {
		return fmt.Errorf("start the schedules: %w", err)
	}
	var running sync.WaitGroup
	for _, j := range r.jobs {
		running.Go(func() { r.serve(ctx, j) })
	}
	for _, w := range r.workers {
		running.Go(func() { r.serveWork(ctx, w) })
	}
	running.Go(func() { r.watch(ctx) })
	<-ctx.Done()
	err = ticking.Shutdown()
	running.Wait()
	if err != nil {
		return fmt.Errorf("stop the schedules: %w", err)
	}
	return nil
}

// RunNow runs a job at once, whatever its schedule and failures say, and returns
// its error. Run need not be running. ErrNotFound: there is no such job;
// ErrConflict: it is running already, here or in another process.
func (r *Runner) RunNow(ctx context.Context, name string) error {
	if err := r.Check(name); err != nil {
		return err
	}
	began, err := r.execute(ctx, r.job(name), time.Now(), true)
	if err == nil && !began {
		return memory.Conflictf("the job %s is already running", name)
	}
	return err
}

// Check says whether there is a job of this name: ErrNotFound, with the names that
// there are, when there is none.
func (r *Runner) Check(name string) error {
	if r.job(name) != nil {
		return nil
	}
	names := make([]string, len(r.jobs))
	for i, j := range r.jobs {
		names[i] = j.Name
	}
	return memory.NotFoundf("there is no job %q; the jobs are %s", name, strings.Join(names, ", "))
}

// Wake has a job run soon, in the process that calls Run. It never blocks;
// several wakes before the run begins count as one. When the job is running
// already it runs once more.
func (r *Runner) Wake(name string) {
	if j := r.job(name); j != nil {
		signal(j.wake)
	}
}

// signal puts a token into a one-slot channel.
func signal(slot chan struct{}) {
	select {
	case slot <- struct{}{}:
	default:
	}
}

// offer puts a tick into the job's slot, in place of an earlier one.
func (j *job) offer(tick time.Time) {
	for {
		select {
		case j.ticks <- tick:
			return
		default:
		}
		select {
		case <-j.ticks:
		default:
		}
	}
}

// serve runs one job whenever it is asked for. A wake that finds the job running
// in another process is tried again.
func (r *Runner) serve(ctx context.Context, j *job) {
	var again <-chan time.Time
	for {
		tick, forced := time.Time{}, true
		select {
		case <-ctx.Done():
			return
		case tick = <-j.ticks:
			forced = false
		case <-j.wake:
		case <-again:
		}
		if ctx.Err() != nil {
			return
		}
		if forced {
			tick, again = time.Now(), nil
		}
		began, err := r.execute(ctx, j, tick, forced)
		if err != nil && ctx.Err() == nil {
			r.c.Log.Error("run job", "job", j.Name, "error", err)
		}
		if forced && !began {
			again = time.After(r.c.Poll)
		}
	}
}

// execute runs the job for a tick, unless the store does not grant it. The error
// is the job's, which the store then knows, or the store's.
func (r *Runner) execute(ctx context.Context, j *job, tick time.Time, forced bool) (began bool, err error) {
	c := memory.JobClaim{Job: j.Name, Tick: tick, Forced: forced, Owner: r.owner(), Lasting: r.c.Lease}
	before, began, err := r.c.Store.BeginJob(ctx, c)
	if err != nil || !began {
		return false, err
	}
	run := Run{Scheduled: tick, Day: r.day(j, tick), Previous: before.Done, Forced: forced}
	err = r.hold(ctx, func(ctx context.Context) (bool, error) {
		return r.c.Store.RenewJob(ctx, j.Name, c.Owner, r.c.Lease)
	}, func(ctx context.Context) error {
		return j.Run(ctx, run)
	})
	return true, errors.Join(err, r.end(ctx, j, c.Owner, before.Failures+1, err))
}

// end notes what came of a run. One that the end of ctx broke off has no result:
// another process, or the next one, may begin it anew.
func (r *Runner) end(ctx context.Context, j *job, owner string, failures int, failure error) error {
	broken := ctx.Err() != nil && failure != nil
	ctx = context.WithoutCancel(ctx)
	if broken {
		return r.c.Store.LeaveJob(ctx, j.Name, owner)
	}
	e := memory.JobEnd{Job: j.Name, Owner: owner}
	if failure != nil {
		e.Failure = failure.Error()
		if j.Retry {
			e.RetryAt = time.Now().Add(wait(failures, failure))
		}
	}
	return r.c.Store.EndJob(ctx, e)
}

// pause is the time from the start to the first look at the store. The random
// part keeps processes that start together apart.
func (r *Runner) pause() time.Duration { return r.c.Delay + rand.N(r.c.Delay) }

// watch looks for ticks to make up for: soon after the start, then now and then.
func (r *Runner) watch(ctx context.Context) {
	for look := time.After(r.pause()); ; look = time.After(r.c.Poll) {
		select {
		case <-ctx.Done():
			return
		case <-look:
		}
		if err := r.catchUp(ctx); err != nil && ctx.Err() == nil {
			r.c.Log.Error("look for missed jobs", "error", err)
		}
	}
}

func (r *Runner) catchUp(ctx context.Context) error {
	states, err := r.states(ctx)
	if err != nil {
		return err
	}
	now := time.Now()
	for _, j := range r.jobs {
		if tick, due := j.owed(states[j.Name], now); due {
			j.offer(tick)
		}
	}
	return nil
}

func (r *Runner) states(ctx context.Context) (map[string]memory.JobState, error) {
	list, err := r.c.Store.JobStates(ctx)
	by := make(map[string]memory.JobState, len(list))
	for _, s := range list {
		by[s.Job] = s
	}
	return by, err
}

// owed is the tick that should have run by now and has not.
func (j *job) owed(s memory.JobState, now time.Time) (time.Time, bool) {
	if s.Owner != "" {
		return time.Time{}, false
	}
	if j.CatchUp && j.schedule != nil {
		if tick := last(j.schedule, now); !tick.IsZero() && !s.Covers(tick, now) {
			return tick, true
		}
	}
	again := j.CatchUp && s.BrokenOff() || j.Retry && !s.RetryAt.IsZero() && !s.RetryAt.After(now)
	return s.Tick, again
}
