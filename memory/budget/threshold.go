package budget

import (
	"context"

	"mcp-memory/memory"
)

// share is how much of a window a run may fill, in percent: the rest is for the
// answer, for tools that stand beside the messages, and for errors of counting.
const share = 80

// threshold is how large a run may be.
type threshold struct {
	window int
	source string
	budget int // in tokens
	target int // what to come down to, at most the budget
}

// threshold finds how large the run may be. A limit that the endpoint has just
// reported counts when it is below what the table says.
func (e *Engine) threshold(ctx context.Context, q *Request, reported int) (threshold, error) {
	var t threshold
	t.window, t.source = e.Windows.Window(ctx, q.Model)
	if reported > 0 && (reported < t.window || t.window <= 0) {
		t.window, t.source = reported, "learnt"
	}
	if t.window <= 0 {
		t.window, t.source = DefaultWindow, "default"
	}
	t.budget = t.window * share / 100
	if q.MaxTokens > 0 {
		t.budget = min(t.budget, q.MaxTokens)
	}
	t.target = t.budget
	return t, ctx.Err()
}

// reported lowers the target when the endpoint counted more than fits: our count
// must come down in the same proportion. It does nothing for tokens that were
// counted of other messages than these.
func (t *threshold) reported(input, counted int) {
	if input > t.budget {
		t.target = min(t.target, int(int64(t.budget)*int64(counted)/int64(input)))
	}
}

// refused lowers the target after the endpoint has refused a run of so many
// tokens: some of it must go, whatever we counted.
func (t *threshold) refused(counted int) {
	t.target = min(t.target, counted*share/100)
}

// tooLarge is the error for a run that does not fit when all that may go is gone.
func (r *run) tooLarge(q *Request, t threshold) error {
	var system, user, steps, todo int
	for _, u := range r.living() {
		switch {
		case u.kind == instruction:
			system += u.tokens
		case u.todo:
			todo += u.tokens
		case u.kind == step || u.kind == note:
			steps += u.tokens
		default:
			user += u.tokens
		}
	}
	return memory.Invalidf("the run does not fit %s: what must stay has %d tokens, and the budget is %d of a window of %d (%s). "+
		"System messages have %d tokens, the last user message %d, the newest tool step %d, write_todo steps %d. "+
		"Shorten the largest of these, or use a model with a larger window",
		clip(q.Model, 100), r.total, t.budget, t.window, t.source, system, user, steps, todo)
}

// living lists the units that are still in the run.
func (r *run) living() []*unit {
	var list []*unit
	for _, u := range r.units {
		if !u.gone {
			list = append(list, u)
		}
	}
	return list
}
