package history

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/flight"
)

// Compacted is the outcome of a compaction by hand.
type Compacted struct {
	Removed int  // messages that left hot history
	Running bool // it goes on in the background
}

// Compact takes older messages of a session out of hot history: whole exchanges
// whose user text is empty or comes again later, then those that are no longer
// useful, as Config.Outdated says, or without it all that lie before the window.
// The newest exchange always stays, and the archive keeps everything.
//
// It does not wait longer than limit (0 = to the end); then it goes on in the
// background. A second call for the session joins the first, and when all of them
// are cancelled, so is the compaction. When it fails, nothing is removed.
func (h *History) Compact(ctx context.Context, session string, limit time.Duration) (Compacted, error) {
	if err := h.exists(ctx, session); err != nil {
		return Compacted{}, err
	}
	removed, running, err := h.compactions.Do(ctx, session, limit, func(ctx context.Context, report func(int)) error {
		removed, err := h.compactByHand(ctx, session)
		report(removed)
		return err
	})
	return Compacted{removed, running}, stopping(err)
}

// Unarchive brings back what the last compaction by hand has taken out of hot
// history, and returns how many messages that were; called again, it brings the
// one before back. ErrNotFound: there is none.
func (h *History) Unarchive(ctx context.Context, session string) (int, error) {
	if err := memory.CheckSessionID(session); err != nil {
		return 0, err
	}
	back, err := h.store.Undrop(ctx, session)
	if err == nil && back > 0 {
		h.onAppend()
	}
	return back, err
}

// exists returns ErrNotFound unless there is such a session.
func (h *History) exists(ctx context.Context, session string) error {
	if err := memory.CheckSessionID(session); err != nil {
		return err
	}
	_, err := h.store.Messages(ctx, session)
	return err
}

// stopping is what is said of work that the end of the engine forestalls.
func stopping(err error) error {
	if errors.Is(err, flight.ErrClosed) {
		return memory.Unavailablef("the server is stopping")
	}
	return err
}

func (h *History) compactByHand(ctx context.Context, session string) (int, error) {
	hot, err := h.store.Newest(ctx, session, math.MaxInt32)
	if err != nil {
		return 0, err
	}
	kept, gone := withoutRepeats(exchanges(hot))
	outdated, err := h.outdated(ctx, kept)
	if err != nil {
		return 0, err
	}
	for i, x := range kept {
		if outdated[i] {
			gone = append(gone, ids(x)...)
		}
	}
	if len(gone) == 0 {
		return 0, nil
	}
	return h.store.Drop(ctx, session, gone, h.keepVectors)
}

// exchanges cuts messages at those of the user. What comes before the first of
// them is one, too.
func exchanges(messages []memory.Message) [][]memory.Message {
	var list [][]memory.Message
	start := 0
	for i := range messages {
		if i > start && messages[i].Role == memory.RoleUser {
			list = append(list, messages[start:i])
			start = i
		}
	}
	if start < len(messages) {
		list = append(list, messages[start:])
	}
	return list
}

// withoutRepeats leaves out the exchanges in which the user says nothing, or what
// he says again later; not the last one. gone are the ids of their messages.
func withoutRepeats(list [][]memory.Message) (kept [][]memory.Message, gone []int64) {
	last := map[string]int{}
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = strings.Join(strings.Fields(x[0].Content), " ")
		if x[0].Role == memory.RoleUser {
			last[texts[i]] = i
		}
	}
	for i, x := range list {
		worn := x[0].Role == memory.RoleUser && (texts[i] == "" || last[texts[i]] != i)
		if worn && i < len(list)-1 {
			gone = append(gone, ids(x)...)
		} else {
			kept = append(kept, x)
		}
	}
	return kept, gone
}

func ids(x []memory.Message) []int64 {
	list := make([]int64, len(x))
	for i := range x {
		list[i] = x[i].ID
	}
	return list
}

// outdated says which exchanges are no longer useful; never the last one.
func (h *History) outdated(ctx context.Context, list [][]memory.Message) ([]bool, error) {
	old := make([]bool, len(list))
	if len(list) < 2 {
		return old, nil
	}
	if h.askOutdated == nil {
		return h.beforeWindow(list), nil
	}
	asked := list[:len(list)-1]
	named, err := h.askOutdated(ctx, asked)
	if err != nil {
		return nil, fmt.Errorf("ask what is no longer useful: %w", err)
	}
	if len(named) != len(asked) {
		return nil, fmt.Errorf("ask what is no longer useful: %d answers about %d exchanges", len(named), len(asked))
	}
	copy(old, named)
	return old, nil
}

// beforeWindow says which exchanges do not fit into the window whole.
func (h *History) beforeWindow(list [][]memory.Message) []bool {
	old := make([]bool, len(list))
	messages := len(list[len(list)-1])
	for i := len(list) - 2; i >= 0; i-- {
		messages += len(list[i])
		old[i] = messages > h.window
	}
	return old
}
