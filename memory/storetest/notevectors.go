package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"mcp-memory/memory"
)

var embeddingNotes = theme{
	"chunks wait for the active model":   waitsNotes,
	"nearest notes pass the filter":      findsNearestNotes,
	"notes that fail are put off":        postponesNotes,
	"notes wait anew for another model":  waitsNotesAnew,
	"what is no vector is not saved":     refusesNoteVectors,
	"vectors of chunks that are gone go": dropsNoteVectors,
}

// noteQueue is what a store gives the index loop of its notes.
type noteQueue interface{ NoteQueue() memory.EmbedQueue }

// waitingNotes are the chunks that need a vector now.
func waitingNotes(t *testing.T, s Store) []memory.Pending {
	t.Helper()
	list, err := s.NoteQueue().Waiting(t.Context(), 100)
	if err != nil {
		t.Fatalf("Waiting(): %v", err)
	}
	return list
}

func saveNoteVectors(t *testing.T, s Store, model memory.EmbeddingModel, vectors ...memory.Vector) {
	t.Helper()
	if err := s.NoteQueue().SaveVectors(t.Context(), model, vectors); err != nil {
		t.Fatalf("SaveVectors(): %v", err)
	}
}

func wantNoteProgress(t *testing.T, s Store, model memory.EmbeddingModel, want memory.Progress) {
	t.Helper()
	if got, err := s.NoteProgress(t.Context(), model); err != nil || got != want {
		t.Errorf("NoteProgress(%s) = %+v, %v, want %+v", model.Name, got, err, want)
	}
}

func waitsNotes(t *testing.T, s Store) {
	plain := note("a.md", 1, "one", "two", "three")
	plain.Chunks[1].Heading = ""
	saveNotes(t, s, plain)
	if got := waitingNotes(t, s); len(got) != 0 {
		t.Errorf("Waiting() without a model = %+v, want none", got)
	}
	use(t, s, plane)
	list := waitingNotes(t, s)
	if got, want := pendingTexts(list), []string{"over one\none", "two", "over three\nthree"}; !slices.Equal(got, want) {
		t.Fatalf("Waiting() = %q, want %q", got, want)
	}
	wantNoteProgress(t, s, plane, memory.Progress{Waiting: 3})
	saveNoteVectors(t, s, plane, memory.Vector{Ref: list[0].Ref, Values: angle(1)})
	if err := s.NoteQueue().Skip(t.Context(), plane, []int64{list[1].Ref}); err != nil {
		t.Fatalf("Skip(): %v", err)
	}
	if got := waitingNotes(t, s); len(got) != 1 || got[0] != list[2] {
		t.Errorf("Waiting() after one was saved and one skipped = %+v, want %+v", got, list[2:])
	}
	wantNoteProgress(t, s, plane, memory.Progress{Indexed: 2, Waiting: 1})
	if got := waiting(t, s); len(got) != 0 {
		t.Errorf("Waiting() of messages = %+v, want none", got)
	}
}

func findsNearestNotes(t *testing.T, s Store) {
	use(t, s, plane)
	core := note("MEMORY.md", 9, "far")
	core.File.Source = memory.NoteCore
	saveNotes(t, s, note("a.md", 1, "near"), note("b.md", 2, "nearer"), core)
	for i, p := range waitingNotes(t, s) {
		saveNoteVectors(t, s, plane, memory.Vector{Ref: p.Ref, Values: angle([]float64{20, 10, 90}[i])})
	}
	nearest := func(f memory.NoteFilter, k int) []memory.NoteHit {
		t.Helper()
		hits, err := s.NearestNotes(t.Context(), plane, angle(0), f, k)
		if err != nil {
			t.Fatalf("NearestNotes(): %v", err)
		}
		return hits
	}
	all := nearest(memory.NoteFilter{}, 9)
	if len(all) != 3 || all[0].Score < all[1].Score || all[1].Score < all[2].Score || all[0].Score > 1 || all[2].Score > .001 {
		t.Errorf("NearestNotes() = %+v, want three by cosine", all)
	}
	if got := nearest(memory.NoteFilter{}, 1); len(got) != 1 || got[0] != all[0] {
		t.Errorf("NearestNotes(1) = %+v, want %+v", got, all[:1])
	}
	if got := nearest(memory.NoteFilter{Source: memory.NoteCore}, 1); len(got) != 1 || got[0].Chunk != all[2].Chunk {
		t.Errorf("NearestNotes(core) = %+v, want the one of core", got)
	}
	from, _ := day(2)
	if got := nearest(memory.NoteFilter{Until: from}, 1); len(got) != 1 || got[0].Chunk != all[1].Chunk {
		t.Errorf("NearestNotes(until) = %+v, want the earliest", got)
	}
	if hits, err := s.NearestNotes(t.Context(), second.Model, angle(0), memory.NoteFilter{}, 5); err != nil || len(hits) != 0 {
		t.Errorf("NearestNotes(unknown model) = %+v, %v, want none", hits, err)
	}
}

