package budget

import (
	"encoding/json"
	"slices"
	"strings"
)

// kind says what a unit of a run is.
type kind uint8

const (
	instruction kind = iota // a system message
	turn                    // what user or assistant said
	prior                   // the rolling summary or the opening, standing in for what is gone
	step                    // an assistant message with calls, and their results
	note                    // a step that has become text
	orphan                  // results that answer no call
)

// unit is what stays or goes as a whole: one message, or a call with its results.
type unit struct {
	kind   kind
	parts  []int // places of its messages in the run, ascending
	open   int   // calls without a result
	keep   bool  // must survive as it is
	todo   bool  // must survive, as text if need be
	gone   bool
	tokens int
}

// run is the messages that are being fitted.
type run struct {
	reader
	messages []message
	units    []*unit // by their first message
	total    int     // tokens
	summary  *insertion
	opening  *insertion
}

// insertion is a message that was put before one of the run.
type insertion struct {
	at int
	message
}

// readRun reads the messages of a run and joins calls and results.
func readRun(raw []json.RawMessage, r reader) (*run, error) {
	u := &run{reader: r, messages: make([]message, len(raw))}
	for i, one := range raw {
		m, err := r.message(i, one)
		if err != nil {
			return nil, err
		}
		u.messages[i] = m
	}
	u.pair()
	for _, one := range u.units {
		u.weigh(one)
	}
	return u, nil
}

// weigh adds up the tokens of a unit that is new in the run.
func (r *run) weigh(u *unit) {
	for _, i := range u.parts {
		u.tokens += r.messages[i].tokens
	}
	r.total += u.tokens
}

// kindOf is what a message is that has neither calls nor results.
func (m *message) kindOf() kind {
	switch {
	case m.role == roleSystem:
		return instruction
	case m.standsIn():
		return prior
	case m.role == roleAssistant && strings.HasPrefix(m.text, notePrefix):
		return note
	}
	return turn
}

// standsIn says whether a message speaks for others that are gone: the summary, or
// the opening of a run.
func (m *message) standsIn() bool {
	return m.role == roleUser && (strings.HasPrefix(m.text, priorPrefix) || m.text == openingText)
}

// protect marks what must survive: system messages, the last user message, the
// newest step and the steps that wrote a list of things to do.
func (r *run) protect() {
	for _, u := range slices.Backward(r.units) {
		if !u.gone && (u.kind == step || u.kind == note) {
			u.keep = true
			break
		}
	}
	last := r.lastUser()
	for _, u := range r.units {
		u.keep = u.keep || u.kind == instruction || slices.Contains(u.parts, last)
		u.todo = r.writesTodo(u)
	}
}

// lastUser is the place of the last message in which the user says something; -1
// = none.
func (r *run) lastUser() int {
	for i := len(r.messages) - 1; i >= 0; i-- {
		m := &r.messages[i]
		if !m.gone && m.role == roleUser && (len(m.results) == 0 || m.beside) && !m.standsIn() {
			return i
		}
	}
	return -1
}

// todoTool is the tool whose steps hold what the run still has to do. Servers may
// put their own name before it.
const todoTool = "write_todo"

func (r *run) writesTodo(u *unit) bool {
	if u.kind == note {
		header, _, _ := strings.Cut(r.messages[u.parts[0]].text, "]")
		return strings.Contains(header, todoTool)
	}
	for _, i := range u.parts {
		if slices.ContainsFunc(r.messages[i].calls, func(c call) bool { return strings.HasSuffix(c.name, todoTool) }) {
			return true
		}
	}
	return false
}

// drop takes a unit out of the run.
func (r *run) drop(u *unit) {
	for _, i := range u.parts {
		r.messages[i].gone = true
	}
	u.gone = true
	r.total -= u.tokens
}

// rewrite puts a message in the place of a unit. What the user said beside a
// result stays, as a message of its own.
func (r *run) rewrite(u *unit, k kind, m message) {
	r.drop(u)
	first, rest := u.parts[0], u.parts[1:]
	r.messages[first] = m
	u.kind, u.parts, u.gone, u.tokens, u.open = k, []int{first}, false, 0, 0
	r.weigh(u)
	for _, i := range slices.Backward(rest) {
		if !r.messages[i].beside || len(r.messages[i].results) == 0 {
			continue
		}
		left, ok := r.withoutResults(i, func(result) bool { return true })
		if !ok {
			continue
		}
		r.messages[i] = left
		said := &unit{kind: turn, parts: []int{i}, keep: u.keep}
		r.units = slices.Insert(r.units, slices.Index(r.units, u)+1, said)
		r.weigh(said)
	}
}

// withoutResults is a message without some of the results in its content; false
// when nothing else is in it.
func (r *run) withoutResults(i int, which func(result) bool) (message, bool) {
	old := r.messages[i]
	var fields map[string]json.RawMessage
	var blocks, rest []json.RawMessage
	if json.Unmarshal(old.raw, &fields) != nil || json.Unmarshal(fields["content"], &blocks) != nil {
		return message{}, false
	}
	n := 0
	for _, b := range blocks {
		if r.block(b).result != nil {
			n++
			if which(old.results[n-1]) {
				continue
			}
		}
		rest = append(rest, b)
	}
	if len(rest) == 0 {
		return message{}, false
	}
	fields["content"] = encode(rest)
	m, err := r.message(i, encode(fields))
	return m, err == nil
}

// list gives the messages as they now are.
func (r *run) list() []json.RawMessage {
	list := make([]json.RawMessage, 0, len(r.messages)+2)
	for i, m := range r.messages {
		list = r.inserted(list, i)
		if !m.gone {
			list = append(list, m.raw)
		}
	}
	return r.inserted(list, len(r.messages))
}

// inserted adds what was put before the i-th message.
func (r *run) inserted(list []json.RawMessage, i int) []json.RawMessage {
	for _, in := range []*insertion{r.opening, r.summary} {
		if in != nil && in.at == i {
			list = append(list, in.raw)
		}
	}
	return list
}

// said makes a message of one text, as this package writes it.
func (r *run) said(role, s string) message {
	raw := encode(struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}{role, s})
	return message{raw: raw, role: role, text: s, tokens: frame + r.count(s)}
}

// encode writes JSON as a person would, without escapes for HTML.
func encode(v any) json.RawMessage {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil { // values that were read from JSON, and strings
		return nil
	}
	return json.RawMessage(strings.TrimSuffix(b.String(), "\n"))
}
