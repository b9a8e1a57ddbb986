package storetest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"mcp-memory/memory"
)

var limiting = theme{
	"remembers a limit, when and how":  remembersLimit,
	"the smaller limit wins":           keepsSmallerLimit,
	"tells models apart":               tellsModelsApart,
	"refuses what is no window":        refusesBadLimit,
	"of many who learn the least wins": learnsAmongMany,
}

func learn(t *testing.T, s Store, model string, tokens int, kind string) {
	t.Helper()
	if err := s.LearnLimit(t.Context(), memory.LearntLimit{Model: model, Tokens: tokens, Kind: kind}); err != nil {
		t.Fatalf("LearnLimit(%q, %d): %v", model, tokens, err)
	}
}

// wantLimit checks what was learnt of a model; 0 = nothing.
func wantLimit(t *testing.T, s Store, model string, tokens int, kind string) memory.LearntLimit {
	t.Helper()
	got, found, err := s.LearntLimit(t.Context(), model)
	if err != nil || found != (tokens > 0) || got.Tokens != tokens || got.Kind != kind {
		t.Errorf("LearntLimit(%q) = %+v, %v, %v, want %d tokens by %q", model, got, found, err, tokens, kind)
	}
	return got
}

func remembersLimit(t *testing.T, s Store) {
	wantLimit(t, s, "m", 0, "")
	before := time.Now()
	learn(t, s, "m", 4096, "range")
	got := wantLimit(t, s, "m", 4096, "range")
	if got.Model != "m" || got.At.Before(before.Add(-time.Minute)) || got.At.After(time.Now().Add(time.Minute)) {
		t.Errorf("LearntLimit(m) = %+v, want model m, learnt just now", got)
	}
}

func keepsSmallerLimit(t *testing.T, s Store) {
	learn(t, s, "m", 8192, "first")
	first := wantLimit(t, s, "m", 8192, "first")
	learn(t, s, "m", 8192, "equal")
	learn(t, s, "m", 131072, "larger")
	if got := wantLimit(t, s, "m", 8192, "first"); !got.At.Equal(first.At) {
		t.Errorf("LearntLimit(m).At = %v, want it unchanged, %v", got.At, first.At)
	}
	learn(t, s, "m", 8191, "")
	wantLimit(t, s, "m", 8191, "")
}

func tellsModelsApart(t *testing.T, s Store) {
	models := []string{"m", "M", "a/m", "m:free", "it's \"odd\"", "模型", "m%"}
	for i, model := range models {
		learn(t, s, model, 1000+i, "k")
	}
	for i, model := range models {
		wantLimit(t, s, model, 1000+i, "k")
	}
	wantLimit(t, s, "", 0, "")
	wantLimit(t, s, "m ", 0, "")
}

func refusesBadLimit(t *testing.T, s Store) {
	for _, l := range []memory.LearntLimit{
		{Model: "", Tokens: 4096},
		{Model: "m"},
		{Model: "m", Tokens: -1},
		{Model: "m", Tokens: memory.MinWindow - 1},
		{Model: "m", Tokens: memory.MaxWindow + 1},
	} {
		if err := s.LearnLimit(t.Context(), l); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("LearnLimit(%+v) = %v, want ErrInvalid", l, err)
		}
	}
	wantLimit(t, s, "m", 0, "")
	learn(t, s, "least", memory.MinWindow, "")
	learn(t, s, "most", memory.MaxWindow, "")
	wantLimit(t, s, "least", memory.MinWindow, "")
	wantLimit(t, s, "most", memory.MaxWindow, "")
}

func learnsAmongMany(t *testing.T, s Store) {
	var work sync.WaitGroup
	for w := range writers {
		work.Go(func() {
			for b := range batches {
				l := memory.LearntLimit{Model: "m", Tokens: 1000 + (b*7+w*3)%50}
				if err := s.LearnLimit(t.Context(), l); err != nil {
					t.Errorf("LearnLimit(): %v", err)
				}
			}
		})
	}
	work.Wait()
	least := 1000 + 49
	for w := range writers {
		for b := range batches {
			least = min(least, 1000+(b*7+w*3)%50)
		}
	}
	wantLimit(t, s, "m", least, "")
}
