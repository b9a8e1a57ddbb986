package jobs

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-co-op/gocron/v2"

	"mcp-memory/memory"
)

// schedule says when a job is due. All processes on one memory compute the same
// ticks, so that a tick can be told by its time.
type schedule interface {
	// next is the first tick after t; zero = there is none.
	next(t time.Time) time.Time
	// day is the date that the tick is for.
	day(tick time.Time) string
}

// The spellings of a daily time: "23:55", and the cron line "55 23 * * *".
var (
	clockTime = regexp.MustCompile(`^([0-9]{1,2}):([0-9]{2})$`)
	dailyCron = regexp.MustCompile(`^([0-9]{1,2})\s+([0-9]{1,2})\s+\*\s+\*\s+\*$`)
)

// minEvery is the shortest time between two ticks.
const minEvery = time.Second

// CheckSchedule says what is wrong with a schedule, as Job.Schedule describes it;
// nil = it can be used. ErrInvalid.
func CheckSchedule(text string) error {
	_, err := parseSchedule(text, time.UTC)
	return err
}

// parseSchedule reads a schedule as Job.Schedule describes it; nil for the empty
// one.
func parseSchedule(text string, loc *time.Location) (schedule, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	if m := clockTime.FindStringSubmatch(text); m != nil {
		return parseDaily(m[1], m[2], loc)
	}
	if m := dailyCron.FindStringSubmatch(text); m != nil {
		return parseDaily(m[2], m[1], loc)
	}
	if period, ok := strings.CutPrefix(strings.TrimPrefix(text, "@"), "every "); ok {
		return parseEvery(strings.TrimSpace(period), loc)
	}
	return parseCron(text, loc)
}

func parseDaily(hour, minute string, loc *time.Location) (schedule, error) {
	h, _ := strconv.Atoi(hour) // digits, as matched
	m, _ := strconv.Atoi(minute)
	if h > 23 || m > 59 {
		return nil, memory.Invalidf("there is no time %s:%s: use 00:00 to 23:59", hour, minute)
	}
	return daily{h, m, loc}, nil
}

// every is due at the multiples of a duration.
type every struct {
	period time.Duration
	loc    *time.Location
}

func parseEvery(period string, loc *time.Location) (schedule, error) {
	d, err := time.ParseDuration(period)
	if err != nil || d < minEvery {
		return nil, memory.Invalidf("cannot read the duration %q: use one like 90s, 10m or 1h30m, at least %v", period, minEvery)
	}
	return every{d, loc}, nil
}

func (e every) next(t time.Time) time.Time { return t.Truncate(e.period).Add(e.period) }

func (e every) day(tick time.Time) string { return dateOf(tick, e.loc) }

// cron is due as a cron line says. Local times that the clock skips are left out.
type cron struct {
	line gocron.Cron
	loc  *time.Location
}

// parseCron has gocron read a line. Given time.Local it goes by the location of
// the times that it is asked with, whatever that is.
func parseCron(text string, loc *time.Location) (schedule, error) {
	line := gocron.NewDefaultCron(false)
	if strings.Contains(text, "=") { // "TZ=…": there is one time zone, the configured one
		return nil, unreadable(text)
	}
	if err := line.IsValid(text, time.Local, time.Now()); err != nil {
		return nil, unreadable(text)
	}
	return cron{line, loc}, nil
}

func unreadable(text string) error {
	return memory.Invalidf("cannot read the schedule %q: use a cron line of five fields (*/15 * * * *), a time of day (23:55), or a duration (every 10m)", text)
}

func (c cron) next(t time.Time) time.Time { return c.line.Next(t.In(c.loc)) }

func (c cron) day(tick time.Time) string { return dateOf(tick, c.loc) }

func dateOf(t time.Time, loc *time.Location) string { return t.In(loc).Format(time.DateOnly) }

// How far last looks back.
const (
	nearest  = time.Hour
	furthest = 10 * 366 * 24 * time.Hour
)

// last is the latest tick that is not after t; zero = there was none for years.
func last(s schedule, t time.Time) time.Time {
	for back := nearest; back < furthest; back *= 2 {
		tick := s.next(t.Add(-back))
		if tick.IsZero() || tick.After(t) {
			continue
		}
		for {
			following := s.next(tick)
			if following.IsZero() || following.After(t) {
				return tick
			}
			tick = following
		}
	}
	return time.Time{}
}
