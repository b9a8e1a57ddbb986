package openai

import (
	"encoding/json"
	"strings"

	"mcp-memory/memory"
)

// completion is what is read of a reply. Its parts are decoded one by one, so
// that an odd one spoils no other.
type completion struct {
	Error   json.RawMessage
	Choices []struct {
		Error        json.RawMessage
		FinishReason any `json:"finish_reason"`
		Message      struct {
			Content json.RawMessage
			Refusal any
		}
	}
	Usage json.RawMessage
}

// read takes the answer from a reply. The error is a *failure when the reply is
// none, else an ErrUnavailable that says what is wrong with the answer; the
// Usage is returned with that.
func (c *Chat) read(body []byte, p memory.Prompt) (memory.Reply, error) {
	var r completion
	if err := json.Unmarshal(body, &r); err != nil {
		return memory.Reply{}, unreadable("the reply is not the JSON of a chat completion")
	}
	if given(r.Error) {
		return memory.Reply{}, c.reported(body, code(r.Error))
	}
	if len(r.Choices) == 0 {
		if message(body) != "" {
			return memory.Reply{}, c.reported(body, 0)
		}
		return memory.Reply{}, unreadable("the reply holds no answer")
	}
	first := r.Choices[0]
	if given(first.Error) {
		wrapped := append(append([]byte(`{"error":`), first.Error...), '}')
		return memory.Reply{}, c.reported(wrapped, code(first.Error))
	}
	raw := text(first.Message.Content)
	reply := memory.Reply{Text: withoutThoughts(raw), Usage: used(r.Usage, p, raw)}
	if err := c.judge(first.FinishReason, first.Message.Refusal, raw, reply); err != nil {
		return memory.Reply{Usage: reply.Usage}, err
	}
	return reply, nil
}

// judge says why an answer is of no use; nil when it is.
func (c *Chat) judge(finish, refusal any, raw string, reply memory.Reply) error {
	reason, _ := finish.(string)
	switch reason = strings.ToLower(reason); {
	case reason == "length" || reason == "max_tokens":
		return memory.Unavailablef("the answer of the chat model was cut after %d tokens (finish_reason %s)", reply.Usage.Output, reason)
	case reason == "model_context_window_exceeded":
		return &failure{kind: tooLong, said: "finish_reason " + reason}
	case reason == "content_filter" || reason == "sensitive" || reason == "safety":
		return memory.Unavailablef("the chat model's answer was withheld by a filter (finish_reason %s)", reason)
	case refusal != nil && refusal != "":
		return memory.Unavailablef("the chat model refused to answer")
	case strings.TrimSpace(raw) == "":
		return memory.Unavailablef("the chat model gave an empty answer")
	case reply.Text == "":
		return memory.Unavailablef("the chat model gave its thoughts and no answer, after %d tokens", reply.Usage.Output)
	}
	return nil
}

// given says whether a field is there and not null.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// code is the number in an error; 0 = none.
func code(raw json.RawMessage) int {
	var e struct{ Code json.RawMessage }
	var n int
	if json.Unmarshal(raw, &e) != nil || json.Unmarshal(e.Code, &n) != nil {
		return 0
	}
	return n
}

// text is the content of a message: a text, or parts of which those of type text
// count.
func text(content json.RawMessage) string {
	var whole string
	if json.Unmarshal(content, &whole) == nil {
		return whole
	}
	var parts []struct{ Type, Text string }
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, part := range parts {
		if part.Type == "text" || part.Type == "output_text" {
			b.WriteString(part.Text)
		}
	}
	return b.String()
}
