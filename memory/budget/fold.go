package budget

import (
	"context"
	"slices"
	"strings"

	"mcp-memory/memory"
)

// priorPrefix begins the message that the rolling summary stands in.
const priorPrefix = "Prior summary"

// priorShare is the part of the target that is kept free for a summary whose size
// is not known yet.
const priorShare = 8

// fold hands the oldest conversation to the summary, as much as must go, and puts
// the summary before the user's input. Nothing changes when there is nothing to
// fold, when it fails, or when the summary would be the longer one.
func (e *Engine) fold(ctx context.Context, r *run, session, query string, target int) ([]string, error) {
	units, freed := r.foldable(target - target/priorShare)
	if e.Folder == nil || len(units) == 0 {
		return nil, nil
	}
	summary, err := e.Folder.Fold(ctx, session, r.turns(units), query)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		e.Log.Warn("fold older turns", "err", err)
		return nil, nil
	}
	if summary = strings.TrimSpace(summary); summary == "" {
		return nil, nil
	}
	standIn := r.said(roleUser, priorPrefix+":\n"+summary)
	old := 0
	for _, u := range r.living() {
		if u.kind == prior {
			old += u.tokens
		}
	}
	if standIn.tokens >= freed+old {
		return nil, nil
	}
	r.putIn(standIn, units)
	return []string{count(len(units), "message") + " of older conversation: in the prior summary"}, nil
}

// foldable lists the oldest conversation before the last user message, as much as
// brings the run down to the target, and its tokens.
func (r *run) foldable(target int) (units []*unit, freed int) {
	last := r.lastUser()
	for _, u := range r.units {
		if r.total-freed <= target || last >= 0 && u.parts[0] >= last {
			break
		}
		if !u.gone && u.kind == turn && !u.keep {
			units, freed = append(units, u), freed+u.tokens
		}
	}
	return units, freed
}

// turns are the messages of units as a conversation.
func (r *run) turns(units []*unit) []memory.Turn {
	turns := make([]memory.Turn, 0, len(units))
	for _, u := range units {
		m := &r.messages[u.parts[0]]
		turns = append(turns, memory.Turn{Role: memory.Role(m.role), Content: m.text})
	}
	return turns
}

// putIn takes units out of the run, and the summary of before, and puts the new
// one before the last user message; without one, before what follows the system
// messages. It never comes between a call and its result.
func (r *run) putIn(standIn message, units []*unit) {
	for _, u := range units {
		r.drop(u)
	}
	for _, u := range r.living() {
		if u.kind == prior {
			r.drop(u)
		}
	}
	at := r.lastUser()
	if at < 0 {
		at = slices.IndexFunc(r.messages, func(m message) bool { return !m.gone && m.role != roleSystem })
	}
	if at < 0 {
		at = len(r.messages)
	}
	for _, u := range slices.Backward(r.units) {
		if !u.gone && u.parts[0] < at && at <= u.parts[len(u.parts)-1] {
			at = u.parts[0]
		}
	}
	r.summary = &insertion{at, standIn}
	r.total += standIn.tokens
}
