package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// smallTalkIn says whether a sentence is nothing but greeting, thanks or nod,
// and whether it is one of the first two.
func smallTalkIn(s string) (only, greets bool) {
	if strings.ContainsFunc(s, isUnspaced) {
		return composed(s)
	}
	ws := split(s, nil)
	only = true
	for _, w := range ws {
		greets = greets || greetings[w.text]
		only = only && smallTalk[w.text]
	}
	if len(ws) > 1 && len(ws) <= 3 && greetings[ws[0].text] { // Hello Ann
		return true, true
	}
	return only, greets
}

// composed says whether a sentence consists of the pieces of small talk, and
// whether one of them greets or thanks.
func composed(s string) (only, greets bool) {
	for s != "" {
		rest := strings.TrimLeftFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		for _, piece := range smallTalkPieces {
			if cut, ok := strings.CutPrefix(rest, piece); ok {
				rest, greets = cut, greets || greetings[piece]
				break
			}
		}
		if len(rest) == len(s) {
			return false, false
		}
		s = rest
	}
	return true, greets
}

// maxName is the length in characters of a name written without blanks.
const maxName = 5

// isName says whether what follows a greeting is so short that it is a name.
func isName(s string) bool {
	s = strings.TrimRightFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	if strings.ContainsFunc(s, isUnspaced) {
		return utf8.RuneCountInString(s) <= maxName
	}
	return !strings.ContainsFunc(s, unicode.IsSpace)
}
