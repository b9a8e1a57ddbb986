package recall

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"mcp-memory/memory"
	"mcp-memory/memory/rank"
	"mcp-memory/memory/text"
)

// keyword finds messages by exact words, in stages: those that have all the
// words; those that have them as parts of words (in hot history, or everywhere
// when no message has all the words); and, when none had them all, those that
// have some.
func (r *Recall) keyword(ctx context.Context, q text.Query, req Request, p page, found *findings) error {
	s := &keywordSearch{r: r, req: req, need: p.end(), found: found, seen: map[int64]bool{}}
	exact := q.Exact()
	order, err := r.exactOrder(ctx, exact)
	if err != nil {
		return err
	}
	if err := s.stage(ctx, exact, stage{signals: []string{"words"}, from: .5, to: 1, order: order}); err != nil {
		return err
	}
	none := len(found.hits) == 0
	if len(found.hits) < s.need {
		if err := s.parts(ctx, q, exact, !none); err != nil {
			return err
		}
	}
	if !none || len(found.hits) >= s.need {
		return nil
	}
	return s.some(ctx, q.Terms())
}

// tooCommon is how many passages hold a word that is not worth ranking by: of
// messages that have this one word BM25 only compares the lengths.
const tooCommon = 2000

// exactOrder is the order of the messages that have all the words: the best
// first, but of one word that is everywhere the newest first.
func (r *Recall) exactOrder(ctx context.Context, q memory.TextQuery) (memory.Order, error) {
	if len(q.All) != 1 || len(q.Phrases)+len(q.Prefix) > 0 {
		return memory.BestFirst, nil
	}
	freq, err := r.store.Frequencies(ctx, q.All)
	if err != nil || freq.ByToken[q.All[0]] <= tooCommon {
		return memory.BestFirst, err
	}
	return memory.NewestFirst, nil
}

// keywordSearch gathers hits until need are known.
type keywordSearch struct {
	r     *Recall
	req   Request
	need  int
	found *findings
	seen  map[int64]bool
}

// stage is one way to look.
type stage struct {
	signals []string
	from    float64 // its hits have scores from here, no more than the last of the stage before …
	to      float64 // … up to here, its best
	order   memory.Order
	relaxed bool
	hotOnly bool
	counted bool                      // its hits are in the total already
	accept  func(memory.Message) bool // looks at the text; nil accepts all
}

// stage adds the messages that satisfy q and were not found before.
func (s *keywordSearch) stage(ctx context.Context, q memory.TextQuery, st stage) error {
	f := s.req.Filter
	f.HotOnly = f.HotOnly || st.hotOnly
	before, refused, count, best := len(s.found.hits), 0, 0, 0.0
	for offset, size := 0, s.need; len(s.found.hits) < s.need; offset += size {
		hits, err := s.r.store.Match(ctx, q, f, st.order, offset, size)
		if err != nil {
			return err
		}
		for _, h := range hits {
			best = max(best, h.Score)
			h.Score = st.score(h.Score, best)
			ok, err := s.take(ctx, h, st)
			if err != nil {
				return err
			}
			if !ok {
				refused++
			}
		}
		if count += len(hits); len(hits) < size { // these are all
			if !st.counted {
				s.found.total = min(maxTotal, s.found.total+len(s.found.hits)-before)
			}
			return nil
		}
		if offset > maxTotal {
			break
		}
	}
	if count == 0 || st.counted { // the stages before have filled the page
		return nil
	}
	count, err := s.r.store.Count(ctx, q, f, maxTotal)
	if err != nil {
		return err
	}
	s.found.total = min(maxTotal, s.found.total+max(count-refused, len(s.found.hits)-before))
	return nil
}

// score turns the score of a hit into one that falls from stage to stage. In
// order of time all are alike.
func (st *stage) score(score, best float64) float64 {
	if best == 0 {
		return st.to
	}
	return st.from + (st.to-st.from)*score/best
}

// take adds a hit unless its message is known already or is not accepted.
func (s *keywordSearch) take(ctx context.Context, h memory.Hit, st stage) (bool, error) {
	if s.seen[h.MessageID] || len(s.found.hits) >= s.need {
		return len(s.found.hits) >= s.need, nil
	}
	if st.accept != nil {
		m, err := s.r.store.Message(ctx, h.MessageID)
		if err != nil || !st.accept(m) {
			return false, ignoreGone(err)
		}
	}
	s.seen[h.MessageID] = true
	s.found.hits = append(s.found.hits, finding{message: h.MessageID, score: h.Score, signals: st.signals, relaxed: st.relaxed})
	return true, nil
}

// maxWords is how many words of the vocabulary the parts of a query may stand
// for, all together: each of them is one more list of messages to walk.
const maxWords = 60

// maxPartWords is how many words a query may have to be looked for in parts of
// words: a longer one is a question.
const maxPartWords = 8

// someParts is from how many words on those that the index knows are taken as
// they stand: in a long query it is the one unknown word that may be a part.
const someParts = 4

