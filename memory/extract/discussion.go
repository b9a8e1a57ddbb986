package extract

import "mcp-memory/memory"

// discussion is a topic with all that was said about it.
type discussion struct {
	topic     string
	before    memory.PastDiscussion // what an earlier summary says of it
	voices    string                // the perspectives of an earlier summary
	terms     bag                   // of all that was said
	parts     []part                // each thing that was said
	exchanges []exchange            // the new ones
}

// part is a thing that was said.
type part struct {
	terms  bag
	weight int // of all its terms
}

// hold takes in what was said.
func (d *discussion) hold(terms bag, weight int) {
	if d.terms == nil {
		d.terms = bag{}
	}
	d.parts = append(d.parts, part{terms, weight})
	for term, n := range terms {
		d.terms[term] += n
	}
}

// past returns the discussion as a past one, with its time in the given zone.
func (d *discussion) past(w weights, o Options) memory.PastDiscussion {
	if len(d.exchanges) == 0 {
		return d.before
	}
	at := d.exchanges[len(d.exchanges)-1].at
	return memory.PastDiscussion{Topic: d.topic, Description: d.describe(w), Direction: d.heading(), LastDiscussed: o.format(at)}
}

// current returns the discussion as the current one.
func (d *discussion) current(w weights) memory.CurrentDiscussion {
	c := memory.CurrentDiscussion{Topic: d.topic, Description: d.before.Description, Perspectives: d.voices, Direction: d.before.Direction}
	if len(d.exchanges) > 0 {
		c.Description, c.Perspectives, c.Direction = d.describe(w), d.perspectives(w), d.heading()
	}
	return c
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

// newThreads returns the discussions of an earlier summary, the current one
// last discussed at the given time, with the weights that terms have in them
// and in the exchanges to come.
func newThreads(previous memory.Summary, last string, exchanges []exchange) threads {
	var t threads
	var bags []bag
	for _, p := range previous.PastDiscussions {
		t.list, bags = append(t.list, discussion{topic: p.Topic, before: p}), append(bags, bagOf(p.Topic, p.Description))
	}
	if c := previous.CurrentDiscussion; c != (memory.CurrentDiscussion{}) {
		p := memory.PastDiscussion{Topic: c.Topic, Description: c.Description, Direction: c.Direction, LastDiscussed: last}
		t.list = append(t.list, discussion{topic: c.Topic, before: p, voices: c.Perspectives})
		bags = append(bags, bagOf(c.Topic, c.Description, c.Perspectives))
	}
	for _, e := range exchanges {
		bags = append(bags, e.terms)
	}
	t.weights = weigh(bags)
	for i := range t.list {
		t.list[i].hold(bags[i], t.weights.sum(bags[i]))
	}
	return t
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
	d.hold(e.terms, t.weights.sum(e.terms))
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
		for _, p := range t.list[i].parts {
			common, size := t.weights.shared(e.terms, p.terms)
			share := float64(common) / float64(max(1, min(whole, p.weight)))
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
func (t *threads) follows(e *exchange, parts []part) bool {
	opening := bagOf(e.opening())
	common, size := t.weights.shared(opening, parts[len(parts)-1].terms)
	return size >= minSizeNext && float64(common) >= minShareNext*float64(t.weights.sum(opening))
}
