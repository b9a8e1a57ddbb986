package memory

import "time"

// Filter narrows a search. The zero value lets everything through. It is
// applied while candidates are collected, never to a list that is already cut.
type Filter struct {
	Session string    // "" = all sessions
	Role    Role      // "" = all roles
	Since   time.Time // sent at or after; zero = open
	Until   time.Time // sent before; zero = open
	HotOnly bool      // leave out what compaction has archived
}

// Lets says whether a message of this session, role and time passes f; HotOnly
// is judged by archived.
func (f Filter) Lets(session string, role Role, sentAt time.Time, archived bool) bool {
	return (f.Session == "" || f.Session == session) &&
		(f.Role == "" || f.Role == role) &&
		(f.Since.IsZero() || !sentAt.Before(f.Since)) &&
		(f.Until.IsZero() || sentAt.Before(f.Until)) &&
		(!f.HotOnly || !archived)
}

// TextQuery asks the full-text index, in tokens as package text makes them. A
// message must satisfy every part that is not empty.
type TextQuery struct {
	All     []string   // each of them occurs
	Any     []string   // at least one of them occurs; here sender and date count too
	Phrases [][]string // each occurs as consecutive tokens
	Prefix  []string   // of each, a token that begins with it occurs
	OneOf   [][]string // of each group, at least one token occurs
}

// Empty says whether q asks for nothing.
func (q TextQuery) Empty() bool {
	return len(q.All)+len(q.Any)+len(q.Phrases)+len(q.Prefix)+len(q.OneOf) == 0
}

// Order of text hits.
type Order int

// The orders: by BM25, best first; by arrival in the store, newest first.
const (
	BestFirst Order = iota
	NewestFirst
)

// Hit is a passage that a search found.
type Hit struct {
	MessageID int64
	Ord       int     // which passage, see Passage.Ord
	Score     float64 // larger is better; comparable inside one result only
}

// Frequencies describes how common tokens are among the recorded messages.
type Frequencies struct {
	Documents int            // messages with text
	MeanTerms float64        // mean number of content terms of a message; 0 when empty
	ByToken   map[string]int // passages that hold the token, sender and date included; absent = 0
}

// Neighbour is a message with what ranking needs of it.
type Neighbour struct {
	MessageID int64
	Session   string
	Position  Position
	Role      Role
	Sender    string
	SentAt    time.Time
	Archived  bool
	Features  []byte         // of the whole message; nil when it has no text
	Parts     map[int][]byte // features of the parts that were asked for, by Ord
}
