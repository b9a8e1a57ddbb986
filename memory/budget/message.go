package budget

import (
	"encoding/json"
	"slices"
	"strings"

	"mcp-memory/memory"
)

// message is one message of a run.
type message struct {
	raw     json.RawMessage // as it came, or as it was rewritten
	role    string          // one of the roles below
	text    string          // what it says, without calls and results
	calls   []call
	results []result
	beside  bool // has content beside its results
	tokens  int
	gone    bool
}

// The roles of a run. A developer's message is a system message, a function's one
// of a tool.
const (
	roleSystem    = "system"
	roleUser      = "user"
	roleAssistant = "assistant"
	roleTool      = "tool"
)

// call is a call of a tool.
type call struct {
	id        string // "" = the vendor gives none
	name      string
	arguments string // as JSON
	result    string
	answered  bool
}

// result is what a call gave.
type result struct {
	id     string // of the call; "" = the next one that is open
	name   string // of the tool; "" = not said
	text   string
	orphan bool // answers no call
}

// reader reads messages and counts their tokens.
type reader struct{ count func(string) int }

// frame is how many tokens the form of a message takes, and that of a call or
// result inside it.
const frame = 4

// message reads the i-th message of a run.
func (r reader) message(i int, raw json.RawMessage) (message, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		return message{}, memory.Invalidf(`messages[%d] must be an object such as {"role": "user", "content": "…"}`, i)
	}
	m := message{raw: raw, tokens: frame}
	var err error
	if m.role, err = readRole(i, fields["role"]); err != nil {
		return m, err
	}
	parts, ok := r.content(fields["content"])
	if !ok {
		return m, memory.Invalidf("messages[%d].content must be text or a list of content blocks: send it as the model's interface takes it", i)
	}
	if m.role != roleTool || slices.ContainsFunc(parts, func(p part) bool { return p.result != nil }) {
		m.take(parts)
	} else {
		m.results = []result{{id: firstText(fields, "tool_call_id", "id"), name: firstText(fields, "name", "tool_name"), text: said(parts)}}
		m.add(parts)
	}
	if err := r.calls(i, fields, &m); err != nil {
		return m, err
	}
	for name, value := range fields {
		if !slices.Contains(counted, name) {
			m.tokens += r.value(value)
		}
	}
	return m, m.check(i)
}

// counted are the fields whose tokens are counted apart.
var counted = []string{"role", "content", "tool_calls", "function_call"}

// readRole reads the role of the i-th message.
func readRole(i int, raw json.RawMessage) (string, error) {
	switch role := text(raw); role {
	case roleSystem, "developer":
		return roleSystem, nil
	case roleUser, roleAssistant:
		return role, nil
	case roleTool, "function":
		return roleTool, nil
	case "":
		return "", memory.Invalidf("messages[%d].role is missing: give system, developer, user, assistant or tool", i)
	default:
		return "", memory.Invalidf("messages[%d].role is %q: give system, developer, user, assistant or tool, the roles of a chat completion", i, clip(role, 40))
	}
}

// calls reads the calls that stand beside the content: tool_calls, and the
// function_call of before.
func (r reader) calls(i int, fields map[string]json.RawMessage, m *message) error {
	type function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Input     json.RawMessage `json:"input"`
	}
	var list []struct {
		ID       string    `json:"id"`
		Function *function `json:"function"`
		Custom   *function `json:"custom"`
	}
	if raw := fields["tool_calls"]; raw != nil {
		if json.Unmarshal(raw, &list) != nil {
			return memory.Invalidf("messages[%d].tool_calls must be a list of calls, each with id and function {name, arguments}", i)
		}
	}
	for n, c := range list {
		f := c.Function
		if f == nil {
			f = c.Custom
		}
		if f == nil || f.Name == "" {
			return memory.Invalidf("messages[%d].tool_calls[%d] names no function: give function {name, arguments}, or leave the call out", i, n)
		}
		m.calls = append(m.calls, call{id: c.ID, name: f.Name, arguments: argument(f.Arguments) + argument(f.Input)})
	}
	var old *function
	if raw := fields["function_call"]; raw != nil {
		if json.Unmarshal(raw, &old) != nil {
			return memory.Invalidf("messages[%d].function_call must be an object {name, arguments}", i)
		}
		if old != nil && len(list) == 0 {
			m.calls = append(m.calls, call{name: old.Name, arguments: argument(old.Arguments)})
		}
	}
	for _, c := range m.calls {
		m.tokens += r.count(c.id) + r.count(c.name) + r.count(c.arguments) + frame
	}
	return nil
}

// check refuses calls and results in the mouth of one who cannot make them.
func (m *message) check(i int) error {
	if len(m.calls) > 0 && m.role != roleAssistant {
		return memory.Invalidf("messages[%d] calls a tool but its role is %s: only an assistant message can", i, m.role)
	}
	if len(m.results) > 0 && (m.role == roleAssistant || m.role == roleSystem) {
		return memory.Invalidf("messages[%d] holds a tool's result but its role is %s: give it the role tool or user", i, m.role)
	}
	return nil
}

// take puts the parts of the content in their places.
func (m *message) take(parts []part) {
	for _, p := range parts {
		switch {
		case p.call != nil:
			m.calls = append(m.calls, *p.call)
		case p.result != nil:
			m.results = append(m.results, *p.result)
		default:
			m.beside = true
		}
	}
	m.text = said(parts)
	m.add(parts)
}

// add counts the parts.
func (m *message) add(parts []part) {
	for _, p := range parts {
		m.tokens += p.tokens
	}
}

// said joins the texts of the parts.
func said(parts []part) string {
	var texts []string
	for _, p := range parts {
		if p.text != "" {
			texts = append(texts, p.text)
		}
	}
	return strings.Join(texts, "\n")
}
