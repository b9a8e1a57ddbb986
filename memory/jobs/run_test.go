package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/jobs"
)

// TestTicksRunOnce: two processes on one file, 46 minutes, a job every quarter of
// an hour: three runs.
func TestTicksRunOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs notes
		path := t.TempDir() + "/memory.db"
		var all []*process
		for i := range 2 {
			all = append(all, start(t, jobs.Config{Store: openFile(t, path), Name: fmt.Sprint("process ", i), Jobs: []jobs.Job{{
				Name: "summary", Schedule: "*/15 * * * *",
				Run: func(_ context.Context, run jobs.Run) error {
					runs.add("%s after %s", run.Scheduled.Format(time.TimeOnly), run.Previous.Format(time.TimeOnly))
					return nil
				},
			}}}))
		}
		pass(46 * time.Minute)
		runs.want(t, "runs", "00:15:00 after 00:00:00", "00:30:00 after 00:15:00", "00:45:00 after 00:30:00")
		got := status(t, all[0].Runner)
		if got.Name != "summary" || got.Schedule != "*/15 * * * *" || got.Next.Format(time.TimeOnly) != "01:00:00" ||
			got.Started.Format(time.TimeOnly) != "00:45:00" || got.Ended.Before(got.Started) || got.RunningBy != "" || got.Failures != 0 {
			t.Errorf("List() = %+v, want the run of 00:45:00 and the next at 01:00:00", got)
		}
		for _, p := range all {
			p.end()
		}
		runs.want(t, "while stopping")
	})
}

// TestClockChange: a daily job runs once for each local date, also when the clock
// skips the time and when it comes twice; a cron line goes on in the hour that
// comes twice.
func TestClockChange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, zone, at, from string
		want                 []string
	}{
		{"spring", "America/New_York", "02:30", "2026-03-07T12:00:00-05:00", []string{"2026-03-08 at 03:00 EDT", "2026-03-09 at 02:30 EDT"}},
		{"autumn", "America/New_York", "01:30", "2026-10-31T12:00:00-04:00", []string{"2026-11-01 at 01:30 EDT", "2026-11-02 at 01:30 EST"}},
		{"autumn, after it", "America/New_York", "02:30", "2026-10-31T12:00:00-04:00", []string{"2026-11-01 at 02:30 EST", "2026-11-02 at 02:30 EST"}},
		{"autumn, hours of a cron line", "America/New_York", "0 0-1 * * *", "2026-10-31T12:00:00-04:00", []string{"2026-11-01 at 00:00 EDT", "2026-11-01 at 01:00 EDT",
			"2026-11-01 at 01:00 EST", "2026-11-02 at 00:00 EST", "2026-11-02 at 01:00 EST"}},
		{"Cairo", "Africa/Cairo", "23:55", "2026-10-29T12:00:00+03:00", []string{"2026-10-29 at 23:55 EEST", "2026-10-30 at 23:55 EET"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				loc := zone(t, c.zone)
				pass(time.Until(moment(t, c.from)))
				var runs notes
				p := start(t, jobs.Config{Store: open(t), Location: loc, Poll: 10 * time.Minute, Jobs: []jobs.Job{{
					Name: "job", Schedule: c.at, // no CatchUp: the ticks alone
					Run: func(_ context.Context, run jobs.Run) error {
						runs.add("%s at %s", run.Day, time.Now().In(loc).Format("15:04 MST"))
						return nil
					},
				}}})
				pass(48 * time.Hour)
				runs.want(t, "runs", c.want...)
				p.end()
			})
		})
	}
}

// TestMissedDaily: what passed while no process lived is made up for, once over
// all processes, soon after the start and not at it.
func TestMissedDaily(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs notes
		path := t.TempDir() + "/memory.db"
		config := func() jobs.Config {
			return jobs.Config{Store: openFile(t, path), Poll: 5 * time.Minute, Jobs: []jobs.Job{
				{Name: "daily", Schedule: "23:55", CatchUp: true, Run: func(_ context.Context, run jobs.Run) error {
					runs.add("%s after %s", run.Day, run.Previous.Format(time.DateOnly))
					return nil
				}},
				{Name: "sweep", Schedule: "@hourly", Run: func(context.Context, jobs.Run) error { return nil }},
			}}
		}
		p := start(t, config())
		pass(1999 * time.Millisecond)
		runs.want(t, "at the start")
		pass(3 * time.Second)
		runs.want(t, "on a new file", "1999-12-31 after 0001-01-01")
		pass(48 * time.Hour)
		runs.want(t, "in two days", "2000-01-01 after 1999-12-31", "2000-01-02 after 2000-01-01")
		p.end()

		pass(73 * time.Hour) // to the 6th, 01:00
		p, other := start(t, config()), start(t, config())
		pass(10 * time.Minute)
		runs.want(t, "after three days away", "2000-01-05 after 2000-01-02")
		p.end()
		other.end()
		p = start(t, config())
		pass(10 * time.Minute)
		runs.want(t, "after another start")
		p.end()
	})
}

