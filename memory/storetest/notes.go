package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
)

var noting = theme{
	"files are listed by path":            listsNotes,
	"a note takes the place of its old":   replacesNotes,
	"an unchanged chunk keeps its id":     keepsChunks,
	"a note without chunks keeps them":    touchesNotes,
	"dropped notes are gone":              dropsNotes,
	"notes are found by their words":      matchesNotes,
	"notes are filtered before the cut":   filtersNotes,
	"notes have neighbours in their file": findsNoteNeighbours,
	"tokens of notes are counted":         countsNoteTokens,
	"versions are numbered and undone":    keepsNoteVersions,
	"only the newest versions are kept":   prunesNoteVersions,
	"a file that was not is told":         tellsNoFile,
	"a daily section is noted once":       notesSections,
}

// day is the stretch of time that note number i is of.
func day(i int) (from, to time.Time) {
	from = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i)
	return from, from.AddDate(0, 0, 1)
}

// note is a file with a chunk for each text.
func note(path string, i int, texts ...string) memory.Note {
	from, to := day(i)
	n := memory.Note{Chunks: []memory.NoteChunk{}, File: memory.NoteFile{
		NoteStat: memory.NoteStat{Path: path, Size: int64(i), ModTime: from.Add(5)}, Source: memory.NoteDaily,
		From: from, To: to, SeenAt: to, Hash: []byte(strings.Join(texts, "|")),
	}}
	for ord, text := range texts {
		n.Chunks = append(n.Chunks, memory.NoteChunk{
			Path: path, Ord: ord, StartLine: 2*ord + 1, EndLine: 2*ord + 2, Heading: "over " + text, Text: text, Hash: []byte(text),
			Head: []string{"headword"}, Tokens: strings.Fields(text), Features: []byte(text), Terms: len(strings.Fields(text)),
		})
	}
	return n
}

func saveNotes(t *testing.T, s Store, list ...memory.Note) {
	t.Helper()
	if err := s.SaveNotes(t.Context(), list); err != nil {
		t.Fatalf("SaveNotes(%d): %v", len(list), err)
	}
}

// matched are the texts of the chunks that satisfy q, sorted, and their ids.
func matched(t *testing.T, s Store, q memory.TextQuery, f memory.NoteFilter) (texts []string, ids map[string]int64) {
	t.Helper()
	hits, err := s.MatchNotes(t.Context(), q, f, memory.BestFirst, 100)
	if err != nil {
		t.Fatalf("MatchNotes(%+v): %v", q, err)
	}
	list := make([]int64, len(hits))
	for i, h := range hits {
		list[i] = h.Chunk
	}
	chunks, err := s.NoteChunks(t.Context(), list)
	if err != nil || len(chunks) != len(hits) {
		t.Fatalf("NoteChunks() = %d, %v, want %d", len(chunks), err, len(hits))
	}
	ids = map[string]int64{}
	for _, c := range chunks {
		texts, ids[c.Text] = append(texts, c.Text), c.ID
	}
	slices.Sort(texts)
	return texts, ids
}

func allOf(tokens ...string) memory.TextQuery { return memory.TextQuery{All: tokens} }

func wantMatched(t *testing.T, s Store, q memory.TextQuery, f memory.NoteFilter, want ...string) {
	t.Helper()
	if got, _ := matched(t, s, q, f); !slices.Equal(got, want) {
		t.Errorf("MatchNotes(%+v, %+v) = %q, want %q", q, f, got, want)
	}
}

func listsNotes(t *testing.T, s Store) {
	b, a := note("b.md", 1, "x"), note("a.md", 2)
	saveNotes(t, s, b, a)
	files, revision, err := s.NoteFiles(t.Context(), 0)
	if err != nil || len(files) != 2 {
		t.Fatalf("NoteFiles() = %+v, %v, want two", files, err)
	}
	for i, want := range []memory.NoteFile{a.File, b.File} {
		if got := files[i]; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("NoteFiles()[%d] = %+v, want %+v", i, got, want)
		}
	}
	if again, same, err := s.NoteFiles(t.Context(), revision); err != nil || again != nil || same != revision {
		t.Errorf("NoteFiles(%d) = %+v, %d, %v, want no list: nothing has changed", revision, again, same, err)
	}
	if err := s.DropNotes(t.Context(), []string{"a.md"}); err != nil {
		t.Fatalf("DropNotes(): %v", err)
	}
	if files, next, err := s.NoteFiles(t.Context(), revision); err != nil || len(files) != 1 || next == revision {
		t.Errorf("NoteFiles(%d) after one was dropped = %+v, %d, %v, want the other and a new revision", revision, files, next, err)
	}
}

