// Package history records conversations and gives them back: it cleans, masks
// and stamps what comes in, keeps each message once, serves the window and the
// pages of a session, and takes old exchanges out of hot history when a session
// grows past its limit. Nothing it acknowledged is ever lost; compaction moves
// messages to the archive, it deletes none.
package history

import (
	"context"
	"log/slog"
	"time"

	"mcp-memory/memory"
)

// The defaults of Config.
const (
	DefaultWindow      = 16
	DefaultMaxHotBytes = 4 << 20
)

// Store is what the engine needs of a store. Every method is one whole atomic
// operation and safe to repeat.
type Store interface {
	// Append stores a batch in order, all of it or nothing. An entry whose
	// client id or key the session knows already changes nothing.
	Append(ctx context.Context, session string, batch []memory.Entry) (memory.Appended, error)
	// Newest returns the last n hot messages of the session, oldest first.
	Newest(ctx context.Context, session string, n int) ([]memory.Message, error)
	// Page returns up to n messages of a session, the archive included, in
	// order: those before the position when older is true, else those after it.
	Page(ctx context.Context, session string, from memory.Position, older bool, n, maxBytes int) ([]memory.Message, error)
	// Message returns one message by its id, content whole.
	Message(ctx context.Context, id int64) (memory.Message, error)
	// Sessions lists sessions, the most recently used first, after the given
	// one (nil = from the start).
	Sessions(ctx context.Context, after *memory.SessionMark, n int) ([]memory.Session, error)
	// HotOutline lists the hot messages of the session, oldest first.
	HotOutline(ctx context.Context, session string) ([]memory.Outline, error)
	// Archive moves the cut-off of the session forward to the position and
	// returns how many messages left hot history. A cut-off never moves back.
	Archive(ctx context.Context, session string, start memory.Position, keepVectors bool) (int, error)
}

// Masker hides secrets in a text and counts them.
type Masker interface {
	Mask(text string) (masked string, found int)
}

// Config configures a History.
type Config struct {
	Store       Store            // required
	Masker      Masker           // nil = nothing is masked
	Window      int              // messages given to the agent whole; 0 = DefaultWindow
	MaxHotBytes int64            // hot bytes a session may have; 0 = DefaultMaxHotBytes, negative = no limit
	KeepVectors bool             // keep the vectors of what compaction archives
	Location    *time.Location   // in which dates are written in words; nil = time.Local
	Now         func() time.Time // nil = time.Now
	OnAppend    func()           // called after messages were added; must not block; nil = nothing
	Log         *slog.Logger     // nil = discarded
}

// History is the engine. It is safe for concurrent use.
type History struct {
	store       Store
	masker      Masker
	window      int
	maxHotBytes int64
	keepVectors bool
	location    *time.Location
	now         func() time.Time
	onAppend    func()
	log         *slog.Logger
}

// New checks the configuration and returns a History.
func New(c Config) (*History, error) {
	if c.Store == nil {
		return nil, memory.Invalidf("history needs a store")
	}
	h := &History{
		store: c.Store, masker: c.Masker, window: c.Window, maxHotBytes: c.MaxHotBytes, keepVectors: c.KeepVectors,
		location: c.Location, now: c.Now, onAppend: c.OnAppend, log: c.Log,
	}
	if h.window <= 0 {
		h.window = DefaultWindow
	}
	if h.maxHotBytes == 0 {
		h.maxHotBytes = DefaultMaxHotBytes
	}
	if h.location == nil {
		h.location = time.Local
	}
	if h.now == nil {
		h.now = time.Now
	}
	if h.onAppend == nil {
		h.onAppend = func() {}
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	return h, nil
}
