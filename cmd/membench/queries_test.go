package main

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWorkloads(t *testing.T) {
	t.Parallel()
	texts := newWriter(3).texts(1000)
	loads := workloads(texts, 3)
	if again := workloads(texts, 3); !reflect.DeepEqual(loads, again) {
		t.Error("workloads() of the same seed differ, want them equal")
	}
	words := map[string]int{"1 rare word": 1, "1 common word": 1, "5 words": 5, "20 words": 20, "12 CJK characters": 1}
	for _, load := range loads {
		if len(load.queries) != warmUps+measuredQueries {
			t.Errorf("workload %q has %d queries, want %d", load.kind, len(load.queries), warmUps+measuredQueries)
		}
		for _, query := range load.queries {
			if got := len(strings.Fields(query)); got != words[load.kind] {
				t.Errorf("workload %q has %q with %d words, want %d", load.kind, query, got, words[load.kind])
			}
		}
	}
	rare, common := holding(texts, loads[0].queries[0]), holding(texts, loads[1].queries[0])
	if rare != 1 || common < 100 {
		t.Errorf("the rarest and the most common word are in %d and %d messages of 1000, want 1 and at least 100", rare, common)
	}
	if n := utf8.RuneCountInString(loads[4].queries[0]); n != 12 || holding(texts, loads[4].queries[0]) != 1 {
		t.Errorf("query %q has %d characters, want 12 of one message", loads[4].queries[0], n)
	}
}

func TestWorkloadsOfFewTexts(t *testing.T) {
	t.Parallel()
	for _, load := range workloads(newWriter(3).texts(fewestMessages), 3) {
		for _, query := range load.queries {
			if strings.TrimSpace(query) == "" {
				t.Errorf("workload %q has an empty query", load.kind)
			}
		}
	}
}

// holding counts the texts that have query as a word or, unspaced, as a part.
func holding(texts []string, query string) int {
	n := 0
	for _, text := range texts {
		if words := latinWordsOf(text); words == nil && strings.Contains(text, query) ||
			strings.Contains(" "+strings.Join(words, " ")+" ", " "+query+" ") {
			n++
		}
	}
	return n
}
