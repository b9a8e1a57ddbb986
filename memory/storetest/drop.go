package storetest

import (
	"errors"
	"slices"
	"testing"

	"mcp-memory/memory"
)

var dropping = theme{
	"takes messages out of the middle":     dropsFromTheMiddle,
	"counts what was hot only":             dropsHotOnly,
	"vectors go and are made again":        dropsAndQueuesVectors,
	"vectors stay when asked":              dropsKeepingVectors,
	"the last one is taken back first":     undropsInTurn,
	"what the cut-off has passed stays":    undropsBehindCutOff,
	"while a model is built":               undropsWhileBuilding,
	"refuses an unknown session":           dropsKnownOnly,
	"dropped messages stay to be found":    findsDropped,
	"another session's messages stay":      dropsOneSession,
	"what is dropped is still a duplicate": dropsDuplicates,
}

// drop takes messages, by their contents, out of hot history.
func drop(t *testing.T, s Store, session string, keepVectors bool, texts ...string) int {
	t.Helper()
	var ids []int64
	for _, m := range transcript(t, s, session) {
		if slices.Contains(texts, m.Content) {
			ids = append(ids, m.ID)
		}
	}
	n, err := s.Drop(t.Context(), session, ids, keepVectors)
	if err != nil {
		t.Fatalf("Drop(%s, %q): %v", session, texts, err)
	}
	return n
}

func undrop(t *testing.T, s Store, session string) int {
	t.Helper()
	n, err := s.Undrop(t.Context(), session)
	if err != nil {
		t.Fatalf("Undrop(%s): %v", session, err)
	}
	return n
}

func wantHot(t *testing.T, s Store, when string, want ...string) {
	t.Helper()
	if got := hot(t, s, "s"); !slices.Equal(got, want) {
		t.Errorf("hot %s = %q, want %q", when, got, want)
	}
}

func dropsFromTheMiddle(t *testing.T, s Store) {
	mixed(t, s, "s")
	if n := drop(t, s, "s", false, "2", "5"); n != 2 {
		t.Errorf("Drop(2, 5) = %d, want 2", n)
	}
	wantHot(t, s, "after Drop", "1", "3", "4", "6")
	if done := add(t, s, "s", said("seven", at(80))); done.HotBytes != int64(len("1346seven")) {
		t.Errorf("Append() after Drop = %+v, want 9 hot bytes", done)
	}
	if n := undrop(t, s, "s"); n != 2 {
		t.Errorf("Undrop() = %d, want 2", n)
	}
	wantHot(t, s, "after Undrop", "1", "2", "3", "4", "5", "6", "seven")
	if done := add(t, s, "s", said("8", at(90))); done.HotBytes != int64(len("123456seven8")) {
		t.Errorf("Append() after Undrop = %+v, want 12 hot bytes", done)
	}
}

func dropsHotOnly(t *testing.T, s Store) {
	mixed(t, s, "s")
	archive(t, s, "s", transcript(t, s, "s")[2].Position())
	if n := drop(t, s, "s", false, "1", "2", "3"); n != 1 {
		t.Errorf("Drop(1, 2, 3 of which two are archived) = %d, want 1", n)
	}
	if n := drop(t, s, "s", false, "3"); n != 0 {
		t.Errorf("Drop(3, again) = %d, want 0", n)
	}
	if n := drop(t, s, "s", false); n != 0 {
		t.Errorf("Drop(none) = %d, want 0", n)
	}
	wantHot(t, s, "after Drop", "4", "5", "6")
}

func dropsAndQueuesVectors(t *testing.T, s Store) {
	add(t, s, "s", said("one", at(1)), said("two", at(2)), said("three", at(3)), said("four", at(4)))
	embedSome(t, s, "one", "three")
	drop(t, s, "s", false, "one", "two")
	if got := nearest(t, s, plane, []float32{1, 0}, memory.Filter{}, 10); !slices.Equal(got, []string{"three"}) {
		t.Errorf("Nearest() after Drop = %q, want only what is hot", got)
	}
	wantProgress(t, s, plane, memory.Progress{Indexed: 1, Waiting: 1})
	undrop(t, s, "s")
	if got := pendingTexts(waiting(t, s)); !sameSet(got, []string{"one", "two", "four"}) {
		t.Errorf("waiting after Undrop = %q, want all without a vector", got)
	}
}

func dropsKeepingVectors(t *testing.T, s Store) {
	add(t, s, "s", said("one", at(1)), said("two", at(2)), said("three", at(3)))
	embedSome(t, s, "one", "two", "three")
	drop(t, s, "s", true, "one")
	wantProgress(t, s, plane, memory.Progress{Indexed: 3})
	undrop(t, s, "s")
	wantProgress(t, s, plane, memory.Progress{Indexed: 3})
}

