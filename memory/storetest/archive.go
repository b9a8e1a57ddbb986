package storetest

import (
	"errors"
	"slices"
	"testing"

	"mcp-memory/memory"
)

var archiving = theme{
	"moves the cut-off":                    movesCutOff,
	"never moves it back":                  neverMovesBack,
	"takes all or nothing":                 archivesToTheEnd,
	"a late message is archived at once":   archivesLate,
	"vectors go":                           dropsVectors,
	"vectors stay when asked":              keepsVectors,
	"archived messages stay to be found":   staysSearchable,
	"is of one session":                    archivesOneSession,
	"refuses an unknown session":           refusesUnknownSession,
	"a new model leaves the archive alone": skipsArchiveForNewModel,
}

// archive moves a cut-off and returns how many messages left hot history.
func archive(t *testing.T, s Store, session string, start memory.Position) int {
	t.Helper()
	moved, err := s.Archive(t.Context(), session, start, false)
	if err != nil {
		t.Fatalf("Archive(%s, %+v): %v", session, start, err)
	}
	return moved
}

// hot are the contents of the hot messages of a session, checked to be the same
// by every method that knows of the cut-off.
func hot(t *testing.T, s Store, session string) []string {
	t.Helper()
	newest, err := s.Newest(t.Context(), session, 10000)
	if err != nil {
		t.Fatalf("Newest(%s): %v", session, err)
	}
	outline, err := s.HotOutline(t.Context(), session)
	if err != nil {
		t.Fatalf("HotOutline(%s): %v", session, err)
	}
	var unarchived []string
	for _, m := range transcript(t, s, session) {
		if !m.Archived {
			unarchived = append(unarchived, m.Content)
		}
	}
	texts := contents(newest)
	if len(outline) != len(texts) || !slices.Equal(unarchived, texts) {
		t.Errorf("hot history by Newest is %q, by Archived %q, by HotOutline %d long; want the same", texts, unarchived, len(outline))
	}
	found := match(t, s, memory.TextQuery{}, memory.Filter{Session: session, HotOnly: true}, 10000)
	if !sameSet(found, texts) {
		t.Errorf("Match(HotOnly) = %q, want the hot messages %q", found, texts)
	}
	return texts
}

func movesCutOff(t *testing.T, s Store) {
	mixed(t, s, "s")
	list := transcript(t, s, "s")
	if moved := archive(t, s, "s", list[3].Position()); moved != 3 {
		t.Errorf("Archive(before 4) = %d, want 3", moved)
	}
	if got, want := hot(t, s, "s"), []string{"4", "5", "6"}; !slices.Equal(got, want) {
		t.Errorf("hot after Archive(before 4) = %q, want %q", got, want)
	}
	if done := add(t, s, "s", said("seven", at(80))); done.HotBytes != int64(len("456seven")) {
		t.Errorf("Append() after Archive = %+v, want 8 hot bytes", done)
	}
	if moved := archive(t, s, "s", list[5].Position()); moved != 2 {
		t.Errorf("Archive(before 6) = %d, want 2 more", moved)
	}
	if got, want := hot(t, s, "s"), []string{"6", "seven"}; !slices.Equal(got, want) {
		t.Errorf("hot after Archive(before 6) = %q, want %q", got, want)
	}
	if got := len(transcript(t, s, "s")); got != 7 {
		t.Errorf("the archive and hot history hold %d messages, want all 7", got)
	}
}

func neverMovesBack(t *testing.T, s Store) {
	mixed(t, s, "s")
	list := transcript(t, s, "s")
	archive(t, s, "s", list[3].Position())
	for _, start := range []memory.Position{list[3].Position(), list[1].Position(), {}} {
		if moved := archive(t, s, "s", start); moved != 0 {
			t.Errorf("Archive(%+v) again = %d, want 0", start, moved)
		}
	}
	if got, want := hot(t, s, "s"), []string{"4", "5", "6"}; !slices.Equal(got, want) {
		t.Errorf("hot after an earlier cut-off = %q, want %q", got, want)
	}
	if done := add(t, s, "s", said("7", at(80))); done.HotBytes != 4 {
		t.Errorf("Append() = %+v, want 4 hot bytes", done)
	}
}

func archivesToTheEnd(t *testing.T, s Store) {
	mixed(t, s, "s")
	if moved := archive(t, s, "s", memory.Position{SentAt: at(1000).UnixNano()}); moved != 6 {
		t.Errorf("Archive(behind the end) = %d, want 6", moved)
	}
	if got := hot(t, s, "s"); len(got) != 0 {
		t.Errorf("hot = %q, want none", got)
	}
	if done := add(t, s, "s", said("later", at(2000))); done.HotBytes != 5 {
		t.Errorf("Append() = %+v, want 5 hot bytes", done)
	}
}

