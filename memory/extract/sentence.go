package extract

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentences gives the sentences of s in order, without the blanks around them.
// A line end ends a sentence; so does a mark like 。 and, before a blank or a
// character of a script without blanks, a mark like the full stop, unless that
// belongs to an abbreviation or to the number of a list. Quotation marks and
// brackets that close behind the mark belong to the sentence.
func sentences(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := 0
		for i := 0; i < len(s); {
			r, size := utf8.DecodeRuneInString(s[i:])
			at := i
			if i += size; r != '\n' && !isEnder(r) {
				continue
			}
			if r != '\n' {
				if i += tail(s[i:]); !isEnd(s[start:at], r, s[i:]) {
					continue
				}
			}
			if sentence := strings.TrimSpace(s[start:i]); sentence != "" && !yield(sentence) {
				return
			}
			start = i
		}
		if sentence := strings.TrimSpace(s[start:]); sentence != "" {
			yield(sentence)
		}
	}
}

// isEnder says whether r can end a sentence.
func isEnder(r rune) bool { return strings.ContainsRune(".!?。！？．｡…", r) }

// tail returns the number of bytes at the start of s that belong to the
// sentence before: further marks, closing quotation marks and brackets.
func tail(s string) int {
	for i, r := range s {
		if !isEnder(r) && r != '"' && r != '\'' && !unicode.In(r, unicode.Pe, unicode.Pf) {
			return i
		}
	}
	return len(s)
}

// isEnd says whether the mark between before and after, with its tail cut off,
// ends a sentence.
func isEnd(before string, mark rune, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	switch {
	case after == "" || mark >= 0x3000:
		return true
	case !unicode.IsSpace(next):
		return mark != '.' && mark != '…' && isUnspaced(next)
	case mark != '.':
		return true
	}
	return !isAbbreviation(before, strings.TrimLeftFunc(after, unicode.IsSpace))
}

// isAbbreviation says whether the full stop between before and after belongs to
// an abbreviation, an initial, or the number of a list.
func isAbbreviation(before, after string) bool {
	word := before[strings.LastIndexFunc(before, func(r rune) bool { return unicode.IsSpace(r) || r == '(' })+1:]
	next, _ := utf8.DecodeRuneInString(after)
	first, size := utf8.DecodeRuneInString(word)
	switch {
	case word == before && isNumber(word): // 1. of a list
		return true
	case size == len(word) && unicode.IsUpper(first) && first != 'I': // J. Smith
		return true
	}
	known, ok := abbreviations[strings.ToLower(word)]
	return ok && (known == opens || unicode.IsLower(next) || unicode.IsDigit(next))
}

// isNumber says whether s consists of ASCII figures.
func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// isUnspaced says whether r is a Han or kana character.
func isUnspaced(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// place says where an abbreviation stands in its sentence.
type place uint8

const (
	opens  place = iota // never at the end: Dr.
	closes              // also at the end: etc.
)

// abbreviations are those with a full stop that need not end a sentence, in
// lower case.
var abbreviations = map[string]place{
	"mr": opens, "mrs": opens, "ms": opens, "dr": opens, "prof": opens, "st": opens, "vs": opens, "fig": opens,
	"e.g": opens, "i.e": opens, "cf": opens, "approx": opens, "resp": opens, "incl": opens, "z.b": opens, "d.h": opens,
	"no": closes, "etc": closes, "inc": closes, "ltd": closes, "co": closes, "corp": closes, "jr": closes, "sr": closes,
	"a.m": closes, "p.m": closes, "u.s": closes, "u.k": closes, "al": closes, "min": closes, "max": closes, "jan": closes,
	"feb": closes, "aug": closes, "sept": closes, "oct": closes, "nov": closes, "dec": closes,
}
