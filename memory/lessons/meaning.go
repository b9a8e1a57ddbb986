package lessons

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcp-memory/memory"
)

const (
	// localProvider is the provider of the models that are made of the words of
	// the recorded messages. The words themselves are compared here, which tells
	// more: by such a model, errors of which it knows one word each are alike.
	localProvider = "local"
	// embedAtOnce is how many lessons get their vector in one search, after the
	// model has changed: the others do in the next ones.
	embedAtOnce = 100
	// restTime is how long an embedder that has failed is left alone.
	restTime = 10 * time.Second
)

// yardstick is how near unrelated errors are to a model. Models differ widely in
// that (.1 for one, .8 for another), so that no cosine means the same for all.
type yardstick struct {
	model memory.EmbeddingModel // zero = none was measured yet
	limit float64               // above this cosine two errors are alike
}

// score turns a cosine above the limit into a likeness: the limit is what other
// tools' lessons must reach.
func (y yardstick) score(cosine float64) float64 {
	return otherTool + (1-otherTool)*(cosine-y.limit)/(1-y.limit)
}

// byMeaning returns the lessons whose vectors are near that of the error, with
// their likeness. An embedder that does not work is logged and gives none: the
// words are still there. The error is the store's.
func (s *Lessons) byMeaning(ctx context.Context, query string, now time.Time) ([]memory.LessonHit, error) {
	if s.embedder == nil || s.resting() {
		return nil, nil
	}
	inTime, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	e, err := memory.CurrentEmbedder(inTime, s.embedder)
	if errors.Is(err, memory.ErrUnavailable) || err == nil && e.Model().Provider == localProvider {
		return nil, nil
	}
	var vector []float32
	if err == nil {
		vector, err = s.embed(inTime, e, query)
	}
	if err == nil {
		err = s.catchUp(inTime, e, now)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		s.log.Warn("embed errors and lessons", "error", err)
		s.rest()
	}
	if vector == nil {
		return nil, nil
	}
	return s.nearest(ctx, e.Model(), vector, now)
}

// nearest returns the lessons that are nearer than unrelated errors are.
func (s *Lessons) nearest(ctx context.Context, model memory.EmbeddingModel, vector []float32, now time.Time) ([]memory.LessonHit, error) {
	hits, err := s.store.NearestLessons(ctx, model, vector, now, candidates)
	if err != nil {
		return nil, err
	}
	yard := s.measured()
	var near []memory.LessonHit
	for _, h := range hits {
		if h.Score > yard.limit {
			near = append(near, memory.LessonHit{Lesson: h.Lesson, Score: yard.score(h.Score)})
		}
	}
	return near, nil
}

// embed makes the vector of an error, and with the first one measures the model;
// nil when the model knows nothing of it or of errors at all.
func (s *Lessons) embed(ctx context.Context, e memory.Embedder, query string) ([]float32, error) {
	texts := []string{query}
	known := s.measured().model == e.Model()
	if !known {
		texts = append(texts, probes[:]...)
	}
	vectors, err := e.Embed(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embed an error: %w", err)
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("embed an error: %d vectors for %d texts", len(vectors), len(texts))
	}
	if !known {
		s.mu.Lock()
		s.yard = yardstick{e.Model(), limitOf(vectors[1:])}
		s.mu.Unlock()
	}
	if vectors[0] == nil || s.measured().limit >= 1 {
		return nil, nil
	}
	return vectors[0], memory.CheckVector(vectors[0], len(vectors[0]))
}

// limitOf is the cosine above which a model says that two errors are alike: an
// eighth of the way from the nearest two of unrelated errors to 1. It is 1, which
// none passes, for a model that does not know all of them.
func limitOf(unrelated [][]float32) float64 {
	nearest := -1.
	for i, v := range unrelated {
		if v == nil {
			return 1
		}
		for _, w := range unrelated[:i] {
			nearest = max(nearest, dot(v, w))
		}
	}
	return nearest + (1-nearest)/8
}

// dot is the cosine of unit vectors; 1, which is no evidence, of unequal lengths.
func dot(v, w []float32) float64 {
	if len(v) != len(w) {
		return 1
	}
	sum := 0.
	for i := range v {
		sum += float64(v[i]) * float64(w[i])
	}
	return sum
}

// catchUp makes the vectors that lessons lack, as after a change of the model.
func (s *Lessons) catchUp(ctx context.Context, e memory.Embedder, now time.Time) error {
	if s.measured().limit >= 1 {
		return nil
	}
	lessons, err := s.store.LessonsToEmbed(ctx, e.Model(), now, embedAtOnce)
	if err != nil || len(lessons) == 0 {
		return err
	}
	texts := make([]string, len(lessons))
	for i, l := range lessons {
		texts[i] = strings.Join(append([]string{l.Symptom}, l.Keywords...), "\n")
	}
	values, err := e.Embed(ctx, texts)
	var partial *memory.PartialError
	if err != nil && !errors.As(err, &partial) {
		return fmt.Errorf("embed lessons: %w", err)
	}
	vectors := make([]memory.Vector, 0, len(lessons))
	for i, l := range lessons {
		if partial != nil && partial.Failed[i] != nil || i >= len(values) {
			continue
		}
		vectors = append(vectors, memory.Vector{Ref: l.ID, Values: values[i]})
	}
	return s.store.SaveLessonVectors(ctx, e.Model(), vectors, now)
}

// measured is the yardstick of the model that was measured last.
func (s *Lessons) measured() yardstick {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.yard
}

// resting says whether the embedder is left alone after a failure.
func (s *Lessons) resting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now().Before(s.rests)
}

func (s *Lessons) rest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rests = s.now().Add(restTime)
}
