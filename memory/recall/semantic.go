package recall

import (
	"context"

	"mcp-memory/memory"
	"mcp-memory/memory/rank"
	"mcp-memory/memory/text"
)

// How many candidates are ranked. On the development data more of them, from 60
// and 30 up to scoring every message, change recall by less than a point.
const (
	textCandidates   = 40
	vectorCandidates = 15
	// nearest is how many vectors are asked for: those behind the candidates
	// only tell how near a neighbour is. sqlite-vec's time grows with it.
	nearest = 20
)

// semantic finds messages by meaning: candidates from the full text and from
// the vectors, both filtered before they are cut, ordered by package rank. There
// is no floor: it fills the page while messages pass the filter.
func (r *Recall) semantic(ctx context.Context, q text.Query, req Request, p page, found *findings) error {
	terms := q.Terms()
	freq, err := r.store.Frequencies(ctx, terms)
	if err != nil {
		return err
	}
	hits, err := r.byWords(ctx, q, freq, req.Filter)
	if err != nil {
		return err
	}
	near, degraded := r.nearest(ctx, req)
	found.degraded = degraded
	hits = append(hits, near.hits[:min(len(near.hits), vectorCandidates)]...)
	ranked, err := r.rank(ctx, req, freq, hits, near, r.weights)
	if err != nil {
		return err
	}
	for i := range ranked {
		found.hits = append(found.hits, finding{message: ranked[i].MessageID, score: max(0, ranked[i].Score), signals: ranked[i].Signals(r.weights)})
	}
	if err := r.fill(ctx, req.Filter, p, found); err != nil {
		return err
	}
	found.total, err = r.store.Count(ctx, memory.TextQuery{}, req.Filter, maxTotal) // there is no floor: all that pass are found
	return err
}

// byWords collects the best messages by words, sender and date. Without a known
// word it tries the query as it stands: one Chinese character is no word of the
// index, but begins some.
func (r *Recall) byWords(ctx context.Context, q text.Query, freq memory.Frequencies, f memory.Filter) ([]memory.Hit, error) {
	rare, common := rank.Affordable(q.Terms(), freq)
	if len(rare)+len(common) == 0 {
		return r.store.Match(ctx, q.Exact(), f, memory.BestFirst, 0, textCandidates)
	}
	var hits []memory.Hit
	if len(rare) > 0 {
		var err error
		if hits, err = r.store.Match(ctx, memory.TextQuery{Any: rare}, f, memory.BestFirst, 0, textCandidates); err != nil {
			return nil, err
		}
	}
	if len(common) == 0 || len(hits) == textCandidates {
		return hits, nil
	}
	more, err := r.store.Match(ctx, memory.TextQuery{Any: common}, f, memory.NewestFirst, 0, textCandidates-len(hits))
	return append(hits, more...), err
}

// rank orders the candidates and their neighbours.
func (r *Recall) rank(ctx context.Context, req Request, freq memory.Frequencies, hits []memory.Hit, near meaning, weights rank.Weights) ([]rank.Ranked, error) {
	if len(hits) == 0 {
		return nil, nil
	}
	senders, err := r.store.Senders(ctx)
	if err != nil {
		return nil, err
	}
	neighbours, err := r.store.Neighbours(ctx, hits, rank.Reach)
	if err != nil {
		return nil, err
	}
	for i := range neighbours {
		neighbours[i].SentAt = neighbours[i].SentAt.In(r.location)
	}
	near.complete(neighbours)
	return rank.Rank(rank.Input{
		Question:   rank.NewQuestion(req.Query, senders, freq),
		Neighbours: neighbours,
		Found:      hits,
		Cosine:     near.cosine,
		MeanTerms:  freq.MeanTerms,
		Weights:    weights,
		Lets: func(n *memory.Neighbour) bool {
			return req.Filter.Lets(n.Session, n.Role, n.SentAt, n.Archived)
		},
	}), nil
}

// fill adds the newest messages that pass the filter when the candidates do not
// fill the page.
func (r *Recall) fill(ctx context.Context, f memory.Filter, p page, found *findings) error {
	if len(found.hits) >= p.end() {
		return nil
	}
	newest, err := r.store.Match(ctx, memory.TextQuery{}, f, memory.NewestFirst, 0, p.end())
	if err != nil {
		return err
	}
	seen := make(map[int64]bool, len(found.hits))
	for _, h := range found.hits {
		seen[h.message] = true
	}
	for _, h := range newest {
		if !seen[h.MessageID] && len(found.hits) < p.end() {
			found.hits = append(found.hits, finding{message: h.MessageID, signals: []string{"newest"}})
		}
	}
	return nil
}
