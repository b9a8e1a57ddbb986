package lessons

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// How many lessons are given.
const (
	DefaultLimit = 3  // for an error
	DefaultList  = 20 // without one
	MaxLimit     = 50
)

// candidates is how many lessons are compared with an error: the best by words of
// its tool, of all tools, and the nearest by vector, so many of each.
const candidates = 40

// Found is a lesson that an error brought up.
type Found struct {
	memory.Lesson
	Score float64 // 0 to 1, larger is better; 0 = it was listed, not compared
}

// Related finds the lessons that bear on an error of a tool: those of the same tool
// first, then others, each part best first; at most limit of them, 0 =
// DefaultLimit, and none that is not like the error. What is found is renewed, in
// the transaction that reads it. Without a query it lists, 0 = DefaultList: the
// lessons of the tool, or all when tool is "" too; nothing is renewed then.
func (s *Lessons) Related(ctx context.Context, tool, query string, limit int) ([]Found, error) {
	tool = fold(tool)
	if strings.TrimSpace(query) == "" {
		return s.list(ctx, tool, orDefault(limit, DefaultList))
	}
	now := s.now().UTC()
	found, err := s.compare(ctx, tool, query, now)
	if err != nil {
		return nil, err
	}
	found = found[:min(len(found), orDefault(limit, DefaultLimit))]
	return s.renew(ctx, found, now)
}

func orDefault(limit, fallback int) int {
	if limit <= 0 {
		return fallback
	}
	return min(limit, MaxLimit)
}

func (s *Lessons) list(ctx context.Context, tool string, limit int) ([]Found, error) {
	lessons, err := s.store.Lessons(ctx, tool, s.now().UTC(), limit)
	list := make([]Found, len(lessons))
	for i, l := range lessons {
		list[i].Lesson = l
	}
	return list, err
}

// compare returns the lessons that are like the error, in the order of Related.
func (s *Lessons) compare(ctx context.Context, tool, query string, now time.Time) ([]Found, error) {
	query, _ = text.Clean(query)
	if s.masker != nil {
		query, _ = s.masker.Mask(query)
	}
	query = gist(query)
	terms := s.terms(query)
	if len(terms) == 0 {
		return nil, nil
	}
	byWords, err := s.byWords(ctx, terms, tool, now)
	if err != nil {
		return nil, err
	}
	byMeaning, err := s.byMeaning(ctx, query, now)
	if err != nil {
		return nil, err
	}
	best := map[int64]Found{}
	for _, l := range byWords {
		best[l.ID] = Found{l, likeness(terms, s.portrait(&l))}
	}
	for _, h := range byMeaning {
		if h.Score > best[h.Lesson.ID].Score {
			best[h.Lesson.ID] = Found{h.Lesson, h.Score}
		}
	}
	return ranked(best, tool), nil
}

// byWords collects the lessons that share words with an error.
func (s *Lessons) byWords(ctx context.Context, terms map[string]float64, tool string, now time.Time) ([]memory.Lesson, error) {
	tokens := slices.Sorted(maps.Keys(terms))
	list, err := s.store.MatchLessons(ctx, tokens, "", now, candidates)
	if err != nil || tool == "" {
		return list, err
	}
	own, err := s.store.MatchLessons(ctx, tokens, tool, now, candidates)
	return append(list, own...), err
}

// ranked leaves out what is not like the error and puts the rest in order.
func ranked(best map[int64]Found, tool string) []Found {
	own := func(f Found) bool { return tool != "" && fold(f.Tool) == tool }
	var list []Found
	for _, f := range best {
		if f.Score >= otherTool || own(f) && f.Score >= sameTool {
			f.Score = math.Round(f.Score*1e4) / 1e4
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b Found) int {
		if own(a) != own(b) {
			if own(a) {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(b.ID, a.ID))
	})
	return list
}

// renew lets what was found live on and returns it as it is then; what is gone
// since is left out.
func (s *Lessons) renew(ctx context.Context, found []Found, now time.Time) ([]Found, error) {
	if len(found) == 0 {
		return nil, nil
	}
	ids, scores := make([]int64, len(found)), map[int64]float64{}
	for i, f := range found {
		ids[i], scores[f.ID] = f.ID, f.Score
	}
	lessons, err := s.store.RenewLessons(ctx, ids, now, now.Add(s.life))
	renewed := make([]Found, len(lessons))
	for i, l := range lessons {
		renewed[i] = Found{l, scores[l.ID]}
	}
	return renewed, err
}
