package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/jobs"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatalf("LoadLocation(%s): %v", name, err)
	}
	return loc
}

func moment(t testing.TB, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestTicks: what schedules mean, also on the days when the clock changes. A tick
// is written as it shows on the clock of the place.
func TestTicks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, schedule, zone, from, to string
		want                           string
	}{
		{"cron line", "*/15 * * * *", "UTC", "2026-03-01T10:00:00Z", "2026-03-01T10:46:00Z", "01T10:15+00 01T10:30+00 01T10:45+00"},
		{"weekday", "0 8 * * MON", "Asia/Tokyo", "2026-03-01T00:00:00Z", "2026-03-10T00:00:00Z", "02T08:00+09 09T08:00+09"},
		{"descriptor", "@hourly", "UTC", "2026-03-01T10:00:00Z", "2026-03-01T12:00:00Z", "01T11:00+00 01T12:00+00"},
		{"duration", "every 10m", "UTC", "2026-03-01T10:05:00Z", "2026-03-01T10:25:00Z", "01T10:10+00 01T10:20+00"},
		{"duration, as cron writes it", "@every 10m", "UTC", "2026-03-01T10:05:00Z", "2026-03-01T10:15:00Z", "01T10:10+00"},
		{"daily", "23:55", "Asia/Taipei", "2026-03-01T00:00:00Z", "2026-03-03T00:00:00Z", "01T23:55+08 02T23:55+08"},
		{"daily, blanks around", " 7:05 ", "UTC", "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z", "01T07:05+00"},
		{"spring: skipped", "02:30", "America/New_York", "2026-03-07T17:00:00Z", "2026-03-09T16:00:00Z", "08T03:00-04 09T02:30-04"},
		{"spring: skipped, as a cron line", "30 2 * * *", "America/New_York", "2026-03-07T17:00:00Z", "2026-03-09T16:00:00Z", "08T03:00-04 09T02:30-04"},
		{"autumn: once", "01:30", "America/New_York", "2026-10-31T16:00:00Z", "2026-11-02T17:00:00Z", "01T01:30-04 02T01:30-05"},
		{"autumn: not concerned", "02:30", "America/New_York", "2026-10-31T16:00:00Z", "2026-11-02T17:00:00Z", "01T02:30-05 02T02:30-05"},
		{"autumn: a duration goes on", "every 1h", "America/New_York", "2026-11-01T04:30:00Z", "2026-11-01T07:30:00Z", "01T01:00-04 01T01:00-05 01T02:00-05"},
		{"autumn: a cron line goes on", "0 * * * *", "America/New_York", "2026-11-01T04:30:00Z", "2026-11-01T07:30:00Z", "01T01:00-04 01T01:00-05 01T02:00-05"},
		{"Cairo: 23:55 comes twice", "23:55", "Africa/Cairo", "2026-10-28T21:00:00Z", "2026-10-31T00:00:00Z", "29T23:55+03 30T23:55+02"},
		{"Cairo: midnight is skipped", "00:00", "Africa/Cairo", "2026-04-22T23:00:00Z", "2026-04-24T22:30:00Z", "24T01:00+03 25T00:00+03"},
		{"Santiago: 23:55 comes twice", "23:55", "America/Santiago", "2026-04-04T00:00:00Z", "2026-04-06T12:00:00Z", "03T23:55-03 04T23:55-03 05T23:55-04"},
		{"Santiago: midnight is skipped", "00:30", "America/Santiago", "2026-09-05T12:00:00Z", "2026-09-07T12:00:00Z", "06T01:00-03 07T00:30-03"},
		{"Apia: a date is left out", "12:00", "Pacific/Apia", "2011-12-29T00:00:00Z", "2011-12-31T12:00:00Z", "29T12:00-10 31T12:00+14"},
		{"no schedule", "  ", "UTC", "2026-03-01T00:00:00Z", "2027-03-01T00:00:00Z", ""},
	} {
		loc := zone(t, c.zone)
		list, err := jobs.Ticks(c.schedule, loc, moment(t, c.from), moment(t, c.to))
		var got []string
		for _, tick := range list {
			got = append(got, tick.At.In(loc).Format("02T15:04-07"))
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: ticks of %q in %s = %q, %v, want %q", c.name, c.schedule, c.zone, strings.Join(got, " "), err, c.want)
		}
	}
}

// TestOncePerDate: a daily job has one tick for each date that there is, in
// places whose clocks change in every way (case E03).
func TestOncePerDate(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"America/New_York", "Europe/London", "Africa/Cairo", "Africa/Casablanca", "America/Santiago", "America/Havana", "America/St_Johns",
		"America/Sao_Paulo", "America/Scoresbysund", "America/Nuuk", "Asia/Beirut", "Asia/Gaza", "Asia/Tehran", "Asia/Kathmandu", "Atlantic/Azores",
		"Australia/Lord_Howe", "Pacific/Apia", "Pacific/Chatham", "UTC",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loc := zone(t, name)
			for _, schedule := range []string{"00:00", "00:01", "01:30", "02:30", "23:30", "23:55"} {
				for _, year := range []int{2009, 2011, 2014, 2024} {
					oncePerDate(t, schedule, loc, time.Date(year, 1, 1, 12, 0, 0, 0, time.UTC))
				}
			}
		})
	}
}

