package rank

import "time"

// DatesIn gives the first and the last day of each date that a text names, in
// the given year where it names none.
func DatesIn(s string, year int) [][2]string {
	var list [][2]string
	for _, d := range datesIn(s) {
		if days, ok := d.in(year); ok {
			list = append(list, [2]string{days.from.String(), days.to.String()})
		}
	}
	return list
}

func (c civil) String() string {
	y, m, d := c.date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// LeadingNumber is leadingNumber.
func LeadingNumber(s string) (value, width int) { return leadingNumber(s) }
