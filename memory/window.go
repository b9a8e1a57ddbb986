package memory

import "time"

// A context window has at least and at most so many tokens. What is said to be
// smaller or larger is a mistake: a length of answers, a number of bytes.
const (
	MinWindow = 256
	MaxWindow = 100_000_000
)

// Window is how much a model takes at once, prompt and answer together.
type Window struct {
	Tokens int    // MinWindow to MaxWindow
	Source string // who says so, in one word
}

// ModelWindow is what an endpoint says of one of its models.
type ModelWindow struct {
	Model  string // as the endpoint names it
	Tokens int    // MinWindow to MaxWindow
}

// LearntLimit is a context window that a model was found to have when something
// did not fit it.
type LearntLimit struct {
	Model  string    // the key it was learnt under
	Tokens int       // MinWindow to MaxWindow
	Kind   string    // how it was told: a form of words, see limits.Kind, or ""
	At     time.Time // when it was learnt, from the store
}
