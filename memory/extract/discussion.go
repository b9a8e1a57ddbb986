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
// characters). Less will do when one follows the other.
const (
	minShare     = .12
	minSize      = 6
	minShareNext = .07
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
		t.list = append(t.list, discussion{topic: e.topic()})
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
		for j, part := range t.list[i].parts {
			next := i == last && j == len(t.list[i].parts)-1
			if share := t.share(e.terms, whole, part, next); share > best {
				best, found = share, i
			}
		}
	}
	return found
}

// share returns the share of weight that terms, weighing whole, have in common
// with a part of a discussion; 0 if that is not enough to be about the same
// thing. next says that the part is what was said right before.
func (t *threads) share(terms bag, whole int, part bag, next bool) float64 {
	common, size := t.weights.shared(terms, part)
	share := float64(common) / float64(max(1, min(whole, t.weights.sum(part))))
	if share >= minShare && size >= minSize || next && share >= minShareNext && size >= minSizeNext {
		return share
	}
	return 0
}