// TestSlowJob: while a job runs no other process runs it, by tick or by hand; what
// came due meanwhile runs once afterwards.
func TestSlowJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs notes
		path := t.TempDir() + "/memory.db"
		config := func(name string) jobs.Config {
			return jobs.Config{Store: openFile(t, path), Name: name, Jobs: []jobs.Job{{Name: "slow", Schedule: "every 10m",
				Run: func(ctx context.Context, run jobs.Run) error {
					runs.add("begin %s", run.Scheduled.Format("15:04"))
					select {
					case <-ctx.Done():
					case <-time.After(25 * time.Minute):
					}
					runs.add("end %s", run.Scheduled.Format("15:04"))
					return ctx.Err()
				},
			}}}
		}
		a := start(t, config("a"))
		pass(11 * time.Minute)
		b := start(t, config("b"))
		pass(5 * time.Minute)
		for name, r := range map[string]*jobs.Runner{"a": a.Runner, "b": b.Runner} {
			if err := r.RunNow(t.Context(), "slow"); !errors.Is(err, memory.ErrConflict) {
				t.Errorf("RunNow() in %s = %v, want ErrConflict", name, err)
			}
		}
		if got := status(t, b.Runner); got.RunningBy != "a" || got.Started.Format("15:04") != "00:10" || !got.Ended.IsZero() {
			t.Errorf("List() = %+v, want it running in a since 00:10", got)
		}
		pass(18 * time.Minute) // 00:34
		runs.want(t, "before its end", "begin 00:10")
		pass(2 * time.Minute) // 00:36
		runs.want(t, "after its end", "end 00:10", "begin 00:30")
		a.end()
		b.end()
		runs.want(t, "Run has waited for it", "end 00:30")
	})
}

// TestFailingJob: a failure is kept and logged, and tried again if that is wanted.
func TestFailingJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs, log notes
		failure := errors.New("no answer")
		run := func(context.Context, jobs.Run) error {
			runs.add("%s", time.Now().Format(time.TimeOnly))
			return failure
		}
		p := start(t, jobs.Config{Store: open(t), Log: slog.New(slog.NewTextHandler(&log, nil)), Jobs: []jobs.Job{
			{Name: "again", Schedule: "*/15 * * * *", Retry: true, Run: run},
			{Name: "panicking", Run: func(context.Context, jobs.Run) error { panic("at the disco") }},
		}})
		pass(16 * time.Minute)
		got := status(t, p.Runner)
		if n := len(runs.take()); n != 2 || got.Failures != 2 || got.LastError != "no answer" || !got.Succeeded.IsZero() || got.Next.Sub(got.Ended) != time.Minute {
			t.Errorf("after %d runs: List() = %+v, want 2 failures and the next in a minute", n, got)
		}
		if lines := log.take(); len(lines) != 2 || !strings.Contains(lines[0], "job=again") || !strings.Contains(lines[0], `error="no answer"`) {
			t.Errorf("log = %q, want the two failures", lines)
		}
		if err := p.RunNow(t.Context(), "again"); !errors.Is(err, failure) {
			t.Errorf("RunNow() = %v, want the failure", err)
		}
		failure = nil
		if err := p.RunNow(t.Context(), "again"); err != nil {
			t.Errorf("RunNow() = %v, want nil", err)
		}
		if got := status(t, p.Runner); got.Failures != 0 || got.LastError != "" || got.Next.Format("15:04") != "00:30" {
			t.Errorf("after a success: List() = %+v, want no failure left", got)
		}
		if err := p.RunNow(t.Context(), "panicking"); err == nil || err.Error() != "panic: at the disco" {
			t.Errorf("RunNow(panicking) = %v, want the panic as an error", err)
		}
		if err := p.RunNow(t.Context(), "nothing"); !errors.Is(err, memory.ErrNotFound) || !strings.Contains(err.Error(), "again, panicking") {
			t.Errorf("RunNow(nothing) = %v, want ErrNotFound that names the jobs", err)
		}
		p.end()
	})
}

// TestWake: a job without a schedule runs when woken, in a row once, once more
// when woken while it runs, and later when another process runs it.
func TestWake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs notes
		path := t.TempDir() + "/memory.db"
		config := func(name string) jobs.Config {
			return jobs.Config{Store: openFile(t, path), Name: name, Location: zone(t, "Asia/Taipei"), Jobs: []jobs.Job{{Name: "train",
				Run: func(_ context.Context, run jobs.Run) error {
					runs.add("%s %s", name, run.Day)
					time.Sleep(time.Minute)
					return nil
				},
			}}}
		}
		pass(22 * time.Hour) // the date is another one in Taipei
		a, b := start(t, config("a")), start(t, config("b"))
		pass(time.Minute)
		runs.want(t, "not woken")
		a.Wake("nothing")
		for range 3 {
			a.Wake("train")
		}
		pass(time.Second)
		a.Wake("train")
		runs.want(t, "woken", "a 2000-01-02")
		pass(5 * time.Minute)
		runs.want(t, "woken while it ran", "a 2000-01-02")
		a.Wake("train")
		pass(time.Second)
		b.Wake("train")
		pass(5 * time.Minute)
		runs.want(t, "woken while another ran it", "a 2000-01-02", "b 2000-01-02")
		a.end()
		b.end()
	})
}

