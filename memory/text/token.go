package text

import (
	"iter"
	"unicode/utf8"
)

// MaxWord is the length in characters at which a word is cut. What follows in
// the same word (base64, a hash chain) is not looked at, in texts and queries
// alike, so that the index's vocabulary stays sane.
const MaxWord = 64

// Kind says what a token was made of.
type Kind uint8

const (
	// Word is a word of a script that writes spaces, a number, or a mixture.
	Word Kind = iota
	// Pair is two neighbouring characters of a run written without spaces.
	Pair
	// Single is the last character of such a run, or its only one.
	Single
	// Symbol is an emoji or another pictograph.
	Symbol
)

// Token is one unit of the full-text index.
type Token struct {
	// Text is what the index keeps: a folded and stemmed word, a pair or
	// single of folded characters, or a symbol. It consists of letters,
	// numbers, marks and private-use characters and is never empty.
	Text string
	// Word is the folded word that was stemmed; "" for other kinds.
	Word string
	// Start and End are the bytes of the analysed text that it stands for.
	Start, End int
	Kind       Kind
}

// Tokens gives the tokens of s in order, one at a time and in constant memory.
//
// Words are runs of letters, numbers and marks; everything else, also an
// underscore and an apostrophe, separates. Latin words are stemmed by the
// English Snowball rules and Cyrillic ones by the Russian, after folding (see
// Fold); a word with a digit is a name and stays whole. Names like C++ and F#
// keep their signs. A run of Han and kana, of Hangul, or of Thai, Lao, Khmer or
// Myanmar gives its overlapping pairs and then its last character as Single:
// one character is found as the prefix of a token, more by the phrase of their
// pairs. Emoji are one token each; punctuation and other signs give none.
func Tokens(s string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		a := analyser{folder: folder{text: s}, yield: yield}
		a.run()
	}
}

// Terms returns the index forms of s that ranking counts, in order, repeated
// ones included: all but stop words and the Single that ends a run of pairs.
func Terms(s string) []string {
	var terms []string
	for t := range content(Tokens(s)) {
		if !IsStop(t) {
			terms = append(terms, t.Text)
		}
	}
	return terms
}

// content leaves out the Single that only repeats the end of the pair before.
func content(tokens iter.Seq[Token]) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		after := Symbol
		for t := range tokens {
			repeats := t.Kind == Single && after == Pair
			after = t.Kind
			if !repeats && !yield(t) {
				return
			}
		}
	}
}

// analyser makes tokens of folded characters.
type analyser struct {
	folder
	yield func(Token) bool
	word  []byte // the word being read, at most MaxWord characters of it
	runes int    // the number of its characters, also of those beyond MaxWord
}

// run reads the whole text, or until yield has had enough.
func (a *analyser) run() {
	for {
		if start, end := a.asciiWord(); end > start {
			if !a.emitWord(start, end) {
				return
			}
			continue
		}
		c, ok := a.next()
		if !ok || !a.token(c) {
			return
		}
	}
}

// asciiWord skips to the next word and reads it into a.word when nothing but
// ASCII is in and around it. Otherwise end equals start, and the reading goes
// on character by character.
func (a *analyser) asciiWord() (start, end int) {
	if a.head < len(a.queue) {
		return 0, 0
	}
	for a.pos < len(a.text) && a.text[a.pos] < utf8.RuneSelf && classASCII(a.text[a.pos]) == gap && a.alone(a.pos) {
		a.pos++
	}
	a.word, a.runes = a.word[:0], 0
	start, end = a.pos, a.pos
	for end < len(a.text) && a.text[end] < utf8.RuneSelf && classASCII(a.text[end]) != gap {
		b := a.text[end]
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		if a.runes < MaxWord {
			a.word = append(a.word, b)
		}
		a.runes++
		end++
	}
	if end == start || !a.alone(end-1) {
		return start, start
	}
	a.pos = end
	return start, end
}

// alone reports whether no character beyond ASCII follows the byte at i, which
// could be a mark that changes it.
func (a *analyser) alone(i int) bool {
	return i+1 >= len(a.text) || a.text[i+1] < utf8.RuneSelf
}

// token emits the token or tokens that begin with c, and reports whether to go
// on.
func (a *analyser) token(c folded) bool {
	for ok := true; ok; {
		k := classOf(c.r)
		switch {
		case k == gap:
			return true
		case k == symbol:
			return a.emitSymbol(c)
		case k.unspaced():
			var more bool
			if c, ok, more = a.pairs(c, k); !more {
				return false
			}
		default:
			var more bool
			if c, ok, more = a.spelled(c); !more {
				return false
			}
		}
	}
	return true
}

// spelled reads the word that begins with c and emits it. It returns the
// character after it, if any, and whether to go on.
func (a *analyser) spelled(c folded) (after folded, ok, more bool) {
	a.word, a.runes = a.word[:0], 0
	start, end := c.start, c.end
	for ok = true; ok && classOf(c.r).word(); c, ok = a.next() {
		if a.runes < MaxWord {
			a.word = utf8.AppendRune(a.word, c.r)
		}
		a.runes++
		end = c.end
	}
	return c, ok, a.emitWord(start, end)
}

// pairs reads the run of class k that begins with c and emits its pairs and
// its last character.
func (a *analyser) pairs(c folded, k class) (after folded, ok, more bool) {
	last := c
	for c, ok = a.next(); ok && classOf(c.r) == k; c, ok = a.next() {
		if !a.yield(Token{Text: a.join(last, c), Start: last.start, End: c.end, Kind: Pair}) {
			return c, ok, false
		}
		last = c
	}
	return c, ok, a.yield(Token{Text: a.alike(last), Start: last.start, End: last.end, Kind: Single})
}

// join returns the two characters as a string, a part of the text if possible.
func (a *analyser) join(x, y folded) string {
	if x.same && y.same && x.end == y.start {
		return a.text[x.start:y.end]
	}
	return string([]rune{x.r, y.r})
}

// alike returns the character as a string, a part of the text if possible.
func (a *analyser) alike(x folded) string {
	if x.same {
		return a.text[x.start:x.end]
	}
	return string(x.r)
}

// emitWord emits a.word with the signs that belong to it.
func (a *analyser) emitWord(start, end int) bool {
	t := Token{Start: start, End: end, Kind: Word}
	if last, _ := utf8.DecodeLastRune(a.word); classOf(last) == letter {
		signs, size := signsAfter(a.text[end:], a.runes == 1)
		a.word = appendSigns(a.word, signs)
		t.End += size
	}
	known := stems.get(a.word)
	t.Text, t.Word = known.stem, known.word
	return a.yield(t)
}

// emitSymbol emits the emoji that begins with c. One that normalisation made
// stands for itself; else the rest of its sequence is read from the text.
func (a *analyser) emitSymbol(c folded) bool {
	t := Token{Start: c.start, End: c.end, Kind: Symbol}
	if c.same {
		token, size := sequence(a.text[c.start:])
		t.Text, t.End = token, c.start+size
		a.seek(t.End)
	} else {
		t.Text = string(appendSymbol(nil, c.r))
	}
	return a.yield(t)
}
