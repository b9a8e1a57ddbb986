package jobs

import (
	"errors"
	"time"

	"github.com/go-co-op/gocron/v2"
)

// early is how much before its time a tick may come: the wall clock can be set
// back a little while a timer runs.
const early = minEvery / 2

// ticks gives a schedule to gocron, as one of its own.
type ticks struct{ schedule }

// IsValid has nothing to check: the schedule was read before.
func (ticks) IsValid(string, *time.Location, time.Time) error { return nil }

// Next is the first tick after t, in UTC: of two ticks that show the same wall
// time, as at the end of summer time, gocron leaves out the second.
func (s ticks) Next(t time.Time) time.Time { return s.next(t).UTC() }

// startTicking has gocron offer each job its ticks. The tasks do nothing but
// offer, so that stopping never waits.
func (r *Runner) startTicking() (gocron.Scheduler, error) {
	s, err := gocron.NewScheduler(gocron.WithLocation(time.UTC))
	if err != nil {
		return nil, err
	}
	for _, j := range r.jobs {
		if j.schedule == nil {
			continue
		}
		task := gocron.NewTask(func() { j.offer(last(j.schedule, time.Now().Add(early))) })
		if _, err := s.NewJob(gocron.CronJob(j.Schedule, false), task, gocron.WithCronImplementation(ticks{j.schedule})); err != nil {
			return nil, errors.Join(err, s.Shutdown())
		}
	}
	s.Start()
	return s, nil
}
