package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns s in the form in which words are compared: NFKC (so full width
// becomes ASCII and half-width katakana full width), lower case, without the
// diacritics of Latin, Greek, Cyrillic, Arabic and Hebrew, without invisible
// characters, each invalid byte as U+FFFD. Blanks and punctuation stay, so a
// folded text can be searched for a folded part of it. Vowel signs of other
// scripts and the voicing marks of kana are letters, not diacritics, and stay.
func Fold(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	f := folder{text: s}
	for c, ok := f.next(); ok; c, ok = f.next() {
		b.WriteRune(c.r)
	}
	return b.String()
}

// folded is one character of the folded form and the bytes it came from. The
// characters that one source segment turned into share its bytes.
type folded struct {
	r          rune
	start, end int
	same       bool // text[start:end] is r itself
}

// folder walks over a text and gives its folded characters one by one.
type folder struct {
	text  string
	pos   int      // the next byte to read
	queue []folded // what the last segment became
	head  int      // the next of queue to give out
	buf   []byte
	raw   []byte
}

// next returns the next folded character, or false at the end of the text.
func (f *folder) next() (folded, bool) {
	for f.head == len(f.queue) {
		if f.pos >= len(f.text) {
			return folded{}, false
		}
		if c, ok := f.simple(); ok {
			return c, true
		}
		f.segment()
	}
	c := f.queue[f.head]
	f.head++
	return c, true
}

// seek drops what is queued and goes on at byte pos.
func (f *folder) seek(pos int) {
	f.pos, f.queue, f.head = pos, f.queue[:0], 0
}

// simple reads one character that needs no normalisation: ASCII, or a bare
// letter, when what follows cannot combine with it.
func (f *folder) simple() (folded, bool) {
	start := f.pos
	r, size := utf8.DecodeRuneInString(f.text[start:])
	end := start + size
	if r == utf8.RuneError && size == 1 {
		f.pos = end
		return folded{r: utf8.RuneError, start: start, end: end}, true
	}
	if r >= utf8.RuneSelf && !bare(r) {
		return folded{}, false
	}
	if end < len(f.text) && f.text[end] >= utf8.RuneSelf {
		if after, _ := utf8.DecodeRuneInString(f.text[end:]); !bare(after) {
			return folded{}, false
		}
	}
	f.pos = end
	c := folded{r: lower(r), start: start, end: end}
	c.same = c.r == r
	return c, true
}

// bare reports whether folding a character is simple when no mark or jamo
// follows: a common one of Han, kana, Hangul or Cyrillic, full-width ASCII, or
// the punctuation that goes with them.
func bare(r rune) bool {
	return plain(r) || 'А' <= r && r <= 'я' || '！' <= r && r <= '～' || 0x3001 <= r && r <= 0x3003 || 0x3008 <= r && r <= 0x3011
}

// lower folds ASCII and bare characters. In their ranges the lower-case letter
// is 32 after the upper-case one.
func lower(r rune) rune {
	if '！' <= r && r <= '～' {
		r -= '！' - '!'
	}
	if 'A' <= r && r <= 'Z' || 'А' <= r && r <= 'Я' {
		r += 'a' - 'A'
	}
	return r
}

// segment reads one normalisation segment (a character and all that combines
// with it) into the queue.
func (f *folder) segment() {
	start := f.pos
	end := start + norm.NFKC.NextBoundaryInString(f.text[start:], true)
	if end <= start {
		end = start + 1
	}
	f.seek(end)
	source := f.text[start:end]
	if r, size := utf8.DecodeRuneInString(source); size == len(source) && (norm.NFKC.IsNormalString(source) || tradeMark(r)) {
		f.fold(r, start, end)
		return
	}
	f.buf = norm.NFKC.AppendString(f.buf[:0], source)
	for rest := f.buf; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		f.fold(r, start, end)
		rest = rest[size:]
	}
}

// tradeMark reports whether r is ™ or ℠, which NFKC would make letters of the
// word before them.
func tradeMark(r rune) bool { return r == 0x2122 || r == 0x2120 }

// fold queues what the normalised character r, read from text[start:end],
// becomes: nothing, itself, or some others.
func (f *folder) fold(r rune, start, end int) {
	if ignorable(r) || diacritic(r) {
		return
	}
	small := unicode.ToLower(r)
	if !accented(small) {
		f.spell(small, start, end)
		return
	}
	f.raw = utf8.AppendRune(f.raw[:0], small)
	parts := norm.NFD.Properties(f.raw).Decomposition()
	if parts == nil {
		f.spell(small, start, end)
	}
	for len(parts) > 0 {
		part, size := utf8.DecodeRune(parts)
		if !diacritic(part) {
			f.spell(part, start, end)
		}
		parts = parts[size:]
	}
}

// spell queues the lower-case letter r, taken apart where plain spelling does.
func (f *folder) spell(r rune, start, end int) {
	first, second := spelling(r)
	source, size := utf8.DecodeRuneInString(f.text[start:end])
	f.queue = append(f.queue, folded{r: first, start: start, end: end, same: source == first && size == end-start})
	if second != 0 {
		f.queue = append(f.queue, folded{r: second, start: start, end: end})
	}
}

// spelling returns the one or two letters that people without the right
// keyboard write for r: what Unicode does not call a decomposition.
func spelling(r rune) (first, second rune) {
	switch r {
	case 'ß':
		return 's', 's'
	case 'æ':
		return 'a', 'e'
	case 'œ':
		return 'o', 'e'
	case 'þ':
		return 't', 'h'
	case 'ø':
		return 'o', 0
	case 'ł':
		return 'l', 0
	case 'đ', 'ð':
		return 'd', 0
	case 'ħ':
		return 'h', 0
	case 'ŧ':
		return 't', 0
	case 'ı':
		return 'i', 0
	case 'ς':
		return 'σ', 0
	}
	return r, 0
}

// accented reports whether the lower-case letter r may be a letter with a
// diacritic that folding removes. й is a letter of its own; ё is written е.
func accented(r rune) bool {
	switch {
	case r < 0xC0, r == 'й':
		return false
	case r < 0x0700, 0x1E00 <= r && r <= 0x1FFF:
		return true
	}
	return false
}

// diacritic reports whether r is a mark that folding removes: the marks shared
// by Latin, Greek and Cyrillic, and those of Hebrew and Arabic, with the
// Arabic tatweel, which only stretches a word.
func diacritic(r rune) bool {
	switch {
	case r < 0x0300:
		return false
	case r <= 0x036F, 0x0483 <= r && r <= 0x0489,
		0x0591 <= r && r <= 0x05C7 && unicode.Is(unicode.Mn, r),
		0x0610 <= r && r <= 0x061A, r == 0x0640, 0x064B <= r && r <= 0x065F, r == 0x0670,
		0x06D6 <= r && r <= 0x06ED && unicode.Is(unicode.Mn, r),
		0x08D3 <= r && r <= 0x08FF && unicode.Is(unicode.Mn, r),
		0x1AB0 <= r && r <= 0x1AFF, 0x1DC0 <= r && r <= 0x1DFF,
		0x20D0 <= r && r <= 0x20FF, 0x2DE0 <= r && r <= 0x2DFF, 0xFE20 <= r && r <= 0xFE2F:
		return true
	}
	return false
}