// parts looks for messages that have the words of the query inside longer
// words. The words come from the vocabulary; no text is scanned.
func (s *keywordSearch) parts(ctx context.Context, q text.Query, exact memory.TextQuery, hotOnly bool) error {
	parts := memory.TextQuery{Phrases: exact.Phrases, Prefix: exact.Prefix}
	var looked []string
	chunks := q.Wanted()
	if len(chunks) > maxPartWords {
		return nil
	}
	var known memory.Frequencies
	if len(chunks) >= someParts {
		var err error
		if known, err = s.r.store.Frequencies(ctx, q.Terms()); err != nil {
			return err
		}
	}
	for _, c := range chunks {
		switch tokens := c.Sequence(); {
		case len(tokens) != 1 || tokens[0].Kind == text.Single:
			continue
		case c.Quoted || tokens[0].Kind != text.Word || known.ByToken[tokens[0].Text] > 0: // stays exact
			parts.All = append(parts.All, tokens[0].Text)
		default:
			group, err := s.wordsWith(ctx, tokens[0].Word, max(1, maxWords/len(chunks)))
			if err != nil || len(group) == 0 { // one that is nowhere leaves nothing to find
				return err
			}
			parts.OneOf = append(parts.OneOf, group)
			looked = append(looked, letters(tokens[0].Word))
		}
	}
	if len(looked) == 0 {
		return nil
	}
	return s.stage(ctx, parts, stage{
		signals: []string{"part_of_word"},
		from:    .25,
		to:      .5,
		hotOnly: hotOnly,
		accept: func(m memory.Message) bool {
			folded := text.Fold(m.Content)
			return !slices.ContainsFunc(looked, func(part string) bool { return !strings.Contains(folded, part) })
		},
	})
}

// wordsWith returns the tokens of the n shortest words that contain part.
func (s *keywordSearch) wordsWith(ctx context.Context, part string, n int) ([]string, error) {
	words, err := s.r.store.Words(ctx, part, n)
	var tokens []string
	for _, w := range words {
		if !slices.Contains(tokens, w.Token) {
			tokens = append(tokens, w.Token)
		}
	}
	return tokens, err
}

// letters is a word without the signs that a name ends in (C++): the index writes
// them in a way of its own, so that no text contains them.
func letters(word string) string {
	return strings.TrimRightFunc(word, func(r rune) bool { return unicode.Is(unicode.Co, r) })
}

// some finds messages that have some of the terms: the best by the rarest terms,
// then the others that have one of these, and when these leave room those that
// only have a common one, newest first: to compare messages that are everywhere
// takes long and tells little.
func (s *keywordSearch) some(ctx context.Context, terms []string) error {
	freq, err := s.r.store.Frequencies(ctx, terms)
	if err != nil {
		return err
	}
	rare, common := rank.Affordable(terms, freq)
	if len(rare)+len(common) == 0 {
		return nil
	}
	count, err := s.r.store.Count(ctx, memory.TextQuery{Any: slices.Concat(rare, common)}, s.req.Filter, max(maxRelaxed, s.need))
	if err != nil {
		return err
	}
	s.found.total = min(maxTotal, s.found.total+count)
	if len(rare) > 0 {
		if err := s.best(ctx, rare, freq); err != nil {
			return err
		}
		st := stage{signals: []string{"some_words"}, from: .1, to: .1, relaxed: true, counted: true}
		if err := s.stage(ctx, memory.TextQuery{Any: rare}, st); err != nil {
			return err
		}
	}
	if len(common) == 0 || len(s.found.hits) >= s.need {
		return nil
	}
	st := stage{signals: []string{"some_words"}, to: .1, order: memory.NewestFirst, relaxed: true, counted: true}
	return s.stage(ctx, memory.TextQuery{Any: common}, st)
}

// maxRelaxed is how many messages that have some of the words are counted: there
// are always many, and the number says little.
const maxRelaxed = 100

// best adds the messages that have the most and the rarest of the words of the
// query, the terms that are no candidates by themselves counted too.
func (s *keywordSearch) best(ctx context.Context, rare []string, freq memory.Frequencies) error {
	hits, err := s.r.store.Match(ctx, memory.TextQuery{Any: rare}, s.req.Filter, memory.BestFirst, 0, max(textCandidates, s.need))
	if err != nil {
		return err
	}
	ranked, err := s.r.rank(ctx, s.req, freq, hits, meaning{}, wordWeights())
	if err != nil {
		return err
	}
	st := stage{signals: []string{"some_words"}, from: .1, to: .25, relaxed: true}
	for _, m := range ranked {
		if m.Evidence[rank.Words] == 0 { // a neighbour of one that has some
			continue
		}
		if _, err := s.take(ctx, memory.Hit{MessageID: m.MessageID, Score: st.score(m.Score, 1)}, st); err != nil {
			return err
		}
	}
	return nil
}

// wordWeights rank by words, and a little by who is asked about.
func wordWeights() rank.Weights { return rank.Weights{rank.Words: 1, rank.Sender: .3} }
