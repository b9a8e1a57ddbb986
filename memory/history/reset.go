package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcp-memory/memory"
)

// ResetRequest says what to delete for good.
type ResetRequest struct {
	Session  string
	Mode     memory.ResetMode
	Messages []int64       // ids, at least one; with memory.ResetMessages only
	Wait     time.Duration // for the summary to be brought up to date; 0 = to the end
}

// WasReset is the outcome of a reset.
type WasReset struct {
	Removed int // messages that were deleted
	// Wiped says that nothing of them is left in the file or beside it. False:
	// another reader was in the way, and a job finishes it.
	Wiped bool
	// Notes are the person's own files that name the session: they stay.
	Notes []string
}

// resetTries is how often a reset begins again when messages come in between its
// look at the summary and the deletion.
const resetTries = 5

// Reset deletes messages of a session, for good and with all that was made of
// them. With memory.ResetSummary the rolling summary is brought up to date first;
// when that fails, nothing is deleted. ErrNotFound: there is no such session, or
// it does not have one of the messages.
func (h *History) Reset(ctx context.Context, r ResetRequest) (WasReset, error) {
	if err := r.Check(); err != nil {
		return WasReset{}, err
	}
	if err := h.exists(ctx, r.Session); err != nil {
		return WasReset{}, err
	}
	removed, err := h.delete(ctx, r)
	if err != nil {
		return WasReset{}, err
	}
	ctx = context.WithoutCancel(ctx) // it is done: what follows is tidying
	done := WasReset{Removed: removed, Wiped: h.wipe(ctx)}
	h.onReset()
	if h.notes != nil {
		if done.Notes, err = h.notes(ctx, r.Session); err != nil {
			h.log.Error("look for notes that name a session", "error", err)
		}
	}
	return done, nil
}

// Messages counts the messages of a session; ErrNotFound for an unknown one.
func (h *History) Messages(ctx context.Context, session string) (int, error) {
	if err := memory.CheckSessionID(session); err != nil {
		return 0, err
	}
	return h.store.Messages(ctx, session)
}

// FinishWipe tries again to leave nothing of what was deleted. ErrUnavailable:
// another reader is still in the way; the error says when to try again.
func (h *History) FinishWipe(ctx context.Context) error {
	wiped, err := h.store.Wipe(ctx)
	if err == nil && !wiped {
		err = &memory.RetryError{After: wipeAgain, Err: memory.Unavailablef("another process is reading the database: what was deleted is not wiped from its log yet")}
	}
	return err
}

// wipeAgain is how long a wipe waits after one that found a reader in its way.
const wipeAgain = 10 * time.Second

func (h *History) wipe(ctx context.Context) bool {
	wiped, err := h.store.Wipe(ctx)
	if err != nil {
		h.log.Error("wipe what was deleted", "error", err)
	}
	return wiped && err == nil
}

// Check refuses a request that says too little or too much, with ErrInvalid, and
// puts the ids in order.
func (r *ResetRequest) Check() error {
	if _, err := memory.ParseResetMode(string(r.Mode)); err != nil {
		return err
	}
	switch named := len(r.Messages) > 0; {
	case named && r.Mode != memory.ResetMessages:
		return memory.Invalidf("message_ids goes with the mode messages, not with %s", r.Mode)
	case !named && r.Mode == memory.ResetMessages:
		return memory.Invalidf("message_ids is empty: give the ids of the messages to delete")
	}
	r.Messages = slices.Compact(slices.Sorted(slices.Values(r.Messages)))
	return nil
}

// delete deletes, after the summary has been brought up to date where it stays.
func (h *History) delete(ctx context.Context, r ResetRequest) (int, error) {
	d := memory.Reset{Mode: r.Mode, Messages: r.Messages}
	if r.Mode != memory.ResetSummary || h.summarise == nil {
		return h.store.Reset(ctx, r.Session, d)
	}
	d.Summarised = true
	for try := 1; ; try++ {
		err := h.summariseAll(ctx, r)
		removed := 0
		if err == nil {
			removed, err = h.store.Reset(ctx, r.Session, d)
		}
		if try < resetTries && errors.Is(err, memory.ErrConflict) {
			continue
		}
		return removed, err
	}
}

// summariseAll brings the summary up to date.
func (h *History) summariseAll(ctx context.Context, r ResetRequest) error {
	_, running, err := h.updates.Do(ctx, r.Session, r.Wait, func(ctx context.Context, _ func(struct{})) error {
		return h.summarise(ctx, r.Session)
	})
	switch public, ok := errors.AsType[*memory.PublicError](err); {
	case running:
		return memory.Unavailablef("nothing was deleted: the summary is still being brought up to date, which goes on in the background; call again later")
	case ok && !errors.Is(err, memory.ErrConflict):
		return memory.Unavailablef("nothing was deleted, because the summary could not be brought up to date: %v", public)
	case err != nil:
		return fmt.Errorf("bring the summary up to date before the reset: %w", stopping(err))
	}
	return nil
}
