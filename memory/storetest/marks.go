package storetest

import "testing"

var marking = theme{
	"changes with the messages":  marksChange,
	"stays when nothing changes": marksStay,
	"knows what does not exist":  marksUnknown,
}

// mark reads a mark; session "" is all of them.
func mark(t *testing.T, s Store, session string) string {
	t.Helper()
	m, err := s.Mark(t.Context(), session)
	if err != nil {
		t.Fatalf("Mark(%q): %v", session, err)
	}
	return m
}

func marksChange(t *testing.T, s Store) {
	seen := map[string]map[string]bool{"": {}, "a": {}}
	differ := func(when string) {
		t.Helper()
		for session, before := range seen {
			m := mark(t, s, session)
			if before[m] {
				t.Errorf("Mark(%q) %s = %q, which it was before", session, when, m)
			}
			before[m] = true
		}
	}
	differ("of the empty store")
	add(t, s, "a", said("one", at(5)))
	differ("after the first message")
	add(t, s, "a", said("older", at(1)))
	differ("after an older one")
	add(t, s, "a", said("two", at(6)), said("three", at(7)))
	differ("after two at once")
}

func marksStay(t *testing.T, s Store) {
	add(t, s, "a", keyed(said("one", at(0))))
	one, all := mark(t, s, "a"), mark(t, s, "")
	add(t, s, "a", keyed(said("one", at(0)))) // a duplicate
	if got := mark(t, s, "a"); got != one {
		t.Errorf("Mark(a) after a duplicate = %q, want %q as before", got, one)
	}
	if got := mark(t, s, ""); got != all {
		t.Errorf("Mark() after a duplicate = %q, want %q as before", got, all)
	}
	add(t, s, "b", said("one", at(0)))
	if got := mark(t, s, "a"); got != one {
		t.Errorf("Mark(a) after a message in b = %q, want %q as before", got, one)
	}
	if got := mark(t, s, ""); got == all {
		t.Errorf("Mark() after a message in b = %q, as before", got)
	}
}

func marksUnknown(t *testing.T, s Store) {
	if got := mark(t, s, "none"); got != "" {
		t.Errorf("Mark(none) = %q, want empty", got)
	}
	if got := mark(t, s, ""); got == "" {
		t.Error("Mark() of an empty store is empty, want some text")
	}
}
