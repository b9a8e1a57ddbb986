package extract

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/memory/text"
)

// termsOf returns the terms of s that say what it is about, in order, repeated
// ones included.
func termsOf(s string) []string {
	var terms []string
	for t := range text.Tokens(s) {
		if telling(t) {
			terms = append(terms, t.Text)
		}
	}
	return terms
}

// telling says whether a token says what a text is about.
func telling(t text.Token) bool {
	switch t.Kind {
	case text.Word:
		return !text.IsStop(t) && !generic[t.Text] && utf8.RuneCountInString(t.Text) > 1
	case text.Pair:
		return !genericPairs[t.Text] && !strings.ContainsAny(t.Text, particles) && !beginsInHiragana(t.Text)
	}
	return false
}

// beginsInHiragana says whether a pair begins with a character of Japanese
// grammar, as を使 does, rather than with one of a noun or a verb.
func beginsInHiragana(pair string) bool {
	first, _ := utf8.DecodeRuneInString(pair)
	return unicode.Is(unicode.Hiragana, first)
}

// bag counts terms.
type bag map[string]int

// bagOf counts the terms of texts.
func bagOf(texts ...string) bag {
	b := bag{}
	for _, s := range texts {
		b.add(s)
	}
	return b
}

// add counts the terms of s.
func (b bag) add(s string) {
	for _, t := range termsOf(s) {
		b[t]++
	}
}

// size returns how much is said with the different terms: three for a word, one
// for a pair of characters.
func (b bag) size() int {
	n := 0
	for t := range b {
		n += sizeOf(t)
	}
	return n
}

// common returns the size of the terms that b shares with another bag.
func (b bag) common(other bag) int {
	n := 0
	for t := range b {
		if other[t] > 0 {
			n += sizeOf(t)
		}
	}
	return n
}

// sizeOf returns the size of a term.
func sizeOf(term string) int {
	if r, _ := utf8.DecodeRuneInString(term); isUnspaced(r) {
		return 1
	}
	return 3
}

// weights says how much a term tells: the fewer of the given texts it occurs
// in, the more (inverse document frequency, smoothed so that none weighs
// nothing).
type weights struct {
	texts int
	in    map[string]int // the number of texts with the term
}

// weigh returns the weights for the texts with these terms.
func weigh(texts []bag) weights {
	w := weights{len(texts), map[string]int{}}
	for _, b := range texts {
		for t := range b {
			w.in[t]++
		}
	}
	return w
}

// of returns the weight of a term in thousandths: whole numbers, so that a sum
// is the same in whatever order a map gives its terms.
func (w weights) of(term string) int {
	return int(1000 * math.Log(1+float64(w.texts+1)/float64(w.in[term]+1)))
}

// sum returns the weight of all different terms of b.
func (w weights) sum(b bag) int {
	total := 0
	for t := range b {
		total += w.of(t)
	}
	return total
}

// shared returns the terms that a and b share: their weight, and their size.
func (w weights) shared(a, b bag) (weight, size int) {
	for t := range a {
		if b[t] > 0 {
			weight += w.of(t)
			size += sizeOf(t)
		}
	}
	return weight, size
}
