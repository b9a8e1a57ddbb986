package tools

import (
	"strconv"
	"strings"
	"time"

	"mcp-memory/memory"
)

// periodUnits are the letters of a time range; a month has 30 days and a year
// 365.
var periodUnits = map[byte]time.Duration{
	'h': time.Hour,
	'd': 24 * time.Hour,
	'w': 7 * 24 * time.Hour,
	'm': 30 * 24 * time.Hour,
	'y': 365 * 24 * time.Hour,
}

// maxPeriod is the longest range that counts; a longer one means all.
const maxPeriod = 200 * 365 * 24 * time.Hour

// periodStart reads a time range such as "7d" and returns when it began, seen
// from now; the zero time stands for "all" and for no range.
func periodStart(s string, now time.Time) (time.Time, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	if s == "" || s == "all" || s == "null" {
		return time.Time{}, nil
	}
	unit, known := periodUnits[s[len(s)-1]]
	n, err := strconv.ParseInt(s[:len(s)-1], 10, 64)
	if !known || err != nil || n <= 0 {
		return time.Time{}, memory.Invalidf("time_range must be all or a number with h, d, w, m (30 days) or y, such as 7d; got %q", shorten(s, 40))
	}
	if n > int64(maxPeriod/unit) {
		return time.Time{}, nil
	}
	return now.Add(-time.Duration(n) * unit), nil
}
