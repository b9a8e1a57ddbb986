package storetest

import (
	"slices"
	"testing"
	"time"

	"mcp-memory/memory"
)

var queueing = theme{
	"offers what needs a vector":         offersPassages,
	"offers parts of a long message":     offersParts,
	"offers again until done":            offersAgain,
	"skips":                              skips,
	"postpones":                          postpones,
	"a duplicate is not queued again":    queuesOnce,
	"a refused batch leaves no trace":    queuesNothingRefused,
	"ignores references that are gone":   ignoresGoneRefs,
	"empty lists of references are fine": takesEmptyLists,
}

func offersPassages(t *testing.T, s Store) {
	use(t, s, plane)
	add(t, s, "s", said("one", at(2)), said("", at(3)), said("?!", at(4)), by("Ann", said(" two\n words ", at(1))))
	add(t, s, "t", said("三つ", at(0)))
	if got, want := pendingTexts(waiting(t, s)), []string{"one", " two\n words ", "三つ"}; !sameSet(got, want) {
		t.Errorf("Waiting() = %q, want %q: the text alone, of messages with words", got, want)
	}
	first, err := s.Waiting(t.Context(), 2)
	if err != nil || len(first) != 2 {
		t.Errorf("Waiting(2) = %d, %v, want 2", len(first), err)
	}
	wantProgress(t, s, plane, memory.Progress{Waiting: 3})
}

func offersParts(t *testing.T, s Store) {
	use(t, s, plane)
	e := said("  "+long(5)+"部署を確認した。\n", at(0))
	add(t, s, "s", e)
	var want []string
	for _, p := range e.Passages {
		if p.Embed {
			want = append(want, e.Message.Content[p.Start:p.End])
		}
	}
	if len(want) < 3 {
		t.Fatalf("the long message has %d parts, want several", len(want))
	}
	if got := pendingTexts(waiting(t, s)); !sameSet(got, want) {
		t.Errorf("Waiting() = %d texts, want the %d parts as they are in the content", len(got), len(want))
	}
}

func offersAgain(t *testing.T, s Store) {
	use(t, s, plane)
	add(t, s, "s", numbered(5, 0, "lamp at %d")...)
	first, again := waiting(t, s), waiting(t, s)
	if !slices.Equal(first, again) {
		t.Errorf("Waiting() again = %+v, want %+v: reading takes nothing off the queue", again, first)
	}
	save(t, s, plane, []memory.Vector{{Ref: first[1].Ref, Values: angle(1)}, {Ref: first[4].Ref, Values: angle(1)}})
	if got, want := waiting(t, s), []memory.Pending{first[0], first[2], first[3]}; !slices.Equal(got, want) {
		t.Errorf("Waiting() after two were saved = %+v, want %+v", got, want)
	}
	wantProgress(t, s, plane, memory.Progress{Indexed: 2, Waiting: 3})
}

func skips(t *testing.T, s Store) {
	use(t, s, plane)
	add(t, s, "s", said("one", at(0)), said("two", at(1)), said("three", at(2)))
	list := waiting(t, s)
	for range 2 {
		if err := s.Skip(t.Context(), plane, []int64{list[0].Ref, list[2].Ref}); err != nil {
			t.Fatalf("Skip(): %v", err)
		}
		if got := waiting(t, s); !slices.Equal(got, list[1:2]) {
			t.Errorf("Waiting() after Skip = %+v, want %+v", got, list[1:2])
		}
	}
	other := memory.EmbeddingModel{Provider: "test", Name: "of before", Dimensions: 2}
	if err := s.Skip(t.Context(), other, []int64{list[1].Ref}); err != nil {
		t.Fatalf("Skip(of a model that is not active): %v", err)
	}
	wantProgress(t, s, plane, memory.Progress{Waiting: 1})
}

func postpones(t *testing.T, s Store) {
	use(t, s, plane)
	add(t, s, "s", said("one", at(0)), said("two", at(1)), said("three", at(2)))
	list := waiting(t, s)
	now := time.Now()
	if err := s.Postpone(t.Context(), []int64{list[0].Ref}, now.Add(time.Hour), "it's \"down\""); err != nil {
		t.Fatalf("Postpone(): %v", err)
	}
	if err := s.Postpone(t.Context(), []int64{list[1].Ref}, now.Add(-time.Minute), "timeout"); err != nil {
		t.Fatalf("Postpone(): %v", err)
	}
	list[1].Tries = 1
	if got := waiting(t, s); !slices.Equal(got, list[1:]) {
		t.Errorf("Waiting() = %+v, want all but the one put off for an hour, %+v", got, list[1:])
	}
	wantProgress(t, s, plane, memory.Progress{Waiting: 3, Failing: 2})
	list[0].Tries = 1
	for range 2 {
		if err := s.OfferAgain(t.Context()); err != nil {
			t.Fatalf("OfferAgain(): %v", err)
		}
		if got := waiting(t, s); !slices.Equal(got, list) {
			t.Errorf("Waiting() after OfferAgain = %+v, want all, %+v", got, list)
		}
	}
	wantProgress(t, s, plane, memory.Progress{Waiting: 3, Failing: 2})
	save(t, s, plane, []memory.Vector{{Ref: list[0].Ref, Values: angle(0)}, {Ref: list[1].Ref, Values: angle(0)}})
	wantProgress(t, s, plane, memory.Progress{Indexed: 2, Waiting: 1})
}

func queuesOnce(t *testing.T, s Store) {
	use(t, s, plane)
	add(t, s, "s", called("a", said("one", at(0))))
	list := waiting(t, s)
	save(t, s, plane, []memory.Vector{{Ref: list[0].Ref, Values: angle(0)}})
	add(t, s, "s", called("a", said("one", at(0))))
	if got := waiting(t, s); len(got) != 0 {
		t.Errorf("Waiting() after a duplicate = %+v, want none", got)
	}
}

func queuesNothingRefused(t *testing.T, s Store) {
	use(t, s, plane)
	if _, err := s.Append(t.Context(), "s", []memory.Entry{said("one", at(0)), of("wizard", said("two", at(1)))}); err == nil {
		t.Fatal("Append(a bad entry) = nil, want an error")
	}
	wantProgress(t, s, plane, memory.Progress{})
}

func ignoresGoneRefs(t *testing.T, s Store) {
	use(t, s, plane)
	gone := []int64{1 << 50, -1, 0}
	if err := s.Skip(t.Context(), plane, gone); err != nil {
		t.Errorf("Skip(unknown): %v", err)
	}
	if err := s.Postpone(t.Context(), gone, time.Now(), "x"); err != nil {
		t.Errorf("Postpone(unknown): %v", err)
	}
	wantProgress(t, s, plane, memory.Progress{})
}

func takesEmptyLists(t *testing.T, s Store) {
	use(t, s, plane)
	if err := s.Skip(t.Context(), plane, nil); err != nil {
		t.Errorf("Skip(nil): %v", err)
	}
	if err := s.Postpone(t.Context(), nil, time.Now(), "x"); err != nil {
		t.Errorf("Postpone(nil): %v", err)
	}
	if err := s.SaveVectors(t.Context(), plane, nil); err != nil {
		t.Errorf("SaveVectors(nil): %v", err)
	}
	if list, err := s.Neighbours(t.Context(), nil, 2); err != nil || len(list) != 0 {
		t.Errorf("Neighbours(nil) = %+v, %v, want none", list, err)
	}
}
