package storetest

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
)

var learning = theme{
	"no model is active at first":            startsWithoutModel,
	"the old model answers until the swap":   answersUntilSwap,
	"what comes in meanwhile is queued":      queuesWhatComesIn,
	"building goes on where it stopped":      resumesBuilding,
	"another beginning drops the one before": dropsUnfinished,
	"the same beginning goes on":             goesOn,
	"what was learnt begins anew":            beginsLearntAnew,
	"what was refused is queued":             queuesRefused,
	"the archive's vectors are built too":    buildsArchive,
	"refuses to begin without dimensions":    refusesToBegin,
	"keeps what was learnt":                  keepsLearnt,
	"one owner has a lease":                  leasesToOne,
	"a lease ends":                           leaseEnds,
}

// second is a model in the making.
var second = memory.LearntModel{
	Model:     memory.EmbeddingModel{Provider: "test", Name: "second", Dimensions: 2},
	TrainedOn: 3,
	Body:      []byte("learnt"),
}

func begin(t *testing.T, s Store, l memory.LearntModel) {
	t.Helper()
	if err := s.BeginModel(t.Context(), l); err != nil {
		t.Fatalf("BeginModel(%s): %v", l.Model.Name, err)
	}
}

func unbuilt(t *testing.T, s Store, n int) []memory.Pending {
	t.Helper()
	list, err := s.Unbuilt(t.Context(), second.Model, n)
	if err != nil {
		t.Fatalf("Unbuilt(%d): %v", n, err)
	}
	return list
}

// build gives passages a vector of the model in the making.
func build(t *testing.T, s Store, list []memory.Pending) {
	t.Helper()
	vectors := make([]memory.Vector, len(list))
	for i, p := range list {
		vectors[i] = memory.Vector{Ref: p.Ref, Values: []float32{0, 1}}
	}
	if err := s.Build(t.Context(), second.Model, vectors, nil, list[len(list)-1].Ref); err != nil {
		t.Fatalf("Build(%d): %v", len(list), err)
	}
}

func activate(t *testing.T, s Store) {
	t.Helper()
	if err := s.ActivateModel(t.Context(), second.Model); err != nil {
		t.Fatalf("ActivateModel(): %v", err)
	}
}

// indexed adds messages and gives each a vector of the first model.
func indexed(t *testing.T, s Store, contents ...string) {
	t.Helper()
	use(t, s, plane)
	for i, c := range contents {
		add(t, s, "s", said(c, at(i)))
	}
	var vectors []memory.Vector
	for _, p := range waiting(t, s) {
		vectors = append(vectors, memory.Vector{Ref: p.Ref, Values: []float32{1, 0}})
	}
	save(t, s, plane, vectors)
}

func wantActive(t *testing.T, s Store, want memory.EmbeddingModel) {
	t.Helper()
	if got, err := s.ActiveModel(t.Context()); err != nil || got != want {
		t.Errorf("ActiveModel() = %+v, %v, want %+v", got, err, want)
	}
}

// foundBy counts what a model finds of everything.
func foundBy(s Store, t *testing.T, model memory.EmbeddingModel) int {
	t.Helper()
	hits, err := s.Nearest(t.Context(), model, []float32{1, 1}, memory.Filter{}, 100)
	if err != nil && !errors.Is(err, memory.ErrUnavailable) {
		t.Fatalf("Nearest(%s): %v", model.Name, err)
	}
	return len(hits)
}

func startsWithoutModel(t *testing.T, s Store) {
	wantActive(t, s, memory.EmbeddingModel{})
	use(t, s, plane)
	wantActive(t, s, plane)
}

func answersUntilSwap(t *testing.T, s Store) {
	indexed(t, s, "one", "two", "three")
	begin(t, s, second)
	build(t, s, unbuilt(t, s, 10))
	wantActive(t, s, plane)
	if n := foundBy(s, t, plane); n != 3 {
		t.Errorf("the old model finds %d before the swap, want 3", n)
	}
	activate(t, s)
	wantActive(t, s, second.Model)
	if before, after := foundBy(s, t, plane), foundBy(s, t, second.Model); before != 0 || after != 3 {
		t.Errorf("after the swap the old model finds %d and the new one %d, want 0 and 3", before, after)
	}
}