func undropsInTurn(t *testing.T, s Store) {
	mixed(t, s, "s")
	drop(t, s, "s", false, "1")
	drop(t, s, "s", false, "2", "3")
	undrop(t, s, "s")
	wantHot(t, s, "after one Undrop", "2", "3", "4", "5", "6")
	drop(t, s, "s", false, "6")
	undrop(t, s, "s")
	undrop(t, s, "s")
	wantHot(t, s, "after three", "1", "2", "3", "4", "5", "6")
	if _, err := s.Undrop(t.Context(), "s"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Undrop(with nothing dropped) = %v, want ErrNotFound", err)
	}
}

func undropsBehindCutOff(t *testing.T, s Store) {
	mixed(t, s, "s")
	drop(t, s, "s", false, "2", "4")
	archive(t, s, "s", transcript(t, s, "s")[2].Position())
	if n := undrop(t, s, "s"); n != 1 {
		t.Errorf("Undrop(2, 4 of which one is before the cut-off) = %d, want 1", n)
	}
	wantHot(t, s, "after Undrop", "3", "4", "5", "6")
	if done := add(t, s, "s", said("7", at(80))); done.HotBytes != 5 {
		t.Errorf("Append() = %+v, want 5 hot bytes", done)
	}
}

// What comes back while another model is built has been passed by already.
func undropsWhileBuilding(t *testing.T, s Store) {
	add(t, s, "s", said("one", at(1)), said("two", at(2)))
	embedSome(t, s, "one", "two")
	drop(t, s, "s", false, "one")
	next := memory.EmbeddingModel{Provider: "test", Name: "next", Dimensions: 2}
	if err := s.BeginModel(t.Context(), memory.LearntModel{Model: next}); err != nil {
		t.Fatalf("BeginModel(): %v", err)
	}
	list, err := s.Unbuilt(t.Context(), next, 10)
	if err != nil || len(list) != 1 {
		t.Fatalf("Unbuilt() = %d, %v, want the hot one", len(list), err)
	}
	if err := s.Build(t.Context(), next, []memory.Vector{{Ref: list[0].Ref, Values: []float32{0, 1}}}, nil, list[0].Ref); err != nil {
		t.Fatalf("Build(): %v", err)
	}
	undrop(t, s, "s")
	if err := s.ActivateModel(t.Context(), next); err != nil {
		t.Fatalf("ActivateModel(): %v", err)
	}
	if got := pendingTexts(waiting(t, s)); !slices.Equal(got, []string{"one"}) {
		t.Errorf("waiting for the new model = %q, want what came back meanwhile", got)
	}
}

func dropsKnownOnly(t *testing.T, s Store) {
	if _, err := s.Drop(t.Context(), "nobody", []int64{1}, false); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Drop(unknown session) = %v, want ErrNotFound", err)
	}
	if _, err := s.Undrop(t.Context(), "nobody"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Undrop(unknown session) = %v, want ErrNotFound", err)
	}
}

func findsDropped(t *testing.T, s Store) {
	add(t, s, "s", said("the red lantern", at(1)), said("the blue lantern", at(2)))
	drop(t, s, "s", false, "the red lantern")
	q := memory.TextQuery{All: tokens("lantern")}
	if got := match(t, s, q, memory.Filter{}, 10); len(got) != 2 {
		t.Errorf("Match(lantern) = %q, want both", got)
	}
	if got := match(t, s, q, memory.Filter{HotOnly: true}, 10); !slices.Equal(got, []string{"the blue lantern"}) {
		t.Errorf("Match(lantern, HotOnly) = %q, want the hot one", got)
	}
	if list := transcript(t, s, "s"); !list[0].Archived || list[1].Archived {
		t.Errorf("Archived = %v, %v, want true, false", list[0].Archived, list[1].Archived)
	}
	drop(t, s, "s", false, "the blue lantern") // as a second compaction
	near, err := s.Neighbours(t.Context(), []memory.Hit{{MessageID: transcript(t, s, "s")[1].ID}}, 1)
	if err != nil || len(near) != 2 || !near[0].Archived || !near[1].Archived {
		t.Errorf("Neighbours() = %+v, %v, want two archived messages", near, err)
	}
}

func dropsOneSession(t *testing.T, s Store) {
	add(t, s, "s", said("a", at(1)))
	add(t, s, "other", said("b", at(1)))
	if n, err := s.Drop(t.Context(), "s", []int64{transcript(t, s, "other")[0].ID}, false); err != nil || n != 0 {
		t.Errorf("Drop(s, a message of another session) = %d, %v, want 0", n, err)
	}
	if got := hot(t, s, "other"); len(got) != 1 {
		t.Errorf("hot in the other session = %q, want it untouched", got)
	}
}

func dropsDuplicates(t *testing.T, s Store) {
	add(t, s, "s", called("c1", said("a", at(1))), called("c2", said("b", at(2))))
	drop(t, s, "s", false, "a")
	if done := add(t, s, "s", called("c1", said("a", at(1)))); done.Duplicates != 1 || done.HotBytes != 1 {
		t.Errorf("Append(what is dropped) = %+v, want a duplicate", done)
	}
}
