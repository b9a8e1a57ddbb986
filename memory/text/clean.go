package text

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Clean makes a text fit for storing: NUL and each invalid byte of UTF-8 become
// U+FFFD, nothing else changes. It returns how many were replaced; when there
// are none it returns s itself.
func Clean(s string) (clean string, replaced int) {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s, 0
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/16)
	done := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == 0 || r == utf8.RuneError && size == 1 {
			b.WriteString(s[done:i])
			b.WriteRune(utf8.RuneError)
			done = i + size
			replaced++
		}
		i += size
	}
	b.WriteString(s[done:])
	return b.String(), replaced
}

// Visible makes a stored text fit for showing to a model or a person: what
// could hide, reorder or overwrite other text is written out, as in ⟨U+202E⟩.
// Those are control characters (but not line feed, tab, and the carriage return
// before a line feed), bidirectional controls, the line and paragraph
// separators, tag characters and the byte order mark. Joiners and variation
// selectors stay, because scripts and emoji need them. When nothing has to
// change it returns s itself.
func Visible(s string) string {
	var b strings.Builder
	done := 0
	for i, r := range s {
		if !hidden(r) || r == '\r' && strings.HasPrefix(s[i+1:], "\n") {
			continue
		}
		b.WriteString(s[done:i])
		fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		done = i + utf8.RuneLen(r)
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// hidden reports whether Visible writes r out.
func hidden(r rune) bool {
	switch {
	case r < 0x20:
		return r != '\n' && r != '\t'
	case r < 0x7F:
		return false
	case r <= 0x9F,
		r == 0x061C, r == 0x200E, r == 0x200F,
		0x2028 <= r && r <= 0x202E,
		0x2066 <= r && r <= 0x2069,
		r == 0xFEFF,
		0xE0000 <= r && r <= 0xE007F:
		return true
	}
	return false
}
