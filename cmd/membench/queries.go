package main

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	warmUps         = 5   // queries before the measured ones
	measuredQueries = 100 // of each kind
)

// workload is queries of one kind: the warm-ups, then the measured ones.
type workload struct {
	kind    string
	queries []string
}

// workloads makes every kind of query about texts, which must hold sentences
// in Latin letters and others. The same seed makes the same queries.
func workloads(texts []string, seed uint64) []workload {
	rng := rand.New(rand.NewPCG(seed, 1))
	var sentences [][]string
	var unspaced []string
	for _, text := range texts {
		if words := latinWordsOf(text); words != nil {
			sentences = append(sentences, words)
		} else {
			unspaced = append(unspaced, text)
		}
	}
	byCount := wordsByCount(sentences, rng)
	rarest := slices.Clone(byCount)
	slices.Reverse(rarest)
	return []workload{
		newWorkload("1 rare word", func(i int) string { return rarest[i%len(rarest)] }),
		newWorkload("1 common word", func(i int) string { return byCount[i%len(byCount)] }),
		newWorkload("5 words", func(int) string { return excerpt(rng, sentences, byCount, 5) }),
		newWorkload("20 words", func(int) string { return excerpt(rng, sentences, byCount, 20) }),
		newWorkload("12 CJK characters", func(int) string { return stretch(rng, unspaced[rng.IntN(len(unspaced))], 12) }),
	}
}

func newWorkload(kind string, query func(i int) string) workload {
	w := workload{kind: kind, queries: make([]string, warmUps+measuredQueries)}
	for i := range w.queries {
		w.queries[i] = query(i)
	}
	return w
}

// latinWordsOf returns the words of a sentence, lower-cased; nil when it is
// not in Latin letters.
func latinWordsOf(text string) []string {
	if len(text) != utf8.RuneCountInString(text) {
		return nil
	}
	return strings.Fields(strings.ToLower(strings.TrimSuffix(text, ".")))
}

// wordsByCount returns the distinct words, the most frequent first and those
// of equal frequency shuffled.
func wordsByCount(sentences [][]string, rng *rand.Rand) []string {
	counts := make(map[string]int)
	var words []string
	for _, sentence := range sentences {
		for _, word := range sentence {
			if counts[word] == 0 {
				words = append(words, word)
			}
			counts[word]++
		}
	}
	rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	return words
}

// excerpt takes four fifths of n words from one sentence, as far as it has
// them, and the rest from anywhere, all in a random order.
func excerpt(rng *rand.Rand, sentences [][]string, words []string, n int) string {
	query := slices.Clone(sentences[rng.IntN(len(sentences))])
	rng.Shuffle(len(query), func(i, j int) { query[i], query[j] = query[j], query[i] })
	query = query[:min(len(query), n*4/5)]
	for len(query) < n {
		query = append(query, words[rng.IntN(len(words))])
	}
	rng.Shuffle(len(query), func(i, j int) { query[i], query[j] = query[j], query[i] })
	return strings.Join(query, " ")
}

// stretch takes n consecutive characters of text, or all that it has.
func stretch(rng *rand.Rand, text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	start := rng.IntN(len(runes) - n + 1)
	return string(runes[start : start+n])
}
