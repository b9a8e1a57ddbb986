package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// word is one of a few words, in any case.
type word string

// UnmarshalText reads the word in lower case.
func (w *word) UnmarshalText(b []byte) error {
	*w = word(strings.ToLower(strings.TrimSpace(string(b))))
	return nil
}

// onOff is a switch.
type onOff bool

// UnmarshalText reads on, off and what else people write for it.
func (o *onOff) UnmarshalText(b []byte) error {
	switch strings.ToLower(strings.TrimSpace(string(b))) {
	case "on", "true", "yes", "1":
		*o = true
	case "off", "false", "no", "0":
		*o = false
	default:
		return fmt.Errorf("must be on or off, got %q", b)
	}
	return nil
}

// byteSize is a number of bytes.
type byteSize int64

// byteUnits are the units of a size, longest first.
var byteUnits = [...]struct {
	suffix string
	bytes  int64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"b", 1}, {"", 1},
}

// UnmarshalText reads a number of bytes, also as KiB, MiB, GiB, KB, MB or GB.
func (s *byteSize) UnmarshalText(b []byte) error {
	text := strings.ToLower(strings.TrimSpace(string(b)))
	for _, unit := range byteUnits {
		number, ok := strings.CutSuffix(text, unit.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 0 || n > 1<<50/unit.bytes {
			break
		}
		*s = byteSize(n * unit.bytes)
		return nil
	}
	return fmt.Errorf("must be a size such as 4MiB or 4194304, got %q", b)
}

// lifetime is how long something is kept.
type lifetime time.Duration

// maxDays is the longest lifetime, a century.
const maxDays = 36_500

// UnmarshalText reads a number of days, such as 90d, or a duration, such as 12h.
func (l *lifetime) UnmarshalText(b []byte) error {
	text := strings.ToLower(strings.TrimSpace(string(b)))
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(strings.TrimSpace(days))
		if err == nil && n >= 1 && n <= maxDays {
			*l = lifetime(time.Duration(n) * 24 * time.Hour)
			return nil
		}
	} else if d, err := time.ParseDuration(text); err == nil && d > 0 && d <= maxDays*24*time.Hour {
		*l = lifetime(d)
		return nil
	}
	return fmt.Errorf("must be a time such as 90d or 12h, at most %dd, got %q", maxDays, b)
}
