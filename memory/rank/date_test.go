package rank_test

import (
	"slices"
	"testing"
	"time"

	"mcp-memory/memory/rank"
)

func TestDatesIn(t *testing.T) {
	t.Parallel()
	day := func(d string) [2]string { return [2]string{d, d} }
	may := [2]string{"2023-05-01", "2023-05-31"}
	tests := []struct {
		text string
		want [][2]string // without a year: in 2023
	}{
		{"", nil},
		{"What was the plan?", nil},
		{"on 8 May 2023", [][2]string{day("2023-05-08")}},
		{"on 8 May, 2021", [][2]string{day("2021-05-08")}},
		{"on the 8th of May", [][2]string{day("2023-05-08")}},
		{"May 8th, 2021", [][2]string{day("2021-05-08")}},
		{"MAY 8", [][2]string{day("2023-05-08")}},
		{"Sept. 1", [][2]string{day("2023-09-01")}},
		{"Dec 31 2020", [][2]string{day("2020-12-31")}},
		{"2023-05-08", [][2]string{day("2023-05-08")}},
		{"2021/5/8 and 2021.5.9", [][2]string{day("2021-05-08"), day("2021-05-09")}},
		{"on 8 May or 9 May", [][2]string{day("2023-05-08"), day("2023-05-09")}},
		{"May 2023", [][2]string{may}},
		{"in May of 2023", [][2]string{may}},
		{"in May", [][2]string{may}},
		{"last March", [][2]string{{"2023-03-01", "2023-03-31"}}},
		{"2023年5月8日", [][2]string{day("2023-05-08")}},
		{"二〇二三年五月八日", [][2]string{day("2023-05-08")}},
		{"２０２３年５月８日に", [][2]string{day("2023-05-08")}},
		{"5月8号去了哪里", [][2]string{day("2023-05-08")}},
		{"十二月三十一日", [][2]string{day("2023-12-31")}},
		{"2023年5月", [][2]string{may}},
		{"5月的计划", [][2]string{may}},
		{"in February 2023", [][2]string{{"2023-02-01", "2023-02-28"}}},
		{"in February 2024", [][2]string{{"2024-02-01", "2024-02-29"}}},
		{"in February 1900", [][2]string{{"1900-02-01", "1900-02-28"}}},
		{"in December 2022", [][2]string{{"2022-12-01", "2022-12-31"}}},
		{"29 February 2024", [][2]string{day("2024-02-29")}},
		// no dates
		{"29 February 2023", nil},
		{"on 29 February", nil}, // a date, but not in 2023
		{"31 April", nil},
		{"April 31 2023", nil},
		{"2023-13-01", nil},
		{"2023年13月1日", nil},
		{"2023-05-00", nil},
		{"0 May", nil},
		{"What may Ann bring?", nil},
		{"the march of time", nil},
		{"What did June say?", nil},
		{"5个月", nil},
		{"3ヶ月", nil},
		{"version 1.2.3", nil},
		{"12345-05-08", nil},
	}
	for _, tt := range tests {
		if got := rank.DatesIn(tt.text, 2023); !slices.Equal(got, tt.want) {
			t.Errorf("datesIn(%q) = %v, want %v", tt.text, got, tt.want)
		}
	}
}

// TestDatesOfEveryDay: each day of four years is read as it is written, in every
// form.
func TestDatesOfEveryDay(t *testing.T) {
	t.Parallel()
	first := time.Date(2023, time.January, 1, 0, 0, 0, 0, time.UTC)
	for d := first; d.Year() < 2027; d = d.AddDate(0, 0, 1) {
		iso := d.Format(time.DateOnly)
		want := [][2]string{{iso, iso}}
		for _, layout := range []string{"2 January 2006", "Jan 2, 2006", "2006-01-02", "2006年1月2日", "1月2日", "January 2"} {
			if got := rank.DatesIn(d.Format(layout), d.Year()); !slices.Equal(got, want) {
				t.Errorf("datesIn(%q) = %v, want %v", d.Format(layout), got, want)
			}
		}
	}
}

// FuzzDatesIn: any text gives days of the calendar in order, a month at most.
func FuzzDatesIn(f *testing.F) {
	for _, s := range []string{"8 May 2023", "二〇二三年五月八日", "31 April", "in may, march 5th 0000", "9999年12月"} {
		f.Add(s, 2024)
	}
	f.Fuzz(func(t *testing.T, s string, year int) {
		year = max(1, min(year, 9999))
		for _, d := range rank.DatesIn(s, year) {
			from, err := time.Parse(time.DateOnly, d[0])
			to, err2 := time.Parse(time.DateOnly, d[1])
			if err != nil || err2 != nil || to.Before(from) || to.Sub(from) > 30*24*time.Hour {
				t.Errorf("datesIn(%q) = %v, want days in order within a month", s, d)
			}
		}
	})
}

func TestLeadingNumber(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text         string
		value, width int
	}{
		{"", 0, 0}, {"x3", 0, 0}, {"月", 0, 0},
		{"3", 3, 1}, {"042x", 42, 3}, {"３月", 3, 3}, {"3万", 30_000, 4},
		{"〇", 0, 3}, {"三", 3, 3}, {"两个", 2, 3}, {"十", 10, 3}, {"十二", 12, 6}, {"二十", 20, 6}, {"二十三日", 23, 9},
		{"百", 100, 3}, {"三百零五", 305, 12}, {"一千二百", 1200, 12}, {"万", 10_000, 3}, {"十万", 100_000, 6},
		{"三億二千万", 320_000_000, 15}, {"二〇二三年", 2023, 12},
		{"99999999999999999999", 1_000_000_000, 20}, {"九億億億億億億億億億億", 1_000_000_000, 33},
	}
	for _, tt := range tests {
		if value, width := rank.LeadingNumber(tt.text); value != tt.value || width != tt.width {
			t.Errorf("leadingNumber(%q) = %d, %d; want %d, %d", tt.text, value, width, tt.value, tt.width)
		}
	}
}
