package memory

import (
	"encoding/json"
	"time"
)

// MaxContentBytes is the largest message that is stored. A larger one is
// refused whole: cutting it would lose text without a word.
const MaxContentBytes = 16 << 20

// Role says who speaks in a message.
type Role string

// The roles of the chat-completion protocol.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleSystem    Role = "system"
	RoleTool      Role = "tool"
)

// ParseRole checks s against the four roles; an unknown one is ErrInvalid.
func ParseRole(s string) (Role, error) {
	switch r := Role(s); r {
	case RoleUser, RoleAssistant, RoleSystem, RoleTool:
		return r, nil
	}
	return "", Invalidf("role must be one of user, assistant, system, tool; got %q", s)
}

// Message is one recorded message.
type Message struct {
	ID         int64  // given by the store, never used again; 0 before it is stored
	ClientID   string // the client's own id, unique in the session; "" = none
	Session    string
	Seq        int64 // arrival in the session, from 1; never used again, also after a reset
	Role       Role
	Sender     string // a name; "" = only the role is known
	SentAt     time.Time
	Content    string          // may be cut, see Size
	Size       int             // bytes of the whole content
	ToolName   string          // of a tool's result; "" = none
	ToolCallID string          // the call that a tool's result answers; "" = none
	ToolCalls  json.RawMessage // the calls of an assistant message, a JSON array as it came; nil = none
	Source     string          // what recorded it: "mcp", "import", "demo", …
	Archived   bool            // true once compaction has taken it out of hot history
}

// Position is a message's place in its session: by time, then by arrival.
type Position struct {
	SentAt int64 // UTC Unix nanoseconds
	Seq    int64
}

// Position returns the place of m in its session.
func (m *Message) Position() Position { return Position{m.SentAt.UnixNano(), m.Seq} }

// Compare orders positions: negative when p comes first.
func (p Position) Compare(q Position) int {
	if p.SentAt != q.SentAt {
		if p.SentAt < q.SentAt {
			return -1
		}
		return 1
	}
	switch {
	case p.Seq < q.Seq:
		return -1
	case p.Seq > q.Seq:
		return 1
	}
	return 0
}

// Before says whether p comes before q.
func (p Position) Before(q Position) bool { return p.Compare(q) < 0 }

// Draft is a message as a client hands it in, before it is cleaned, masked and
// stamped.
type Draft struct {
	ClientID   string
	Role       Role
	Sender     string
	Content    string
	SentAt     time.Time // zero = now, and every call adds
	ToolName   string
	ToolCallID string
	ToolCalls  json.RawMessage
}

// Entry is a message made ready for the store: the text analysed, the duplicate
// key computed.
type Entry struct {
	Message  Message // ID and Seq are the store's to give
	Key      []byte  // of role, time and text: an equal key in the session is the same message; nil = none
	Fresh    bool    // a new message whatever its key: the client gave no time
	Passages []Passage
	Words    []Word // the distinct words of the text, for search by a part of a word
}

// Passage is a stretch of a message that is found on its own: the whole message
// (Ord 0) and, when that is long, its parts in order (Ord 1, 2, …).
type Passage struct {
	Ord        int
	Start, End int      // bytes in the content
	Head       []string // tokens of sender and date; nil on the whole of a message that has parts
	Tokens     []string // tokens of the text, in order
	Features   []byte   // what ranking needs of it, opaque to the store
	Terms      int      // number of content terms, for the mean length
	Embed      bool     // whether it gets a vector
}

// Word is a word of the text and the token that the index keeps of it.
type Word struct {
	Text  string // folded, not stemmed
	Token string
}

// Appended is what became of a batch.
type Appended struct {
	Added      int
	Duplicates int
	FirstID    int64 // of the first message of the batch, be it new or known
	LastID     int64 // of the last one
	HotBytes   int64 // of the session's hot content, afterwards
}
