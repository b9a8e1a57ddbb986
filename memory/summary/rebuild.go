package summary

import (
	"context"
	"errors"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/flight"
)

// Rebuilt is the outcome of a rebuild.
type Rebuilt struct {
	Count   int  // messages that are in the summary, so far or in all
	Running bool // it goes on in the background
}

// Rebuild makes the summary of a session again from its archive, starting from
// the summary kept at the last reset, and returns how many messages are in it. It
// becomes current when it is complete; until then the old one stays. What was
// done when it fails is kept apart, and the next call goes on from there.
//
// A second call for the session joins the first; when all of them are cancelled,
// so is the rebuild. ErrConflict: another process is rebuilding it, or the session
// was reset meanwhile.
func (e *Engine) Rebuild(ctx context.Context, session string) (int, error) {
	r, err := e.RebuildWithin(ctx, session, 0)
	return r.Count, err
}

// RebuildWithin is Rebuild that does not wait longer than limit (0 = to the end).
// After that it answers how far the rebuild has come, and the rebuild goes on in
// the background until it ends or the engine is closed.
func (e *Engine) RebuildWithin(ctx context.Context, session string, limit time.Duration) (Rebuilt, error) {
	if e.idle() {
		return Rebuilt{}, memory.Unavailablef("the summary cannot be rebuilt: no model is configured")
	}
	count, running, err := e.rebuilds.Do(ctx, session, limit, func(ctx context.Context, report func(int)) error {
		return e.rebuild(ctx, session, report)
	})
	if errors.Is(err, flight.ErrClosed) {
		err = memory.Unavailablef("the summary cannot be rebuilt: the server is stopping")
	}
	return Rebuilt{Count: count, Running: running}, err
}

// rebuild runs a rebuild under two leases: one says that the session is being
// rebuilt, the other keeps the job away from it.
func (e *Engine) rebuild(ctx context.Context, session string, progress func(messages int)) error {
	held, err := e.holding(ctx, "rebuild:"+session, false, func(ctx context.Context) error {
		_, err := e.holding(ctx, leaseName(session), true, func(ctx context.Context) error {
			start := e.now()
			st, err := e.store.SummaryState(ctx, session)
			if err != nil {
				return err
			}
			saved, err := e.startOver(ctx, session, st, progress)
			return e.note(ctx, session, st, saved, start, err)
		})
		return err
	})
	if err == nil && !held {
		return memory.Conflictf("the summary of session %q is being rebuilt by another process; try again later", session)
	}
	return err
}

// startOver makes a summary from the base and all messages and makes it current
// when it is complete. A draft of the same author that is still valid is gone on
// with. saved says whether it has got any further.
func (e *Engine) startOver(ctx context.Context, session string, st memory.SummaryState, progress func(messages int)) (saved bool, err error) {
	draft := memory.SummaryDraft{Summary: st.Base, Model: e.author()}
	if st.Draft != nil && st.Draft.Model == draft.Model {
		draft = *st.Draft
	}
	progress(draft.Messages)
	w := e.walk(session, st)
	w.summary, w.cursor, w.read = draft.Summary, draft.Cursor, draft.Messages
	w.save = func(ctx context.Context) error {
		next := memory.SummaryDraft{Summary: w.summary, Model: draft.Model, Cursor: w.cursor, Messages: w.read}
		if err := e.store.SaveSummaryDraft(ctx, session, st.Mark.Generation, draft.Cursor, next); err != nil {
			return err
		}
		saved, draft = true, next
		progress(w.read)
		return nil
	}
	if err := w.run(ctx); err != nil {
		return saved, err
	}
	if w.cursor = (memory.SummaryCursor{Seq: st.LastSeq}); w.cursor != draft.Cursor || !saved {
		if err := w.save(ctx); err != nil { // the last messages may be gone
			return saved, err
		}
	}
	v, err := e.store.PublishSummaryDraft(ctx, session, st.Mark)
	if err == nil && v.Version != st.Mark.Version {
		e.onSaved(session)
	}
	return saved, err
}
