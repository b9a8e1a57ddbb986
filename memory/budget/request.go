package budget

import (
	"encoding/json"

	"mcp-memory/memory"
)

// The stages, as Result names them.
const (
	StageRepair  = "repair"  // results without calls, and calls that were never answered, taken out
	StageConvert = "convert" // tool history turned into text for another model
	StageFold    = "fold"    // older conversation folded into the rolling summary
	StageSteps   = "steps"   // oldest tool steps turned into text
	StageCut     = "cut"     // what was still too much taken out
)

// Request is a run to fit.
type Request struct {
	Session       string            // whose rolling summary takes in what is folded; passed on as it is
	Model         string            // that the run goes to
	Messages      []json.RawMessage // in the shape of a chat completion, oldest first
	InputTokens   int               // of the last call with these messages, as its endpoint reported them; 0 = unknown
	ProviderError string            // what the endpoint said when it refused the run; "" = it did not
	PreviousModel string            // that the run went to before; "" = the same
	PriorStages   []string          // the stages of the last answer for this run
	Query         string            // what matters now; "" = what the last user message says
	MaxTokens     int               // lowers the budget; 0 = the window alone decides
}

// Result is the run to send.
type Result struct {
	Messages     []json.RawMessage
	Stages       []string // that the run has been through, with those of before
	TokensBefore int      // as counted, not as reported
	TokensAfter  int
	Budget       int      // in tokens: 80 % of the window, or MaxTokens
	Window       int      // in tokens
	Source       string   // where the window is known from
	LearnedLimit int      // the window that the error named; 0 = none
	Counted      string   // how tokens were counted: the tokenizer, or "estimate"
	LeftOut      []string // what was taken out or shortened, in words
}

// check refuses a request that cannot be meant.
func (q *Request) check() error {
	switch {
	case q.Model == "":
		return memory.Invalidf("model is missing: name the model that the messages go to")
	case len(q.Messages) == 0:
		return memory.Invalidf("messages is empty: give the messages of the run, oldest first")
	case q.MaxTokens < 0:
		return memory.Invalidf("max_tokens must be 1 or more, got %d", q.MaxTokens)
	case q.InputTokens < 0:
		return memory.Invalidf("input_tokens must be 0 or more, got %d", q.InputTokens)
	}
	return nil
}