func postponesNotes(t *testing.T, s Store) {
	use(t, s, plane)
	saveNotes(t, s, note("a.md", 1, "one", "two"))
	list := waitingNotes(t, s)
	later := time.Now().Add(time.Hour)
	for range 2 {
		if err := s.NoteQueue().Postpone(t.Context(), []int64{list[0].Ref, 1 << 50}, later, "down"); err != nil {
			t.Fatalf("Postpone(): %v", err)
		}
	}
	if got := waitingNotes(t, s); len(got) != 1 || got[0] != list[1] {
		t.Errorf("Waiting() = %+v, want the other one", got)
	}
	wantNoteProgress(t, s, plane, memory.Progress{Waiting: 2, Failing: 1})
	if err := s.OfferAgain(t.Context()); err != nil {
		t.Fatalf("OfferAgain(): %v", err)
	}
	if got := waitingNotes(t, s); len(got) != 2 || got[0].Tries != 2 {
		t.Errorf("Waiting() after OfferAgain = %+v, want both, one with two tries", got)
	}
	saveNoteVectors(t, s, plane, memory.Vector{Ref: list[0].Ref, Values: angle(1)}, memory.Vector{Ref: list[1].Ref, Values: angle(1)})
	wantNoteProgress(t, s, plane, memory.Progress{Indexed: 2})
}

func waitsNotesAnew(t *testing.T, s Store) {
	use(t, s, plane)
	saveNotes(t, s, note("a.md", 1, "one"))
	list := waitingNotes(t, s)
	saveNoteVectors(t, s, plane, memory.Vector{Ref: list[0].Ref, Values: angle(1)})
	begin(t, s, second)
	if got := waitingNotes(t, s); len(got) != 0 {
		t.Errorf("Waiting() while another model is made = %+v, want none", got)
	}
	activate(t, s)
	if got := waitingNotes(t, s); !slices.Equal(got, list) {
		t.Errorf("Waiting() for the other model = %+v, want %+v", got, list)
	}
	if err := s.NoteQueue().SaveVectors(t.Context(), plane, []memory.Vector{{Ref: list[0].Ref, Values: angle(1)}}); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("SaveVectors(of the model of before) = %v, want ErrUnavailable", err)
	}
}

func refusesNoteVectors(t *testing.T, s Store) {
	use(t, s, plane)
	saveNotes(t, s, note("a.md", 1, "one"))
	ref := waitingNotes(t, s)[0].Ref
	for _, c := range []struct {
		values []float32
		want   error
	}{{[]float32{0, 0}, memory.ErrInvalid}, {[]float32{1, 2, 3}, memory.ErrDimension}} {
		if err := s.NoteQueue().SaveVectors(t.Context(), plane, []memory.Vector{{Ref: ref, Values: c.values}}); !errors.Is(err, c.want) {
			t.Errorf("SaveVectors(%v) = %v, want %v", c.values, err, c.want)
		}
	}
	saveNoteVectors(t, s, plane, memory.Vector{Ref: 1 << 50, Values: angle(1)}) // gone meanwhile
	wantNoteProgress(t, s, plane, memory.Progress{Waiting: 1})
}

func dropsNoteVectors(t *testing.T, s Store) {
	use(t, s, plane)
	saveNotes(t, s, note("a.md", 1, "one", "two"), note("b.md", 1, "three"))
	for _, p := range waitingNotes(t, s) {
		saveNoteVectors(t, s, plane, memory.Vector{Ref: p.Ref, Values: angle(1)})
	}
	saveNotes(t, s, note("a.md", 1, "two"))
	if err := s.DropNotes(t.Context(), []string{"b.md"}); err != nil {
		t.Fatalf("DropNotes(): %v", err)
	}
	wantNoteProgress(t, s, plane, memory.Progress{Indexed: 1})
	hits, err := s.NearestNotes(t.Context(), plane, angle(1), memory.NoteFilter{}, 9)
	if err != nil || len(hits) != 1 {
		t.Errorf("NearestNotes() = %+v, %v, want the one chunk that is left", hits, err)
	}
}