func replacesNotes(t *testing.T, s Store) {
	saveNotes(t, s, note("a.md", 1, "old heron", "old goose"), note("b.md", 1, "the heron"))
	saveNotes(t, s, note("a.md", 2, "new goose"))
	wantMatched(t, s, allOf("heron"), memory.NoteFilter{}, "the heron")
	wantMatched(t, s, allOf("goose"), memory.NoteFilter{}, "new goose")
	saveNotes(t, s, note("a.md", 2))
	wantMatched(t, s, allOf("goose"), memory.NoteFilter{})
}

func keepsChunks(t *testing.T, s Store) {
	saveNotes(t, s, note("a.md", 1, "one bird", "two birds", "one bird", "gone"))
	_, before := matched(t, s, allOf("birds"), memory.NoteFilter{})
	saveNotes(t, s, note("a.md", 1, "first of all", "two birds", "one bird"))
	wantMatched(t, s, allOf("bird"), memory.NoteFilter{}, "one bird")
	_, after := matched(t, s, allOf("birds"), memory.NoteFilter{})
	if before["two birds"] == 0 || before["two birds"] != after["two birds"] {
		t.Errorf("id of an unchanged chunk = %d, want %d", after["two birds"], before["two birds"])
	}
	chunks, err := s.NoteChunks(t.Context(), []int64{after["two birds"], 1 << 50})
	if err != nil || len(chunks) != 1 || chunks[0].Ord != 1 || chunks[0].StartLine != 3 || chunks[0].EndLine != 4 || chunks[0].Path != "a.md" || chunks[0].Heading != "over two birds" {
		t.Errorf("NoteChunks() = %+v, %v, want the chunk in its place", chunks, err)
	}
	saveNotes(t, s, note("a.md", 1, "two birds"))
	if chunks, err = s.NoteChunks(t.Context(), []int64{after["two birds"]}); err != nil || len(chunks) != 1 || chunks[0].Ord != 0 || chunks[0].StartLine != 1 {
		t.Errorf("NoteChunks() after it moved = %+v, %v, want its new place", chunks, err)
	}
}

func touchesNotes(t *testing.T, s Store) {
	saveNotes(t, s, note("a.md", 1, "the heron"))
	touched := note("a.md", 4)
	touched.Chunks = nil
	saveNotes(t, s, touched)
	from, _ := day(4)
	wantMatched(t, s, allOf("heron"), memory.NoteFilter{Since: from}, "the heron")
}

func dropsNotes(t *testing.T, s Store) {
	saveNotes(t, s, note("a.md", 1, "the heron"), note("b.md", 1, "the heron flies"))
	if err := s.DropNotes(t.Context(), []string{"a.md", "unknown.md"}); err != nil {
		t.Fatalf("DropNotes(): %v", err)
	}
	wantMatched(t, s, allOf("heron"), memory.NoteFilter{}, "the heron flies")
	freq, err := s.NoteFrequencies(t.Context(), []string{"heron"})
	if err != nil || freq.Documents != 1 || freq.ByToken["heron"] != 1 || freq.MeanTerms != 3 {
		t.Errorf("NoteFrequencies() = %+v, %v, want one chunk of three terms", freq, err)
	}
}

