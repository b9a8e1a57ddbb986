package extract

import (
	"strings"
	"unicode"
)

// unspacedReader reads a language without blanks between its words.
type unspacedReader struct{ language *language }

var (
	chineseReader  = unspacedReader{&chinese}
	japaneseReader = unspacedReader{&japanese}
)

func (r unspacedReader) cues(s string) []cue {
	begins := r.beginnings(s)
	var found []cue
	for _, list := range r.language.cues {
		for _, p := range list.phrases {
			p, first := strings.CutPrefix(p, "^")
			p, last := strings.CutSuffix(p, "$")
			for from := 0; ; {
				i := strings.Index(s[from:], p)
				if i < 0 {
					break
				}
				start, end := from+i, from+i+len(p)
				if (!first || begins[start]) && (!last || endsSentence(s[end:])) {
					found = append(found, cue{start, end, list.strength, list.polarity})
				}
				from = end
			}
		}
	}
	return found
}

// beginnings returns the places in s where a clause begins, and those behind
// the courtesies there.
func (r unspacedReader) beginnings(s string) map[int]bool {
	places := map[int]bool{}
	begins := true
	for i, c := range s {
		if begins && !unicode.IsSpace(c) && !isClauseMark(c) {
			r.begin(s, i, places)
		}
		begins = isClauseMark(c) || begins && unicode.IsSpace(c)
	}
	return places
}

// begin notes that a clause begins at byte i.
func (r unspacedReader) begin(s string, i int, places map[int]bool) {
	places[i] = true
	for _, courtesy := range r.language.courtesy {
		if strings.HasPrefix(s[i:], courtesy) && !places[i+len(courtesy)] {
			r.begin(s, i+len(courtesy), places)
		}
	}
}

// endsSentence says whether there are no words in rest.
func endsSentence(rest string) bool { return !strings.ContainsFunc(rest, isWordRune) }

func (r unspacedReader) sign(s string, list listName) int {
	first := -1
	for _, p := range r.language.list(list) {
		if i := strings.Index(s, p); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	return first
}

// asks looks at the last characters.
func (r unspacedReader) asks(s string) bool {
	s = strings.TrimRightFunc(s, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsPunct(c) })
	for _, p := range r.language.questions {
		if strings.HasSuffix(s, p) {
			return true
		}
	}
	return false
}
