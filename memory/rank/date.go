package rank

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"mcp-memory/memory/text"
)

// civil numbers the days of the calendar; 1 January 1970 is day 0.
type civil int

const secondsADay = 24 * 60 * 60

// civilOf returns the day of a time in the time's own zone.
func civilOf(t time.Time) civil {
	y, m, d := t.Date()
	return civilDay(y, m, d)
}

// civilDay returns the number of a day. A day or month beyond its range counts
// on into the next month or year, as in time.Date.
func civilDay(year int, month time.Month, day int) civil {
	return civil(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / secondsADay)
}

func (c civil) date() (year int, month time.Month, day int) {
	return time.Unix(int64(c)*secondsADay, 0).UTC().Date()
}

// weekday returns the day of the week, Monday 0 to Sunday 6.
func (c civil) weekday() int { return ((int(c)+3)%7 + 7) % 7 }

// stretch is a range of days, both ends included.
type stretch struct{ from, to civil }

func (s stretch) holds(c civil) bool   { return s.from <= c && c <= s.to }
func (s stretch) meets(o stretch) bool { return s.from <= o.to && o.from <= s.to }
func (s stretch) days() int            { return int(s.to-s.from) + 1 }

// monthOf returns the days of a month.
func monthOf(y int, m time.Month) stretch {
	return stretch{civilDay(y, m, 1), civilDay(y, m+1, 1) - 1}
}

// calendarDate is a date as a text names it.
type calendarDate struct {
	year  int // 0 = not said
	month time.Month
	day   int // 0 = the whole month
}

// in returns the days of the date, in the given year when it names none itself;
// false when the calendar has no such day.
func (d calendarDate) in(year int) (stretch, bool) {
	if d.year != 0 {
		year = d.year
	}
	month := monthOf(year, d.month)
	if d.day == 0 {
		return month, true
	}
	day := month.from + civil(d.day-1)
	return stretch{day, day}, month.holds(day)
}

const (
	monthPattern = `(january|february|march|april|may|june|july|august|september|october|november|december|` +
		`jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)`
	dayPattern   = `(\d{1,2})(?:st|nd|rd|th)?`
	yearPattern  = `(\d{4})`
	hanYear      = `([\d〇零一二三四五六七八九]{4})`
	hanTwoDigits = `(\d{1,2}|[一二三四五六七八九十]{1,3})`
	// bareMonth: "may", "march" and the names of months that people bear say a
	// month without day and year only behind such a word.
	bareMonth = `(?:in|of|since|until|by|during|early|late|mid|last|this|next|before|after)[ -]+`
)

// dateForm is a way to write a date, on folded text. year, month and day are the
// groups of the pattern that hold them; 0 = not said.
type dateForm struct {
	pattern          *regexp.Regexp
	year, month, day int
}

// dateForms are the ways to write a date, the more telling first.
var dateForms = []dateForm{
	{regexp.MustCompile(`\b` + yearPattern + `[-/.](\d{1,2})[-/.](\d{1,2})\b`), 1, 2, 3},
	{regexp.MustCompile(hanYear + `年` + hanTwoDigits + `月` + hanTwoDigits + `[日号號]`), 1, 2, 3},
	{regexp.MustCompile(hanYear + `年` + hanTwoDigits + `月`), 1, 2, 0},
	{regexp.MustCompile(hanTwoDigits + `月` + hanTwoDigits + `[日号號]`), 0, 1, 2},
	{regexp.MustCompile(hanTwoDigits + `月`), 0, 1, 0},
	{regexp.MustCompile(`\b` + dayPattern + `\s+(?:of\s+)?` + monthPattern + `\b\.?,?\s*(?:of\s+)?` + yearPattern + `\b`), 3, 2, 1},
	{regexp.MustCompile(`\b` + monthPattern + `\b\.?[\s-]+` + dayPattern + `\b,?\s*(?:of\s+)?` + yearPattern + `\b`), 3, 1, 2},
	{regexp.MustCompile(`\b` + dayPattern + `\s+(?:of\s+)?` + monthPattern + `\b`), 0, 2, 1},
	{regexp.MustCompile(`\b` + monthPattern + `\b\.?[\s-]+` + dayPattern + `\b`), 0, 1, 2},
	{regexp.MustCompile(`\b` + monthPattern + `\b\.?,?\s*(?:of\s+)?` + yearPattern + `\b`), 2, 1, 0},
	{regexp.MustCompile(`\b` + bareMonth + monthPattern + `\b`), 0, 1, 0},
}

// datesIn finds the calendar dates that a text names: days and months, in
// English words, in figures from the year down (2023-05-08) and in Chinese and
// Japanese characters. What is no date of the calendar is left out.
func datesIn(s string) []calendarDate {
	s = text.Fold(s)
	var dates []calendarDate
	for _, f := range dateForms {
		s = f.pattern.ReplaceAllStringFunc(s, func(written string) string {
			if d, ok := f.read(written); ok {
				dates = append(dates, d)
			}
			return " ; " // so that no other form reads a part of it
		})
	}
	return dates
}

// read reads a date that the pattern matches; false when no calendar has it.
func (f *dateForm) read(written string) (calendarDate, bool) {
	groups := f.pattern.FindStringSubmatch(written)
	if groups == nil {
		return calendarDate{}, false
	}
	d := calendarDate{month: monthIn(groups[f.month])}
	if f.year > 0 {
		d.year = numberIn(groups[f.year])
	}
	if f.day > 0 {
		d.day = numberIn(groups[f.day])
	}
	zero := f.year > 0 && d.year == 0 || f.day > 0 && d.day == 0
	return d, !zero && d.exists()
}

// exists says whether the year of the date has it, or some year when it names
// none.
func (d calendarDate) exists() bool {
	const leapYear = 2024
	if d.month < time.January || d.month > time.December {
		return false
	}
	_, ok := d.in(leapYear)
	return ok
}

// monthIn reads the name or the number of a month; 0 when there is none.
func monthIn(s string) time.Month {
	for m := time.January; m <= time.December; m++ {
		if len(s) >= 3 && strings.HasPrefix(strings.ToLower(m.String()), s[:3]) {
			return m
		}
	}
	return time.Month(numberIn(s))
}

// numberIn reads a number that fills s; 0 when it is none.
func numberIn(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	n, width := leadingNumber(s)
	if width < len(s) {
		return 0
	}
	return n
}
