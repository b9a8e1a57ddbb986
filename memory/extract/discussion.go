package extract

import (
	"time"

	"mcp-memory/memory"
)

// discussion is a topic with all that was said about it.
type discussion struct {
	topic       string
	description string // of an earlier summary
	direction   string // likewise
	voices      string // perspectives, likewise
	last        string // when it was last discussed, "" = not yet written
	at          time.Time
	terms       bag        // of all that was said
	parts       []bag      // of each thing that was said
	exchanges   []exchange // the new ones
}

// hold takes in what was said.
func (d *discussion) hold(terms bag) {
	if d.terms == nil {
		d.terms = bag{}
	}
	d.parts = append(d.parts, terms)
	for term, n := range terms {
		d.terms[term] += n
	}
}

// pastDiscussion makes a discussion of one of an earlier summary.
func pastDiscussion(p memory.PastDiscussion) discussion {
	d := discussion{topic: p.Topic, description: p.Description, direction: p.Direction, last: p.LastDiscussed}
	d.hold(bagOf(p.Topic, p.Description))
	return d
}

// currentDiscussion makes a discussion of the current one of an earlier summary.
func currentDiscussion(c memory.CurrentDiscussion, last string) discussion {
	d := pastDiscussion(memory.PastDiscussion{Topic: c.Topic, Description: c.Description, Direction: c.Direction, LastDiscussed: last})
	d.voices = c.Perspectives
	d.hold(bagOf(c.Topic, c.Perspectives))
	return d
}

// What two texts about the same thing have in common: a share of the weight of
// the lighter one, and terms of that size (two words, or six pairs of
// characters).
const (
	minShare = .12
	minSize  = 6
)

// What the first sentence of an exchange has in common with what was said right
// before, when it goes on with it: a share of its own weight, and a word.
const (
	minShareNext = .2
	minSizeNext  = 3
)

// threads are the discussions, the one last talked about at the end.
type threads struct {
	list    []discussion
	weights weights
}

// add puts an exchange to the discussion that it is about, or begins a new one.
func (t *threads) add(e exchange) {
	i := t.find(&e)
	if i < 0 {
		if len(t.list) > 0 && e.onlyRules() {
			return
		}
		t.list = append(t.list, discussion{topic: topicOf(e.opening())})
		i = len(t.list) - 1
	}
	d := t.list[i]
	d.exchanges = append(d.exchanges, e)
	d.at = e.at
	d.hold(e.terms)
	t.list = append(append(t.list[:i:i], t.list[i+1:]...), d)
}

// find returns the discussion that an exchange is about, or -1. What says
// little is about what was talked about last.
func (t *threads) find(e *exchange) int {
	last := len(t.list) - 1
	if e.continues() {
		return last
	}
	best, found := 0.0, -1
	whole := t.weights.sum(e.terms)
	for i := range t.list {
		for _, part := range t.list[i].parts {
			common, size := t.weights.shared(e.terms, part)
			share := float64(common) / float64(max(1, min(whole, t.weights.sum(part))))
			if size >= minSize && share >= minShare && share > best {
				best, found = share, i
			}
		}
	}
	if found < 0 && last >= 0 && t.follows(e, t.list[last].parts) {
		return last
	}
	return found
}

// follows says whether the first sentence of an exchange takes up what was said
// right before.
func (t *threads) follows(e *exchange, parts []bag) bool {
	opening := bagOf(e.opening())
	common, size := t.weights.shared(opening, parts[len(parts)-1])
	return size >= minSizeNext && float64(common) >= minShareNext*float64(t.weights.sum(opening))
}
