package text

import (
	"unicode/utf8"
)

// Full-text tables keep letters, numbers, marks and private-use characters.
// What else shall be found is written in private-use characters, in three
// blocks that do not meet:
//
//	U+E000 + byte            the + and # of names like C++ and F#
//	U+E200 + code point>>10  first and
//	U+E800 + code point&3FF  second half of a symbol, as UTF-16 does it
const (
	signBase = 0xE000
	highBase = 0xE200
	lowBase  = 0xE800
	lowBits  = 10
)

// maxSequence is the most code points of one emoji sequence that count.
const maxSequence = 12

// appendSymbol adds the private-use form of r.
func appendSymbol(dst []byte, r rune) []byte {
	dst = utf8.AppendRune(dst, highBase+r>>lowBits)
	return utf8.AppendRune(dst, lowBase+r&(1<<lowBits-1))
}

// appendSigns adds the private-use form of + and #.
func appendSigns(dst []byte, signs string) []byte {
	for i := range len(signs) {
		dst = utf8.AppendRune(dst, signBase+rune(signs[i]))
	}
	return dst
}

// sequence reads the emoji or pictograph that begins s and returns its token
// and its length in bytes. Members joined by ZWJ and the two halves of a flag
// are one symbol. Variation selectors, skin tones and tags are read but do not
// count, as accents do not, so 👍🏽 is found by 👍.
func sequence(s string) (token string, size int) {
	var buf [maxSequence * 6]byte
	encoded := buf[:0]
	for n := 0; ; n++ {
		r, width := utf8.DecodeRuneInString(s[size:])
		size += width
		if n < maxSequence {
			encoded = appendSymbol(encoded, r)
		}
		if next, w := utf8.DecodeRuneInString(s[size:]); n == 0 && regional(r) && regional(next) {
			size += w
			return string(appendSymbol(encoded, next)), size
		}
		size += modifiers(s[size:])
		after, ok := joined(s[size:])
		if !ok {
			return string(encoded), size
		}
		size += after
	}
}

// modifiers returns the length of what only changes the look of the emoji
// before s.
func modifiers(s string) int {
	for i, r := range s {
		if !skinTone(r) && r != 0x20E3 && (r == 0x200D || !ignorable(r)) {
			return i
		}
	}
	return len(s)
}

// joined reports whether s goes on with ZWJ and another pictograph, and the
// length of the ZWJ.
func joined(s string) (int, bool) {
	const zwj = "\u200D"
	if len(s) <= len(zwj) || s[:len(zwj)] != zwj {
		return 0, false
	}
	r, _ := utf8.DecodeRuneInString(s[len(zwj):])
	return len(zwj), pictograph(r)
}

// signsAfter returns the signs that belong to a word ending before rest in a
// letter, and the length of what they were written with. Two or more + always
// belong to it (C++17); a # does unless a letter or digit follows (C#, but not
// issue#42), or when the word is one letter (C#8). A single + joins words and
// stays outside (Ctrl+C, disney+).
func signsAfter(rest string, single bool) (signs string, size int) {
	sign, size, count := signRun(rest)
	switch {
	case sign == '+' && count > 1:
		return "++", size
	case sign == '#':
		next, _ := utf8.DecodeRuneInString(rest[size:])
		if single || !classOf(next).word() {
			return "#", size
		}
	}
	return "", 0
}

// signRun measures the run of equal signs, + or #, that begins s.
func signRun(s string) (sign rune, size, count int) {
	for _, r := range s {
		width := utf8.RuneLen(r)
		switch r {
		case '＋':
			r = '+'
		case '＃':
			r = '#'
		}
		if r != '+' && r != '#' || count > 0 && r != sign {
			break
		}
		sign, size, count = r, size+width, count+1
	}
	return sign, size, count
}
