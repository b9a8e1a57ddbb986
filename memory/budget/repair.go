package budget

import "fmt"

// repair takes out what no endpoint accepts, as an interrupted run leaves it
// behind: results that answer no call, and calls that have no result though the
// run went on, which become text. Calls at the end may still be under way. It
// says what it did.
func (r *run) repair() []string {
	orphans := 0
	for _, u := range r.units {
		orphans += r.withoutOrphans(u)
	}
	broken, open := 0, true // from the end, only calls that may still be answered have been seen
	for i := len(r.units) - 1; i >= 0; i-- {
		u := r.units[i]
		switch {
		case u.gone || u.kind == instruction:
		case u.kind != step || u.open == 0:
			open = false
		case !open:
			r.rewrite(u, note, r.said(roleAssistant, r.stepOf(u).Text()))
			broken++
		default:
			open = false
		}
	}
	var done []string
	if orphans > 0 {
		done = append(done, count(orphans, "tool result")+" whose call is not in messages")
	}
	if broken > 0 {
		done = append(done, fmt.Sprintf("%s that got no result: now text", count(broken, "tool step")))
	}
	return done
}

// withoutOrphans takes the results of a unit out that answer no call, and says how
// many.
func (r *run) withoutOrphans(u *unit) int {
	orphans := 0
	for n := len(u.parts) - 1; n >= 0; n-- {
		i := u.parts[n]
		here := 0
		for _, res := range r.messages[i].results {
			if res.orphan {
				here++
			}
		}
		if here == 0 {
			continue
		}
		orphans += here
		before := r.messages[i].tokens
		left, ok := message{}, false
		if r.messages[i].beside || here < len(r.messages[i].results) {
			left, ok = r.withoutResults(i, func(res result) bool { return res.orphan })
		}
		r.total += left.tokens - before
		u.tokens += left.tokens - before
		if !ok {
			r.messages[i].gone, u.gone = true, u.kind == orphan
			continue
		}
		if r.messages[i] = left; u.kind == orphan {
			u.kind = turn
		}
	}
	return orphans
}

// count writes a number with its noun: "1 message", "2 messages".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
