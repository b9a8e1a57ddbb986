package rank

import (
	"strconv"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// candidates are the messages of one ranking, decoded.
type candidates struct {
	in       Input
	list     []candidate
	coverage map[string]float64 // idf share of the question's words, by session
	total    float64            // idf of the question's words, names left out
}

type candidate struct {
	*memory.Neighbour
	whole     Features
	parts     []Features // what BM25 looks at: the parts of a long message, else the whole
	head      []uint32   // terms of sender and date
	candidate bool
	evidence  [signals]float64
}

func prepare(in Input) *candidates {
	c := &candidates{in: in, list: make([]candidate, len(in.Neighbours)), coverage: map[string]float64{}}
	heads := headCache{}
	at := make(map[int64]int, len(in.Neighbours))
	for i := range in.Neighbours {
		n := &in.Neighbours[i]
		m := candidate{Neighbour: n, whole: Decode(n.Features), head: heads.of(n)}
		for _, b := range n.Parts {
			m.parts = append(m.parts, Decode(b))
		}
		if len(m.parts) == 0 {
			m.parts = []Features{m.whole}
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

// markAround makes message i and its neighbours candidates.
func (c *candidates) markAround(i int) {
	for j := i - Reach; j <= i+Reach; j++ {
		if c.together(i, j) && len(c.list[j].whole.Terms)+len(c.list[j].Parts) > 0 {
			c.list[j].candidate = true
		}
	}
}

// together says whether messages i and j exist and are of one session.
func (c *candidates) together(i, j int) bool {
	return j >= 0 && j < len(c.list) && c.list[i].Session == c.list[j].Session
}

// cover sums, for each session, the idf of the question's words that occur in
// the messages at hand. They are all that hold its rare words and some that
// hold its common ones, so this is near to what the whole session would give.
func (c *candidates) cover() {
	for _, t := range c.in.Question.terms {
		if t.name {
			continue
		}
		c.total += t.idf
		seen := map[string]bool{}
		for i := range c.list {
			if s := c.list[i].Session; !seen[s] && c.list[i].count(t.hash) > 0 {
				seen[s] = true
				c.coverage[s] += t.idf
			}
		}
	}
}

// count is how often the term occurs in the message or in the parts at hand.
func (m *candidate) count(hash uint32) int {
	n := m.whole.Count(hash)
	for i := range m.parts {
		n = max(n, m.parts[i].Count(hash))
	}
	return n
}

// words is the BM25 score of the best passage, sender and date counted as words
// of it.
func (c *candidates) words(i int) float64 {
	m := &c.list[i]
	best := 0.0
	for p := range m.parts {
		score := 0.0
		for _, t := range c.in.Question.terms {
			n := m.parts[p].Count(t.hash)
			for _, h := range m.head {
				if h == t.hash {
					n++
				}
			}
			if n > 0 {
				head := float64(len(m.head))
				score += t.idf * saturate(float64(n), float64(m.parts[p].Length)+head, c.in.MeanTerms+head)
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
	length := 0.0
	in := make([]int, 0, 2*Reach+1)
	for j := i - Reach; j <= i+Reach; j++ {
		if j == i || (c.together(i, j) && c.list[j].whole.Length <= longWindow) {
			in = append(in, j)
			length += float64(c.list[j].whole.Length)
		}
	}
	score := 0.0
	for _, t := range c.in.Question.terms {
		n := 0
		for _, j := range in {
			n += c.list[j].count(t.hash)
		}
		if n > 0 && !t.name {
			score += t.idf * saturate(float64(n), length, c.in.MeanTerms*(2*Reach+1))
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
