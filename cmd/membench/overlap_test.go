package main

import "testing"

func TestMarkOverlap(t *testing.T) {
	t.Parallel()
	docs := []doc{
		{ID: "a", Speaker: "Ann", Text: "She painted the old houses."},
		{ID: "b", Speaker: "Bob", Text: "and I did not"},
		{ID: "c", Text: "他住在广州"},
		{ID: "d", Text: "Her house burnt down."},
	}
	for _, tc := range []struct {
		question string
		gold     []string
		want     bool // no overlap
	}{
		{"Who was painting?", []string{"a"}, false},
		{"Who was painting?", []string{"b"}, true},
		{"Which house?", []string{"b", "d"}, false},
		{"What did Ann do?", []string{"a"}, true}, // her name is not in the message
		{"Did I not?", []string{"b"}, true},       // stop words
		{"广州在哪里", []string{"c"}, false},
		{"他在哪里", []string{"c"}, true}, // single characters are no pair
	} {
		c := corpus{Docs: docs, Queries: []labels{{Question: tc.question, Gold: tc.gold}}}
		c.markOverlap()
		if got := c.Queries[0].noOverlap; got != tc.want {
			t.Errorf("markOverlap() of %q and %v = %t, want %t", tc.question, tc.gold, got, tc.want)
		}
	}
}
