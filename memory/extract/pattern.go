package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// phrase is a phrase of English words as the lists give it, taken apart.
type phrase struct {
	anchored bool
	words    [][]string // each with its alternatives; gap stands for up to maxGap words
	strength strength
	polarity polarity
}

const (
	gap    = "..."
	maxGap = 6
)

// phrasesOf takes the phrases of a list apart.
func phrasesOf(list cueList) []phrase {
	phrases := make([]phrase, len(list.phrases))
	for i, s := range list.phrases {
		p := phrase{strength: list.strength, polarity: list.polarity}
		s, p.anchored = strings.CutPrefix(s, "^ ")
		for w := range strings.FieldsSeq(s) {
			p.words = append(p.words, strings.Split(w, "|"))
		}
		phrases[i] = p
	}
	return phrases
}

// wordIn is a word of a sentence.
type wordIn struct {
	text       string // in lower case
	start, end int
	begins     bool // it begins a clause
}

// at returns behind which word of ws the phrase ends that begins at word i, and
// whether it is there.
func (p *phrase) at(ws []wordIn, i int) (int, bool) {
	if p.anchored && !ws[i].begins {
		return 0, false
	}
	return matchWords(p.words, ws, i)
}

// matchWords matches the words of a phrase from word i on.
func matchWords(pattern [][]string, ws []wordIn, i int) (int, bool) {
	for n, alternatives := range pattern {
		if alternatives[0] == gap {
			for j := i; j <= min(i+maxGap, len(ws)); j++ {
				if end, ok := matchWords(pattern[n+1:], ws, j); ok {
					return end, true
				}
			}
			return 0, false
		}
		if i >= len(ws) || !slices.ContainsFunc(alternatives, func(a string) bool { return matchWord(a, ws[i].text) }) {
			return 0, false
		}
		i++
	}
	return i, true
}

// matchWord matches one word.
func matchWord(pattern, word string) bool {
	switch {
	case pattern == word:
		return true
	case pattern == "~past":
		return pastVerbs[word] || strings.HasSuffix(word, "ed") && !noPast[word]
	case pattern[0] == '*':
		return len(word) > len(pattern) && strings.HasSuffix(word, pattern[1:])
	}
	return false
}

// split cuts a sentence into words. Courtesies do not end the beginning of a
// clause, so "and please never" has "never" there.
func split(s string, courtesies map[string]bool) []wordIn {
	var ws []wordIn
	begins, told := true, false // told: the sentence tells what somebody does
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !isWordRune(r) {
			begins = begins || isClauseMark(r)
			i += size
			continue
		}
		end := i
		if end += strings.IndexFunc(s[i:], func(r rune) bool { return !isWordRune(r) }); end < i {
			end = len(s)
		}
		w := wordIn{text: strings.ToLower(strings.ReplaceAll(s[i:end], "’", "'")), start: i, end: end, begins: begins}
		ws = append(ws, w)
		told = told || len(ws) == 1 && subjects[w.text]
		begins = begins && courtesies[w.text] || conjunctions[w.text] && !told
		i = end
	}
	return ws
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' || r == '’'
}

// isClauseMark says whether a clause ends at r.
func isClauseMark(r rune) bool {
	return strings.ContainsRune(",;:(—–，、；：（。！!…", r)
}

// conjunctions begin a clause of its own in a sentence that asks for something:
// "run the tests and never push", but not "they smile and always help".
var conjunctions = words("and", "but", "so")

// subjects begin a sentence that tells.
var subjects = words(
	"he", "she", "they", "it", "this", "that", "these", "those", "you", "we", "i", "i'm", "i've", "we're", "we've", "it's", "that's", "they're", "he's", "she's", "you're", "there",
)

// words makes a set of words.
func words(list ...string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, w := range list {
		set[w] = true
	}
	return set
}
