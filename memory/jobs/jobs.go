// Package jobs runs what has to happen by itself: named jobs on a schedule, and
// work that outlives the process that asked for it.
//
// Many processes may share one memory, each with a Runner. They agree through the
// store: a job runs in one of them at a time, once for each tick of its schedule,
// and an item of work is done by one of them. Who runs something holds a lease
// and renews it; when a process is killed, its lease ends by itself and another
// process takes over. A job or worker whose lease is lost finds its context
// cancelled.
//
// Whatever runs must bear to be run again: a process can die between the work and
// the note that it is done.
package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"mcp-memory/memory"
)

// Job is something that runs on a schedule, when woken, or by hand.
type Job struct {
	Name string // required; the same in all processes
	// Schedule is a cron line of five fields ("*/15 * * * *", "@hourly"), a time
	// of day ("23:55"; a cron line that says the same is read as one), or a
	// duration ("every 10m": at its multiples). Times are those of
	// Config.Location. A time of day comes exactly once on each local date.
	// "" = only woken or by hand.
	Schedule string
	Run      func(ctx context.Context, run Run) error // required
	// CatchUp makes up for a tick that passed while no process lived, or whose
	// run was broken off. Of several missed ticks only the last one runs.
	CatchUp bool
	// Retry runs a failed tick again, after 30 s, then twice as long each time up
	// to 6 h, or when a memory.RetryError says. Otherwise the next tick does.
	Retry bool
}

// Run tells a job what it runs for.
type Run struct {
	Scheduled time.Time // the tick; for a run by hand or after a wake, the time it was asked for
	Day       string    // the local date that the run is for, "2006-01-02"; goes by Scheduled
	Previous  time.Time // Scheduled of the last run that succeeded; zero = none has
	Forced    bool      // asked for by RunNow or Wake, whatever the schedule says
}

// Worker does an item of work. On an error the item is tried again later, as
// described at Job.Retry.
type Worker func(ctx context.Context, w memory.Work) error

// Config configures a Runner.
type Config struct {
	Store    Store             // required
	Jobs     []Job             // in the order in which List gives them
	Workers  map[string]Worker // by kind of work; what has no worker here is left to other processes
	Location *time.Location    // of schedules; nil = time.Local
	Name     string            // of this process, as others see it in List; "" = its process id
	Delay    time.Duration     // from the start to the first look at the store, plus as much again at random; 0 = 2 s
	Poll     time.Duration     // how often to look for what other processes left; 0 = 10 s
	Lease    time.Duration     // how long a killed process stays in the way; renewed every third of it; 0 = 30 s
	Log      *slog.Logger      // nil = discarded
}

// Runner runs the jobs and work of one process. It is safe for concurrent use.
type Runner struct {
	c       Config
	jobs    []*job
	workers map[string]*worker
}

// job is a Job with its schedule and what asks for runs of it.
type job struct {
	Job
	schedule schedule       // nil = none
	ticks    chan time.Time // one slot: the latest tick that is due
	wake     chan struct{}  // one slot: a wake while running is not lost
}

// New checks the configuration and returns a Runner that does not run yet. A
// schedule that cannot be read is ErrInvalid and names its job.
func New(c Config) (*Runner, error) {
	if c.Store == nil {
		return nil, memory.Invalidf("jobs need a store")
	}
	r := &Runner{c: c.withDefaults(), workers: map[string]*worker{}}
	for _, j := range c.Jobs {
		if j.Name == "" || j.Run == nil {
			return nil, memory.Invalidf("the job %q needs a name and something to run", j.Name)
		}
		if r.job(j.Name) != nil {
			return nil, memory.Invalidf("there are two jobs %q", j.Name)
		}
		s, err := parseSchedule(j.Schedule, r.c.Location)
		if err != nil {
			return nil, memory.Invalidf("the schedule of the job %s: %v", j.Name, err)
		}
		r.jobs = append(r.jobs, &job{Job: j, schedule: s, ticks: make(chan time.Time, 1), wake: make(chan struct{}, 1)})
	}
	for kind, do := range c.Workers {
		if kind == "" || do == nil {
			return nil, memory.Invalidf("the worker %q needs a kind and something to do", kind)
		}
		r.workers[kind] = &worker{kind: kind, do: do, wake: make(chan struct{}, 1)}
	}
	return r, nil
}

func (c Config) withDefaults() Config {
	if c.Location == nil {
		c.Location = time.Local
	}
	if c.Name == "" {
		c.Name = fmt.Sprint("process ", os.Getpid())
	}
	c.Delay = orDefault(c.Delay, 2*time.Second)
	c.Poll = orDefault(c.Poll, 10*time.Second)
	c.Lease = orDefault(c.Lease, 30*time.Second)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

func orDefault(d, fallback time.Duration) time.Duration {
	if d <= 0 {
		return fallback
	}
	return d
}

// job finds a job by name; nil = there is none.
func (r *Runner) job(name string) *job {
	for _, j := range r.jobs {
		if j.Name == name {
			return j
		}
	}
	return nil
}

// day is the date that a run of the job is for.
func (r *Runner) day(j *job, tick time.Time) string {
	if j.schedule == nil {
		return dateOf(tick, r.c.Location)
	}
	return j.schedule.day(tick)
}
