// Package lessons remembers how errors of tools were solved, across sessions. An
// agent writes a lesson when it has solved one; when a tool fails, it asks for
// what helped before, in whatever words the error comes this time.
//
// A lesson lives 90 days. To be found renews it, so that what helps stays and what
// nobody meets again goes; to be listed does not. Nothing is kept of an error that
// was not solved.
//
// Two measures say how near an error is to a lesson, each between 0 and 1: the
// words that they share, and the cosine of their vectors where an endpoint or a
// folder of vectors makes them. What is below a threshold is not found at all:
// between an unrelated lesson and none, none is the better answer.
package lessons

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"mcp-memory/memory"
)

// Store is what the engine needs of a store. Every method is one whole atomic
// operation. A lesson that has expired by the time given as now is to it as one
// that is gone.
type Store interface {
	VectorStore
	// SaveLesson stores a lesson; one with the same key takes it in.
	SaveLesson(ctx context.Context, e memory.LessonEntry, now time.Time) (memory.SavedLesson, error)
	// Lessons lists up to n lessons, those written last first: of the tool with
	// this key, of all tools when it is "".
	Lessons(ctx context.Context, toolKey string, now time.Time, n int) ([]memory.Lesson, error)
	// Lesson reads one lesson; ErrNotFound.
	Lesson(ctx context.Context, id int64, now time.Time) (memory.Lesson, error)
	// EditLesson gives a lesson another action and key; when it expires stays.
	// ErrNotFound; ErrConflict when another lesson has the key.
	EditLesson(ctx context.Context, id int64, action string, key []byte, now time.Time) error
	// DeleteLesson deletes a lesson; ErrNotFound.
	DeleteLesson(ctx context.Context, id int64) error
	// SweepLessons deletes what has expired and returns how many that were.
	SweepLessons(ctx context.Context, now time.Time) (int, error)
	// MatchLessons returns up to n lessons that hold any of the tokens, the best
	// first: of the tool with this key, of all tools when it is "".
	MatchLessons(ctx context.Context, tokens []string, toolKey string, now time.Time, n int) ([]memory.Lesson, error)
	// RenewLessons lets lessons live until then, if that is longer, and returns
	// them as they are then, in the order of ids.
	RenewLessons(ctx context.Context, ids []int64, now, until time.Time) ([]memory.Lesson, error)
}

// VectorStore keeps one vector a lesson, of the model that was asked for last.
type VectorStore interface {
	// LessonsToEmbed returns up to n lessons of which the model has made no
	// vector.
	LessonsToEmbed(ctx context.Context, model memory.EmbeddingModel, now time.Time, n int) ([]memory.Lesson, error)
	// SaveLessonVectors stores what the model made of lessons; Ref is the lesson,
	// no Values = nothing. What was written again since the given time is left
	// alone.
	SaveLessonVectors(ctx context.Context, model memory.EmbeddingModel, vectors []memory.Vector, since time.Time) error
	// NearestLessons returns the n lessons nearest to the vector, with cosine
	// similarity as score.
	NearestLessons(ctx context.Context, model memory.EmbeddingModel, vector []float32, now time.Time, n int) ([]memory.LessonHit, error)
}

// Masker hides secrets in a text and counts them.
type Masker interface {
	Mask(text string) (masked string, found int)
}

// Config configures a Lessons.
type Config struct {
	Store    Store            // required
	Embedder memory.Embedder  // nil = lessons are found by words alone
	Masker   Masker           // nil = nothing is masked
	Life     time.Duration    // of a lesson since it was written or found last; 0 = memory.LessonLife
	Patience time.Duration    // how long the embedder may take for an error; 0 = 3 s
	Now      func() time.Time // nil = time.Now
	Log      *slog.Logger     // nil = discarded
}

// Lessons is the engine. It is safe for concurrent use.
type Lessons struct {
	store    Store
	embedder memory.Embedder
	masker   Masker
	life     time.Duration
	patience time.Duration
	now      func() time.Time
	log      *slog.Logger
	common   map[string]bool // terms that say little, see weight

	mu    sync.Mutex
	yard  yardstick
	rests time.Time // until when a failing embedder is left alone
}

// New checks the configuration and returns a Lessons.
func New(c Config) (*Lessons, error) {
	if c.Store == nil {
		return nil, memory.Invalidf("lessons need a store")
	}
	l := &Lessons{
		store: c.Store, embedder: c.Embedder, masker: c.Masker, life: c.Life, patience: c.Patience, now: c.Now, log: c.Log,
		common: commonTerms(),
	}
	if l.life <= 0 {
		l.life = memory.LessonLife
	}
	if l.patience <= 0 {
		l.patience = 3 * time.Second
	}
	if l.now == nil {
		l.now = time.Now
	}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	return l, nil
}
