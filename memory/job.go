package memory

import "time"

// JobClaim asks for the right to run a job for one tick of its schedule.
type JobClaim struct {
	Job     string
	Tick    time.Time     // the scheduled time that the run is for
	Forced  bool          // run whatever has run before; only another run under way is in the way
	Owner   string        // who runs it; another one for each run
	Lasting time.Duration // the claim ends by itself after this, unless it is renewed
}

// JobEnd says how the run of a job ended.
type JobEnd struct {
	Job     string
	Owner   string
	Failure string    // why it failed; "" = it succeeded
	RetryAt time.Time // from when on the tick of a failed run may be claimed again; zero = never
}

// JobState is what is known of the runs of a job, over all processes. The zero
// value stands for a job that has never run.
type JobState struct {
	Job       string
	Tick      time.Time // the scheduled time of the run that began last
	Done      time.Time // the scheduled time of the last run that succeeded
	Started   time.Time // when the run that began last did so
	Ended     time.Time // when it ended; zero = it is under way, or was broken off
	RetryAt   time.Time // from when on it may be run again after a failure; zero = not
	Failures  int       // in a row
	LastError string    // of the run that ended last; "" = it succeeded
	Owner     string    // who runs it now; "" = nobody
}

// BrokenOff says whether the run that began last ended without a result, as it
// does when its process is killed.
func (s JobState) BrokenOff() bool {
	return s.Owner == "" && !s.Started.IsZero() && s.Ended.IsZero()
}

// clockSlack is how far ahead of the clock a tick may be. One further ahead was
// begun under a clock that went wrong, and must not stop the job until then.
const clockSlack = time.Hour

// Covers says whether a run for the tick or a later one has begun.
func (s JobState) Covers(tick, now time.Time) bool {
	return !tick.After(s.Tick) && !s.Tick.After(now.Add(clockSlack))
}

// Grants says whether the claim may have the job now: nobody runs it, and no run
// for its tick or a later one has begun. A run that was broken off, or that
// failed and may be tried again, does not count.
func (s JobState) Grants(c JobClaim, now time.Time) bool {
	switch {
	case s.Owner != "":
		return false
	case c.Forced, s.BrokenOff(), !s.Covers(c.Tick, now):
		return true
	}
	return !s.RetryAt.IsZero() && !s.RetryAt.After(now)
}
