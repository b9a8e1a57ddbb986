// Package rank orders messages for a question. A message's score is the
// weighted mean of a few signals, each between 0 and 1, each a small function
// of its own: how well its words fit, how near its vector lies, whether the
// messages around it and its session speak of the same, who said it.
//
// Everything a message contributes is computed when it is stored (Features); a
// search looks only at candidates, the messages that the full text or the
// vectors brought up, with their neighbours.
package rank

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"mcp-memory/memory"
)

// Signal is one kind of evidence that a message answers a question.
type Signal int

// The signals, in the order in which Ranked.Evidence holds them.
const (
	Words        Signal = iota // BM25 of its best passage with sender and date
	Meaning                    // cosine of its nearest passage
	Window                     // BM25 of it and its neighbours taken as one text
	Session                    // share of the question's words that its session has
	Sender                     // sent by the person asked about
	Answer                     // it follows a question that fits
	Similar                    // each word of the question against the nearest of its words
	When                       // asked for a time, it says one
	HowMany                    // asked for a number, it has one
	Where                      // asked for a place, it looks like naming some
	Name                       // asked for a person or a work, it looks like naming some
	Date                       // sent on a day that the question names
	RelativeDate               // its "yesterday" is a day that the question names
	First                      // it speaks of its sender
	Assistant                  // it is an assistant's: evidence against
	signals
)

var signalNames = [signals]string{
	"words", "meaning", "window", "session", "sender", "answer", "similar_words",
	"when", "how_many", "where", "name", "date", "relative_date", "first_person", "assistant",
}

// String returns the name by which results show the signal.
func (s Signal) String() string { return signalNames[s] }

// Weights are what the signals count. Those of equal size rank as well as
// fitted ones: see docs/retrieval.md.
type Weights [signals]float64

// DefaultWeights are all equal, but for the two weak signals of form.
func DefaultWeights() Weights {
	w := Weights{}
	for s := range w {
		w[s] = 1
	}
	w[First], w[Assistant] = .5, -1
	return w
}

// Reach is how many messages on each side belong to the window of a message,
// and how many on each side of a found message are candidates too.
const Reach = 2

// longWindow is the number of content terms from which a neighbour is left out
// of a window: it would drown the message itself.
const longWindow = 60

// The parameters of BM25 (Robertson and Zaragoza, "The Probabilistic Relevance
// Framework: BM25 and Beyond", 2009), as FTS5 has them.
const (
	bm25K1 = 1.2
	bm25B  = .75
)

// Input is what Rank works on.
type Input struct {
	Question   Question
	Neighbours []memory.Neighbour // by session and arrival: found messages with at least 2*Reach on each side
	Found      []memory.Hit       // what the full text and the vectors brought up
	Cosine     map[Passage]float64
	MeanTerms  float64 // mean number of content terms of a message in the store
	Weights    Weights
	// Likeness says how near two words lie, by the hashes of their terms: 1 the
	// same, 0 nothing in common. nil = not known, and Similar says nothing.
	Likeness func(a, b uint32) float64
	Lets     func(*memory.Neighbour) bool // the filter; nil lets all through
}

// Passage names a passage of a message.
type Passage struct {
	MessageID int64
	Ord       int
}

// Ranked is a candidate with its score.
type Ranked struct {
	*memory.Neighbour
	Score    float64 // weighted mean of the signals; larger is better
	Evidence [signals]float64
}

// Signals names what speaks for the message, the strongest first.
func (r *Ranked) Signals(w Weights) []string {
	var for_ []Signal
	for s := range signals {
		if w[s] > 0 && r.Evidence[s] > 0 {
			for_ = append(for_, s)
		}
	}
	slices.SortStableFunc(for_, func(a, b Signal) int {
		return cmp.Compare(w[b]*r.Evidence[b], w[a]*r.Evidence[a])
	})
	names := make([]string, len(for_))
	for i, s := range for_ {
		names[i] = s.String()
	}
	return names
}

// Rank returns the candidates that the filter lets through, best first; equal
// ones newest first.
func Rank(in Input) []Ranked {
	c := prepare(in)
	for s, f := range signalFuncs {
		for i := range c.list {
			c.list[i].evidence[s] = f(c, i)
		}
		if scaled[s] {
			c.scale(Signal(s))
		}
	}
	return c.order()
}

// signalFuncs computes each signal of message i. Answer reads Words and Meaning
// of the message before and therefore comes after them.
var signalFuncs = [signals]func(*candidates, int) float64{
	Words: (*candidates).words, Meaning: (*candidates).meaning, Window: (*candidates).window,
	Session: (*candidates).session, Sender: (*candidates).sender, Answer: (*candidates).answer,
	Similar: (*candidates).similar, When: (*candidates).when, HowMany: (*candidates).howMany,
	Where: (*candidates).where, Name: (*candidates).name,
	Date: (*candidates).date, RelativeDate: (*candidates).relativeDate,
	First: (*candidates).first, Assistant: (*candidates).assistant,
}

// scaled signals have no upper bound of their own and are divided by the best
// value of the query.
var scaled = [signals]bool{Words: true, Meaning: true, Window: true, Similar: true}

// order scores the candidates and sorts them.
func (c *candidates) order() []Ranked {
	total := 0.0
	for s, w := range c.in.Weights {
		if w > 0 && c.applies(Signal(s)) {
			total += w
		}
	}
	var ranked []Ranked
	for i := range c.list {
		m := &c.list[i]
		if !m.candidate || (c.in.Lets != nil && !c.in.Lets(m.Neighbour)) {
			continue
		}
		r := Ranked{Neighbour: m.Neighbour, Evidence: m.evidence}
		for s, x := range m.evidence {
			r.Score += c.in.Weights[s] * x / max(total, 1e-9)
		}
		ranked = append(ranked, r)
	}
	slices.SortStableFunc(ranked, func(a, b Ranked) int {
		if a.Score != b.Score {
			return cmp.Compare(b.Score, a.Score)
		}
		return b.Position.Compare(a.Position)
	})
	return ranked
}

// applies says whether the question asks for what a signal tells; one that it
// does not ask for is no part of the mean.
func (c *candidates) applies(s Signal) bool {
	q := &c.in.Question
	switch s {
	case Similar:
		return c.in.Likeness != nil
	case When:
		return q.asked.when
	case HowMany:
		return q.asked.howMany
	case Where:
		return q.asked.where
	case Name:
		return q.asked.who || q.asked.title
	case Date, RelativeDate:
		return len(c.dates) > 0
	}
	return true
}

// idf is the inverse document frequency of BM25, never negative.
func idf(documents, holding int) float64 {
	n, df := float64(documents), float64(holding)
	return math.Log(1 + max(0, n-df+.5)/(df+.5))
}

// saturate is BM25's term frequency part: how much count occurrences say in a
// text of this length.
func saturate(count, length, mean float64) float64 {
	return count * (bm25K1 + 1) / (count + bm25K1*(1-bm25B+bm25B*length/max(1, mean)))
}

func sameSender(a, b *memory.Neighbour) bool {
	return a.Role == b.Role && strings.EqualFold(a.Sender, b.Sender)
}
