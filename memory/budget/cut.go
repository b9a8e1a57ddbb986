package budget

import (
	"context"

	"mcp-memory/memory"
)

// cut takes out of the run what it can spare until the target is reached: steps
// that the judge is sure are no longer needed, the oldest conversation, two
// messages at a time, the oldest steps with their results, and at the very last
// the prior summary. It returns the conversation that is gone.
func (e *Engine) cut(ctx context.Context, r *run, query string, target int) (done []string, dropped []memory.Turn, err error) {
	unneeded, err := e.dropUnneeded(ctx, r, query, target)
	if err != nil {
		return nil, nil, err
	}
	said := r.dropWhile(target, 2, func(u *unit) bool { return u.kind == turn || u.kind == orphan })
	steps := r.dropWhile(target, 1, func(u *unit) bool { return (u.kind == step || u.kind == note) && !u.todo })
	if r.total > target {
		done = r.shortenTodo(target)
	}
	summaries := r.dropWhile(target, 1, func(u *unit) bool { return u.kind == prior })
	if r.total > target && r.summary != nil {
		r.total -= r.summary.tokens
		r.summary, summaries = nil, append(summaries, nil)
	}
	for _, gone := range []struct {
		n    int
		what string
		why  string
	}{
		{unneeded, "tool step", ", judged no longer needed"},
		{len(said), "message", " of older conversation"},
		{len(steps), "older tool step", " with all results"},
	} {
		if gone.n > 0 {
			done = append(done, count(gone.n, gone.what)+gone.why+": taken out")
		}
	}
	if len(summaries) > 0 {
		done = append(done, "the prior summary: taken out")
	}
	return done, r.turns(said), nil
}

// dropUnneeded takes out the steps that the judge has no more need of, the oldest
// first, and says how many.
func (e *Engine) dropUnneeded(ctx context.Context, r *run, query string, target int) (int, error) {
	var units []*unit
	var steps []Step
	for _, u := range r.living() {
		if u.kind == step && !u.keep && !u.todo {
			units, steps = append(units, u), append(steps, r.stepOf(u))
		}
	}
	if e.Judge == nil || len(units) == 0 || r.total <= target {
		return 0, nil
	}
	unneeded, err := e.Judge(ctx, steps, query)
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	if err != nil || len(unneeded) != len(units) {
		e.Log.Warn("judge tool steps", "err", err, "steps", len(units), "judged", len(unneeded))
		return 0, nil
	}
	n := 0
	for i, u := range units {
		if unneeded[i] && r.total > target {
			r.drop(u)
			n++
		}
	}
	return n, nil
}

// dropWhile takes out the oldest units of a sort, so many at a time, until the
// target is reached.
func (r *run) dropWhile(target, atATime int, sort func(*unit) bool) []*unit {
	var dropped []*unit
	for _, u := range r.units {
		if len(dropped)%atATime == 0 && r.total <= target {
			break
		}
		if !u.gone && !u.keep && sort(u) {
			r.drop(u)
			dropped = append(dropped, u)
		}
	}
	return dropped
}

// shortenTodo makes text of the steps of write_todo, which nothing takes out.
func (r *run) shortenTodo(target int) []string {
	list := r.shortenable(target)
	for _, s := range list {
		r.rewrite(s.unit, note, s.text)
	}
	if len(list) == 0 {
		return nil
	}
	return []string{count(len(list), todoTool+" step") + ": now text"}
}
