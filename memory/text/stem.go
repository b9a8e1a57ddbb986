package text

import (
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/russian"
)

// stems remembers the stems of the words met last. It changes no result, only
// the time: stemming takes a microsecond, looking up some tens of nanoseconds.
var stems stemCache

// Limits of the cache: 16,384 words of at most 32 bytes are under 3 MB.
const (
	stemSlots   = 1 << 14
	stemWordMax = 32
)

// stemmed is a folded word and its stem.
type stemmed struct {
	word, stem string
}

// stemCache is a table in which each word has one place, given by its hash; a
// newcomer takes the place of whatever was there. It never grows and needs no
// lock.
type stemCache [stemSlots]atomic.Pointer[stemmed]

// get returns the folded word as a string, with its stem.
func (c *stemCache) get(word []byte) stemmed {
	if len(word) > stemWordMax {
		w := string(word)
		return stemmed{w, stem(w)}
	}
	slot := &c[hash(word)%stemSlots]
	if known := slot.Load(); known != nil && known.word == string(word) {
		return *known
	}
	w := string(word)
	fresh := &stemmed{w, stem(w)}
	slot.Store(fresh)
	return *fresh
}

// hash is FNV-1a.
func hash(word []byte) uint32 {
	h := uint32(2166136261)
	for _, b := range word {
		h = (h ^ uint32(b)) * 16777619
	}
	return h
}

// stem returns the stem of a folded word: by the English rules when all its
// letters are Latin, by the Russian ones when all are Cyrillic. Short words,
// words with digits or marks, and words of other scripts are their own stems.
func stem(word string) string {
	if utf8.RuneCountInString(word) <= 2 {
		return word
	}
	var root string
	switch {
	case all(word, unicode.Latin):
		root = english.Stem(word, true)
	case all(word, unicode.Cyrillic):
		root = russian.Stem(word, true)
	}
	if root == "" {
		return word
	}
	return root
}

// all reports whether each character of word is in the script table.
func all(word string, script *unicode.RangeTable) bool {
	for _, r := range word {
		if !unicode.Is(script, r) {
			return false
		}
	}
	return true
}
