package recall

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

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
		return m, byWordsOnly("no embedder is configured")
	}
	r.settle(ctx)
	var err error
	for range 3 { // the model can change under a search
		if m, degraded, err = r.search(ctx, req); !errors.Is(err, memory.ErrUnavailable) {
			break
		}
	}
	switch {
	case errors.Is(err, memory.ErrUnavailable):
		degraded = byWordsOnly("no message has a vector yet")
	case err != nil:
		r.log.Error("search vectors", "error", err)
		degraded = byWordsOnly("the vector index does not work (run mcp-memory doctor)")
	}
	return m, degraded
}

func byWordsOnly(why string) string { return why + ": found by words only" }

// search looks for the nearest passages with the embedder of the active model. The
// error is the store's.
func (r *Recall) search(ctx context.Context, req Request) (m meaning, degraded string, err error) {
	e, err := memory.CurrentEmbedder(ctx, r.embedder)
	var public *memory.PublicError
	switch {
	case errors.As(err, &public):
		return m, byWordsOnly(public.Error() + notWorking("; ", r.obstacle(memory.EmbeddingModel{}))), nil
	case err != nil:
		r.log.Error("look up the embedder", "error", err)
		return m, byWordsOnly("the embedder does not work (run mcp-memory doctor)"), nil
	}
	vector, silent := r.question(ctx, e, req.Query)
	if silent != "" {
		return m, byWordsOnly(silent), nil
	}
	degraded = r.progress(ctx, e.Model())
	if vector == nil {
		return m, degraded, nil
	}
	m.question, m.cosine = vector, map[rank.Passage]float64{}
	m.words, _ = e.(wordEmbedder)
	m.hits, err = r.store.Nearest(ctx, e.Model(), vector, req.Filter, nearest)
	for _, h := range m.hits {
		m.cosine[rank.Passage{MessageID: h.MessageID, Ord: h.Ord}] = h.Score
	}
	return m, degraded, err
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

// progress says how far the vectors are behind, and why; "" = not at all.
func (r *Recall) progress(ctx context.Context, model memory.EmbeddingModel) string {
	var notes []string
	p, err := r.store.Progress(ctx, model)
	if err != nil {
		r.log.Error("read the progress of the vectors", "error", err)
	}
	if err == nil && p.Waiting > 0 {
		notes = append(notes, fmt.Sprintf("%s of %s passages have a vector yet%s; the others were found by words only",
			thousands(p.Indexed), thousands(p.Indexed+p.Waiting), notWorking(": ", r.trouble())))
	}
	if why := notWorking("", r.obstacle(model)); why != "" {
		notes = append(notes, why+"; the vectors of the one before are in use")
	}
	return strings.Join(notes, "; ")
}

// notWorking says, after a joint, that the embedder does not work for that reason;
// "" without one.
func notWorking(joint, why string) string {
	if why == "" {
		return ""
	}
	return joint + "the configured embedder does not work (" + why + ")"
}

// thousands writes n with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
