package summary

import (
	"encoding/json"
	"iter"
	"strings"
)

// Limits on the search for JSON in a reply, so that a hostile one costs no time.
const (
	longestReply = 1 << 20 // bytes that are looked at
	mostBraces   = 1000    // opening braces that are tried
)

// objects finds the valid JSON objects in a model's reply, by where they begin,
// those inside another one after it. A model's thoughts, <think>…</think>, are
// passed over; of a reply with only the end of them, what follows comes first.
func objects(reply string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		reply := reply[:min(len(reply), longestReply)]
		if end := strings.Index(reply, "</think"); end >= 0 && !strings.Contains(reply[:end], "<think") {
			if !findObjects(reply[end+1:], yield) {
				return
			}
		}
		findObjects(reply, yield)
	}
}

// findObjects yields the objects in s; false when yield has had enough.
func findObjects(s string, yield func([]byte) bool) bool {
	for range mostBraces {
		i := strings.IndexAny(s, "{<")
		if i < 0 {
			return true
		}
		if s = s[i:]; s[0] == '<' {
			var more bool
			if s, more = afterThoughts(s); !more {
				return true
			}
			continue
		}
		if object := []byte(s[:balanced(s)]); json.Valid(object) && !yield(object) {
			return false
		}
		s = s[1:]
	}
	return true
}

// afterThoughts skips a block of thoughts that s may begin with, or its first
// byte; false when the thoughts never end.
func afterThoughts(s string) (rest string, more bool) {
	if !strings.HasPrefix(s, "<think") {
		return s[1:], true
	}
	_, rest, more = strings.Cut(s, "</think")
	return rest, more
}

// balanced is the length of what begins with a brace at the start of s and ends
// with the brace that closes it; 0 when none does. Braces in strings do not
// count.
func balanced(s string) int {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}