func queuesWhatComesIn(t *testing.T, s Store) {
	indexed(t, s, "one", "two")
	begin(t, s, second)
	build(t, s, unbuilt(t, s, 10))
	add(t, s, "s", said("late", at(9)))
	activate(t, s)
	if got := pendingTexts(waiting(t, s)); !slices.Equal(got, []string{"late"}) {
		t.Errorf("the queue after the swap = %q, want what came in meanwhile", got)
	}
	if n := foundBy(s, t, second.Model); n != 2 {
		t.Errorf("the new model finds %d, want 2", n)
	}
}

func resumesBuilding(t *testing.T, s Store) {
	indexed(t, s, "one", "two", strings.Repeat("a long message in parts. ", 100))
	begin(t, s, second)
	seen := 0
	for {
		list := unbuilt(t, s, 2)
		if len(list) == 0 {
			break
		}
		seen += len(list)
		build(t, s, list)
	}
	activate(t, s)
	if n := foundBy(s, t, second.Model); n != seen || seen < 4 {
		t.Errorf("built %d passages in twos, the model finds %d; want the same, at least 4", seen, n)
	}
	if left := waiting(t, s); len(left) != 0 {
		t.Errorf("the queue still has %q", pendingTexts(left))
	}
}

func dropsUnfinished(t *testing.T, s Store) {
	indexed(t, s, "one")
	begin(t, s, second)
	third := second
	third.Model.Name = "third"
	begin(t, s, third)
	if err := s.ActivateModel(t.Context(), second.Model); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("ActivateModel(dropped) = %v, want ErrUnavailable", err)
	}
	if err := s.Build(t.Context(), second.Model, nil, nil, 1); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("Build(dropped) = %v, want ErrUnavailable", err)
	}
	wantActive(t, s, plane)
}

// endpoint is a model in the making that was not learnt here.
var endpoint = memory.LearntModel{Model: second.Model}

func goesOn(t *testing.T, s Store) {
	indexed(t, s, "one", "two", "three")
	begin(t, s, endpoint)
	build(t, s, unbuilt(t, s, 2))
	begin(t, s, endpoint)
	if got := pendingTexts(unbuilt(t, s, 10)); !slices.Equal(got, []string{"three"}) {
		t.Errorf("Unbuilt() after beginning again = %q, want the rest", got)
	}
	if m, p, err := s.Making(t.Context()); err != nil || m != second.Model || p.Indexed != 2 {
		t.Errorf("Making() = %+v, %+v, %v, want two passages of %s", m, p, err, second.Model.Name)
	}
	build(t, s, unbuilt(t, s, 10))
	activate(t, s)
	if n := foundBy(s, t, second.Model); n != 3 {
		t.Errorf("the new model finds %d, want 3", n)
	}
	if m, p, err := s.Making(t.Context()); err != nil || m != (memory.EmbeddingModel{}) || p != (memory.Progress{}) {
		t.Errorf("Making() after the swap = %+v, %+v, %v, want none", m, p, err)
	}
}

func beginsLearntAnew(t *testing.T, s Store) {
	indexed(t, s, "one", "two")
	begin(t, s, second)
	build(t, s, unbuilt(t, s, 1))
	again := second
	again.Body = []byte("learnt from more")
	begin(t, s, again)
	if got := pendingTexts(unbuilt(t, s, 10)); len(got) != 2 {
		t.Errorf("Unbuilt() = %q, want both: the model is another one", got)
	}
	if got, err := s.LearntModel(t.Context(), second.Model); err != nil || string(got.Body) != "learnt from more" {
		t.Errorf("LearntModel() = %q, %v, want the later one", got.Body, err)
	}
}

