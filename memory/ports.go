package memory

import (
	"context"
	"fmt"
	"time"
)

// Embedder turns texts into vectors of one length. Implementations are safe for
// concurrent use.
type Embedder interface {
	// Model names what made the vectors; vectors of different models are
	// never compared.
	Model() EmbeddingModel
	// Embed returns one unit vector a text, in order. A text that has no
	// vector (nothing known in it) gives nil in its place.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// CurrentEmbedder returns the embedder to use for one piece of work: e itself, or,
// when the model of e can change meanwhile, the one that e offers by a method
// Current and that does not.
func CurrentEmbedder(ctx context.Context, e Embedder) (Embedder, error) {
	if c, ok := e.(interface {
		Current(context.Context) (Embedder, error)
	}); ok {
		return c.Current(ctx)
	}
	return e, nil
}

// EmbeddingModel identifies a vector space.
type EmbeddingModel struct {
	Provider   string // "local", "openai", "static"
	Name       string
	Dimensions int
}

// EmbedQueue is what waits for vectors of the active model.
type EmbedQueue interface {
	// Waiting returns up to n passages that need a vector now.
	Waiting(ctx context.Context, n int) ([]Pending, error)
	// SaveVectors stores vectors and takes their passages off the queue.
	// ErrUnavailable: the model has been replaced.
	SaveVectors(ctx context.Context, model EmbeddingModel, vectors []Vector) error
	// Skip takes passages off the queue that can have no vector of the model,
	// as long as it is the active one.
	Skip(ctx context.Context, model EmbeddingModel, refs []int64) error
	// Postpone notes a failed try; the passages are offered again after until.
	Postpone(ctx context.Context, refs []int64, until time.Time, reason string) error
}

// Pending is a passage that still needs its vector.
type Pending struct {
	Ref   int64 // the passage, as the store numbers it
	Text  string
	Tries int // failed ones so far
}

// Vector is the vector of a passage.
type Vector struct {
	Ref    int64
	Values []float32
}

// Refused is a passage that could not be embedded, and why.
type Refused struct {
	Ref    int64
	Reason string
}

// Progress says how far the vectors have come.
type Progress struct {
	Indexed int // passages with a vector of the current model
	Waiting int // passages still in the queue
	Failing int // of these, those that have failed at least once
}

// PartialError reports the texts of a batch that could not be embedded while the
// others were: their vectors are nil, the others are in their places.
type PartialError struct {
	Failed map[int]error // by place in the batch
}

// Error says how many failed, and why one of them did.
func (e *PartialError) Error() string {
	first := -1
	for i := range e.Failed {
		if first < 0 || i < first {
			first = i
		}
	}
	if first < 0 {
		return "no text failed"
	}
	return fmt.Sprintf("%d texts were not embedded: %v", len(e.Failed), e.Failed[first])
}

// RetryError wraps an error of an endpoint that says when to try again.
type RetryError struct {
	Err   error
	After time.Duration // 0 = the endpoint did not say
	Never bool          // trying again is no use until the configuration changes
}

// Error is the text of the wrapped error.
func (e *RetryError) Error() string { return e.Err.Error() }

// Unwrap returns the wrapped error.
func (e *RetryError) Unwrap() error { return e.Err }

// LearntModel is a model that was learnt from the messages, as a store keeps it.
type LearntModel struct {
	Model     EmbeddingModel
	TrainedOn int    // messages
	Body      []byte // opaque to the store
}

// TrainingRow is a passage as training sees it.
type TrainingRow struct {
	Session  int64  // a number for the session, equal for its passages
	Features []byte // see Passage.Features
}
