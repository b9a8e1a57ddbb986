package budget

import "slices"

// pairing joins the results of a run to the calls that they answer.
type pairing struct {
	*run
	steps []*unit       // that have calls without a result, oldest first
	where map[*unit]int // the place of the message with the calls
}

// pair cuts the run into units. A result belongs to the newest open call of its
// id; one without an id to the next open call of the newest step, first of all to
// one of its own tool. Results may come in any order, and between a call and its
// result other messages may stand.
func (r *run) pair() {
	p := pairing{run: r, where: map[*unit]int{}}
	for i := range r.messages {
		m := &r.messages[i]
		switch {
		case len(m.calls) > 0:
			u := &unit{kind: step, parts: []int{i}, open: len(m.calls)}
			r.units = append(r.units, u)
			p.steps, p.where[u] = append(p.steps, u), i
		case len(m.results) > 0:
			p.answer(i)
		default:
			r.units = append(r.units, &unit{kind: m.kindOf(), parts: []int{i}})
		}
	}
	r.units = slices.DeleteFunc(r.units, func(u *unit) bool { return u.parts == nil })
}

// answer gives the results of the i-th message to their calls. A message without
// any is an orphan.
func (p *pairing) answer(i int) {
	var owner *unit
	for n, res := range p.messages[i].results {
		u, c := p.find(res)
		if u == nil {
			p.messages[i].results[n].orphan = true
			continue
		}
		c.result, c.answered = res.text, true
		if u.open--; u.open == 0 {
			p.steps = slices.DeleteFunc(p.steps, func(s *unit) bool { return s == u })
		}
		owner = p.join(owner, u)
	}
	if owner == nil {
		owner = &unit{kind: orphan}
		p.units = append(p.units, owner)
	}
	owner.parts = append(owner.parts, i)
}

// find is the open call that a result answers, and its step; nil = none.
func (p *pairing) find(res result) (*unit, *call) {
	for _, u := range slices.Backward(p.steps) {
		calls := p.messages[p.where[u]].calls
		match := func(c call) bool { return !c.answered && c.id == res.id && (res.id != "" || c.name == res.name) }
		i := slices.IndexFunc(calls, match)
		if i < 0 && res.id == "" {
			i = slices.IndexFunc(calls, func(c call) bool { return !c.answered })
		}
		if i >= 0 {
			return u, &calls[i]
		}
	}
	return nil, nil
}

// join makes one unit of two steps that are answered by one message. Calls of the
// later one that are open still stay so: no vendor answers in two turns.
func (p *pairing) join(a, b *unit) *unit {
	if a == nil || a == b {
		return b
	}
	if p.where[b] < p.where[a] {
		a, b = b, a
	}
	a.parts = append(a.parts, b.parts...)
	slices.Sort(a.parts)
	a.open += b.open
	b.parts, b.open = nil, 0
	p.steps = slices.DeleteFunc(p.steps, func(s *unit) bool { return s == b })
	return a
}
