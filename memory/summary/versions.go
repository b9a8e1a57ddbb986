package summary

import (
	"context"
	"errors"

	"mcp-memory/memory"
)

// Current returns the summary of a session: the empty one, with version 0, when
// it has none yet or is unknown.
func (e *Engine) Current(ctx context.Context, session string) (memory.SummaryVersion, error) {
	st, err := e.store.SummaryState(ctx, session)
	if errors.Is(err, memory.ErrNotFound) {
		err = nil
	}
	st.Current.Session, st.Current.Summary = session, shaped(st.Current.Summary)
	return st.Current, err
}

// Prior returns what of the current summary matters for a request, see Relevant.
func (e *Engine) Prior(ctx context.Context, session, query string) (memory.Summary, error) {
	v, err := e.Current(ctx, session)
	if err != nil {
		return memory.Summary{}, err
	}
	return e.Relevant(ctx, v.Summary, query), nil
}

// Versions returns the versions of the session's summary that are kept, the
// newest, which is the current one, first.
func (e *Engine) Versions(ctx context.Context, session string) ([]memory.SummaryVersion, error) {
	list, err := e.store.SummaryVersions(ctx, session)
	for i := range list {
		list[i].Summary = shaped(list[i].Summary)
	}
	return list, err
}

// restoreTries is how often Restore begins again when the job saves a summary in
// just this moment.
const restoreTries = 5

// Restore brings an older version back, as a new one; the cursor stays, so that
// nothing is summarised again. ErrNotFound: the version is not kept.
func (e *Engine) Restore(ctx context.Context, session string, version int64) (memory.SummaryVersion, error) {
	for try := 1; ; try++ {
		v, err := e.restore(ctx, session, version)
		if try < restoreTries && errors.Is(err, memory.ErrConflict) {
			continue
		}
		return v, err
	}
}

func (e *Engine) restore(ctx context.Context, session string, version int64) (memory.SummaryVersion, error) {
	st, err := e.store.SummaryState(ctx, session)
	if err != nil {
		return memory.SummaryVersion{}, err
	}
	list, err := e.store.SummaryVersions(ctx, session)
	if err != nil {
		return memory.SummaryVersion{}, err
	}
	for _, old := range list {
		if old.Version != version {
			continue
		}
		v, err := e.store.SaveSummary(ctx, session, st.Mark, old.Summary, old.Model, st.Mark.Cursor)
		if err == nil && v.Version != st.Mark.Version {
			e.onSaved(session)
		}
		return v, err
	}
	return memory.SummaryVersion{}, memory.NotFoundf("session %q has no version %d of its summary: the last %d are kept", session, version, memory.KeptSummaries)
}

// Relevant returns what of a summary matters for a request: all of it without a
// judge, without a request, or when the judge fails.
func (e *Engine) Relevant(ctx context.Context, s memory.Summary, query string) memory.Summary {
	if e.judge == nil || query == "" || s.Empty() {
		return s
	}
	relevant, err := e.judge.Relevant(ctx, s, query)
	if err != nil {
		e.log.Warn("judge what is relevant", "error", err)
		return s
	}
	return relevant
}
