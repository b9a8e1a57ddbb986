// Package recall finds recorded messages again: by exact words, or by meaning
// with vectors and full-text evidence together. Every hit is widened to its
// surroundings, so that an answer comes with the question it belongs to.
package recall

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/rank"
	"mcp-memory/memory/text"
)

// Match says how a query is taken.
type Match string

// The two ways to search.
const (
	Semantic Match = "semantic" // by meaning; the default
	Keyword  Match = "keyword"  // by exact words
)

// The limits of Request.Limit.
const (
	DefaultLimit = 8
	MaxLimit     = 50
)

// Request is one search.
type Request struct {
	Query  string
	Match  Match // "" = Semantic
	Filter memory.Filter
	Limit  int    // hits; 0 = DefaultLimit; more than MaxLimit counts as MaxLimit
	Cursor string // Result.NextCursor of the page before; "" = the first page
}

// Result is what a search found.
type Result struct {
	Hits       []Hit     // best first
	Segments   []Segment // the hits with their surroundings, in the order of their best hit
	Total      int       // hits in all, up to 1,000; of those with some of the words only, up to 100
	Relaxed    bool      // no message has all the words: these have some of them
	Degraded   string    // why vectors were missing or incomplete; "" = they took part
	NextCursor string    // "" = the last page
}

// Hit is one message that was found.
type Hit struct {
	Message memory.Message // whole content
	Score   float64        // 0..1, larger is better; comparable inside one result
	Signals []string       // what found it, strongest first: "words", "meaning", …
	Segment int            // index in Result.Segments
}

// Segment is a stretch of one session around one or more hits.
type Segment struct {
	Session  string
	Messages []memory.Message // in order; those that are no hit may be cut (see Message.Size)
	Hit      []bool           // parallel to Messages
}

// Store is what the engine needs of a store.
type Store interface {
	// Match returns n passages that satisfy q and f, after skipping offset
	// ones. An empty q is satisfied by every message with text.
	Match(ctx context.Context, q memory.TextQuery, f memory.Filter, order memory.Order, offset, n int) ([]memory.Hit, error)
	// Count counts the passages that satisfy q and f, up to limit.
	Count(ctx context.Context, q memory.TextQuery, f memory.Filter, limit int) (int, error)
	// Frequencies counts, for each token, the passages that hold it.
	Frequencies(ctx context.Context, tokens []string) (memory.Frequencies, error)
	// Words returns the words of the vocabulary that contain part, shortest
	// first, at most n.
	Words(ctx context.Context, part string, n int) ([]memory.Word, error)
	// Nearest returns the k passages nearest to the vector that pass f, with
	// cosine similarity as score. ErrUnavailable: there are no vectors of this
	// model yet.
	Nearest(ctx context.Context, model memory.EmbeddingModel, vector []float32, f memory.Filter, k int) ([]memory.Hit, error)
	// Neighbours returns the messages that the hits belong to and span
	// messages before and after each in its session, each once, ordered by
	// session and arrival, with their features. Arrival, not time: for ranking
	// it is as good, and cheaper.
	Neighbours(ctx context.Context, hits []memory.Hit, span int) ([]memory.Neighbour, error)
	// Message returns one message by its id, content whole.
	Message(ctx context.Context, id int64) (memory.Message, error)
	// Around returns a message with those around it in its session, in
	// order; its own content is whole, that of the others cut after maxBytes.
	Around(ctx context.Context, id int64, before, after, maxBytes int) ([]memory.Message, error)
	// Senders lists the names of all senders.
	Senders(ctx context.Context) ([]string, error)
	// Progress says how many vectors of the model there are and how many wait.
	Progress(ctx context.Context, model memory.EmbeddingModel) (memory.Progress, error)
}

// Config configures a Recall.
type Config struct {
	Store    Store                 // required
	Embedder memory.Embedder       // nil = no semantic index: semantic search goes by words, degraded
	Location *time.Location        // in which dates are taken; nil = time.Local
	Weights  *rank.Weights         // nil = rank.DefaultWeights
	Settle   func(context.Context) // waits a moment for vectors that are being made; nil = no wait
	Patience time.Duration         // how long the embedder may take for a query; 0 = 3 s
	Trouble  func() string         // why what waits for a vector gets none, "" = it does; nil = it does
	Log      *slog.Logger          // nil = discarded

	// Obstacle says why the model that is wanted does not replace the one in
	// use, which is the zero model when none can be used; "" = nothing is in its
	// way. nil = no other one is wanted.
	Obstacle func(inUse memory.EmbeddingModel) string
}

// Recall is the engine. It is safe for concurrent use.
type Recall struct {
	store    Store
	embedder memory.Embedder
	location *time.Location
	weights  rank.Weights
	settle   func(context.Context)
	patience time.Duration
	trouble  func() string
	obstacle func(memory.EmbeddingModel) string
	log      *slog.Logger

	rest atomic.Pointer[rest] // nil = no embedder has failed
}

// New checks the configuration and returns a Recall.
func New(c Config) (*Recall, error) {
	if c.Store == nil {
		return nil, memory.Invalidf("recall needs a store")
	}
	r := &Recall{store: c.Store, embedder: c.Embedder, location: c.Location, weights: rank.DefaultWeights(), settle: c.Settle, patience: c.Patience, trouble: c.Trouble, obstacle: c.Obstacle, log: c.Log}
	if c.Weights != nil {
		r.weights = *c.Weights
	}
	if r.location == nil {
		r.location = time.Local
	}
	if r.settle == nil {
		r.settle = func(context.Context) {}
	}
	if r.patience <= 0 {
		r.patience = 3 * time.Second
	}
	if r.trouble == nil {
		r.trouble = func() string { return "" }
	}
	if r.obstacle == nil {
		r.obstacle = func(memory.EmbeddingModel) string { return "" }
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	return r, nil
}

// Search finds messages. A query without any word (blank, punctuation) finds
// nothing; no text is an error.
func (r *Recall) Search(ctx context.Context, req Request) (*Result, error) {
	offset, err := decodeCursor(req.Cursor)
	if err != nil {
		return nil, err
	}
	p := page{offset: offset, limit: DefaultLimit}
	if req.Limit > 0 {
		p.limit = min(req.Limit, MaxLimit)
	}
	q := text.ParseQuery(req.Query)
	found := &findings{}
	if len(q.Terms()) > 0 {
		switch req.Match {
		case Keyword:
			err = r.keyword(ctx, q, req, p, found)
		case Semantic, "":
			err = r.semantic(ctx, q, req, p, found)
		default:
			err = memory.Invalidf("match must be one of semantic, keyword; got %q", req.Match)
		}
	}
	if err != nil {
		return nil, err
	}
	return r.result(ctx, found, p)
}

// page is the stretch of the list of hits that is wanted.
type page struct{ offset, limit int }

// end is how many hits must be known to give the page and to say whether there
// is another one.
func (p page) end() int { return min(p.offset+p.limit+1, maxTotal+1) }

// maxTotal is how many hits are counted, and how far paging goes.
const maxTotal = 1000

// findings are hits in order, from the first one, as far as the page needs.
type findings struct {
	hits     []finding
	total    int
	degraded string
}

type finding struct {
	message int64
	score   float64
	signals []string
	relaxed bool
}