// oncePerDate checks about a year.
func oncePerDate(t *testing.T, schedule string, loc *time.Location, from time.Time) {
	t.Helper()
	to := from.AddDate(1, 0, 10)
	ticks, err := jobs.Ticks(schedule, loc, from, to)
	if err != nil || len(ticks) < 365 {
		t.Fatalf("%s has %d ticks, %v, want one for each date of a year", schedule, len(ticks), err)
	}
	days := make([]string, len(ticks))
	for i, tick := range ticks {
		days[i] = tick.Day
	}
	if want := dates(from, to, loc, days[0], days[len(days)-1]); !slices.Equal(days, want) {
		t.Errorf("%s has %d ticks from %s to %s, want one for each of %d dates", schedule, len(days), days[0], days[len(days)-1], len(want))
	}
}

// dates lists the dates that clocks in loc show, of those from first to last.
func dates(from, to time.Time, loc *time.Location, first, last string) []string {
	var list []string
	for at := from.Add(-48 * time.Hour); at.Before(to.Add(48 * time.Hour)); at = at.Add(time.Hour) {
		day := at.In(loc).Format(time.DateOnly)
		if day >= first && day <= last && (len(list) == 0 || day > list[len(list)-1]) {
			list = append(list, day)
		}
	}
	return list
}

// TestLast compares with going through all ticks.
func TestLast(t *testing.T) {
	t.Parallel()
	loc := zone(t, "America/New_York")
	at := moment(t, "2026-11-01T06:10:00Z")
	for _, c := range []struct{ schedule, want string }{
		{"*/15 * * * *", "2026-11-01T06:00:00Z"},
		{"* * * * *", "2026-11-01T06:10:00Z"},
		{"23:55", "2026-11-01T03:55:00Z"},
		{"01:30", "2026-11-01T05:30:00Z"},
		{"0 8 * * MON", "2026-10-26T12:00:00Z"},
		{"* 9 1 2 *", "2026-02-01T14:59:00Z"},
		{"0 0 29 2 *", "2024-02-29T05:00:00Z"},
		{"every 20m", "2026-11-01T06:00:00Z"},
	} {
		got, err := jobs.Last(c.schedule, loc, at)
		if want := moment(t, c.want); err != nil || !got.Equal(want) {
			t.Errorf("last tick of %q = %v, %v, want %v", c.schedule, got.UTC(), err, want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	nothing := func(context.Context, jobs.Run) error { return nil }
	db := open(t)
	for _, schedule := range []string{"24:00", "12:60", "0 24 * * *", "* * * *", "* * * * * *", "@sometimes", "every", "every now", "every -1h", "every 10ms",
		"TZ=", "TZ=UTC 0 0 * * *", "CRON_TZ=x", "0 0 30 2 *", "noon", "12:00 noon", strings.Repeat("*", 1000)} {
		_, err := jobs.New(jobs.Config{Store: db, Jobs: []jobs.Job{{Name: "wobbly", Schedule: schedule, Run: nothing}}})
		if !errors.Is(err, memory.ErrInvalid) || !strings.Contains(fmt.Sprint(err), "wobbly") {
			t.Errorf("New(a job at %q) = %v, want ErrInvalid that names the job", schedule, err)
		}
	}
	for name, c := range map[string]jobs.Config{
		"no store":     {},
		"no name":      {Store: db, Jobs: []jobs.Job{{Run: nothing}}},
		"nothing":      {Store: db, Jobs: []jobs.Job{{Name: "x"}}},
		"twice":        {Store: db, Jobs: []jobs.Job{{Name: "x", Run: nothing}, {Name: "x", Run: nothing}}},
		"no worker":    {Store: db, Workers: map[string]jobs.Worker{"x": nil}},
		"unnamed kind": {Store: db, Workers: map[string]jobs.Worker{"": func(context.Context, memory.Work) error { return nil }}},
	} {
		if _, err := jobs.New(c); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("New(%s) = %v, want ErrInvalid", name, err)
		}
	}
}

// FuzzSchedule: whatever is configured is refused or has ticks that go forward.
func FuzzSchedule(f *testing.F) {
	for _, s := range []string{"", "*/15 * * * *", "23:55", "30 2 * * *", "every 1h", "@every 1h30m", "@daily", "TZ=UTC", "0 0 29 2 *", "1-5/2,7 * * JAN-MAR MON"} {
		f.Add(s, int64(1_772_000_000))
	}
	loc := zone(f, "America/Santiago")
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		from := time.Unix(unix%4_000_000_000, 0)
		ticks, err := jobs.Ticks(text, loc, from, from.Add(2*time.Hour))
		if err != nil {
			if !errors.Is(err, memory.ErrInvalid) {
				t.Errorf("schedule %q: %v, want ErrInvalid", text, err)
			}
			return
		}
		before := from
		for _, tick := range ticks {
			if !tick.At.After(before) {
				t.Fatalf("schedule %q: tick %v does not come after %v", text, tick.At, before)
			}
			before = tick.At
		}
	})
}
