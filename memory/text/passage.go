package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Passages cuts s into stretches of at most limit characters (code points),
// none of them blank, that together hold all of it but the blanks around them.
// A stretch ends, if it can, at the last paragraph end past its first third,
// else at the last sentence or line end there, else at the last blank, else
// before a character that does not belong to the one before it (a longer chain
// of marks than the limit is cut all the same). A text within the limit is one
// passage, a blank text none. A limit below 1 means no limit.
func Passages(s string, limit int) []Span {
	var spans []Span
	for start := 0; start < len(s); {
		end := len(s)
		if limit > 0 {
			end = start + passageEnd(s[start:], limit)
		}
		if span := trim(s, start, end); span.End > span.Start {
			spans = append(spans, span)
		}
		start = end + blanks(s[end:])
	}
	return spans
}

// passageEnd returns the length of the first passage of s.
func passageEnd(s string, limit int) int {
	var paragraph, sentence, blank int
	count := 0
	var before rune
	for i, r := range s {
		if i > 0 && count > limit/3 {
			switch {
			case before == '\n' && (r == '\n' || r == '\r'):
				paragraph = i
			case before == '\n' || sentenceEnd(before, r):
				sentence = i
			case unicode.IsSpace(r):
				blank = i
			}
		}
		if count == limit {
			return firstPositive(paragraph, sentence, blank, cuttable(s, i), i)
		}
		count++
		if !closing(r) || !ender(before) {
			before = r
		}
	}
	return len(s)
}

// firstPositive returns the first of its arguments above zero.
func firstPositive(cuts ...int) int {
	for _, cut := range cuts {
		if cut > 0 {
			return cut
		}
	}
	return 0
}

// ender reports whether r can end a sentence.
func ender(r rune) bool { return strings.ContainsRune(".!?;。！？；．｡…", r) }

// closing reports whether r is a bracket or quote that still belongs to the
// sentence that ended before it.
func closing(r rune) bool {
	return r == '"' || r == '\'' || unicode.In(r, unicode.Pe, unicode.Pf)
}

// sentenceEnd reports whether a sentence ends between the characters before and
// next. Marks of scripts that write spaces end one only before a blank, so
// that 41.207 and example.com stay whole.
func sentenceEnd(before, next rune) bool {
	if !ender(before) {
		return false
	}
	return unicode.IsSpace(next) || before >= 0x3000 && !ender(next) && !closing(next)
}

// cuttable returns the last place up to byte i of s where a cut parts no
// character from its marks, or 0.
func cuttable(s string, i int) int {
	for i > 0 && inseparable(s, i) {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return i
}

// inseparable reports whether the characters around byte i of s are one to the
// reader.
func inseparable(s string, i int) bool {
	if i <= 0 || i >= len(s) {
		return false
	}
	after, _ := utf8.DecodeRuneInString(s[i:])
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	return joins(after) || before == 0x200D || regional(before) && regional(after)
}

// trim returns the span s[start:end] without the blanks around it.
func trim(s string, start, end int) Span {
	start += blanks(s[start:end])
	return Span{start, start + len(strings.TrimRightFunc(s[start:end], unicode.IsSpace))}
}

// blanks returns the number of blank bytes that s begins with.
func blanks(s string) int {
	return len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
}
