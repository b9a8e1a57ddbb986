package storetest

import (
	"errors"
	"slices"
	"testing"

	"mcp-memory/memory"
)

var foldingIn = theme{
	"words are found after the last seen": readsLearntWords,
	"the first to add a word decides":     keepsFirstWord,
	"words belong to one model":           partsWordsByModel,
	"words go with their model":           dropsLearntWords,
	"an unknown model has no words":       refusesWordsOfNoModel,
}

// learntWord is a word with a vector of two bytes that tell it.
func learntWord(hash uint32, vector string) memory.LearntWord {
	return memory.LearntWord{Hash: hash, IDF: 1.5, Scale: .25, Vector: []byte(vector)}
}

func addWords(t *testing.T, s Store, model memory.EmbeddingModel, words ...memory.LearntWord) {
	t.Helper()
	if err := s.AddLearntWords(t.Context(), model, words); err != nil {
		t.Fatalf("AddLearntWords(%s, %d): %v", model.Name, len(words), err)
	}
}

// wantWords checks the words after an id, as "vector" each, and returns the id
// of the last.
func wantWords(t *testing.T, s Store, model memory.EmbeddingModel, after int64, want ...string) int64 {
	t.Helper()
	list, err := s.LearntWords(t.Context(), model, after)
	if err != nil {
		t.Fatalf("LearntWords(%s, %d): %v", model.Name, after, err)
	}
	var got []string
	for _, w := range list {
		if w.ID <= after || w.IDF != 1.5 || w.Scale != .25 {
			t.Errorf("LearntWords(%s, %d) has %+v, want it as it was added, with a larger id", model.Name, after, w)
		}
		got, after = append(got, string(w.Vector)), w.ID
	}
	if !slices.Equal(got, want) {
		t.Errorf("LearntWords(%s) = %q, want %q", model.Name, got, want)
	}
	return after
}

func readsLearntWords(t *testing.T, s Store) {
	use(t, s, plane)
	last := wantWords(t, s, plane, 0)
	addWords(t, s, plane, learntWord(9, "ab"), learntWord(1<<32-1, "cd"))
	last = wantWords(t, s, plane, last, "ab", "cd")
	addWords(t, s, plane, learntWord(3, "ef"))
	last = wantWords(t, s, plane, last, "ef")
	wantWords(t, s, plane, last)
	list, err := s.LearntWords(t.Context(), plane, 0)
	if err != nil || len(list) != 3 || list[1].Hash != 1<<32-1 {
		t.Errorf("LearntWords() = %+v, %v, want all three with their hashes", list, err)
	}
}

func keepsFirstWord(t *testing.T, s Store) {
	use(t, s, plane)
	addWords(t, s, plane, learntWord(1, "ab"))
	addWords(t, s, plane, learntWord(1, "xx"), learntWord(2, "cd"))
	wantWords(t, s, plane, 0, "ab", "cd")
}

func partsWordsByModel(t *testing.T, s Store) {
	use(t, s, plane)
	begin(t, s, second)
	addWords(t, s, plane, learntWord(1, "ab"))
	addWords(t, s, second.Model, learntWord(1, "cd"))
	wantWords(t, s, plane, 0, "ab")
	wantWords(t, s, second.Model, 0, "cd")
}

func dropsLearntWords(t *testing.T, s Store) {
	indexed(t, s, "one")
	addWords(t, s, plane, learntWord(1, "ab"))
	last := wantWords(t, s, plane, 0, "ab")
	begin(t, s, second)
	activate(t, s)
	wantWords(t, s, plane, 0)
	addWords(t, s, second.Model, learntWord(1, "cd"))
	wantWords(t, s, second.Model, last, "cd") // an id is never given twice
}

func refusesWordsOfNoModel(t *testing.T, s Store) {
	use(t, s, plane)
	if err := s.AddLearntWords(t.Context(), second.Model, []memory.LearntWord{learntWord(1, "ab")}); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("AddLearntWords(unknown model) = %v, want ErrUnavailable", err)
	}
	wantWords(t, s, second.Model, 0)
}
