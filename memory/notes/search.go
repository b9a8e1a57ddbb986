package notes

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"mcp-memory/memory"
	"mcp-memory/memory/rank"
	"mcp-memory/memory/text"
)

// The limits and defaults of a Request.
const (
	DefaultResults  = 10
	MaxResults      = 50
	DefaultMinScore = .1
)

// How many candidates are ranked, as in a search of messages.
const (
	textCandidates   = 40
	vectorCandidates = 15
	// nearest is how many vectors tell how near a candidate is.
	nearest = 100
	// snippetRunes is how much of a chunk is shown.
	snippetRunes = 400
)

// Request is one search.
type Request struct {
	Query  string
	Filter memory.NoteFilter
	Limit  int      // results; 0 = DefaultResults, more than MaxResults counts as MaxResults
	Min    *float64 // the least score of a result that has not all the words; nil = DefaultMinScore
}

// Result is what a search found.
type Result struct {
	Found []Found // best first
	Note  string  // what the reader should know: why vectors took no part, that there is no workspace; "" = nothing
}

// Found is a stretch of a note.
type Found struct {
	Path      string
	StartLine int // the first line of the file is 1
	EndLine   int // inclusive
	Score     float64
	Exact     bool   // it has all the words of the query
	Snippet   string // around the match
}

// Search finds stretches of notes by words and by meaning together. What has all
// the words of the query, its quoted parts as phrases, always comes first, with a
// score of at least .5, however old it is and however common the words; the
// others are scored below that. The files are looked over first, so that what it
// finds is what they say now.
func (n *Notes) Search(ctx context.Context, req Request) (*Result, error) {
	limit := DefaultResults
	if req.Limit > 0 {
		limit = min(req.Limit, MaxResults)
	}
	res, err := n.search(ctx, req, limit)
	if errors.Is(err, memory.ErrUnavailable) { // a damaged index is emptied: read the files anew
		res, err = n.search(ctx, req, limit)
	}
	return res, err
}

func (n *Notes) search(ctx context.Context, req Request, limit int) (*Result, error) {
	missing, err := n.sync(ctx)
	if err != nil {
		return nil, err
	}
	if missing {
		return &Result{Note: "there are no notes: the workspace does not exist"}, nil
	}
	q := text.ParseQuery(req.Query)
	if len(q.Terms()) == 0 {
		return &Result{}, nil
	}
	s := searching{n: n, req: req, query: q, cosine: map[rank.Passage]float64{}, exact: map[int64]bool{}}
	if err := s.byWords(ctx, limit); err != nil {
		return nil, err
	}
	note, err := s.byMeaning(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.best(ctx, limit)
	return &Result{Found: found, Note: note}, err
}

// searching is one search.
type searching struct {
	n     *Notes
	req   Request
	query text.Query
	freq  memory.Frequencies

	hits   []memory.Hit // candidates; the chunk in the place of the message
	exact  map[int64]bool
	cosine map[rank.Passage]float64
}

// byWords collects the chunks that have all the words, and the best that have
// some.
func (s *searching) byWords(ctx context.Context, limit int) (err error) {
	store, terms := s.n.c.Store, s.query.Terms()
	if s.freq, err = store.NoteFrequencies(ctx, terms); err != nil {
		return err
	}
	rare, common := rank.Affordable(terms, s.freq)
	order := memory.BestFirst
	if len(rare) == 0 {
		order = memory.NewestFirst // by words that are everywhere BM25 only compares the lengths
	}
	exact := s.query.Exact()
	whole, err := store.MatchNotes(ctx, exact, s.req.Filter, order, max(limit, textCandidates))
	if err != nil {
		return err
	}
	for _, h := range whole {
		s.exact[h.Chunk] = true
	}
	s.take(whole)
	if len(rare) > 0 && (len(terms) > 1 || len(exact.All) == 0) { // else these are the same
		some, err := store.MatchNotes(ctx, memory.TextQuery{Any: rare}, s.req.Filter, memory.BestFirst, textCandidates)
		if err != nil {
			return err
		}
		s.take(some)
	}
	if room := textCandidates - len(s.hits); len(common) > 0 && room > 0 {
		more, err := store.MatchNotes(ctx, memory.TextQuery{Any: common}, s.req.Filter, memory.NewestFirst, room)
		if err != nil {
			return err
		}
		s.take(more)
	}
	return nil
}

func (s *searching) take(hits []memory.NoteHit) {
	for _, h := range hits {
		s.hits = append(s.hits, memory.Hit{MessageID: h.Chunk, Score: h.Score})
	}
}

// weights are those of messages without what only a conversation has: senders,
// and answers to questions.
func weights() rank.Weights {
	w := rank.DefaultWeights()
	w[rank.Sender], w[rank.Answer], w[rank.First], w[rank.Assistant] = 0, 0, 0, 0
	return w
}

// scored is a chunk with its score.
type scored struct {
	chunk int64
	score float64
}

// best ranks the candidates and reads the best of them.
func (s *searching) best(ctx context.Context, limit int) ([]Found, error) {
	ids := make([]int64, len(s.hits))
	for i, h := range s.hits {
		ids[i] = h.MessageID
	}
	neighbours, err := s.n.c.Store.NoteNeighbours(ctx, ids, rank.Reach)
	if err != nil {
		return nil, err
	}
	candidates := map[int64]bool{}
	for _, id := range ids {
		candidates[id] = true
	}
	for i := range neighbours {
		neighbours[i].SentAt = neighbours[i].SentAt.In(s.n.c.Location)
	}
	ranked := rank.Rank(rank.Input{
		Question: rank.NewQuestion(s.req.Query, nil, s.freq), Neighbours: neighbours, Found: s.hits,
		Cosine: s.cosine, MeanTerms: s.freq.MeanTerms, Weights: weights(),
		Lets: func(n *memory.Neighbour) bool { return candidates[n.MessageID] }, // the store has filtered these
	})
	least := DefaultMinScore
	if s.req.Min != nil {
		least = *s.req.Min
	}
	var list []scored
	for i := range ranked {
		one := scored{ranked[i].MessageID, min(1, max(0, ranked[i].Score)) / 2}
		if ranked[i].Evidence[rank.Words] == 0 { // the nearest of all may be far away
			one.score *= max(0, s.cosine[rank.Passage{MessageID: one.chunk}])
		}
		switch {
		case s.exact[one.chunk]:
			one.score += .5
		case one.score < least:
			continue
		}
		list = append(list, one)
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	return s.show(ctx, list[:min(limit, len(list))])
}

// show reads the chunks that were found.
func (s *searching) show(ctx context.Context, list []scored) ([]Found, error) {
	ids := make([]int64, len(list))
	for i, one := range list {
		ids[i] = one.chunk
	}
	chunks, err := s.n.c.Store.NoteChunks(ctx, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]*memory.NoteChunk, len(chunks))
	for i := range chunks {
		byID[chunks[i].ID] = &chunks[i]
	}
	found := make([]Found, 0, len(list))
	for _, one := range list {
		c := byID[one.chunk]
		if c == nil { // another process has read the file anew
			continue
		}
		found = append(found, Found{
			Path: c.Path, StartLine: c.StartLine, EndLine: c.EndLine, Score: one.score,
			Exact: s.exact[one.chunk], Snippet: text.Snippet(c.Text, s.query, snippetRunes),
		})
	}
	return found, nil
}
