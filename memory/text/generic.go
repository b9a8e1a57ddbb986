package text

import (
	"iter"
	"math/bits"
	"regexp"
	"strings"
)

// The generic rule of gitleaks (a value given to something called key, token,
// password and so on) is the only one whose words are common, and by far the
// most expensive. It is asked only about values that it could accept, which
// assigned tells without a regular expression.
const (
	genericRule = "generic-api-key"
	// nameReach is how far before a value the keyword of its name can begin:
	// the longest one (10), 20 characters of the name's rest, and quotes,
	// blanks and the operator (11).
	nameReach = 41
	// prefixReach is how much of a name can stand before its keyword.
	prefixReach = 50
	// valueReach is how much of a value tells whether it is one.
	valueReach = 256
	// The rule wants 10 characters and an entropy over 3.5 bits, which takes
	// 12 different ones.
	minDistinct = 12
)

// genericWords are the rule's keywords.
var genericWords = []string{"access", "api", "auth", "key", "credential", "creds", "passwd", "password", "secret", "token"}

// assignments gives the stretches of s in which the generic rule may match: the
// runs of characters that a value can have, with the name before them.
func assignments(s string) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		start := 0
		for i := 0; i <= len(s); i++ {
			if i < len(s) && valueByte(s[i]) {
				continue
			}
			if name, ok := named(s, start, i); ok && !yield(Span{name, min(len(s), i+2)}) {
				return
			}
			start = i + 1
		}
	}
}

// named returns where the name of a value begins that is s[start:end] or what
// follows one of the equals signs in it. What a mere name stands before, as in
// count=3200, is not taken for one value with it.
func named(s string, start, end int) (at int, ok bool) {
	for {
		sign := strings.IndexByte(s[start:end], '=')
		if sign < 0 || !nameLike(s[start:start+sign]) {
			if at, ok = nameOf(s, start, end); ok {
				return at, true
			}
		}
		if sign < 0 {
			return 0, false
		}
		start += sign + 1
	}
}

// nameLike reports whether there is nothing in s that the rule would see in a
// value.
func nameLike(s string) bool {
	for i := range len(s) {
		if classASCII(s[i]) != letter && strings.IndexByte("_.-", s[i]) < 0 {
			return false
		}
	}
	return true
}

// valueByte reports whether b can be part of a value.
func valueByte(b byte) bool {
	return classASCII(b) != gap || strings.IndexByte("_.+/-=", b) >= 0
}

// valuable reports whether value has enough different characters, and others
// than letters.
func valuable(value string) bool {
	if len(value) < minDistinct {
		return false
	}
	value = value[:min(len(value), valueReach)]
	var low, high uint64
	for _, b := range []byte(value) {
		if b < 64 {
			low |= 1 << b
		} else {
			high |= 1 << (b - 64)
		}
	}
	return !nameLike(value) && bits.OnesCount64(low)+bits.OnesCount64(high) >= minDistinct
}

// nameOf returns where the name begins that s[start:end] is given to, if the
// rule may accept the two.
func nameOf(s string, start, end int) (at int, ok bool) {
	if !valuable(s[start:end]) {
		return 0, false
	}
	from := max(0, start-nameReach)
	before := s[from:start]
	keyword := assigned(before)
	if keyword < 0 || checksum.MatchString(s[start:end]) && !keyName.MatchString(before) {
		return 0, false
	}
	at = from + keyword
	for n := 0; n < prefixReach && at > 0 && valueByte(s[at-1]); n++ {
		at--
	}
	return at, true
}

// assigned returns where the first of the rule's keywords is in the text right
// before a value, if an operator stands between them, else -1.
func assigned(before string) int {
	name := strings.TrimRight(before, "`'\"= \t\r\n\f")
	if name == "" || !strings.Contains(before[len(name):], "=") && strings.IndexByte(">:|,", name[len(name)-1]) < 0 {
		return -1
	}
	first := -1
	folded := asciiLower(name)
	for _, word := range genericWords {
		if i := strings.Index(folded, word); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	return first
}

// asciiLower returns s with its ASCII letters in lower case; all bytes keep
// their places, also those of invalid UTF-8.
func asciiLower(s string) string {
	folded := []byte(s)
	for i, b := range folded {
		if 'A' <= b && b <= 'Z' {
			folded[i] = b + 'a' - 'A'
		}
	}
	return string(folded)
}

var (
	codeName = regexp.MustCompile(`^(?:import\.meta|process\.env|os\.environ|os\.getenv|env|config|settings|secrets|vars|self|this|req|request|args|opts|options|params|props|state|ctx|data)\.[\w.]+$`)
	fileName = regexp.MustCompile(`\.(?:md|txt|pdf|png|jpe?g|gif|svg|json|ya?ml|toml|csv|tsv|xml|html?|css|[jt]sx?|mjs|go|py|rb|rs|java|kt|cs?|cpp|h|sh|sql|log|pem|crt|key|zip|t?gz|docx?|xlsx?|db|sqlite|env|lock|conf|ini)$`)
	checksum = regexp.MustCompile(`^(?i:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)
	// keyName ends in the name of something that is secret even when it looks
	// like a checksum.
	keyName = regexp.MustCompile("(?i)(?:(?:secret|passwo?r?d|credentials?)[ \\w.-]{0,16}|(?:token|creds|auth|(?:api|access|auth|private|client|encryption|signing)[ _.-]?key)[\\w.-]{0,12})[\"'`]?\\s*[?=>:|,]{1,4}[\"'`=\\s]*$")
)

// mention reports whether a finding of the generic rule is no secret: a name in
// a program, a file, or a checksum or id that nobody calls secret.
func mention(match, value string) bool {
	if codeName.MatchString(value) || fileName.MatchString(value) {
		return true
	}
	name, _, _ := strings.Cut(match, value)
	return checksum.MatchString(value) && !keyName.MatchString(name)
}