// TestKilled: another process takes over the run of a killed one once its lease
// has ended. Until the kill the lease is renewed, so that a long run is left alone.
func TestKilled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs, log notes
		path := t.TempDir() + "/memory.db"
		config := func(store jobs.Store, name string) jobs.Config {
			return jobs.Config{Store: store, Name: name, Log: slog.New(slog.NewTextHandler(&log, nil)), Jobs: []jobs.Job{{
				Name: "daily", Schedule: "00:10", CatchUp: true,
				Run: func(ctx context.Context, run jobs.Run) error {
					runs.add("%s begins %s", name, run.Day)
					if name == "b" {
						return nil
					}
					<-ctx.Done()
					runs.add("a is stopped: %v", context.Cause(ctx))
					return ctx.Err()
				},
			}}}
		}
		store := &mortal{DB: openFile(t, path)}
		if err := newRunner(t, config(store, "b")).RunNow(t.Context(), "daily"); err != nil { // nothing is missed at the start
			t.Fatal(err)
		}
		a := start(t, config(store, "a"))
		pass(11 * time.Minute)
		b := start(t, config(openFile(t, path), "b"))
		pass(20 * time.Minute)
		runs.want(t, "before the kill", "b begins 2000-01-01", "a begins 2000-01-01")
		if got := status(t, b.Runner); got.RunningBy != "a" {
			t.Errorf("List() = %+v, want it running in a", got)
		}
		store.dead.Store(true)
		pass(19 * time.Second)
		runs.want(t, "right after the kill")
		pass(22 * time.Second) // a lease and a poll after the last renewal
		got := strings.Join(runs.take(), ", ")
		if !strings.Contains(got, "b begins 2000-01-01") || !strings.Contains(got, "a is stopped: renew the lease: the process is dead") {
			t.Errorf("after the lease: %s; want a stopped and b begun", got)
		}
		if got := status(t, b.Runner); got.RunningBy != "" || got.Failures != 0 || got.Succeeded.Format("15:04") != "00:10" {
			t.Errorf("List() = %+v, want tick 00:10 done", got)
		}
		if lines := log.take(); len(lines) == 0 || !strings.Contains(lines[0], "the process is dead") {
			t.Errorf("log = %q, want why a was stopped", lines)
		}
		a.end()
		b.end()
	})
}

// TestTakenOver: a process that could not renew for a while, as when the machine
// sleeps, stops its run when another has begun it.
func TestTakenOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := open(t)
		r := newRunner(t, jobs.Config{Store: db, Jobs: []jobs.Job{{Name: "train", Run: func(ctx context.Context, _ jobs.Run) error {
			if err := db.LeaveJob(ctx, "train", holder(t, db)); err != nil {
				return err
			}
			if _, began, err := db.BeginJob(ctx, memory.JobClaim{Job: "train", Tick: time.Now(), Owner: "other 1", Lasting: time.Hour}); err != nil || !began {
				return fmt.Errorf("BeginJob() = %v, %w", began, err)
			}
			<-ctx.Done()
			return ctx.Err()
		}}}})
		began := time.Now()
		err := r.RunNow(t.Context(), "train")
		if took := time.Since(began); !errors.Is(err, memory.ErrConflict) || took != 10*time.Second {
			t.Errorf("RunNow() = %v after %v, want ErrConflict at the first heartbeat, after 10s", err, took)
		}
		if got := status(t, r); got.RunningBy != "other" || got.Failures != 0 {
			t.Errorf("List() = %+v, want it running in the other process", got)
		}
	})
}

// holder is who has the only job.
func holder(t *testing.T, s jobs.Store) string {
	t.Helper()
	list, err := s.JobStates(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("JobStates() = %+v, %v, want one", list, err)
	}
	return list[0].Owner
}

// TestStoppedWhileRunning: a run that the end of its process broke off is no
// failure; another process takes it up at its next look.
func TestStoppedWhileRunning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs notes
		var quick atomic.Bool
		path := t.TempDir() + "/memory.db"
		config := func() jobs.Config {
			return jobs.Config{Store: openFile(t, path), Jobs: []jobs.Job{{Name: "daily", Schedule: "12:00", CatchUp: true,
				Run: func(ctx context.Context, run jobs.Run) error {
					runs.add("begin %s", run.Day)
					if quick.Load() {
						return nil
					}
					<-ctx.Done()
					time.Sleep(time.Minute) // longer than the lease, which is kept
					runs.add("end")
					return ctx.Err()
				},
			}}}
		}
		a := start(t, config())
		pass(time.Minute)
		b := start(t, config())
		pass(time.Minute)
		runs.want(t, "before the stop", "begin 1999-12-31")
		quick.Store(true)
		a.end()
		runs.want(t, "a has ended", "end")
		if got := status(t, b.Runner); got.Failures != 0 || got.LastError != "" {
			t.Errorf("List() = %+v, want no failure", got)
		}
		pass(10 * time.Second)
		runs.want(t, "b has looked", "begin 1999-12-31")
		b.end()
	})
}
