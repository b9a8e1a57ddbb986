package windows

import "mcp-memory/memory"

// entry is a line of a table.
type entry struct {
	name   name
	tokens int
}

// valid says whether the entry has a name, and a window that a model can have.
func (e entry) valid() bool { return !e.name.empty() && possible(e.tokens) }

func possible(tokens int) bool { return tokens >= memory.MinWindow && tokens <= memory.MaxWindow }

// table is what one source says. A nil table has no models.
type table struct {
	full  map[string]int // by the whole name
	short map[string]int // by the outermost vendor and the model
	bare  map[string]int // by the model alone
}

// newTable makes a table of the entries that are valid. Of two that differ in
// spelling alone the smaller counts.
func newTable(entries []entry) table {
	t := table{full: map[string]int{}, short: map[string]int{}, bare: map[string]int{}}
	said := map[string]map[string]int{} // by model, then by vendor
	for _, e := range entries {
		if !e.valid() {
			continue
		}
		vendor := ""
		if len(e.name.vendors) > 0 {
			vendor = e.name.vendors[0]
		}
		lower(t.full, e.name.key(), e.tokens)
		lower(t.short, vendor+"/"+e.name.model, e.tokens)
		if said[e.name.model] == nil {
			said[e.name.model] = map[string]int{}
		}
		lower(said[e.name.model], vendor, e.tokens)
	}
	for model, by := range said {
		t.bare[model] = agreed(by, maker(model))
	}
	return t
}

// lower puts a number into a map unless a smaller one is there.
func lower(m map[string]int, key string, n int) {
	if old, ok := m[key]; !ok || n < old {
		m[key] = n
	}
}

// agreed is the window of a model that several vendors offer: what is said
// without a vendor, else what its maker says, else what most of them say, and the
// smallest of what equally many say.
func agreed(by map[string]int, maker string) int {
	for _, vendor := range []string{"", maker} {
		if tokens, ok := by[vendor]; ok {
			return tokens
		}
	}
	votes := map[int]int{}
	for _, tokens := range by {
		votes[tokens]++
	}
	best := 0
	for tokens, n := range votes {
		if most := votes[best]; n > most || n == most && tokens < best {
			best = tokens
		}
	}
	return best
}

// find looks a model up: with its vendors first, then without.
func (t *table) find(n name) (int, bool) {
	if t == nil || n.empty() {
		return 0, false
	}
	forms := n.forms()
	for i, vendor := range n.vendors {
		for _, form := range forms {
			if tokens, ok := t.full[join(n.vendors[i:], form)]; ok {
				return tokens, true
			}
			if tokens, ok := t.short[vendor+"/"+form]; ok {
				return tokens, true
			}
		}
	}
	for _, form := range forms {
		if tokens, ok := t.bare[form]; ok {
			return tokens, true
		}
	}
	return 0, false
}
