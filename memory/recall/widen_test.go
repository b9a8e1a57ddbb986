package recall_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/recall"
	"mcp-memory/memory/sqlite"
)

// shape writes segments as text: ids in order, hits with a star.
func shape(found *recall.Result) string {
	var segments []string
	for _, s := range found.Segments {
		var list []string
		for i, m := range s.Messages {
			mark := ""
			if s.Hit[i] {
				mark = "*"
			}
			list = append(list, m.ClientID+mark)
		}
		segments = append(segments, strings.Join(list, " "))
	}
	return strings.Join(segments, " | ")
}

func TestWiden(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		hits []int // of 12 messages, numbered from 1; the first is the best
		want string
	}{
		{"one", []int{6}, "m4 m5 m6* m7"},
		{"the first", []int{1}, "m1* m2"},
		{"the last", []int{12}, "m10 m11 m12*"},
		{"neighbours", []int{6, 7}, "m4 m5 m6* m7* m8"},
		{"overlap", []int{6, 8}, "m4 m5 m6* m7 m8* m9"},
		{"side by side, no overlap", []int{4, 8}, "m2 m3 m4* m5 | m6 m7 m8* m9"},
		{"far apart", []int{9, 2}, "m7 m8 m9* m10 | m1 m2* m3"},
		{"a bridge", []int{3, 8, 6}, "m1 m2 m3* m4 m5 m6* m7 m8* m9"},
		{"a bridge after another", []int{2, 5, 11, 4}, "m1 m2* m3 m4* m5* m6 | m9 m10 m11* m12"},
	}
	w := newWorld(t, 0)
	for _, tt := range tests {
		w.hitsInOrder(tt.name, 12, tt.hits)
		found := w.search(recall.Request{Query: "needle", Match: recall.Keyword, Limit: 50, Filter: memory.Filter{Session: tt.name}})
		if got := shape(found); got != tt.want {
			t.Errorf("%s: segments = %s, want %s", tt.name, got, tt.want)
		}
	}
}

// hitsInOrder records n messages m1 … mn, of which a search for needle finds
// the given ones, best first: the shorter, the better.
func (w *world) hitsInOrder(session string, n int, hits []int) {
	w.tb.Helper()
	drafts := make([]memory.Draft, n)
	for i := range drafts {
		drafts[i] = memory.Draft{Role: memory.RoleUser, Content: "hay", ClientID: fmt.Sprint("m", i+1)}
		if place := slices.Index(hits, i+1); place >= 0 {
			drafts[i].Content = "needle" + strings.Repeat(" hay", 2*place)
		}
	}
	w.record(session, drafts...)
}

// TestMergeRandomHits compares the segments of random hits with what their
// definition gives: the union of the stretches −2/+1, cut where no stretch goes
// over the border.
func TestMergeRandomHits(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 2))
	w := newWorld(t, 0)
	for round := range 25 {
		session := fmt.Sprint("s", round)
		n := 10 + random.IntN(40)
		hits := random.Perm(n)[:1+random.IntN(min(n, 20))]
		for i := range hits {
			hits[i]++
		}
		w.hitsInOrder(session, n, hits)
		found := w.search(recall.Request{Query: "needle", Match: recall.Keyword, Limit: 50, Filter: memory.Filter{Session: session}})
		if got, want := shape(found), wantedShape(n, hits); got != want {
			t.Fatalf("seed %d: segments of hits %v among %d = %s, want %s", seed, hits, n, got, want)
		}
	}
}

func wantedShape(n int, hits []int) string {
	joined := make([]bool, n+2) // whether message i and the one before are in one stretch
	for _, h := range hits {
		for i := max(1, h-2) + 1; i <= min(n, h+1); i++ {
			joined[i] = true
		}
	}
	var segments []string
	done := map[int]bool{}
	for _, h := range hits {
		first := h
		for joined[first] {
			first--
		}
		if done[first] {
			continue
		}
		done[first] = true
		var list []string
		for i := first; i == first || joined[i]; i++ {
			mark := ""
			if slices.Contains(hits, i) {
				mark = "*"
			}
			list = append(list, fmt.Sprint("m", i, mark))
		}
		segments = append(segments, strings.Join(list, " "))
	}
	return strings.Join(segments, " | ")
}

// TestWidenCutsLongNeighbours: a hit is whole, what surrounds it is read for
// orientation only.
func TestWidenCutsLongNeighbours(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	long := strings.Repeat("日本", 5000)
	w.say("s1", long, "needle "+long, long)
	found := w.keyword("needle")
	if got := found.Hits[0].Message.Content; got != "needle "+long {
		t.Errorf("the hit has %d bytes, want its %d", len(got), len(long)+7)
	}
	for i, m := range found.Segments[0].Messages {
		if !found.Segments[0].Hit[i] && (len(m.Content) > 2000 || m.Size != len(long)) {
			t.Errorf("neighbour %s has %d bytes of %d, want at most 2000 of %d", m.ClientID, len(m.Content), m.Size, len(long))
		}
	}
	found = w.search(recall.Request{Query: "needle 日本", Match: recall.Semantic})
	for _, m := range found.Segments[0].Messages { // now all are hits
		if len(m.Content) != m.Size {
			t.Errorf("hit %s has %d bytes of %d, want it whole although it is also a neighbour", m.ClientID, len(m.Content), m.Size)
		}
	}
}

// forgetful is a store from which messages vanish between search and widening.
type forgetful struct {
	*sqlite.DB
	gone map[int64]bool
}

func (f forgetful) Around(ctx context.Context, id int64, before, after, maxBytes int) ([]memory.Message, error) {
	if f.gone[id] {
		return nil, memory.NotFoundf("there is no message %d", id)
	}
	return f.DB.Around(ctx, id, before, after, maxBytes)
}

func TestHitDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	added := w.say("s1", "needle one", "needle two", "needle three")
	w.embed()
	r := w.engine(recall.Config{Store: forgetful{w.db, map[int64]bool{added.FirstID + 1: true}}, Embedder: w.embedder})
	for _, match := range []recall.Match{recall.Keyword, recall.Semantic} {
		found := searchWith(t, r, recall.Request{Query: "needle", Match: match})
		if got := sorted(ids(found)); !slices.Equal(got, []string{"m1", "m3"}) {
			t.Errorf("Search(%s) = %q, want m1 and m3: m2 is gone", match, got)
		}
	}
	gone := map[int64]bool{added.FirstID: true, added.FirstID + 1: true, added.FirstID + 2: true}
	found := searchWith(t, w.engine(recall.Config{Store: forgetful{w.db, gone}}), recall.Request{Query: "needle", Match: recall.Keyword})
	if len(found.Hits) > 0 || len(found.Segments) > 0 {
		t.Errorf("Search = %q, want nothing: all are gone", ids(found))
	}
}