func matchesNotes(t *testing.T, s Store) {
	saveNotes(t, s, note("a.md", 1, "the grey heron", "heron grey the", "部署 署了 了"))
	none := memory.NoteFilter{}
	wantMatched(t, s, allOf("grey", "heron"), none, "heron grey the", "the grey heron")
	wantMatched(t, s, memory.TextQuery{Phrases: [][]string{{"grey", "heron"}}}, none, "the grey heron")
	wantMatched(t, s, memory.TextQuery{Prefix: []string{"部"}}, none, "部署 署了 了")
	wantMatched(t, s, memory.TextQuery{Any: []string{"heron", "了"}}, none, "heron grey the", "the grey heron", "部署 署了 了")
	wantMatched(t, s, memory.TextQuery{Any: []string{"headword"}}, none, "heron grey the", "the grey heron", "部署 署了 了")
	wantMatched(t, s, allOf(`"`), none)
	wantMatched(t, s, memory.TextQuery{}, none)
	hits, err := s.MatchNotes(t.Context(), allOf("heron"), none, memory.NewestFirst, 1)
	if err != nil || len(hits) != 1 {
		t.Fatalf("MatchNotes(newest first) = %+v, %v, want one", hits, err)
	}
	if chunks, err := s.NoteChunks(t.Context(), []int64{hits[0].Chunk}); err != nil || chunks[0].Text != "heron grey the" {
		t.Errorf("MatchNotes(newest first) = %+v, %v, want what was stored last", chunks, err)
	}
}

func filtersNotes(t *testing.T, s Store) {
	core := note("MEMORY.md", 9, "heron of core")
	core.File.Source = memory.NoteCore
	saveNotes(t, s, note("a.md", 1, "heron one"), note("b.md", 2, "heron two"), core)
	from, to := day(2)
	for _, c := range []struct {
		filter memory.NoteFilter
		want   []string
	}{
		{memory.NoteFilter{Source: memory.NoteCore}, []string{"heron of core"}},
		{memory.NoteFilter{Source: memory.NoteProfile}, nil},
		{memory.NoteFilter{Since: from}, []string{"heron of core", "heron two"}},
		{memory.NoteFilter{Since: from.Add(-1)}, []string{"heron of core", "heron one", "heron two"}},
		{memory.NoteFilter{Until: from}, []string{"heron one"}},
		{memory.NoteFilter{Until: from.Add(1)}, []string{"heron one", "heron two"}},
		{memory.NoteFilter{Source: memory.NoteDaily, Since: from, Until: to}, []string{"heron two"}},
	} {
		wantMatched(t, s, allOf("heron"), c.filter, c.want...)
		hits, err := s.MatchNotes(t.Context(), allOf("heron"), c.filter, memory.BestFirst, 1)
		if err != nil || len(hits) != min(1, len(c.want)) {
			t.Errorf("MatchNotes(%+v, 1) = %+v, %v, want %d", c.filter, hits, err, min(1, len(c.want)))
		}
	}
}

func findsNoteNeighbours(t *testing.T, s Store) {
	saveNotes(t, s, note("a.md", 1, "a0", "a1", "a2", "a3", "a4"), note("b.md", 2, "b0", "b1"))
	_, ids := matched(t, s, memory.TextQuery{Any: []string{"a1", "a2", "b1"}}, memory.NoteFilter{})
	list, err := s.NoteNeighbours(t.Context(), []int64{ids["b1"], ids["a2"], ids["a1"], 1 << 50}, 1)
	if err != nil {
		t.Fatalf("NoteNeighbours(): %v", err)
	}
	var got []string
	for _, n := range list {
		from, _ := day(map[string]int{"a.md": 1, "b.md": 2}[n.Session])
		if !n.SentAt.Equal(from) {
			t.Errorf("SentAt of %s = %v, want %v", n.Features, n.SentAt, from)
		}
		got = append(got, fmt.Sprint(n.Session, n.Position.Seq, string(n.Features)))
	}
	if want := []string{"a.md0a0", "a.md1a1", "a.md2a2", "a.md3a3", "b.md0b0", "b.md1b1"}; !slices.Equal(got, want) {
		t.Errorf("NoteNeighbours() = %q, want %q", got, want)
	}
	if none, err := s.NoteNeighbours(t.Context(), nil, 1); err != nil || len(none) != 0 {
		t.Errorf("NoteNeighbours(nil) = %+v, %v, want none", none, err)
	}
}

func countsNoteTokens(t *testing.T, s Store) {
	saveNotes(t, s, note("a.md", 1, "heron heron goose", "heron"))
	freq, err := s.NoteFrequencies(t.Context(), []string{"heron", "goose", "walrus", `"`})
	if err != nil || freq.Documents != 2 || freq.MeanTerms != 2 || freq.ByToken["heron"] != 2 || freq.ByToken["goose"] != 1 || freq.ByToken["walrus"] != 0 {
		t.Errorf("NoteFrequencies() = %+v, %v, want 2 chunks of 2 terms, heron in both", freq, err)
	}
	if messages, err := s.Frequencies(t.Context(), []string{"heron"}); err != nil || messages.Documents != 0 || messages.ByToken["heron"] != 0 {
		t.Errorf("Frequencies() = %+v, %v, want no message to hold it", messages, err)
	}
}

