package tools

import (
	"encoding/json"
	"regexp"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// Message is a recorded message in a result. What could mislead a reader's eye
// (control and bidi characters) is made visible in it; the record keeps the
// original.
type Message struct {
	ID         string    `json:"id"`
	ClientID   string    `json:"client_id,omitempty" doc:"The id that the client gave when it added the message."`
	Role       string    `json:"role"`
	Sender     string    `json:"sender,omitempty"`
	SentAt     time.Time `json:"sent_at" doc:"RFC 3339, UTC."`
	Content    string    `json:"content"`
	Size       int       `json:"size,omitempty" doc:"Bytes of the whole message; present when content is only a part of it."`
	ToolName   string    `json:"tool_name,omitempty"`
	ToolCallID string    `json:"tool_call_id,omitempty"`
	ToolCalls  Objects   `json:"tool_calls,omitempty"`
	Source     string    `json:"source" doc:"What recorded it."`
}

// messageOf shows m with the given content, which may be a part of the whole.
func messageOf(m memory.Message, content string, part bool) Message {
	shown := Message{
		ID:         formatID(m.ID),
		ClientID:   text.Visible(m.ClientID),
		Role:       string(m.Role),
		Sender:     text.Visible(m.Sender),
		SentAt:     m.SentAt.UTC(),
		Content:    text.Visible(content),
		ToolName:   text.Visible(m.ToolName),
		ToolCallID: text.Visible(m.ToolCallID),
		ToolCalls:  visibleCalls(m.ToolCalls),
		Source:     m.Source,
	}
	if part {
		shown.Size = m.Size
	}
	return shown
}

// wholeMessage shows m with all that the store gave of it.
func wholeMessage(m memory.Message) Message {
	return messageOf(m, m.Content, m.Size > len(m.Content))
}

// visibleCalls makes the characters of tool calls visible, in each string of
// their JSON; everything else in it stays as it came.
func visibleCalls(raw json.RawMessage) Objects {
	if raw == nil {
		return nil
	}
	return Objects(jsonStrings.ReplaceAllFunc(raw, func(literal []byte) []byte {
		var s string
		if json.Unmarshal(literal, &s) != nil {
			return literal
		}
		shown := text.Visible(s)
		if shown == s {
			return literal
		}
		quoted, err := json.Marshal(shown)
		if err != nil {
			return literal
		}
		return quoted
	}))
}

// jsonStrings matches the string literals of a JSON text.
var jsonStrings = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
