// Package budget fits the messages of a long run into a model's context window.
//
// A run comes in the shape of a chat completion, as the caller keeps it: with
// tool calls and their results, images, reasoning, in the form of OpenAI or with
// content blocks. Only what must go goes, in stages, each in a file of its own:
// tool history of another model becomes text (convert.go), the threshold is found
// (threshold.go), older conversation is folded into the rolling summary (fold.go),
// old tool steps become text (steps.go), and what is still too much is cut
// (cut.go), which is also the answer to an endpoint that refused the run.
//
// What comes out can be sent: no result without its call, no call without its
// result, everything in order, and each message that was not rewritten byte for
// byte as it came. System messages, the last user message, the newest step and
// every write_todo step are always in it.
package budget

import (
	"context"
	"hash/maphash"
	"log/slog"

	"mcp-memory/memory"
	"mcp-memory/memory/tokens"
)

// DefaultWindow is the context window, in tokens, of a model that nothing is known
// of.
const DefaultWindow = 128_000

// Windows knows the context windows of models and learns them from errors.
type Windows interface {
	// Window returns the window of a model in tokens and where that is known
	// from.
	Window(ctx context.Context, model string) (tokens int, source string)
	// Learn remembers the window that an endpoint reported.
	Learn(ctx context.Context, model string, limit int) error
}

// Folder folds older turns of a run into the rolling summary.
type Folder interface {
	// Fold brings the summary of the session up to date with the turns, oldest
	// first, which then leave the run, and returns it as the text that stands
	// in for them: what matters to the query. "" = there is nothing to stand
	// in, and the turns stay.
	Fold(ctx context.Context, session string, turns []memory.Turn, query string) (string, error)
}

// Summariser turns tool steps, oldest first, into one text of at most so many
// tokens. An error, or a longer text, leaves it to the rules.
type Summariser func(ctx context.Context, steps []Step, maxTokens int) (string, error)

// Judge says of each step whether it is surely no longer needed for the query. An
// error keeps them all.
type Judge func(ctx context.Context, steps []Step, query string) ([]bool, error)

// Config configures an Engine. Every field may be left zero.
type Config struct {
	Tokens  *tokens.Counters // nil = its own
	Windows Windows          // nil = DefaultWindow for every model, nothing is learnt
	Folder  Folder           // nil = nothing is folded
	Steps   Summariser       // nil = each step becomes a text by rule: tool, arguments, first and last lines of the result
	Judge   Judge            // nil = every step counts as needed
	// Dropped takes the conversation that was cut, oldest first, for the day's
	// note. nil = it is gone from the run, and no more.
	Dropped func(ctx context.Context, session string, turns []memory.Turn) error
	Log     *slog.Logger // nil = discarded
}

// Engine fits runs. It keeps nothing of them but the hashes of its last answers,
// and is safe for concurrent use.
type Engine struct {
	Config
	seed     maphash.Seed
	answered recent
}

// New returns an Engine.
func New(c Config) *Engine {
	if c.Tokens == nil {
		c.Tokens = new(tokens.Counters)
	}
	if c.Windows == nil {
		c.Windows = unknown{}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Engine{Config: c, seed: maphash.MakeSeed()}
}

// unknown is a table of windows without entries.
type unknown struct{}

func (unknown) Window(context.Context, string) (int, string) { return DefaultWindow, "default" }
func (unknown) Learn(context.Context, string, int) error     { return nil }
