package text

import (
	"iter"
	"strings"
)

// The rules of a redactor are expensive regular expressions. Only the places
// that can hold a secret are shown to them, in small stretches, because a rule
// costs time in each stretch that holds one of its keywords.
const (
	// windowBytes is the most that is looked at in one piece, unless a single
	// word, such as a token with many claims, is longer.
	windowBytes = 2 << 10
	// longestWord is where even a word is cut.
	longestWord = 16 << 10
	// beforeBytes and afterBytes are shown around a suspicious word; a rule
	// reaches at most 110 bytes back from the key for the name it is given to.
	beforeBytes = 128
	afterBytes  = 32
	// overlapBytes of a piece are looked at again with the next one.
	overlapBytes = 320
)

// windows gives the stretches of s to search for secrets, in order. They may
// overlap.
func windows(s string) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		var open Span
		for word := range suspects(s) {
			next := Span{max(0, word.Start-beforeBytes), min(len(s), word.End+afterBytes)}
			if open.End > 0 && next.Start > open.End {
				if !pieces(s, open, yield) {
					return
				}
				open = Span{}
			}
			if open.End == 0 {
				open = next
			}
			open.End = max(open.End, next.End)
		}
		if open.End > 0 {
			pieces(s, open, yield)
		}
	}
}

// suspects gives the words of s that could be or contain a secret. A word is a
// run of printable ASCII.
func suspects(s string) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		start, digits := 0, false
		for i := 0; i <= len(s); i++ {
			if i < len(s) && '!' <= s[i] && s[i] <= '~' {
				digits = digits || '0' <= s[i] && s[i] <= '9'
				continue
			}
			if suspicious(s[start:i], digits) && !yield(Span{start, i}) {
				return
			}
			start, digits = i+1, false
		}
	}
}

// suspicious reports whether a word can hold a secret. It can with a digit in
// six characters, or when it is long, has an address in it, or is the user and
// password of a command. A key of under 30 characters without any digit is so
// rare that it is let go.
func suspicious(word string, digits bool) bool {
	return digits && len(word) >= 6 ||
		len(word) >= 30 ||
		len(word) > 3 && strings.IndexByte(word[1:len(word)-1], ':') > 0
}

// pieces cuts s[span] into pieces that overlap, and reports whether to go on.
func pieces(s string, span Span, yield func(Span) bool) bool {
	for {
		end := pieceEnd(s, span)
		if !yield(Span{span.Start, end}) {
			return false
		}
		if end == span.End {
			return true
		}
		span.Start = pieceStart(s, span.Start, end)
	}
}

// pieceEnd returns where the first piece of span ends: after a blank in its
// second half if there is one, else after the word that it would cut, if that
// is no longer than longestWord.
func pieceEnd(s string, span Span) int {
	end := span.Start + windowBytes
	if end >= span.End {
		return span.End
	}
	half := span.Start + windowBytes/2
	if i := strings.LastIndexAny(s[half:end], " \n\t"); i >= 0 {
		return half + i + 1
	}
	longest := min(span.End, span.Start+longestWord)
	if i := strings.IndexAny(s[end:longest], " \n\t"); i >= 0 {
		return end + i
	}
	return longest
}

// pieceStart returns where the piece after s[start:end] begins: some way back
// from its end, after a blank if there is one.
func pieceStart(s string, start, end int) int {
	next := max(end-overlapBytes, start+1)
	if i := strings.IndexAny(s[next:end], " \n\t"); i >= 0 {
		return next + i + 1
	}
	return next
}
