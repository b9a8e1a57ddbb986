package tokens

import (
	"hash/maphash"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// What is remembered, and what is counted at one go.
const (
	longText     = 256     // bytes; the count of a shorter text is put together again
	keptTexts    = 1 << 14 // counts of long texts
	keptWords    = 1 << 15 // counts of stretches between blanks
	longestWord  = 32      // bytes of a stretch that is remembered
	longestPiece = 4 << 10 // bytes; a text without blanks is cut, so that it takes no longer than another
	longestBlank = 128     // bytes of white space, for which the library's time grows with the square
)

// vocabulary is one tokenizer, loaded on first use, and what it has counted.
type vocabulary struct {
	load  sync.Once
	codec *codec.Codec
	seed  maphash.Seed
	texts cache[uint64] // by hash
	words cache[string]
}

// count returns the number of tokens of a text. The name is of the tokenizer to
// load.
func (v *vocabulary) count(name, s string) int {
	v.load.Do(func() { v.open(name) })
	if len(s) < longText {
		return v.add(s)
	}
	key := maphash.String(v.seed, s)
	n, known := v.texts.get(key)
	if !known {
		n = v.add(s)
		v.texts.put(key, n)
	}
	return n
}

// open loads the vocabulary: some 5 MB for cl100k, 9 MB for o200k. The library's own
// choice by name would link two more, which no model of today has.
func (v *vocabulary) open(name string) {
	v.codec = codec.NewCl100kBase()
	if name == O200k {
		v.codec = codec.NewO200kBase()
	}
	v.seed = maphash.MakeSeed()
	v.texts.max, v.words.max = keptTexts, keptWords
}

// add adds up the counts of the stretches of a text. No token reaches over the
// border of two, so that the sum is the count of the whole, but for a text that
// has none in longestPiece bytes, or more than longestBlank bytes of white space.
func (v *vocabulary) add(s string) int {
	sum := 0
	for len(s) > 0 {
		n := stretch(s)
		sum += v.piece(s[:n])
		s = s[n:]
	}
	return sum
}

// piece is the count of one stretch.
func (v *vocabulary) piece(s string) int {
	if len(s) > longestWord {
		return v.encode(s)
	}
	if n, known := v.words.get(s); known {
		return n
	}
	n := v.encode(s)
	v.words.put(strings.Clone(s), n)
	return n
}

// encode asks the library. An error, which only its regular expression could
// make, leaves the estimate.
func (v *vocabulary) encode(s string) int {
	n, err := v.codec.Count(s)
	if err != nil {
		return Estimate(s)
	}
	return n
}

// stretch is the length of what s begins with, up to a blank between the end of a
// word or sign and a letter: both vocabularies begin a token there, always.
func stretch(s string) int {
	blanks := 0
	for i := range min(len(s), longestPiece) {
		if kindOf(s[i]) != gap {
			blanks = 0
			continue
		}
		if blanks++; blanks > longestBlank {
			return i
		}
		if i > 0 && s[i] == ' ' && begins(s, i) {
			return i
		}
	}
	if len(s) <= longestPiece {
		return len(s)
	}
	cut := longestPiece
	for cut > longestPiece-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return cut
}

// begins says whether a token begins with the blank at i, whatever else is in s.
func begins(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+1:])
	return !unicode.IsSpace(before) && unicode.IsLetter(after)
}
