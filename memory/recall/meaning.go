package recall

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"mcp-memory/memory"
	"mcp-memory/memory/rank"
)

// meaning is what the vectors say of a question.
type meaning struct {
	hits   []memory.Hit // the nearest passages, best first
	cosine map[rank.Passage]float64

	question []float32
	words    wordEmbedder // nil = vectors are made of whole texts only
}

// wordEmbedder is an embedder that makes a vector of the words of a text alone.
// Such a vector is made faster than it is read, so that every candidate can have
// one, not only the nearest.
type wordEmbedder interface {
	EmbedWords([]rank.Term) []float32
}

// nearest collects the nearest passages. When there are none to be had, degraded
// says why: the search goes on by words.
func (r *Recall) nearest(ctx context.Context, req Request) (m meaning, degraded string) {
	if r.embedder == nil {
		return m, "no embedder is configured: found by words only"
	}
	r.settle(ctx)
	e, err := memory.CurrentEmbedder(ctx, r.embedder)
	if err != nil {
		r.log.Error("look up the embedder", "error", err)
		return m, "the embedder does not work: found by words only; run mcp-memory doctor"
	}
	vectors, err := e.Embed(ctx, []string{req.Query})
	if err != nil {
		r.log.Warn("embed query", "error", err)
		return m, "the embedder does not answer: found by words only"
	}
	degraded = r.progress(ctx, e.Model())
	if len(vectors) != 1 || vectors[0] == nil {
		return m, degraded
	}
	m.question, m.cosine = vectors[0], map[rank.Passage]float64{}
	m.words, _ = e.(wordEmbedder)
	m.hits, err = r.store.Nearest(ctx, e.Model(), vectors[0], req.Filter, nearest)
	switch {
	case errors.Is(err, memory.ErrUnavailable):
		degraded = "no message has a vector yet: found by words only"
	case err != nil:
		r.log.Error("search vectors", "error", err)
		degraded = "the vector index does not work: found by words only; run mcp-memory doctor"
	}
	for _, h := range m.hits {
		m.cosine[rank.Passage{MessageID: h.MessageID, Ord: h.Ord}] = h.Score
	}
	return m, degraded
}

// complete adds the cosine of the messages that were not among the nearest, where
// the embedder can make their vectors of their words.
func (m *meaning) complete(neighbours []memory.Neighbour) {
	if m.words == nil || len(m.hits) == 0 {
		return
	}
	for i := range neighbours {
		n := &neighbours[i]
		if len(n.Parts) == 0 {
			m.add(rank.Passage{MessageID: n.MessageID}, n.Features)
		}
		for ord, features := range n.Parts {
			m.add(rank.Passage{MessageID: n.MessageID, Ord: ord}, features)
		}
	}
}

func (m *meaning) add(p rank.Passage, features []byte) {
	if _, known := m.cosine[p]; known {
		return
	}
	v := m.words.EmbedWords(rank.Decode(features).Terms)
	sum := 0.0
	for i, x := range v {
		sum += float64(x) * float64(m.question[i])
	}
	m.cosine[p] = sum
}

// progress says how far the vectors are behind; "" = not at all.
func (r *Recall) progress(ctx context.Context, model memory.EmbeddingModel) string {
	p, err := r.store.Progress(ctx, model)
	if err != nil || p.Waiting == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s passages have a vector yet; the others were found by words only",
		thousands(p.Indexed), thousands(p.Indexed+p.Waiting))
}

// thousands writes n with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
