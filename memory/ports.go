package memory

import "context"

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

// EmbeddingModel identifies a vector space.
type EmbeddingModel struct {
	Provider   string // "local", "openai", "static"
	Name       string
	Dimensions int
}

// Pending is a passage that still needs its vector.
type Pending struct {
	Ref  int64 // the passage, as the store numbers it
	Text string
}

// Vector is the vector of a passage.
type Vector struct {
	Ref    int64
	Values []float32
}

// Progress says how far the vectors have come.
type Progress struct {
	Indexed int // passages with a vector of the current model
	Waiting int // passages still in the queue
	Failing int // of these, those that have failed at least once
}
