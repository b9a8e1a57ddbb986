// Package windows knows how large the context window of a model is.
//
// Several sources are asked, and the first that has the model is believed: the
// live table, which is published at a URL and fetched every hour; what an
// endpoint reports of its own models, for 24 hours; the table built into the
// program. A model that none of them has is taken to have 128,000 tokens. What
// an endpoint's refusals have taught is kept in the store, for all processes,
// and wins when it is smaller than what the sources say, or when they say
// nothing. The model deepseek-flash of the vendor deepseek has 1,048,576 tokens
// whatever the tables say.
//
// A model may be named as vendors do (gpt-4o, models/gemini-2.5-pro), with a
// vendor (openai/gpt-4o, openai@gpt-4o, openrouter/openai/gpt-4o) and with a
// date or a tag (gpt-4o-2024-08-06, claude-sonnet-4@20250514, x-latest, x:free).
// What is published for the vendor and the name as they stand goes before what
// is published for the name without its date, and that before other vendors'.
//
// The live table is one of two shapes of JSON, or a mixture: vendors with their
// models, or models with the vendor in or beside their names. Other fields play
// no part, and what is not of these shapes is passed over.
//
//	{"openai": {"models": {"gpt-4o": {"limit": {"context": 128000}}}}}
//	{"groq/llama-3.1-8b": {"max_input_tokens": 131072},
//	 "gpt-4o": {"litellm_provider": "openai", "max_tokens": 128000}}
package windows

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"mcp-memory/memory"
	"mcp-memory/memory/limits"
)

// fallback is the window of a model that nobody knows.
const fallback = 128_000

// flashWindow is the window of deepseek's deepseek-flash.
const flashWindow = 1_048_576

// The sources of a window, as memory.Window names them.
const (
	Learnt   = "learnt"   // an endpoint refused what was larger
	Fixed    = "fixed"    // a rule of this package
	Live     = "live"     // the table at Config.URL
	Endpoint = "endpoint" // the report of an endpoint
	BuiltIn  = "built-in" // the table in the program
	Default  = "default"  // nobody knows the model
)

// Store keeps what was learnt. A smaller limit replaces a larger one of the same
// model, not the other way round.
type Store interface {
	// LearnLimit remembers the context window of a model. ErrInvalid: no model,
	// or a window outside of memory.MinWindow and memory.MaxWindow.
	LearnLimit(ctx context.Context, l memory.LearntLimit) error
	// LearntLimit returns what was learnt of a model; false when nothing was.
	LearntLimit(ctx context.Context, model string) (memory.LearntLimit, bool, error)
}

// Reporter is an endpoint that says how large the windows of its models are. An
// error that is a memory.RetryError with Never keeps it from being asked again
// before its next turn.
type Reporter interface {
	Windows(ctx context.Context) ([]memory.ModelWindow, error)
}

// Config configures a Table.
type Config struct {
	Store      Store        // required
	URL        string       // where the live table is published; "" = there is none
	Endpoints  []Reporter   // asked in turn, the first that knows a model is believed; nil = none
	HTTPClient *http.Client // fetches the live table; nil = one of its own
	Log        *slog.Logger // nil = discarded
}

// Table tells the context windows of models. It is safe for concurrent use.
type Table struct {
	c       Config
	builtIn table
	live    atomic.Pointer[table]   // nil = not fetched yet
	reports []atomic.Pointer[table] // by place in Config.Endpoints; nil = not reported, or too long ago
}

// New checks the configuration. It fetches nothing; Run does.
func New(c Config) (*Table, error) {
	if c.Store == nil {
		return nil, memory.Invalidf("the table of context windows needs a store")
	}
	c.URL = strings.TrimSpace(c.URL)
	if c.URL != "" {
		// The error does not repeat the URL, because it may hold a password.
		u, err := url.Parse(c.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, memory.Invalidf("the table of context windows needs a URL such as https://example.org/models.json")
		}
	}
	if c.HTTPClient == nil {
		c.HTTPClient = &http.Client{}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	entries, err := readBuiltIn(builtIn)
	if err != nil {
		return nil, err
	}
	return &Table{c: c, builtIn: newTable(entries), reports: make([]atomic.Pointer[table], len(c.Endpoints))}, nil
}

// Window returns the context window of a model. It asks the store and what was
// fetched before, never the network. A store that cannot be read has learnt
// nothing; that is logged, because a window that may be too large is of more use
// than none.
func (t *Table) Window(ctx context.Context, model string) memory.Window {
	n := readName(model)
	w, listed := t.listed(n)
	if n.empty() {
		return w
	}
	l, found, err := t.c.Store.LearntLimit(ctx, n.key())
	if err != nil {
		t.c.Log.Warn("learnt limit cannot be read", "err", err)
		return w
	}
	if found && (!listed || l.Tokens < w.Tokens) {
		return memory.Window{Tokens: l.Tokens, Source: Learnt}
	}
	return w
}

// listed is what the tables say of a model; false when none has it.
func (t *Table) listed(n name) (memory.Window, bool) {
	if n.deepSeekFlash() {
		return memory.Window{Tokens: flashWindow, Source: Fixed}, true
	}
	if tokens, ok := t.live.Load().find(n); ok {
		return memory.Window{Tokens: tokens, Source: Live}, true
	}
	for i := range t.reports {
		if tokens, ok := t.reports[i].Load().find(n); ok {
			return memory.Window{Tokens: tokens, Source: Endpoint}, true
		}
	}
	if tokens, ok := t.builtIn.find(n); ok {
		return memory.Window{Tokens: tokens, Source: BuiltIn}, true
	}
	return memory.Window{Tokens: fallback, Source: Default}, false
}

// Learn remembers that a model's context window is so large, for all processes.
// It holds for the name as it stands, with its vendor and its date: the same
// model elsewhere may have another. Of several limits the smallest stays. A name
// that is empty or too long, and a window outside of memory.MinWindow and
// memory.MaxWindow, is ErrInvalid.
func (t *Table) Learn(ctx context.Context, model string, limit int) error {
	return t.learn(ctx, model, limit, "")
}

// LearnFrom reads what an endpoint said, as limits.ContextError does, and
// remembers the limit that the text names. Is says whether the text is a context
// error; limit is 0, and nothing is learnt, when it names none that a window can
// have.
func (t *Table) LearnFrom(ctx context.Context, model, text string) (limit int, is bool, err error) {
	limit, is = limits.ContextError(text)
	if limit < memory.MinWindow || limit > memory.MaxWindow {
		return 0, is, nil
	}
	return limit, is, t.learn(ctx, model, limit, limits.Kind(text))
}

func (t *Table) learn(ctx context.Context, model string, limit int, kind string) error {
	n := readName(model)
	if n.empty() {
		return memory.Invalidf("a limit is learnt of a model with a name of 1 to %d bytes", longestName)
	}
	return t.c.Store.LearnLimit(ctx, memory.LearntLimit{Model: n.key(), Tokens: limit, Kind: kind})
}
