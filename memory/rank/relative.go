package rank

import "time"

// DayRange is a stretch of days, both ends included, counted from the day a
// message was sent: yesterday is {-1, -1}.
type DayRange struct{ From, To int }

// maxDayRanges bounds the day ranges kept of a message.
const maxDayRanges = 4

// maxDayOffset bounds how far a day range may reach, about 110 years: what lies
// farther is not said of a day.
const maxDayOffset = 40_000

// span is a unit of the calendar in which a text counts from the day it is
// written on.
type span uint8

const (
	noSpan span = iota // it says when, but names no day
	days
	weeks
	weekends
	months
	years
)

// shifted returns the unit that is n units away from the one with the day sent:
// -1 of weeks is the week before, Monday to Sunday.
func (u span) shifted(sent civil, n int) stretch {
	monday := sent - civil(sent.weekday()) + civil(7*n)
	y, m, _ := sent.date()
	switch u {
	case weeks:
		return stretch{monday, monday + 6}
	case weekends:
		return stretch{monday + 5, monday + 6}
	case months:
		return monthOf(y, m+time.Month(n))
	case years:
		return stretch{civilDay(y+n, time.January, 1), civilDay(y+n, time.December, 31)}
	default:
		return stretch{sent + civil(n), sent + civil(n)}
	}
}

// ago returns the days that "n units ago" may mean: a week ago is not meant to
// the day, a year ago not to the month.
func (u span) ago(sent civil, n int) stretch {
	length, slack := 1, 0
	switch u {
	case weeks, weekends:
		length, slack = 7, 3
	case months:
		length, slack = 30, 15
	case years:
		length, slack = 365, 180
	}
	middle := sent - civil(min(n, maxDayOffset)*length)
	return stretch{middle - civil(slack), middle + civil(slack)}
}

// towards returns the nearest given day of the week (Monday 0) before the day
// sent (direction -1) or after it (1); 0 is the one of the same week.
func towards(sent civil, weekday, direction int) stretch {
	ahead := civil((weekday - sent.weekday() + 7) % 7)
	switch {
	case direction == 0:
		ahead = civil(weekday - sent.weekday())
	case direction < 0:
		ahead -= 7
	case ahead == 0:
		ahead = 7
	}
	return stretch{sent + ahead, sent + ahead}
}
