package openai

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"mcp-memory/memory"
)

const (
	// shortest is how far a text is cut, in runes, that the model finds too long.
	shortest = 64
	// doubts is how many requests may fail in a row, each by its text or by
	// the endpoint, before a harmless text tells which.
	doubts = 8
)

// job is the work of one Embed. Its batches share it; a place belongs to one
// batch only.
type job struct {
	e       *Embedder
	texts   []string    // as they are sent: cut
	vectors [][]float32 // by place

	patience patience

	mu      sync.Mutex
	failed  map[int]error // by place
	proven  bool          // some request has succeeded
	suspect int           // failures since then that a text may have caused
}

// group is texts that go out in one request, by their places.
type group struct {
	places []int
	part   bool // of a request that failed
}

func newJob(e *Embedder, texts []string) *job {
	j := &job{e: e, texts: make([]string, len(texts)), vectors: make([][]float32, len(texts)), failed: map[int]error{}}
	j.patience.most = embedPatience
	for i, s := range texts {
		if strings.TrimSpace(s) != "" {
			j.texts[i] = cut(s, e.c.MaxRunes)
		}
	}
	return j
}

// do embeds all texts. The first batch goes alone: what it teaches (that the key
// is wrong, that a batch must be smaller, how long a vector is) holds for the
// others.
func (j *job) do(ctx context.Context) error {
	var places []int
	for i, s := range j.texts {
		if s != "" {
			places = append(places, i)
		}
	}
	if len(places) == 0 {
		return nil
	}
	first := min(len(places), j.most())
	err := j.run(ctx, group{places: places[:first]})
	if err == nil {
		err = j.runAll(ctx, places[first:])
	}
	if ctx.Err() != nil {
		clear(j.vectors)
		return ctx.Err()
	}
	return j.outcome(places, err)
}

// runAll embeds the texts at these places, some batches at a time.
func (j *job) runAll(ctx context.Context, places []int) error {
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(j.e.c.Concurrency)
	for batch := range slices.Chunk(places, j.most()) {
		all.Go(func() error { return j.run(ctx, group{places: batch}) })
	}
	return all.Wait()
}

// outcome is the error of Embed when err ended the work, or nil did.
func (j *job) outcome(places []int, err error) error {
	if err != nil {
		if !slices.ContainsFunc(j.vectors, func(v []float32) bool { return v != nil }) {
			return err
		}
		for _, i := range places {
			if j.vectors[i] == nil && j.failed[i] == nil {
				j.failed[i] = err
			}
		}
	}
	if len(j.failed) == 0 {
		return nil
	}
	return &memory.PartialError{Failed: j.failed}
}

func (j *job) most() int { return int(j.e.most.Load()) }

// run embeds a batch. What fails by its texts is taken apart until those are
// found; an error means that the endpoint cannot be used now.
func (j *job) run(ctx context.Context, batch group) error {
	for waiting := []group{batch}; len(waiting) > 0; {
		g := waiting[0]
		waiting = waiting[1:]
		parts := pieces(g, j.most())
		if len(parts) == 1 {
			var err error
			if parts, err = j.settle(ctx, g, j.request(ctx, g)); err != nil {
				return err
			}
		}
		waiting = append(parts, waiting...)
	}
	return nil
}

// pieces cuts a group into groups of n texts at most.
func pieces(g group, n int) []group {
	var parts []group
	for places := range slices.Chunk(g.places, n) {
		parts = append(parts, group{places, g.part})
	}
	return parts
}

// settle decides what follows from the end of a request: nothing, smaller
// groups to try, or an error.
func (j *job) settle(ctx context.Context, g group, err error) ([]group, error) {
	var f *failure
	if !errors.As(err, &f) {
		return nil, err
	}
	switch {
	case f.kind == tooMany && len(g.places) > 1:
		j.shrink(f.limit(len(g.places)))
		return []group{g}, nil
	case f.kind == tooLong && len(g.places) > 1:
		return halves(g), nil
	case f.kind == tooLong && j.shorten(g.places[0]):
		return []group{g}, nil
	case f.kind == transient || f.kind == final:
		return nil, j.e.retry(f)
	}
	if err := j.suspectEndpoint(ctx); err != nil {
		return nil, err
	}
	if len(g.places) > 1 {
		return halves(g), nil
	}
	j.fail(g.places[0], f)
	return nil, nil
}

// halves cuts a failed group in two.
func halves(g group) []group {
	return pieces(group{g.places, true}, (len(g.places)+1)/2)
}

// shrink remembers that the endpoint takes n texts at most.
func (j *job) shrink(n int) {
	for {
		most := j.e.most.Load()
		if int64(n) >= most {
			return
		}
		if j.e.most.CompareAndSwap(most, int64(n)) {
			j.e.log.Info("smaller embedding batches, as the endpoint wishes", "texts", n)
			return
		}
	}
}

// shorten halves a text that the model finds too long; false when it is at its
// shortest.
func (j *job) shorten(place int) bool {
	runes := utf8.RuneCountInString(j.texts[place])
	if runes <= shortest {
		return false
	}
	j.texts[place] = cut(j.texts[place], max(shortest, runes/2))
	j.e.log.Debug("text cut to fit the embedding model", "from_runes", runes, "to_runes", max(shortest, runes/2))
	return true
}

// suspectEndpoint finds out whether a failure is the endpoint's and not a
// text's, as long as that is open: until a request has succeeded, and again
// when several have failed in a row. So an endpoint that refuses everything
// gets few requests, however many texts there are.
func (j *job) suspectEndpoint(ctx context.Context) error {
	j.mu.Lock()
	j.suspect++
	known := j.proven && j.suspect < doubts
	j.mu.Unlock()
	if known {
		return nil
	}
	_, err := j.e.ask(ctx, []string{harmless}, j.patience.timeout(j.e.c.Timeout))
	var f *failure
	if errors.As(err, &f) {
		return j.e.retry(f)
	}
	if err == nil {
		j.succeeded()
	}
	return err
}

func (j *job) succeeded() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.proven, j.suspect = true, 0
}

func (j *job) fail(place int, reason error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.failed[place] = reason
}

// request embeds the texts of g, again and again as long as the failure may
// pass and there is patience left.
func (j *job) request(ctx context.Context, g group) error {
	again := func(f *failure, try int) bool { return f.mayPass(try, g.part) }
	return j.e.persist(ctx, &j.patience, again, func() error { return j.send(ctx, g) })
}

// send sends one request and puts the vectors in their places.
func (j *job) send(ctx context.Context, g group) error {
	texts := make([]string, len(g.places))
	for i, place := range g.places {
		texts[i] = j.texts[place]
	}
	results, err := j.e.ask(ctx, texts, j.patience.timeout(j.e.c.Timeout))
	if err != nil {
		return err
	}
	for i, r := range results {
		if r.err != nil {
			j.fail(g.places[i], r.err)
		} else {
			j.vectors[g.places[i]] = r.vector
		}
	}
	j.succeeded()
	return nil
}

// cut returns the first n runes of s.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
