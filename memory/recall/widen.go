package recall

import (
	"context"
	"errors"
	"slices"

	"mcp-memory/memory"
)

// How far a hit is widened, and how many bytes of a message that is no hit are
// read: it is shown for orientation only.
const (
	widenBefore = 2
	widenAfter  = 1
	contextSize = 2000
)

// result cuts the page out of the findings, widens its hits and merges stretches
// that overlap.
func (r *Recall) result(ctx context.Context, found *findings, p page) (*Result, error) {
	res := &Result{Hits: []Hit{}, Segments: []Segment{}, Total: found.total, Degraded: found.degraded}
	if p.offset >= len(found.hits) {
		return res, nil
	}
	cut := found.hits[p.offset:min(len(found.hits), p.offset+p.limit)]
	if p.offset+len(cut) < min(len(found.hits), maxTotal) {
		res.NextCursor = encodeCursor(p.offset + len(cut))
	}
	for _, h := range cut {
		stretch, err := r.store.Around(ctx, h.message, widenBefore, widenAfter, contextSize)
		if errors.Is(err, memory.ErrNotFound) { // deleted meanwhile
			continue
		}
		if err != nil {
			return nil, err
		}
		res.Relaxed = res.Relaxed || h.relaxed
		res.add(h, stretch)
	}
	return res, nil
}

// ignoreGone treats a message that was deleted meanwhile as no error.
func ignoreGone(err error) error {
	if errors.Is(err, memory.ErrNotFound) {
		return nil
	}
	return err
}

// add takes a hit with its stretch into the result.
func (res *Result) add(h finding, stretch []memory.Message) {
	at := slices.IndexFunc(stretch, func(m memory.Message) bool { return m.ID == h.message })
	hit := Hit{Message: stretch[at], Score: h.score, Signals: h.signals, Segment: len(res.Segments)}
	res.Hits = append(res.Hits, hit)
	segment := Segment{Session: hit.Message.Session, Messages: stretch, Hit: make([]bool, len(stretch))}
	segment.Hit[at] = true
	res.Segments = append(res.Segments, segment)
	grown := len(res.Segments) - 1
	for i := grown - 1; i >= 0; i-- { // a stretch can close the gap between several
		if overlap(&res.Segments[i], &res.Segments[grown]) {
			res.join(i, grown)
			grown = i
		}
	}
}

func overlap(a, b *Segment) bool {
	return a.Session == b.Session &&
		!a.Messages[len(a.Messages)-1].Position().Before(b.Messages[0].Position()) &&
		!b.Messages[len(b.Messages)-1].Position().Before(a.Messages[0].Position())
}

// join merges segment from into segment into and takes it out of the list.
func (res *Result) join(into, from int) {
	a, b := res.Segments[into], res.Segments[from]
	merged := Segment{Session: a.Session}
	for len(a.Messages) > 0 || len(b.Messages) > 0 {
		switch {
		case len(b.Messages) == 0 || (len(a.Messages) > 0 && a.Messages[0].Position().Before(b.Messages[0].Position())):
			merged.take(&a)
		case len(a.Messages) == 0 || b.Messages[0].ID != a.Messages[0].ID:
			merged.take(&b)
		default: // in both: the one that is a hit has its whole content
			if b.Hit[0] {
				a.Messages[0], a.Hit[0] = b.Messages[0], true
			}
			b.Messages, b.Hit = b.Messages[1:], b.Hit[1:]
			merged.take(&a)
		}
	}
	res.Segments[into] = merged
	res.Segments = slices.Delete(res.Segments, from, from+1)
	for i := range res.Hits {
		switch s := &res.Hits[i].Segment; {
		case *s == from:
			*s = into
		case *s > from:
			*s--
		}
	}
}

func (s *Segment) take(from *Segment) {
	s.Messages, s.Hit = append(s.Messages, from.Messages[0]), append(s.Hit, from.Hit[0])
	from.Messages, from.Hit = from.Messages[1:], from.Hit[1:]
}
