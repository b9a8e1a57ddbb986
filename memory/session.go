package memory

import (
	"time"
	"unicode"
	"unicode/utf8"
)

// MaxSessionID is the longest session id, in characters.
const MaxSessionID = 200

// CheckSessionID returns ErrInvalid unless id has 1–200 characters, none of
// them a slash, a backslash or a control character, and is neither "." nor
// "..". Anything else is legal and case-sensitive, emoji too.
func CheckSessionID(id string) error {
	switch {
	case id == "":
		return Invalidf("session_id is empty: give 1 to %d characters", MaxSessionID)
	case !utf8.ValidString(id):
		return Invalidf("session_id is not valid UTF-8")
	case id == "." || id == "..":
		return Invalidf("session_id must not be %q", id)
	}
	n := 0
	for _, r := range id {
		n++
		if r == '/' || r == '\\' || unicode.IsControl(r) {
			return Invalidf("session_id must not contain %q: use letters, digits or punctuation other than slashes", r)
		}
	}
	if n > MaxSessionID {
		return Invalidf("session_id has %d characters: at most %d are allowed", n, MaxSessionID)
	}
	return nil
}

// Session is one conversation as a list shows it.
type Session struct {
	ID       string
	Title    string // the beginning of the first user message; "" = none yet
	Messages int
	FirstAt  time.Time
	LastAt   time.Time
}

// SessionMark is a place in the list of sessions, most recently used first.
type SessionMark struct {
	LastAt int64 // UTC Unix nanoseconds
	ID     string
}

// Outline is a hot message without its text.
type Outline struct {
	Position Position
	Role     Role
	Bytes    int
}
