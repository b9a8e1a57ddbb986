package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"mcp-memory/memory"
)

var filtering = theme{
	"applies inside the search": filtersInside,
	"narrows as Lets does":      filtersAsLets,
}

// crowd is how many messages stand in the way of the few that a filter wants.
func crowd() int {
	if testing.Short() {
		return 200
	}
	return 2000
}

// filtersInside looks for 3 messages behind 2,000 that match better: a filter
// applied after the search would find nothing.
func filtersInside(t *testing.T, s Store) {
	add(t, s, "crowd", numbered(crowd(), 1000, "lamp lamp lamp %d")...)
	few := []string{"wanted 0: a lamp far behind", "wanted 1: a lamp far behind", "wanted 2: a lamp far behind"}
	batch := numbered(3, 0, "wanted %d: a lamp far behind")
	for i := range batch {
		batch[i] = of(memory.RoleTool, batch[i])
	}
	add(t, s, "few", batch...)
	archive(t, s, "crowd", memory.Position{SentAt: at(1 << 20).UnixNano()})
	filters := map[string]memory.Filter{
		"session": {Session: "few"},
		"role":    {Role: memory.RoleTool},
		"until":   {Until: at(3)},
		"hot":     {HotOnly: true},
		"several": {Session: "few", Role: memory.RoleTool, Until: at(3), HotOnly: true},
	}
	queries := map[string]memory.TextQuery{"lamp": {Any: tokens("lamp")}, "nothing": {}}
	for filter, f := range filters {
		for query, q := range queries {
			for _, order := range []memory.Order{memory.BestFirst, memory.NewestFirst} {
				hits, err := s.Match(t.Context(), q, f, order, 0, 3)
				if got := found(t, s, hits); err != nil || !sameSet(got, few) {
					t.Errorf("Match(%s, filter %s, order %d, 3) = %q, %v, want %q", query, filter, order, got, err, few)
				}
			}
			if n, err := s.Count(t.Context(), q, f, 3); err != nil || n != 3 {
				t.Errorf("Count(%s, filter %s, 3) = %d, %v, want 3", query, filter, n, err)
			}
		}
	}
}

// filtersAsLets compares every filter with memory.Filter.Lets.
func filtersAsLets(t *testing.T, s Store) {
	roles := []memory.Role{memory.RoleUser, memory.RoleAssistant, memory.RoleSystem, memory.RoleTool}
	for i := range 24 {
		add(t, s, fmt.Sprintf("s%d", i%3), of(roles[i%4], said(fmt.Sprintf("lamp %d", i), at(i))))
	}
	archive(t, s, "s1", memory.Position{SentAt: at(12).UnixNano()})
	var messages []memory.Message
	for i := range 3 {
		messages = append(messages, transcript(t, s, fmt.Sprintf("s%d", i))...)
	}
	for _, session := range []string{"", "s1", "S1", "nobody"} {
		for _, role := range []memory.Role{"", memory.RoleAssistant} {
			for _, since := range []time.Time{{}, at(8)} {
				for _, until := range []time.Time{{}, at(8), at(20), at(20).Add(1)} {
					for _, hotOnly := range []bool{false, true} {
						checkFilter(t, s, messages, memory.Filter{Session: session, Role: role, Since: since, Until: until, HotOnly: hotOnly})
					}
				}
			}
		}
	}
}

func checkFilter(t *testing.T, s Store, messages []memory.Message, f memory.Filter) {
	t.Helper()
	var want []string
	for _, m := range messages {
		if f.Lets(m.Session, m.Role, m.SentAt, m.Archived) {
			want = append(want, m.Content)
		}
	}
	for query, q := range map[string]memory.TextQuery{"lamp": {Any: tokens("lamp")}, "nothing": {}} {
		if got := match(t, s, q, f, 100); !sameSet(got, want) {
			slices.Sort(got)
			t.Errorf("Match(%s, %+v) = %q, want %q", query, f, got, want)
		}
	}
}
