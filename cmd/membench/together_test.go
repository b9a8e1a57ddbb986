package main

import (
	"reflect"
	"testing"
)

func TestTogether(t *testing.T) {
	t.Parallel()
	conversation := func(dataset, conv, text string) corpus {
		return corpus{
			Dataset: dataset, Conv: conv,
			Docs:    []doc{{ID: "D1", Session: "1", Text: text}},
			Queries: []labels{{Question: text + "?", Category: "x", Gold: []string{"D1"}, noOverlap: text == "two"}},
		}
	}
	got := together([]corpus{conversation("many", "a", "one"), conversation("single", "c", "three"), conversation("many", "b", "two")})
	want := []corpus{
		{
			Dataset: "many", Conv: "all",
			Docs: []doc{{ID: "1:D1", Session: "1:1", Text: "one"}, {ID: "2:D1", Session: "2:1", Text: "two"}},
			Queries: []labels{
				{Question: "one?", Category: "x", Gold: []string{"1:D1"}},
				{Question: "two?", Category: "x", Gold: []string{"2:D1"}, noOverlap: true},
			},
		},
		conversation("single", "c", "three"),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("together() = %+v, want %+v", got, want)
	}
	if err := got[0].check(); err != nil {
		t.Errorf("check() of what together() made = %v, want nil", err)
	}
}
