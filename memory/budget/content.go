package budget

import (
	"bytes"
	"encoding/json"
	"strings"
)

// What media take. Vendors differ; an image is at most about this much where it is
// not cut into tiles, and a document has about a token in so many bytes.
const (
	imageTokens   = 1600
	bytesPerToken = 16
)

// part is one block of a message's content.
type part struct {
	text   string
	call   *call
	result *result
	tokens int
}

// block is what is read of a content block: the fields of OpenAI, Anthropic, the AI
// SDK and Bedrock together.
type block struct {
	Type       string          `json:"type"`
	Text       *string         `json:"text"`
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Input      json.RawMessage `json:"input"`
	ToolUseID  string          `json:"tool_use_id"`
	Content    json.RawMessage `json:"content"`
	CallID     string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Args       json.RawMessage `json:"args"`
	Result     json.RawMessage `json:"result"`
	Output     json.RawMessage `json:"output"`
	ToolUse    *converse       `json:"toolUse"`
	ToolResult *converse       `json:"toolResult"`
	Image      json.RawMessage `json:"image"`
}

// converse is a call or a result in the form of Bedrock.
type converse struct {
	ID      string          `json:"toolUseId"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Content json.RawMessage `json:"content"`
}

// content reads the content of a message or of a result; false when it is neither
// text nor a list.
func (r reader) content(raw json.RawMessage) ([]part, bool) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		return nil, true
	}
	switch raw[0] {
	case '"':
		s := text(raw)
		return []part{{text: s, tokens: r.count(s)}}, true
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			return nil, false
		}
		parts := make([]part, len(list))
		for i, one := range list {
			parts[i] = r.block(one)
		}
		return parts, true
	}
	return nil, false
}

// block reads one block. What is not known passes as it is and counts as the text
// that it is written in.
func (r reader) block(raw json.RawMessage) part {
	var b block
	if s := text(raw); s != "" {
		return part{text: s, tokens: r.count(s)}
	}
	if json.Unmarshal(raw, &b) != nil {
		return part{tokens: r.count(string(raw))}
	}
	kind := strings.ReplaceAll(b.Type, "-", "_")
	switch {
	case kind == "tool_use":
		return r.callPart(b.ID, b.Name, b.Input)
	case kind == "tool_call":
		return r.callPart(b.CallID, b.ToolName, firstRaw(b.Args, b.Input))
	case b.ToolUse != nil:
		return r.callPart(b.ToolUse.ID, b.ToolUse.Name, b.ToolUse.Input)
	case kind == "tool_result" && b.ToolUseID != "":
		return r.resultPart(b.ToolUseID, "", b.Content)
	case kind == "tool_result":
		return r.resultPart(b.CallID, b.ToolName, firstRaw(b.Result, b.Output, b.Content))
	case b.ToolResult != nil:
		return r.resultPart(b.ToolResult.ID, "", b.ToolResult.Content)
	case strings.Contains(kind, "image") || b.Image != nil:
		return part{text: "[image]", tokens: imageTokens}
	case b.Text != nil:
		return part{text: *b.Text, tokens: r.count(*b.Text)}
	case bytes.Contains(raw, []byte("base64")) || bytes.Contains(raw, []byte(`"data`)):
		return part{text: "[" + kind + "]", tokens: frame + len(raw)/bytesPerToken}
	}
	return part{tokens: r.count(string(raw))}
}

func (r reader) callPart(id, name string, input json.RawMessage) part {
	c := call{id: id, name: name, arguments: argument(input)}
	return part{call: &c, tokens: r.count(id) + r.count(name) + r.count(c.arguments) + frame}
}

func (r reader) resultPart(id, name string, content json.RawMessage) part {
	parts, ok := r.content(content)
	if !ok { // an object is its own text
		parts = []part{{text: string(content), tokens: r.count(string(content))}}
	}
	p := part{result: &result{id: id, name: name, text: said(parts)}, tokens: r.count(id) + frame}
	for _, one := range parts {
		p.tokens += one.tokens
	}
	return p
}

// value counts a field that nothing is known of.
func (r reader) value(raw json.RawMessage) int {
	if s := text(raw); s != "" {
		return r.count(s)
	}
	if len(raw) <= len("false") { // nothing, a flag, a small number
		return 1
	}
	return r.count(string(raw))
}

// argument is the text of a call's arguments: JSON inside a string, or JSON.
func argument(raw json.RawMessage) string {
	if s := text(raw); s != "" || string(raw) == `""` || string(raw) == "null" {
		return s
	}
	return string(raw)
}

// text reads a JSON string; "" for everything else.
func text(raw json.RawMessage) string {
	var s string
	if len(raw) < 2 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// firstText is the first of the fields that is text.
func firstText(fields map[string]json.RawMessage, names ...string) string {
	for _, name := range names {
		if s := text(fields[name]); s != "" {
			return s
		}
	}
	return ""
}

// firstRaw is the first of the values that is there.
func firstRaw(values ...json.RawMessage) json.RawMessage {
	for _, v := range values {
		if v != nil {
			return v
		}
	}
	return nil
}
