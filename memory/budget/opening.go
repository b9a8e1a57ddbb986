package budget

// openingText begins a run whose first question is gone.
const openingText = "[Earlier messages of this conversation were left out to fit the context window.]"

// begins says who speaks first in the run after the system messages; "" = nobody.
func (r *run) begins() (role string, at int) {
	for i, m := range r.messages {
		if r.summary != nil && r.summary.at == i {
			return roleUser, i
		}
		if !m.gone && m.role != roleSystem {
			if len(m.results) > 0 && m.role == roleUser {
				return roleTool, i
			}
			return m.role, i
		}
	}
	return "", len(r.messages)
}

// open puts a user's message at the beginning of a run that began with one and no
// longer does: several vendors accept no other, and the model learns that
// something is missing. It does so only where there is room.
func (r *run) open(first string, budget int) {
	role, at := r.begins()
	m := r.said(roleUser, openingText)
	if first != roleUser || role == roleUser || role == "" || r.total+m.tokens > budget {
		return
	}
	r.opening = &insertion{at, m}
	r.total += m.tokens
}

// openingRoom is what the opening may take of a target, which a cut leaves free
// where that is a small part of it.
func (r *run) openingRoom(target int) int {
	room := frame + r.count(openingText)
	if room > target/20 {
		return 0
	}
	return room
}