func archivesLate(t *testing.T, s Store) {
	mixed(t, s, "s")
	archive(t, s, "s", transcript(t, s, "s")[4].Position())
	done := add(t, s, "s", said("late", at(15)), said("in time", at(51)))
	if done.Added != 2 || done.HotBytes != int64(len("56in time")) {
		t.Errorf("Append(one before the cut-off) = %+v, want 2 added and 9 hot bytes", done)
	}
	if got, want := hot(t, s, "s"), []string{"5", "6", "in time"}; !slices.Equal(got, want) {
		t.Errorf("hot = %q, want %q", got, want)
	}
	late, err := s.Message(t.Context(), done.FirstID)
	if err != nil || !late.Archived {
		t.Errorf("Message(late) = %+v, %v, want it archived", late, err)
	}
	if moved := archive(t, s, "s", memory.Position{SentAt: at(51).UnixNano()}); moved != 2 {
		t.Errorf("Archive() = %d, want 2: the late message had left already", moved)
	}
	if done := add(t, s, "s", said("x", at(90))); done.HotBytes != int64(len("in timex")) {
		t.Errorf("Append() = %+v, want 8 hot bytes", done)
	}
}

// embedSome stores vectors for the messages named and leaves the rest waiting.
func embedSome(t *testing.T, s Store, named ...string) {
	t.Helper()
	use(t, s, plane)
	var vectors []memory.Vector
	for _, p := range waiting(t, s) {
		if slices.Contains(named, p.Text) {
			vectors = append(vectors, memory.Vector{Ref: p.Ref, Values: []float32{1, 0}})
		}
	}
	save(t, s, plane, vectors)
}

func dropsVectors(t *testing.T, s Store) {
	parted := long(4)
	add(t, s, "s", said("one", at(1)), said("two", at(2)), said(parted, at(3)), said("three", at(4)), said("four", at(5)))
	embedSome(t, s, "one", "three")
	archive(t, s, "s", memory.Position{SentAt: at(4).UnixNano()})
	if got := pendingTexts(waiting(t, s)); !slices.Equal(got, []string{"four"}) {
		t.Errorf("waiting after Archive = %q, want only what is hot", got)
	}
	if got := nearest(t, s, plane, []float32{1, 0}, memory.Filter{}, 10); !slices.Equal(got, []string{"three"}) {
		t.Errorf("Nearest() after Archive = %q, want only what is hot", got)
	}
	wantProgress(t, s, plane, memory.Progress{Indexed: 1, Waiting: 1})
}

func keepsVectors(t *testing.T, s Store) {
	add(t, s, "s", said("one", at(1)), said("two", at(2)), said("three", at(3)))
	embedSome(t, s, "one", "three")
	if moved, err := s.Archive(t.Context(), "s", memory.Position{SentAt: at(3).UnixNano()}, true); err != nil || moved != 2 {
		t.Errorf("Archive(keep vectors) = %d, %v, want 2", moved, err)
	}
	if got := pendingTexts(waiting(t, s)); !slices.Equal(got, []string{"two"}) {
		t.Errorf("waiting after Archive(keep vectors) = %q, want two", got)
	}
	if got := nearest(t, s, plane, []float32{1, 0}, memory.Filter{}, 10); !sameSet(got, []string{"one", "three"}) {
		t.Errorf("Nearest() after Archive(keep vectors) = %q, want one and three", got)
	}
	if got := nearest(t, s, plane, []float32{1, 0}, memory.Filter{HotOnly: true}, 10); !slices.Equal(got, []string{"three"}) {
		t.Errorf("Nearest(HotOnly) = %q, want what is hot", got)
	}
	wantProgress(t, s, plane, memory.Progress{Indexed: 2, Waiting: 1})
}

func staysSearchable(t *testing.T, s Store) {
	add(t, s, "s", said("the red lantern", at(1)), said("the blue lantern", at(2)))
	archive(t, s, "s", memory.Position{SentAt: at(2).UnixNano()})
	q := memory.TextQuery{All: tokens("lantern")}
	if got := match(t, s, q, memory.Filter{}, 10); len(got) != 2 {
		t.Errorf("Match(lantern) = %q, want both", got)
	}
	if got := match(t, s, q, memory.Filter{HotOnly: true}, 10); !slices.Equal(got, []string{"the blue lantern"}) {
		t.Errorf("Match(lantern, HotOnly) = %q, want the hot one", got)
	}
}

func archivesOneSession(t *testing.T, s Store) {
	add(t, s, "a", said("a1", at(1)), said("a2", at(2)))
	add(t, s, "b", said("b1", at(1)), said("b2", at(2)))
	if moved := archive(t, s, "a", memory.Position{SentAt: at(9).UnixNano()}); moved != 2 {
		t.Errorf("Archive(a) = %d, want 2", moved)
	}
	if got := hot(t, s, "b"); !slices.Equal(got, []string{"b1", "b2"}) {
		t.Errorf("hot in b = %q, want it untouched", got)
	}
	if got := match(t, s, memory.TextQuery{}, memory.Filter{HotOnly: true}, 10); !sameSet(got, []string{"b1", "b2"}) {
		t.Errorf("Match(HotOnly) in all sessions = %q, want b1 and b2", got)
	}
}

func refusesUnknownSession(t *testing.T, s Store) {
	if _, err := s.Archive(t.Context(), "nobody", memory.Position{SentAt: 1}, false); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Archive(unknown session) = %v, want ErrNotFound", err)
	}
}

func skipsArchiveForNewModel(t *testing.T, s Store) {
	add(t, s, "s", said("one", at(1)), said("two", at(2)))
	archive(t, s, "s", memory.Position{SentAt: at(2).UnixNano()})
	use(t, s, plane)
	if got := pendingTexts(waiting(t, s)); !slices.Equal(got, []string{"two"}) {
		t.Errorf("waiting for a new model = %q, want only what is hot", got)
	}
}
