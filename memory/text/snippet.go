package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	ellipsis = "…"
	// slack is how many characters a cut may move to fall between words.
	slack = 16
)

// Snippet returns the part of s that shows best why it answers q: at most max
// characters (code points), centred on the place where the most different terms
// of q stand together, with … where text was cut. Words that only contain a
// term count when there is no whole match; without any match it is the
// beginning of s. A text within max comes back whole; a max below 1 gives "".
func Snippet(s string, q Query, max int) string {
	if max < 1 {
		return ""
	}
	if fits(s, max) {
		return s
	}
	room := max - 2*utf8.RuneCountInString(ellipsis)
	if room < 1 {
		return ellipsis
	}
	terms := q.content()
	place, ok := densest(s, room, wholeMatch(terms))
	if !ok {
		place, _ = densest(s, room, partMatch(terms))
	}
	return excerpt(s, place, max)
}

// fits reports whether s has at most max characters.
func fits(s string, max int) bool {
	if len(s) <= max {
		return true
	}
	return len(s) <= max*utf8.UTFMax && utf8.RuneCountInString(s) <= max
}

// matcher returns the number of the query term that t answers, or -1.
type matcher func(t Token) int

// wholeMatch matches tokens equal to a term. A Single in a query means each
// token that begins with it.
func wholeMatch(terms []Token) matcher {
	index := make(map[string]int, len(terms))
	singles := make(map[rune]int)
	for i, t := range terms {
		index[t.Text] = i
		if t.Kind == Single {
			r, _ := utf8.DecodeRuneInString(t.Text)
			singles[r] = i
		}
	}
	return func(t Token) int {
		if i, ok := index[t.Text]; ok {
			return i
		}
		if len(singles) > 0 && t.Kind == Pair {
			r, _ := utf8.DecodeRuneInString(t.Text)
			if i, ok := singles[r]; ok {
				return i
			}
		}
		return -1
	}
}

// partMatch matches words that contain a term of at least two characters.
func partMatch(terms []Token) matcher {
	return func(t Token) int {
		for i, term := range terms {
			if t.Kind == Word && term.Kind == Word && utf8.RuneCountInString(term.Word) > 1 && strings.Contains(t.Word, term.Word) {
				return i
			}
		}
		return -1
	}
}

// hit is a match in a text, in bytes and in characters.
type hit struct {
	term           int
	span           Span
	runeAt, runeTo int
}

// densest returns the stretch from the first to the last match of the window of
// room characters that holds the most different terms, and among those the most
// matches; the first such window wins.
func densest(s string, room int, match matcher) (Span, bool) {
	var (
		best     Span
		top      int
		window   []hit
		counts   = make(map[int]int)
		pos, at  int
		distinct int
	)
	for t := range content(Tokens(s)) {
		term := match(t)
		if term < 0 {
			continue
		}
		at += utf8.RuneCountInString(s[pos:max(pos, t.Start)])
		pos = max(pos, t.Start)
		window = append(window, hit{term, Span{t.Start, t.End}, at, at + utf8.RuneCountInString(s[t.Start:t.End])})
		if counts[term]++; counts[term] == 1 {
			distinct++
		}
		for len(window) > 1 && window[len(window)-1].runeTo-window[0].runeAt > room {
			if counts[window[0].term]--; counts[window[0].term] == 0 {
				distinct--
			}
			window = window[1:]
		}
		if score := distinct*(room+1) + len(window); score > top {
			top, best = score, Span{window[0].span.Start, t.End}
		}
	}
	return best, top > 0
}

// excerpt cuts max characters out of s with place in the middle.
func excerpt(s string, place Span, max int) string {
	room := max - 2*utf8.RuneCountInString(ellipsis)
	if over := forward(s, place.Start, room); place.End > over {
		place.End = over
	}
	spare := room - utf8.RuneCountInString(s[place.Start:place.End])
	start := back(s, place.Start, spare/2)
	spare -= utf8.RuneCountInString(s[start:place.Start])
	end := forward(s, place.End, spare)
	if end == len(s) {
		spare -= utf8.RuneCountInString(s[place.End:])
		start = back(s, start, spare)
	}
	start, end = wordStart(s, start, place.Start), wordEnd(s, end, place.End)
	span := trim(s, start, end)
	head, tail := "", ""
	if start > 0 {
		head = ellipsis
	}
	if end < len(s) {
		tail = ellipsis
	}
	return head + s[span.Start:span.End] + tail
}

// forward returns the byte n characters after i, or the end.
func forward(s string, i, n int) int {
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return i
}

// back returns the byte n characters before i, or 0.
func back(s string, i, n int) int {
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return i
}

// wordStart moves a cut at byte i forward, at most to limit, so that a shown
// text does not begin inside a word or a character.
func wordStart(s string, i, limit int) int {
	if i == 0 {
		return 0
	}
	for next := i; next <= limit && next < forward(s, i, slack); next = forward(s, next, 1) {
		if r, _ := utf8.DecodeLastRuneInString(s[:next]); unicode.IsSpace(r) {
			return next
		}
	}
	for i < limit && inseparable(s, i) {
		i = forward(s, i, 1)
	}
	return i
}

// wordEnd moves a cut at byte i back, at most to limit, so that a shown text
// does not end inside a word or a character.
func wordEnd(s string, i, limit int) int {
	if i == len(s) {
		return i
	}
	for next := i; next >= limit && next > back(s, i, slack); next = back(s, next, 1) {
		if r, _ := utf8.DecodeRuneInString(s[next:]); unicode.IsSpace(r) {
			return next
		}
	}
	for i > limit && inseparable(s, i) {
		i = back(s, i, 1)
	}
	return i
}
