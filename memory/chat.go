package memory

import "context"

// ChatModel answers prompts. Implementations are safe for concurrent use.
type ChatModel interface {
	// Name is the model's name, as it is kept beside what the model wrote.
	Name() string
	// Chat returns the model's answer. ErrTooLong: the prompt does not fit the
	// model; ErrUnavailable: the endpoint does not work now, or the day's
	// tokens are used up; a RetryError says when to try again.
	Chat(ctx context.Context, p Prompt) (Reply, error)
}

// Prompt is one request to a chat model.
type Prompt struct {
	Purpose   string // what it is for ("summary", "judge", …): usage is booked under it
	System    string // "" = no system message
	Turns     []Turn // at least one, the last of them the user's
	JSON      bool   // the answer must be one JSON object
	MaxTokens int    // of the answer; 0 = the endpoint's own limit
}

// Turn is a message of a prompt.
type Turn struct {
	Role    Role // RoleUser or RoleAssistant
	Content string
}

// Reply is the answer of a chat model.
type Reply struct {
	Text  string // without the model's thoughts; never blank
	Usage Usage
}

// Usage counts the tokens of requests, as the endpoint reports them or, when it
// does not, as estimated.
type Usage struct {
	Requests int
	Input    int
	Output   int
}

// Add returns the sum of both.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Requests + v.Requests, u.Input + v.Input, u.Output + v.Output}
}

// Spending is what was spent on one day for one purpose with one model.
type Spending struct {
	Day     string // a date of the user's time zone, 2006-01-02
	Purpose string // as in Prompt
	Model   string
	Usage
}
