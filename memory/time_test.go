package memory_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
)

func TestParseTime(t *testing.T) {
	t.Parallel()
	tokyo := time.FixedZone("Tokyo", 9*3600)
	second := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC) // Unix 1772359200
	for in, want := range map[string]time.Time{
		"2026-03-01T10:00:00Z":                second,
		"2026-03-01T10:00:00.123456789Z":      second.Add(123456789),
		"2026-03-01T10:00:00.5Z":              second.Add(500 * time.Millisecond),
		"2026-03-01T12:00:00+02:00":           second,
		"2026-03-01T03:15:00-06:45":           second,
		"2026-03-01T19:00:00":                 second,
		"2026-03-01T19:00:00.25":              second.Add(250 * time.Millisecond),
		"2026-03-01 19:00:00":                 second,
		"2026-03-01 19:00:00.000001":          second.Add(time.Microsecond),
		"2026-03-01T19:00":                    second,
		"2026-03-01 19:00":                    second,
		"2026-03-01":                          second.Add(-19 * time.Hour),
		"  2026-03-01 19:00:00\n":             second,
		"1772359200":                          second,
		"1772359200.5":                        second.Add(500 * time.Millisecond),
		"1772359200123":                       second.Add(123 * time.Millisecond),
		"1772359200123456":                    second.Add(123456 * time.Microsecond),
		"1772359200123456789":                 second.Add(123456789),
		"1.7723592e9":                         second,
		"0":                                   time.Unix(0, 0),
		"-1":                                  time.Unix(-1, 0),
		"1":                                   time.Unix(1, 0),
		"9214646399":                          time.Unix(9214646399, 0), // the last second of 2261
		"10000000000":                         time.UnixMilli(10000000000),
		"10000000000000":                      time.UnixMicro(10000000000000),
		"10000000000000000":                   time.Unix(0, 10000000000000000),
		"-1772359200000":                      time.UnixMilli(-1772359200000),
		"1678-01-01 09:00:00":                 time.Date(1678, 1, 1, 0, 0, 0, 0, time.UTC),
		"2261-12-31T23:59:59Z":                time.Date(2261, 12, 31, 23, 59, 59, 0, time.UTC),
		"2024-02-29":                          time.Date(2024, 2, 28, 15, 0, 0, 0, time.UTC),
		"2026-03-01T10:00:00.0000000000000Z":  second,
		"2026-03-01T10:00:00.1234567899999Z":  second.Add(123456789),
		"2026-03-01T10:00:00,5Z":              second.Add(500 * time.Millisecond),
		"2026-03-01T10:00:00.123456789+00:00": second.Add(123456789),
	} {
		got, err := memory.ParseTime(in, tokyo)
		if err != nil || !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("ParseTime(%q) = %v, %v, want %v in UTC", in, got, err, want.UTC())
		}
	}
}

func TestParseTimeZones(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skipf("no time zones here: %v", err)
	}
	for in, want := range map[string]string{
		"2026-01-15 12:00:00": "2026-01-15T11:00:00Z", // winter
		"2026-07-15 12:00:00": "2026-07-15T10:00:00Z", // summer
		"2026-07-15":          "2026-07-14T22:00:00Z",
	} {
		got, err := memory.ParseTime(in, berlin)
		if err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("ParseTime(%q, Berlin) = %v, %v, want %s", in, got, err, want)
		}
	}
}

func TestParseTimeRefuses(t *testing.T) {
	t.Parallel()
	for in, text := range map[string]string{
		"":                           "cannot read",
		" ":                          "cannot read",
		"yesterday":                  "cannot read",
		"10:00":                      "cannot read",
		"2026-13-01":                 "cannot read",
		"2026-02-30":                 "cannot read",
		"2026-03-01T25:00:00Z":       "cannot read",
		"2026/03/01":                 "cannot read",
		"01.03.2026":                 "cannot read",
		"2026-03-01T10:00:00Z extra": "cannot read",
		"NaN":                        "cannot read",
		"Inf":                        "cannot read",
		"-Infinity":                  "cannot read",
		"1e400":                      "cannot read",
		"\x00":                       "cannot read",
		"\xff":                       "cannot read",
		"二〇二六年三月一日":                  "cannot read",
		"1677-12-31T23:59:59Z":       "out of range",
		"2262-01-01T00:00:00Z":       "out of range",
		"0001-01-01":                 "out of range",
		"9999-12-31":                 "out of range",
		"9999999999":                 "out of range", // seconds: the year 2286
		"9999999999999":              "out of range", // milliseconds of the same
		"9223372036854775807":        "out of range", // nanoseconds: in April 2262
		"-9999999999":                "out of range", // seconds: the year 1653
	} {
		got, err := memory.ParseTime(in, time.UTC)
		if !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), text) || !got.IsZero() {
			t.Errorf("ParseTime(%q) = %v, %v, want ErrInvalid that says %q", in, got, err, text)
		}
	}
}

// FuzzParseTime checks that whatever is taken can be stored: it survives the
// way through Unix nanoseconds.
func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"2026-03-01T10:00:00Z", "2026-03-01 10:00", "1772359200.5", "1e18", "-9223372036854775808", "0x1p5", "1_000", "2261-12-31T23:59:59-23:59", ""} {
		f.Add(s)
	}
	zone := time.FixedZone("", -11*3600)
	f.Fuzz(func(t *testing.T, s string) {
		got, err := memory.ParseTime(s, zone)
		if err != nil {
			if !errors.Is(err, memory.ErrInvalid) || !got.IsZero() {
				t.Errorf("ParseTime(%q) = %v, %v, want the zero time and ErrInvalid", s, got, err)
			}
			return
		}
		if back := time.Unix(0, got.UnixNano()); !back.Equal(got) || got.Location() != time.UTC {
			t.Errorf("ParseTime(%q) = %v, which comes back as %v, want what can be stored, in UTC", s, got, back)
		}
	})
}
