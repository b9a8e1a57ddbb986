package rank

import (
	"math"

	"mcp-memory/memory"
)

// when is 1 when the question asks for a time and the message says one.
func (c *candidates) when(i int) float64 {
	return one(c.in.Question.asked.when && c.list[i].whole.Time)
}

// howMany is 1 when the question asks for a number and the message has one.
func (c *candidates) howMany(i int) float64 {
	return one(c.in.Question.asked.howMany && c.list[i].whole.Number)
}

// where is how full of names the message looks when the question asks for a
// place. The ending of a place name counts like a capitalised word.
func (c *candidates) where(i int) float64 {
	m := &c.list[i].whole
	if !c.in.Question.asked.where {
		return 0
	}
	return min(1, capitals(m)+one(m.Place)/maxCapitals)
}

// name is how full of names the message looks when the question asks for a
// person or a work; for a work, a title in quotation marks is as good.
func (c *candidates) name(i int) float64 {
	m := &c.list[i].whole
	switch asked := c.in.Question.asked; {
	case asked.title:
		return max(capitals(m), one(m.Quoted))
	case asked.who:
		return capitals(m)
	}
	return 0
}

// capitals is the share of the capitalised words that make a text look full of
// names.
func capitals(m *counted) float64 { return float64(m.Capitals) / maxCapitals }

// date is 1 when the message was sent on a day, or in a month, that the question
// names.
func (c *candidates) date(i int) float64 {
	sent := civilOf(c.list[i].SentAt)
	for _, s := range c.dates {
		if s.holds(sent) {
			return 1
		}
	}
	return 0
}

// relativeDate is how exactly a "yesterday" or "last week" of the message means
// a day that the question names: 1 ÷ √(the days that it may mean).
func (c *candidates) relativeDate(i int) float64 {
	if len(c.dates) == 0 {
		return 0
	}
	best := 0.0
	sent := civilOf(c.list[i].SentAt)
	for r := range c.list[i].whole.ranges() {
		meant := stretch{sent + civil(r.From), sent + civil(r.To)}
		for _, s := range c.dates {
			if meant.meets(s) {
				best = max(best, 1/math.Sqrt(float64(meant.days())))
			}
		}
	}
	return best
}

// datesOf resolves the dates of the question. One without a year is of the year
// of the newest message.
func datesOf(q *Question, list []memory.Neighbour) []stretch {
	if len(q.dates) == 0 || len(list) == 0 {
		return nil
	}
	newest := list[0].SentAt
	for i := range list {
		if list[i].SentAt.After(newest) {
			newest = list[i].SentAt
		}
	}
	var named []stretch
	for _, d := range q.dates {
		if s, ok := d.in(newest.Year()); ok {
			named = append(named, s)
		}
	}
	return named
}

// minLikeness is the likeness of two words from which they say nearly the same.
const minLikeness = .5

// similar is how near the words of the message lie to those of the question:
// for each of these, names of senders left out, its idf times the likeness of
// the nearest word. A long text has a word near anything and counts less.
func (c *candidates) similar(i int) float64 {
	m := &c.list[i]
	if c.in.Likeness == nil || !m.candidate {
		return 0
	}
	nearest := make([]float64, len(c.in.Question.terms))
	for t := range m.whole.each() {
		for k, x := range c.likeness(t.Hash) {
			nearest[k] = max(nearest[k], x)
		}
	}
	sum := 0.0
	for k, t := range c.in.Question.terms {
		if !t.name {
			sum += t.idf * nearest[k]
		}
	}
	return sum * math.Sqrt(min(1, longWindow/max(1, float64(m.whole.Length))))
}

// likeness returns the likeness of a word of a message to each word of the
// question, 0 where it is under minLikeness.
func (c *candidates) likeness(hash uint32) []float64 {
	if known, ok := c.alike[hash]; ok {
		return known
	}
	row := make([]float64, len(c.in.Question.terms))
	for k, t := range c.in.Question.terms {
		x := 1.0
		if t.hash != hash {
			x = c.in.Likeness(t.hash, hash)
		}
		if x >= minLikeness {
			row[k] = x
		}
	}
	c.alike[hash] = row
	return row
}
