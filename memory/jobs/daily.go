package jobs

import "time"

// daily is due once on every local date, at a time of day. Where the clock skips
// that time it is due at the first moment after the gap, where the time comes
// twice at the first of them.
type daily struct {
	hour, minute int
	loc          *time.Location
}

func (d daily) next(t time.Time) time.Time {
	// One date early: the tick of a date comes after its end when the clock skips
	// the time together with midnight.
	year, month, day := t.In(d.loc).Date()
	for offset := -1; ; offset++ {
		date := time.Date(year, month, day+offset, 0, 0, 0, 0, time.UTC)
		if tick := d.tick(date); tick.After(t) && d.exists(date) {
			return tick
		}
	}
}

func (d daily) day(tick time.Time) string {
	year, month, day := tick.In(d.loc).Date()
	date := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	if before := date.AddDate(0, 0, -1); tick.Equal(d.tick(before)) && !tick.Equal(d.tick(date)) {
		date = before
	}
	return date.Format(time.DateOnly)
}

// tick is when the time of day comes on a date, which is given as midnight UTC.
func (d daily) tick(date time.Time) time.Time {
	return firstAt(date.Add(time.Duration(d.hour)*time.Hour+time.Duration(d.minute)*time.Minute), d.loc)
}

// exists says whether there is such a date: a place that moves across the date
// line leaves one out.
func (d daily) exists(date time.Time) bool {
	year, month, day := firstAt(date, d.loc).In(d.loc).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Equal(date)
}

// firstAt is the first moment at which clocks in loc show what wall shows in UTC,
// or, when they skip it, the first moment after the gap. It goes through the
// periods of equal offset from UTC, from one that began before.
func firstAt(wall time.Time, loc *time.Location) time.Time {
	for t := wall.Add(-24 * time.Hour).In(loc); ; {
		_, offset := t.Zone()
		at := wall.Add(-time.Duration(offset) * time.Second)
		begin, end := t.ZoneBounds()
		if at.Before(begin) {
			return begin.UTC()
		}
		if end.IsZero() || at.Before(end) {
			return at
		}
		t = end
	}
}
