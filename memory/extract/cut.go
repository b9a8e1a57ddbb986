package extract

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// columns returns the width of r on a screen with fixed columns: two for East
// Asian wide characters, none for marks.
func columns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// cut shortens s to the given number of columns, with … where something went. A
// word of a script with blanks is not parted, if the blank before it is not far.
func cut(s string, limit int) string {
	used, last, blank := 0, 0, 0 // last: the last place where … still fits
	for i, r := range s {
		if used < limit {
			if last = i; unicode.IsSpace(r) {
				blank = i
			}
		}
		if used += columns(r); used > limit {
			return strings.TrimRight(s[:cutAt(s, last, blank)], " ,;:、，；：") + "…"
		}
	}
	return s
}

// cutAt chooses between the last place that fits and the blank before it.
func cutAt(s string, last, blank int) int {
	if next, _ := utf8.DecodeRuneInString(s[last:]); isUnspaced(next) || unicode.IsSpace(next) || blank < last/2 {
		return last
	}
	if before, _ := utf8.DecodeLastRuneInString(s[:last]); isUnspaced(before) {
		return last
	}
	return blank
}

// oneLine returns s with every stretch of blanks as one space, without the
// marks of Markdown around it.
func oneLine(s string) string {
	s = strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "**", "")
	return strings.TrimSpace(bullet.ReplaceAllString(s, ""))
}

// bullet is what makes a line a heading, an item of a list or a row of a table.
var bullet = regexp.MustCompile(`^(?:#{1,6}\s+|[-*+•‣|]\s+(?:\[[ xX]\]\s+)?|\d{1,2}[.)]\s+)+`)

// clip shortens s to the given number of characters, with … where something
// went.
func clip(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	last, blank, count := 0, 0, 0
	for i, r := range s {
		if count++; count == limit {
			last = i
			break
		}
		if unicode.IsSpace(r) {
			blank = i
		}
	}
	return strings.TrimRight(s[:cutAt(s, last, blank)], " ,;:、，；：") + "…"
}
