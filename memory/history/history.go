// Package history records conversations and gives them back: it cleans, masks
// and stamps what comes in, keeps each message once, serves the window and the
// pages of a session, and takes old exchanges out of hot history when a session
// grows past its limit, or by hand. Nothing it acknowledged is ever lost;
// compaction moves messages to the archive, it deletes none. Only a reset does,
// and that for good.
package history

import (
	"context"
	"log/slog"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/flight"
)

// The defaults of Config.
const (
	DefaultWindow      = 16
	DefaultMaxHotBytes = 4 << 20
)

// Store is what the engine needs of a store. Every method is one whole atomic
// operation and safe to repeat.
type Store interface {
	MessageStore
	HotStore
	ResetStore
}

// MessageStore records messages and gives them back.
type MessageStore interface {
	// Generation is the generation of a session, which each reset raises;
	// memory.NoGeneration for one that does not exist.
	Generation(ctx context.Context, session string) (int64, error)
	// AppendSince stores a batch in order, all of it or nothing. An entry whose
	// client id or key the session knows already changes nothing. ErrConflict:
	// the session was of the generation and is not any more.
	AppendSince(ctx context.Context, session string, generation int64, batch []memory.Entry) (memory.Appended, error)
	// Page returns up to n messages of a session, the archive included, in
	// order: those before the position when older is true, else those after it.
	Page(ctx context.Context, session string, from memory.Position, older bool, n, maxBytes int) ([]memory.Message, error)
	// Message returns one message by its id, content whole.
	Message(ctx context.Context, id int64) (memory.Message, error)
	// Messages counts the messages of a session; ErrNotFound for an unknown one.
	Messages(ctx context.Context, session string) (int, error)
	// Sessions lists sessions, the most recently used first, after the given
	// one (nil = from the start).
	Sessions(ctx context.Context, after *memory.SessionMark, n int) ([]memory.Session, error)
}

// HotStore keeps what is hot.
type HotStore interface {
	// Newest returns the last n hot messages of the session, oldest first.
	Newest(ctx context.Context, session string, n int) ([]memory.Message, error)
	// HotOutline lists the hot messages of the session, oldest first.
	HotOutline(ctx context.Context, session string) ([]memory.Outline, error)
	// Archive moves the cut-off of the session forward to the position and
	// returns how many messages left hot history. A cut-off never moves back.
	Archive(ctx context.Context, session string, start memory.Position, keepVectors bool) (int, error)
	// Drop takes messages out of hot history, wherever the cut-off is, and
	// returns how many of them were hot.
	Drop(ctx context.Context, session string, messages []int64, keepVectors bool) (int, error)
	// Undrop takes the last Drop back and returns how many messages are hot
	// again; ErrNotFound when there is none.
	Undrop(ctx context.Context, session string) (int, error)
}

// ResetStore deletes.
type ResetStore interface {
	// Reset deletes messages with all that was made of them, and returns how
	// many they were. Work in flight on the session brings nothing back.
	// ErrNotFound: there is no such session, or no such message in it.
	// ErrConflict: the summary lacks messages that r says it must have.
	Reset(ctx context.Context, session string, r memory.Reset) (int, error)
	// Wipe leaves no copy of what was deleted, nor a word that nothing else
	// says; false when a reader is in the way. Until it succeeds there is work
	// of the kind memory.WipeKind.
	Wipe(ctx context.Context) (bool, error)
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
	OnAppend    func()           // called after messages were added or brought back; must not block; nil = nothing
	OnReset     func()           // called after messages were deleted; must not block; nil = nothing
	Log         *slog.Logger     // nil = discarded

	// Outdated says of each exchange whether it is no longer useful; nil = what
	// lies before the window is not.
	Outdated func(ctx context.Context, exchanges [][]memory.Message) ([]bool, error)
	// Summarise brings the rolling summary of a session up to date; nil = a
	// reset that keeps the summary keeps it as it is.
	Summarise func(ctx context.Context, session string) error
	// Notes lists the person's files that name a session; nil = there are none.
	Notes func(ctx context.Context, session string) ([]string, error)
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
	onReset     func()
	log         *slog.Logger

	askOutdated func(context.Context, [][]memory.Message) ([]bool, error)
	summarise   func(context.Context, string) error
	notes       func(context.Context, string) ([]string, error)

	compactions *flight.Group[int]      // messages that left hot history, by session
	updates     *flight.Group[struct{}] // of the summary before a reset, by session
}

// New checks the configuration and returns a History.
func New(c Config) (*History, error) {
	if c.Store == nil {
		return nil, memory.Invalidf("history needs a store")
	}
	h := &History{
		store: c.Store, masker: c.Masker, window: c.Window, maxHotBytes: c.MaxHotBytes, keepVectors: c.KeepVectors,
		location: c.Location, now: c.Now, onAppend: c.OnAppend, onReset: c.OnReset, log: c.Log,
		askOutdated: c.Outdated, summarise: c.Summarise, notes: c.Notes,
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
	if h.onReset == nil {
		h.onReset = func() {}
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	h.compactions = flight.New[int](func(session string, err error) {
		h.log.Error("compact a session", "session", session, "error", err)
	})
	h.updates = flight.New[struct{}](func(session string, err error) {
		h.log.Error("bring a summary up to date", "session", session, "error", err)
	})
	return h, nil
}

// Close ends what goes on in the background and waits for it.
func (h *History) Close() {
	h.compactions.Close()
	h.updates.Close()
}