func queuesRefused(t *testing.T, s Store) {
	indexed(t, s, "one", "two", "three")
	begin(t, s, endpoint)
	list := unbuilt(t, s, 10)
	vectors := []memory.Vector{{Ref: list[0].Ref, Values: []float32{0, 1}}, {Ref: list[2].Ref, Values: []float32{0, 1}}}
	refused := []memory.Refused{{Ref: list[1].Ref, Reason: "not a number"}}
	if err := s.Build(t.Context(), second.Model, vectors, refused, list[2].Ref); err != nil {
		t.Fatal(err)
	}
	if _, p, err := s.Making(t.Context()); err != nil || p.Failing != 1 {
		t.Errorf("Making() = %+v, %v, want one refused", p, err)
	}
	wantProgress(t, s, plane, memory.Progress{Indexed: 3})
	activate(t, s)
	if got := waiting(t, s); len(got) != 1 || got[0].Text != "two" || got[0].Tries != 1 {
		t.Errorf("Waiting() = %+v, want the refused one with its try", got)
	}
	wantProgress(t, s, second.Model, memory.Progress{Indexed: 2, Waiting: 1, Failing: 1})
}

// buildsArchive: vectors that compaction has kept are made again.
func buildsArchive(t *testing.T, s Store) {
	indexed(t, s, "one", "two", "three")
	if _, err := s.Archive(t.Context(), "s", memory.Position{SentAt: at(1).UnixNano()}, true); err != nil {
		t.Fatal(err)
	}
	add(t, s, "s", said("late", at(9)))
	begin(t, s, endpoint)
	if got := pendingTexts(unbuilt(t, s, 10)); !slices.Equal(got, []string{"one", "two", "three", "late"}) {
		t.Errorf("Unbuilt() = %q, want the archive as well", got)
	}
	activate(t, s)
	if got := pendingTexts(waiting(t, s)); !sameSet(got, []string{"one", "two", "three", "late"}) {
		t.Errorf("Waiting() = %q, want the archive as well", got)
	}
}

func refusesToBegin(t *testing.T, s Store) {
	if err := s.BeginModel(t.Context(), memory.LearntModel{Model: memory.EmbeddingModel{Provider: "test", Name: "none"}}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("BeginModel(no dimensions) = %v, want ErrInvalid", err)
	}
}

func keepsLearnt(t *testing.T, s Store) {
	use(t, s, plane)
	begin(t, s, second)
	got, err := s.LearntModel(t.Context(), second.Model)
	if err != nil || got.TrainedOn != 3 || string(got.Body) != "learnt" || got.Model != second.Model {
		t.Errorf("LearntModel() = %+v, %v, want %+v", got, err, second)
	}
	if _, err := s.LearntModel(t.Context(), plane); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("LearntModel(not learnt) = %v, want ErrNotFound", err)
	}
}

func leasesToOne(t *testing.T, s Store) {
	acquire := func(owner string, want bool) {
		t.Helper()
		if got, err := s.Acquire(t.Context(), "work", owner, time.Hour); err != nil || got != want {
			t.Errorf("Acquire(%s) = %v, %v, want %v", owner, got, err, want)
		}
	}
	acquire("ann", true)
	acquire("ann", true)
	acquire("bob", false)
	if err := s.Release(t.Context(), "work", "bob"); err != nil {
		t.Errorf("Release by another: %v", err)
	}
	acquire("bob", false)
	if err := s.Release(t.Context(), "work", "ann"); err != nil {
		t.Errorf("Release: %v", err)
	}
	acquire("bob", true)
}

func leaseEnds(t *testing.T, s Store) {
	if got, err := s.Acquire(t.Context(), "work", "ann", -time.Second); err != nil || !got {
		t.Fatalf("Acquire(over already) = %v, %v", got, err)
	}
	if got, err := s.Acquire(t.Context(), "work", "bob", time.Hour); err != nil || !got {
		t.Errorf("Acquire(after its end) = %v, %v, want it granted", got, err)
	}
}
