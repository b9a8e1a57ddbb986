package jobs

import (
	"context"
	"fmt"
	"time"
)

// Status is what List tells of a job.
type Status struct {
	Name      string
	Schedule  string    // as configured; "" = none
	Next      time.Time // the next tick, or an earlier retry, in UTC; zero = none
	Started   time.Time // the run that began last, in any process; zero = never
	Ended     time.Time // when it ended; zero = it is running (see RunningBy) or was broken off
	Succeeded time.Time // Run.Scheduled of the last run that succeeded; zero = none has
	LastError string    // of the run that ended last; "" = it succeeded
	Failures  int       // in a row
	RunningBy string    // the process that has been running it since Started; "" = it is not running
}

// List tells of all jobs, in the order in which they are configured.
func (r *Runner) List(ctx context.Context) ([]Status, error) {
	states, err := r.states(ctx)
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	now := time.Now()
	list := make([]Status, len(r.jobs))
	for i, j := range r.jobs {
		s := states[j.Name]
		list[i] = Status{
			Name: j.Name, Schedule: j.Schedule,
			Started: s.Started, Ended: s.Ended, Succeeded: s.Done,
			LastError: s.LastError, Failures: s.Failures, RunningBy: ownerName(s.Owner),
		}
		if j.schedule != nil {
			list[i].Next = j.schedule.next(now).UTC()
		}
		if at := s.RetryAt; j.Retry && !at.IsZero() && (list[i].Next.IsZero() || at.Before(list[i].Next)) {
			list[i].Next = at
		}
	}
	return list, nil
}