func addVersion(t *testing.T, s Store, path string, before []byte, keep int) int {
	t.Helper()
	v, err := s.AddNoteVersion(t.Context(), memory.NoteVersion{Path: path, Before: before, After: []byte("hash"), At: at(7)}, keep)
	if err != nil {
		t.Fatalf("AddNoteVersion(%s): %v", path, err)
	}
	return v
}

func wantVersion(t *testing.T, s Store, path string, version int, before string) {
	t.Helper()
	v, err := s.NewestNoteVersion(t.Context(), path)
	if version == 0 {
		if !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("NewestNoteVersion(%s) = %+v, %v, want ErrNotFound", path, v, err)
		}
		return
	}
	if err != nil || v.Path != path || v.Version != version || string(v.Before) != before || string(v.After) != "hash" || !v.At.Equal(at(7)) {
		t.Errorf("NewestNoteVersion(%s) = %+v, %v, want version %d of %q", path, v, err, version, before)
	}
}

func keepsNoteVersions(t *testing.T, s Store) {
	wantVersion(t, s, "a", 0, "")
	for i, before := range []string{"one", "two", "three"} {
		if got := addVersion(t, s, "a", []byte(before), 10); got != i+1 {
			t.Errorf("AddNoteVersion() = %d, want %d", got, i+1)
		}
	}
	if got := addVersion(t, s, "b", []byte("other"), 10); got != 1 {
		t.Errorf("AddNoteVersion(another path) = %d, want 1", got)
	}
	wantVersion(t, s, "a", 3, "three")
	for range 2 {
		if err := s.EndNoteVersion(t.Context(), "a", 3); err != nil {
			t.Fatalf("EndNoteVersion(): %v", err)
		}
		wantVersion(t, s, "a", 2, "two")
	}
	if got := addVersion(t, s, "a", []byte("again"), 10); got != 4 {
		t.Errorf("AddNoteVersion() after one was undone = %d, want 4: a number is not used again", got)
	}
	wantVersion(t, s, "b", 1, "other")
}

func prunesNoteVersions(t *testing.T, s Store) {
	for range 5 {
		addVersion(t, s, "a", []byte("x"), 2)
	}
	for version := 5; version > 3; version-- {
		wantVersion(t, s, "a", version, "x")
		if err := s.EndNoteVersion(t.Context(), "a", version); err != nil {
			t.Fatalf("EndNoteVersion(): %v", err)
		}
	}
	wantVersion(t, s, "a", 0, "")
}

func tellsNoFile(t *testing.T, s Store) {
	for i, before := range [][]byte{nil, {}} {
		addVersion(t, s, "a", before, 10)
		v, err := s.NewestNoteVersion(t.Context(), "a")
		if err != nil || (v.Before == nil) != (before == nil) || len(v.Before) != 0 {
			t.Errorf("NewestNoteVersion() %d = %+v, %v, want no file told from an empty one", i, v, err)
		}
	}
}

func notesSections(t *testing.T, s Store) {
	one := memory.DailySection{Day: "2026-03-08", Session: "s", From: 3, To: 9}
	for range 2 {
		if err := s.AddDailySection(t.Context(), one); err != nil {
			t.Fatalf("AddDailySection(): %v", err)
		}
	}
	for _, c := range []struct {
		section memory.DailySection
		want    bool
	}{
		{one, true},
		{memory.DailySection{Day: "2026-03-09", Session: "s", From: 3, To: 9}, false},
		{memory.DailySection{Day: "2026-03-08", Session: "t", From: 3, To: 9}, false},
		{memory.DailySection{Day: "2026-03-08", Session: "s", From: 4, To: 9}, false},
		{memory.DailySection{Day: "2026-03-08", Session: "s", From: 3, To: 8}, false},
	} {
		if has, err := s.HasDailySection(t.Context(), c.section); err != nil || has != c.want {
			t.Errorf("HasDailySection(%+v) = %v, %v, want %v", c.section, has, err, c.want)
		}
	}
}
