package memory

import "time"

// The most entries that a summary keeps of each list.
const (
	MaxKeyDecisions    = 8
	MaxPastDiscussions = 8
)

// LocalModel is the name under which a summary is kept that no model wrote.
const LocalModel = "local"

// Summary is the rolling summary of a session. The zero value is the empty one.
type Summary struct {
	KeyDecisions      []string          `json:"key_decisions"`    // rules that still apply, each beginning with "Do:" or "Don't:"; oldest first
	PastDiscussions   []PastDiscussion  `json:"past_discussions"` // oldest first
	CurrentDiscussion CurrentDiscussion `json:"current_discussion"`
}

// PastDiscussion is a topic that has been talked about.
type PastDiscussion struct {
	Topic         string `json:"topic"`
	Description   string `json:"description"`
	Direction     string `json:"direction"`      // how it was left
	LastDiscussed string `json:"last_discussed"` // "2006-01-02 15:04" in the configured time zone
}

// CurrentDiscussion is what is being talked about.
type CurrentDiscussion struct {
	Topic        string `json:"topic"`
	Description  string `json:"description"`
	Perspectives string `json:"perspectives"` // who thinks what
	Direction    string `json:"direction"`    // where it is heading
}

// Empty says whether the summary holds nothing.
func (s *Summary) Empty() bool {
	return len(s.KeyDecisions) == 0 && len(s.PastDiscussions) == 0 && s.CurrentDiscussion == (CurrentDiscussion{})
}

// SummaryVersion is a summary as it was saved. The zero value, with Version 0,
// stands for a session that has none.
type SummaryVersion struct {
	Session string
	Version int64 // grows with every save of the session; never used again
	Summary Summary
	Model   string // what wrote it; LocalModel = no model did
	Cursor  int64  // the arrival number (Message.Seq) of the last message that is in it
	SavedAt time.Time
}
