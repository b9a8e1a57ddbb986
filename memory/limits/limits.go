// Package limits understands what model endpoints say about context windows.
//
// Each vendor has its own words for "this does not fit": some name the limit
// first, some the request, some neither, and some use the same words for a rate
// of tokens a minute or for the length of the answer. What is recognised here
// may cost a conversation its history, so that in doubt a text is no context
// error: a rate is waited for, nothing is cut.
package limits

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// longest is how much of a text is looked at, in bytes. What an endpoint says is
// shorter; what is longer is a page, or a prompt sent back.
const longest = 8 << 10

// A number outside of these is no context window: a share, an error code, a size
// in bytes.
const (
	smallest = 64
	largest  = 1_000_000_000
)

// ContextError says whether an endpoint complains that a prompt, or prompt and
// answer together, does not fit the model's context window, or that a request is
// too large altogether. The text is an error message, plain or as the JSON of a
// reply, with or without a status before it. Limit is the window in tokens, 0
// when the text does not name it. Complaints about a rate, a quota, the number
// of texts in a batch or the length of the answer alone are none.
func ContextError(text string) (limit int, is bool) {
	limit, _, is = read(text)
	return limit, is
}

// Kind is the form of words in which a context error names its limit: one of a
// few fixed words, such as "comparison" for "208310 tokens > 200000 maximum" and
// "range" for "should be [1, 30720]". It is "" when the text names no limit.
func Kind(text string) string {
	_, kind, _ := read(text)
	return kind
}

func read(text string) (limit int, kind string, is bool) {
	s := plain(text)
	if elsewhere.MatchString(s) || answer.MatchString(s) && !prompt.MatchString(s) || !tooLong(s) {
		return 0, "", false
	}
	limit, kind = window(s)
	return limit, kind, true
}

// tooLong says whether the text has one of the forms of a context error.
func tooLong(s string) bool {
	for _, form := range overflow {
		if form.MatchString(s) {
			return true
		}
	}
	return length.MatchString(s) && excess.MatchString(s) || amount.MatchString(s) && strings.Contains(s, "token")
}

// window finds the limit that the text names, and the form in which it does;
// 0 = none.
func window(s string) (int, string) {
	for _, form := range sizes {
		for _, at := range form.FindAllStringSubmatchIndex(s, -1) {
			if otherUnit.MatchString(s[at[3]:]) {
				continue
			}
			if n := number(s[at[2]:at[3]]); n > 0 {
				return n, form.kind
			}
		}
	}
	return 0, ""
}

// number reads 131072 and 128k; 0 = no size of a window. The k counts as 1,000,
// which is never more than what is meant.
func number(s string) int {
	digits, thousands := strings.CutSuffix(s, "k")
	n, err := strconv.Atoi(digits)
	if err != nil || n > largest {
		return 0
	}
	if thousands {
		n *= 1000
	}
	if n < smallest || n > largest {
		return 0
	}
	return n
}

var (
	address   = regexp.MustCompile(`https?://[^\s"')]+`) // of pages that explain errors
	escape    = regexp.MustCompile(`\\+(?:u[0-9a-f]{4}|["'n])`)
	thousands = regexp.MustCompile(`(^|[^\[\d,])(\d{1,3}(?:,\d{3})+)\b`)
	grouped   = regexp.MustCompile(`\d(?:_\d{3})+\b`)
	spelling  = strings.NewReplacer("’", "'", "`", "'",
		"(2013)", "", // the number that MiniMax gives this error
		"string with maximum length", "string of length") // in characters
)

// plain brings a text into one form: lower case, escapes of JSON read, blanks
// single, digits not grouped.
func plain(s string) string {
	if len(s) > longest {
		s = s[:longest]
	}
	s = escape.ReplaceAllStringFunc(strings.ToLower(strings.ToValidUTF8(s, " ")), unescape)
	s = address.ReplaceAllString(s, " ")
	s = spelling.Replace(strings.Join(strings.Fields(s), " "))
	s = thousands.ReplaceAllStringFunc(s, func(n string) string { return strings.ReplaceAll(n, ",", "") })
	return grouped.ReplaceAllStringFunc(s, func(n string) string { return strings.ReplaceAll(n, "_", "") })
}

// unescape reads an escape of JSON, also one inside of a string that is JSON
// itself.
func unescape(s string) string {
	s = strings.TrimLeft(s, `\`)
	if s == "n" {
		return " "
	}
	code, isCode := strings.CutPrefix(s, "u")
	if !isCode {
		return s
	}
	n, err := strconv.ParseUint(code, 16, 16)
	if err != nil || !utf8.ValidRune(rune(n)) {
		return " "
	}
	return strings.ToLower(string(rune(n)))
}
