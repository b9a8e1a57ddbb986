package extract

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reading is what the cues of a sentence say.
type reading struct {
	rule    bool  // it states a standing rule
	forbids bool  // which says what is not to be done
	cues    []cue // those found, spared ones apart, in order
}

// cue is a cue in a sentence.
type cue struct {
	start, end int // bytes
	strength   strength
	polarity   polarity
}

// reader reads the sentences of one language.
type reader interface {
	// cues returns the cues of a sentence, spared ones included, in any order.
	cues(s string) []cue
	// asks says whether the sentence is a question without its mark.
	asks(s string) bool
	// sign returns where the first phrase of a list begins, or -1.
	sign(s string, list listName) int
}

// listName names one of the plain lists of a language.
type listName uint8

const (
	toDo listName = iota
	notToDo
	forOnce
	inGeneral
	story
	replacing
	listNames // how many there are
)

// list returns the list of that name.
func (l *language) list(name listName) []string {
	return [listNames][]string{l.does, l.forbids, l.once, l.general, l.stories, l.instead}[name]
}

// readersOf returns the readers for the scripts of a sentence.
func readersOf(s string) []reader {
	var kana, han bool
	latin := 0
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			if unicode.IsLetter(r) {
				latin++
			}
		case r != '・' && r != 'ー' && unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana = true
		case unicode.Is(unicode.Han, r):
			han = true
		}
	}
	var readers []reader
	switch {
	case kana:
		readers = append(readers, japaneseReader)
	case han:
		readers = append(readers, chineseReader)
	}
	if latin >= minLatin {
		readers = append(readers, englishReader)
	}
	return readers
}

// minLatin is the number of Latin letters from which a sentence is read as
// English too.
const minLatin = 8

// read reads a sentence. What stands in quotation marks or as code says nothing.
func read(s string) reading {
	s = masked(s)
	var last reading
	for _, r := range readersOf(s) {
		if last = readIn(r, s); last.rule {
			return last
		}
	}
	return last
}

// readIn reads a sentence in one language.
func readIn(r reader, s string) reading {
	found := r.cues(s)
	result := reading{cues: unspared(found)}
	if len(result.cues) == 0 || isQuestion(s) || r.asks(s) || r.sign(s, story) >= 0 {
		return result
	}
	once, general := r.sign(s, forOnce) >= 0, r.sign(s, inGeneral) >= 0
	for _, c := range result.cues {
		if c.strength == strong || !once && (c.strength == plain || general) {
			result.rule, result.forbids = true, forbidden(r, s, c)
			return result
		}
	}
	return result
}

// forbidden says whether a cue, or what follows a neutral one, forbids.
func forbidden(r reader, s string, c cue) bool {
	if c.polarity != neutral {
		return c.polarity == forbids
	}
	no, yes := r.sign(s[c.end:], notToDo), r.sign(s[c.end:], toDo)
	return no >= 0 && (yes < 0 || no <= yes)
}

// unspared drops the spared cues and those that begin inside one, unless they
// begin with it and are longer, and sorts the others; of two that begin together the longer comes first.
func unspared(found []cue) []cue {
	var kept []cue
	for _, c := range found {
		inside := func(o cue) bool {
			return o.strength == spared && o.start <= c.start && c.start < o.end && (o.start < c.start || o.end >= c.end)
		}
		if c.strength != spared && !slices.ContainsFunc(found, inside) {
			kept = append(kept, c)
		}
	}
	slices.SortStableFunc(kept, func(a, b cue) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	return kept
}

// isQuestion says whether a sentence ends with a question mark.
func isQuestion(s string) bool {
	s = strings.TrimRightFunc(s, func(r rune) bool { return !strings.ContainsRune("?？", r) && !unicode.IsLetter(r) })
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？")
}

// masked returns s with a blank for every byte of what stands in quotation
// marks or as code, and of the marks.
func masked(s string) string {
	var closer rune
	start := 0
	var b []byte
	for i, r := range s {
		switch {
		case closer == 0:
			if closer = closers[r]; closer != 0 {
				start = i
			}
		case r == closer:
			if b == nil {
				b = []byte(s)
			}
			for j := start; j < i+utf8.RuneLen(r); j++ {
				b[j] = ' '
			}
			closer = 0
		}
	}
	if b == nil {
		return s
	}
	return string(b)
}

// closers are the marks that end what the keys begin.
var closers = map[rune]rune{'"': '"', '“': '”', '「': '」', '『': '』', '`': '`', '„': '“', '«': '»', '《': '》'}
