package budget

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// shortened is a unit and the text that can stand for it.
type shortened struct {
	*unit
	text message
}

// summariseSteps turns the oldest tool steps into text, as many as bring the run
// down to the target: with a model all of them into one text, else each by rule
// into one of its own. Steps of write_todo come last, each as a text that names
// the tool.
func (e *Engine) summariseSteps(ctx context.Context, r *run, target int) ([]string, error) {
	list := r.shortenable(target)
	var done []string
	if e.Steps != nil {
		said, rest, err := e.askForText(ctx, r, list)
		if err != nil {
			return nil, err
		}
		done, list = said, rest
	}
	for _, s := range list {
		r.rewrite(s.unit, note, s.text)
	}
	if len(list) > 0 {
		done = append(done, count(len(list), "older tool step")+": now text, with the beginning and end of each result")
	}
	return done, nil
}

// shortenable lists the steps to shorten for the target, oldest first, those of
// write_todo at the end, each with its text. A step whose text would be no
// shorter is left as it is, and so is the newest one.
func (r *run) shortenable(target int) []shortened {
	var list []shortened
	left := r.total
	for _, todo := range []bool{false, true} {
		for _, u := range r.units {
			if left <= target {
				return list
			}
			if u.gone || u.keep || u.todo != todo || u.kind != step && u.kind != note {
				continue
			}
			text := r.said(roleAssistant, r.shortNote(u))
			if text.tokens < u.tokens {
				list = append(list, shortened{u, text})
				left -= u.tokens - text.tokens
			}
		}
	}
	return list
}

// askForText has the model write one text for the steps of the list, which stands
// where the last of them stood. What it does not stand for is in rest: steps of
// write_todo, and everything when the model fails or writes more than the rules.
func (e *Engine) askForText(ctx context.Context, r *run, list []shortened) (done []string, rest []shortened, err error) {
	var steps []Step
	var ours []shortened
	var names []string
	room := 0
	for _, s := range list {
		if s.todo || s.kind == note {
			rest = append(rest, s)
			continue
		}
		one := r.stepOf(s.unit)
		ours, steps, names = append(ours, s), append(steps, one), append(names, one.names()...)
		room += s.text.tokens
	}
	if len(ours) == 0 {
		return nil, list, nil
	}
	slices.Sort(names)
	header := notePrefix + strings.Join(slices.Compact(names), ", ") + "]\n"
	text, err := e.Steps(ctx, steps, room-frame-r.count(header))
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if err != nil {
		e.Log.Warn("summarise tool steps", "err", err)
		return nil, list, nil
	}
	m := r.said(roleAssistant, header+strings.TrimSpace(text))
	if strings.TrimSpace(text) == "" || m.tokens > room {
		return nil, list, nil
	}
	for _, s := range ours[:len(ours)-1] {
		r.drop(s.unit)
	}
	r.rewrite(ours[len(ours)-1].unit, note, m)
	return []string{fmt.Sprintf("%s: now one text", count(len(ours), "older tool step"))}, rest, nil
}
