package summary

import (
	"context"
	"errors"
	"time"

	"mcp-memory/memory"
)

// The job runs every tickTime. A session that failed is left alone for one tick,
// then 2, 4, 8 …, at most for longestWait.
const (
	tickTime    = 15 * time.Minute
	longestWait = 6 * time.Hour
)

// longestReason is how many characters of the reason of a failure are kept.
const longestReason = 500

// failure is a chunk that could not be summarised, as opposed to a fault of the
// store.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// unusable is the failure of a reply that cannot be used.
func unusable(reason error) error {
	return &failure{memory.Unavailablef("the model's answer cannot be used as a summary: %v", reason)}
}

// refused is the failure of a call; those of an endpoint that does not work stop
// the tick.
func refused(err error) error { return &failure{&callError{err}} }

// callError is an error of the model's endpoint.
type callError struct{ err error }

func (c *callError) Error() string { return c.err.Error() }
func (c *callError) Unwrap() error { return c.err }

// stopsTick says whether the next session would fail in the same way: the
// endpoint does not work, or the store does not.
func stopsTick(err error) bool {
	if call, ok := errors.AsType[*callError](err); ok {
		retry, ok := errors.AsType[*memory.RetryError](call)
		return ok && retry.Never || errors.Is(call, memory.ErrUnavailable)
	}
	_, ok := errors.AsType[*failure](err)
	return !ok
}

// changedMeanwhile says whether a session was changed or removed while it was
// worked on. That is no fault: the next tick finds what is left to do.
func changedMeanwhile(err error) bool {
	_, failed := errors.AsType[*failure](err)
	return !failed && (errors.Is(err, memory.ErrConflict) || errors.Is(err, memory.ErrNotFound))
}

// note keeps the failure of a session, and when to try again, in the store. What
// was interrupted has not failed.
func (e *Engine) note(ctx context.Context, session string, st memory.SummaryState, saved bool, start time.Time, err error) error {
	f, ok := errors.AsType[*failure](err)
	if !ok || ctx.Err() != nil {
		return err
	}
	before := st.Failures
	if saved {
		before = 0
	}
	until := start.Add(wait(before))
	if retry, ok := errors.AsType[*memory.RetryError](err); ok && e.now().Add(retry.After).After(until) {
		until = e.now().Add(retry.After)
	}
	reason := []rune(f.Error())
	reason = reason[:min(len(reason), longestReason)]
	return errors.Join(err, e.store.FailSummary(ctx, session, st.Mark.Generation, until, string(reason)))
}

// wait is how long a session is left alone that has failed before times before
// this time. It ends half a tick early: ticks do not come to the moment, and the
// one that is meant must not just miss it.
func wait(before int) time.Duration {
	d := longestWait
	if before < 10 {
		d = min(d, tickTime<<before)
	}
	return d - tickTime/2
}

// Failures lists the sessions whose summary could not be brought up to date, and
// why.
func (e *Engine) Failures(ctx context.Context) ([]memory.SummaryFailure, error) {
	return e.store.SummaryFailures(ctx)
}
