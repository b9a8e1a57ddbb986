package memory

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseTime reads a time as clients write it: RFC 3339, "2006-01-02 15:04:05"
// or "2006-01-02" in loc, or Unix seconds, milliseconds, microseconds or
// nanoseconds, told apart by size. The result is in UTC. Times that do not fit
// in Unix nanoseconds (before 1678, after 2261) are ErrInvalid.
func ParseTime(s string, loc *time.Location) (time.Time, error) {
	t, ok := readTime(strings.TrimSpace(s), loc)
	if !ok {
		return time.Time{}, Invalidf("cannot read the time %q: use RFC 3339 (2026-03-01T10:00:00Z), YYYY-MM-DD HH:MM:SS, or Unix seconds, milliseconds or nanoseconds", s)
	}
	if y := t.Year(); y < 1678 || y > 2261 {
		return time.Time{}, Invalidf("the time %q is out of range: years 1678 to 2261 can be stored", s)
	}
	return t.UTC(), nil
}

func readTime(s string, loc *time.Location) (time.Time, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return unixTime(n), true
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(f) < 1e18 {
		if math.Abs(f) < maxUnixSeconds {
			return time.Unix(0, int64(math.Round(f*1e9))), true
		}
		return unixTime(int64(f)), true
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateTime, "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, loc); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// maxUnixSeconds is the largest number taken for seconds (the year 2286); a
// thousand times more is taken for milliseconds, and so on.
const maxUnixSeconds = 1e10

// unixTime guesses the unit of n by its size.
func unixTime(n int64) time.Time {
	abs := float64(n)
	if abs < 0 {
		abs = -abs
	}
	switch {
	case abs < maxUnixSeconds:
		return time.Unix(n, 0)
	case abs < maxUnixSeconds*1e3:
		return time.UnixMilli(n)
	case abs < maxUnixSeconds*1e6:
		return time.UnixMicro(n)
	}
	return time.Unix(0, n)
}
