package summary

import (
	"context"
	"errors"
	"math"

	"mcp-memory/memory"
)

// Fold brings the summary of a session up to date and returns what of it matters
// for a request, with the turns of a run in it as well. Turns that are recorded in
// the session are in its summary anyway. The others are merged into what is
// returned and saved nowhere: the cursor passes only what is recorded.
func (e *Engine) Fold(ctx context.Context, session string, turns []memory.Turn, query string) (memory.Summary, error) {
	if err := e.Update(ctx, session); err != nil && !errors.Is(err, memory.ErrNotFound) {
		return memory.Summary{}, err
	}
	v, err := e.Current(ctx, session)
	if err != nil {
		return memory.Summary{}, err
	}
	fresh, err := e.unrecorded(ctx, session, turns)
	if err != nil {
		return memory.Summary{}, err
	}
	s := v.Summary
	if len(fresh) > 0 {
		if s, err = e.mergeTurns(ctx, session, s, fresh); err != nil {
			return memory.Summary{}, err
		}
	}
	return e.Relevant(ctx, s, query), nil
}

// unrecorded are the turns that are not in the session, word for word.
func (e *Engine) unrecorded(ctx context.Context, session string, turns []memory.Turn) ([]memory.Turn, error) {
	waiting := make(map[memory.Turn]int, len(turns))
	for _, t := range turns {
		waiting[t]++
	}
	var after int64
	for {
		page, err := e.store.MessagesAfter(ctx, session, after, math.MaxInt64, portionMessages, portionBytes)
		if err != nil && !errors.Is(err, memory.ErrNotFound) {
			return nil, err
		}
		if len(page) == 0 {
			break
		}
		for _, m := range page {
			if t := (memory.Turn{Role: m.Role, Content: m.Content}); waiting[t] > 0 {
				waiting[t]--
			}
		}
		after = page[len(page)-1].Seq
	}
	var fresh []memory.Turn
	for _, t := range turns {
		if waiting[t] > 0 {
			waiting[t]--
			fresh = append(fresh, t)
		}
	}
	return fresh, nil
}

// mergeTurns merges turns into a summary that is saved nowhere.
func (e *Engine) mergeTurns(ctx context.Context, session string, s memory.Summary, turns []memory.Turn) (memory.Summary, error) {
	messages := make([]memory.Message, len(turns))
	for i, t := range turns {
		messages[i] = memory.Message{Seq: int64(i + 1), Role: t.Role, Content: t.Content, Size: len(t.Content), SentAt: e.now()}
	}
	w := e.walk(session, memory.SummaryState{})
	w.summary = s
	w.save = func(context.Context) error { return nil }
	list := e.exchanges(messages, memory.SummaryCursor{})
	err := w.merge(ctx, list, list)
	return w.summary, err
}
