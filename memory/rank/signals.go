package rank

import (
	"slices"
	"strconv"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// candidates are the messages of one ranking, decoded.
type candidates struct {
	in       Input
	list     []candidate
	coverage map[string]float64   // idf share of the question's words, by session
	total    float64              // idf of the question's words, names left out
	dates    []stretch            // that the question names
	alike    map[uint32][]float64 // likeness of a word to those of the question, by hash
}

type candidate struct {
	*memory.Neighbour
	whole     counted
	parts     []counted // what BM25 looks at: the parts of a long message, else the whole
	inHead    []bool    // which words of the question are in its sender and date
	headTerms int
	counts    []int // how often each word of the question occurs in the whole or in the best part
	candidate bool
	evidence  [signals]float64
}

// counted is a passage reduced to what the question asks: how often each of its
// words occurs, in their order.
type counted struct {
	stored
	counts []int
}

func prepare(in Input) *candidates {
	c := &candidates{in: in, list: make([]candidate, len(in.Neighbours)), coverage: map[string]float64{}, alike: map[uint32][]float64{}}
	c.dates = datesOf(&in.Question, in.Neighbours)
	heads := headCache{}
	at := make(map[int64]int, len(in.Neighbours))
	for i := range in.Neighbours {
		n := &in.Neighbours[i]
		head := heads.of(n)
		m := candidate{Neighbour: n, whole: in.Question.count(n.Features), headTerms: len(head)}
		m.inHead = make([]bool, len(in.Question.terms))
		for k, t := range in.Question.terms {
			m.inHead[k] = slices.Contains(head, t.hash)
		}
		m.counts = m.whole.counts
		for _, b := range n.Parts {
			m.addPart(in.Question.count(b))
		}
		if len(m.parts) == 0 {
			m.parts = []counted{m.whole}
		}
		c.list[i], at[n.MessageID] = m, i
	}
	for _, h := range in.Found {
		if i, ok := at[h.MessageID]; ok {
			c.markAround(i)
		}
	}
	c.cover()
	return c
}

// addPart takes a part of a long message. The features of the whole keep only
// its first words, so that a part may know more.
func (m *candidate) addPart(p counted) {
	m.parts = append(m.parts, p)
	m.counts = slices.Clone(m.counts)
	for k, n := range p.counts {
		m.counts[k] = max(m.counts[k], n)
	}
}

// count reads a passage and counts the words of the question in it.
func (q *Question) count(features []byte) counted {
	s := open(features)
	c := counted{stored: s, counts: make([]int, len(q.terms))}
	for k, t := range q.terms {
		c.counts[k] = s.count(t.hash)
	}
	return c
}

// markAround makes message i and its neighbours candidates.
func (c *candidates) markAround(i int) {
	for j := i - Reach; j <= i+Reach; j++ {
		if c.together(i, j) && c.list[j].whole.Length > 0 {
			c.list[j].candidate = true
		}
	}
}

// together says whether messages i and j exist, are of one session and no further
// apart than their places in the list say: between two stretches of a session
// messages are missing.
func (c *candidates) together(i, j int) bool {
	if j < 0 || j >= len(c.list) || c.list[i].Session != c.list[j].Session {
		return false
	}
	apart := c.list[i].Position.Seq - c.list[j].Position.Seq
	return max(apart, -apart) <= 2*Reach
}

// cover sums, for each session, the idf of the question's words that occur in
// the messages at hand. They are all that hold its rare words and some that
// hold its common ones, so this is near to what the whole session would give.
func (c *candidates) cover() {
	terms := c.in.Question.terms
	for _, t := range terms {
		if !t.name {
			c.total += t.idf
		}
	}
	for i := 0; i < len(c.list); {
		session := c.list[i].Session
		seen := make([]bool, len(terms))
		for ; i < len(c.list) && c.list[i].Session == session; i++ {
			for k, n := range c.list[i].counts {
				if n > 0 && !seen[k] && !terms[k].name {
					seen[k] = true
					c.coverage[session] += terms[k].idf
				}
			}
		}
	}
}

// words is the BM25 score of the best passage, sender and date counted as words
// of it.
func (c *candidates) words(i int) float64 {
	m := &c.list[i]
	head := float64(m.headTerms)
	best := 0.0
	for p := range m.parts {
		score := 0.0
		for k, t := range c.in.Question.terms {
			n := float64(m.parts[p].counts[k]) + one(m.inHead[k])
			if n > 0 {
				score += t.idf * saturate(n, float64(m.parts[p].Length)+head, c.in.MeanTerms+head)
			}
		}
		best = max(best, score)
	}
	return best
}

// meaning is the cosine of the nearest passage; one that points away counts as 0.
func (c *candidates) meaning(i int) float64 {
	best := max(0, c.in.Cosine[Passage{c.list[i].MessageID, 0}])
	for ord := range c.list[i].Parts {
		best = max(best, c.in.Cosine[Passage{c.list[i].MessageID, ord}])
	}
	return best
}

// window is the BM25 score of the message together with its neighbours as one
// text. Names of senders do not count: they are all over a conversation.
func (c *candidates) window(i int) float64 {
	terms := c.in.Question.terms
	counts := make([]int, len(terms))
	length := 0.0
	for j := i - Reach; j <= i+Reach; j++ {
		if j != i && (!c.together(i, j) || c.list[j].whole.Length > longWindow) {
			continue
		}
		length += float64(c.list[j].whole.Length)
		for k, n := range c.list[j].counts {
			counts[k] += n
		}
	}
	score := 0.0
	for k, n := range counts {
		if n > 0 && !terms[k].name {
			score += terms[k].idf * saturate(float64(n), length, c.in.MeanTerms*(2*Reach+1))
		}
	}
	return score
}

// session is the idf share of the question's words that occur in the session.
func (c *candidates) session(i int) float64 {
	if c.total == 0 {
		return 0
	}
	return c.coverage[c.list[i].Session] / c.total
}

// sender is 1 when the message was sent by the person asked about.
func (c *candidates) sender(i int) float64 {
	about := c.in.Question.about
	return one(about != "" && text.Fold(c.list[i].Sender) == about)
}

// answer is how well the question fits that the message follows. An assistant
// always answers, so that its messages say nothing here.
func (c *candidates) answer(i int) float64 {
	m := &c.list[i]
	if m.Role == memory.RoleAssistant || !c.together(i, i-1) {
		return 0
	}
	before := &c.list[i-1]
	if !before.whole.Question || sameSender(m.Neighbour, before.Neighbour) {
		return 0
	}
	return (before.evidence[Words] + before.evidence[Meaning]) / 2
}

// first is 1 when the message speaks of its sender.
func (c *candidates) first(i int) float64 { return one(c.list[i].whole.FirstPerson) }

// assistant is 1 for a message of an assistant, unless the question asks what
// the assistant said.
func (c *candidates) assistant(i int) float64 {
	return one(c.list[i].Role == memory.RoleAssistant && !c.in.Question.toYou)
}

// scale divides a signal by its best value.
func (c *candidates) scale(s Signal) {
	best := 0.0
	for i := range c.list {
		best = max(best, c.list[i].evidence[s])
	}
	if best == 0 {
		return
	}
	for i := range c.list {
		c.list[i].evidence[s] /= best
	}
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Head returns the tokens under which a message is found by its sender and by
// the day it was sent, written in words ("8 May 2023") in the time's own zone.
func Head(sender string, sentAt time.Time) []string {
	head := append(text.Terms(sender), text.Terms(sentAt.Month().String())...)
	return append(head, strconv.Itoa(sentAt.Day()), strconv.Itoa(sentAt.Year()))
}

// headCache keeps the hashed heads of one ranking: few senders and days.
type headCache map[string][]uint32

func (h headCache) of(n *memory.Neighbour) []uint32 {
	key := n.SentAt.Format(time.DateOnly) + n.Sender
	if hashes, ok := h[key]; ok {
		return hashes
	}
	var hashes []uint32
	for _, t := range Head(n.Sender, n.SentAt) {
		hashes = append(hashes, Hash(t))
	}
	h[key] = hashes
	return hashes
}
