package jobs

import "time"

// Tick is a tick of a schedule with the date that it is for.
type Tick struct {
	At  time.Time
	Day string
}

// Ticks lists the ticks of a schedule after from, up to and including to.
func Ticks(text string, loc *time.Location, from, to time.Time) ([]Tick, error) {
	s, err := parseSchedule(text, loc)
	if err != nil || s == nil {
		return nil, err
	}
	var list []Tick
	for t := s.next(from); !t.IsZero() && !t.After(to); t = s.next(t) {
		list = append(list, Tick{t.UTC(), s.day(t)})
	}
	return list, nil
}

// Last is the latest tick of a schedule that is not after t.
func Last(text string, loc *time.Location, t time.Time) (time.Time, error) {
	s, err := parseSchedule(text, loc)
	if err != nil {
		return time.Time{}, err
	}
	return last(s, t), nil
}
