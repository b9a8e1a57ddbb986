package budget_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mcp-memory/memory/budget"
)

// object is a message as a test reads and writes it.
type object map[string]any

func raw(t testing.TB, messages ...object) []json.RawMessage {
	t.Helper()
	list := make([]json.RawMessage, len(messages))
	for i, m := range messages {
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		list[i] = b
	}
	return list
}

func system(s string) object    { return object{"role": "system", "content": s} }
func user(s string) object      { return object{"role": "user", "content": s} }
func assistant(s string) object { return object{"role": "assistant", "content": s} }

// calls is an assistant message that calls tools: "id name" each.
func calls(arguments string, list ...string) object {
	var made []any
	for _, one := range list {
		id, name, _ := strings.Cut(one, " ")
		made = append(made, object{"id": id, "type": "function", "function": object{"name": name, "arguments": arguments}})
	}
	return object{"role": "assistant", "content": nil, "tool_calls": made}
}

func result(id, s string) object { return object{"role": "tool", "tool_call_id": id, "content": s} }

// fixed is a table of one window, and what was learnt.
type fixed struct {
	window int
	learnt map[string]int
}

// content is the text of a message of a result.
func content(t testing.TB, m json.RawMessage) string {
	t.Helper()
	var o struct{ Content any }
	if err := json.Unmarshal(m, &o); err != nil {
		t.Fatalf("result holds %s: %v", m, err)
	}
	s, _ := o.Content.(string)
	return s
}

// contents are the texts of a result.
func contents(t testing.TB, r budget.Result) []string {
	t.Helper()
	var list []string
	for _, m := range r.Messages {
		list = append(list, content(t, m))
	}
	return list
}

// must fits a run and expects no error.
func must(t testing.TB, e *budget.Engine, q budget.Request) budget.Result {
	t.Helper()
	r, err := e.Fit(t.Context(), q)
	if err != nil {
		t.Fatalf("Fit(%d messages) = %v", len(q.Messages), err)
	}
	return r
}

// generate makes a run from a seed: up to max messages of about size bytes in
// all, in the forms of several vendors, with what makes runs hard.
func generate(t testing.TB, seed uint64, max, size int) []json.RawMessage {
	t.Helper()
	g := newGenerator(t, seed)
	g.each = size / max
	g.add(system("You work for the harbour office. " + g.words(40)))
	n := 2 + g.IntN(max-2)
	blocks := g.IntN(2) == 0
	for len(g.list) < n {
		switch {
		case g.IntN(3) == 0:
			g.add(object{"role": "user", "content": g.text(), "name": "ada", "x_seed": seed})
		case g.IntN(3) == 0:
			g.add(object{"role": "assistant", "content": g.text(), "reasoning_content": g.words(20), "cache_control": object{"type": "ephemeral"}})
		case g.IntN(12) == 0:
			g.add(object{"role": "user", "content": []any{
				object{"type": "text", "text": g.words(9)},
				object{"type": "image_url", "image_url": object{"url": "data:image/png;base64," + strings.Repeat("iVBORw0K", 900)}}}})
		case g.IntN(40) == 0:
			g.add(system("Note: " + g.words(12)))
		case blocks:
			g.blockStep()
		default:
			g.step()
		}
	}
	return g.list
}

type generator struct {
	*rand.Rand
	t     testing.TB
	list  []json.RawMessage
	each  int // bytes of a text, on average
	calls int
}

func newGenerator(t testing.TB, seed uint64) *generator {
	return &generator{t: t, Rand: rand.New(rand.NewPCG(seed, 5))}
}

func (g *generator) add(o object) { g.list = append(g.list, raw(g.t, o)...) }

var stock = strings.Fields(`the ferry leaves at noon and 港口 時刻表 マリーナ 항구 причал { } "path": /srv/log_2026.txt func main() error == nil 4711 deadbeef
 whoever Comes late waits; تصل السفن, ünïcode naïve 🚢 <b>bold</b> \n`)

func (g *generator) words(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = stock[g.IntN(len(stock))]
	}
	return strings.Join(list, " ")
}

// text is short most of the time and long now and then.
func (g *generator) text() string {
	if g.IntN(5) > 0 {
		return g.words(1 + g.IntN(30))
	}
	return g.words(1 + g.IntN(1+g.each))
}

func (g *generator) tool() string {
	if g.IntN(60) == 0 {
		return "write_todo"
	}
	return []string{"read_file", "grep", "shell", "web"}[g.IntN(4)]
}

// step adds calls and their results in any order, the ids used again and again as
// some vendors do, or with none.
func (g *generator) step() {
	g.calls++
	noID := g.IntN(6) == 0
	var made []any
	var results []object
	for i := range 1 + g.IntN(3) {
		id, name := fmt.Sprintf("call_%d_%d", g.calls%7, i), g.tool()
		c := object{"type": "function", "function": object{"name": name, "arguments": `{"q":` + fmt.Sprintf("%q", g.words(6)) + `}`}}
		res := object{"role": "tool", "content": g.text()}
		if noID {
			res["tool_name"] = name
		} else {
			c["id"], res["tool_call_id"] = id, id
		}
		made, results = append(made, c), append(results, res)
	}
	g.add(object{"role": "assistant", "content": g.words(g.IntN(5)), "tool_calls": made, "thought_signature": g.words(3)})
	if !noID {
		g.Shuffle(len(results), func(i, j int) { results[i], results[j] = results[j], results[i] })
	}
	for _, r := range results {
		g.add(r)
	}
}

// blockStep adds a step in content blocks.
func (g *generator) blockStep() {
	g.calls++
	said := []any{object{"type": "thinking", "thinking": g.words(8), "signature": "c2ln"}, object{"type": "text", "text": g.words(4)}}
	var results []any
	for i := range 1 + g.IntN(3) {
		id := fmt.Sprintf("toolu_%d_%d", g.calls, i)
		said = append(said, object{"type": "tool_use", "id": id, "name": g.tool(), "input": object{"q": g.words(5)}})
		results = append(results, object{"type": "tool_result", "tool_use_id": id, "content": []any{object{"type": "text", "text": g.text()}}})
	}
	if g.IntN(4) == 0 {
		results = append(results, object{"type": "text", "text": "and also: " + g.words(6)})
	}
	g.add(object{"role": "assistant", "content": said})
	g.add(object{"role": "user", "content": results})
}

// pairs lists calls and results of a message: "c id" and "r id", in order. Ids
// that are missing are "".
func pairs(t testing.TB, m json.RawMessage) []string {
	t.Helper()
	var o struct {
		Role       string
		ToolCallID string `json:"tool_call_id"`
		Content    any
		ToolCalls  []struct{ ID string } `json:"tool_calls"`
	}
	if err := json.Unmarshal(m, &o); err != nil {
		t.Fatalf("result holds %s: %v", m, err)
	}
	var list []string
	for _, c := range o.ToolCalls {
		list = append(list, "c "+c.ID)
	}
	if o.Role == "tool" {
		list = append(list, "r "+o.ToolCallID)
	}
	blocks, _ := o.Content.([]any)
	for _, b := range blocks {
		switch b := b.(map[string]any); b["type"] {
		case "tool_use":
			list = append(list, "c "+b["id"].(string))
		case "tool_result":
			list = append(list, "r "+b["tool_use_id"].(string))
		}
	}
	return list
}

// checkPairs fails when a result answers no call before it, or a call has none.
func checkPairs(t testing.TB, messages []json.RawMessage) {
	t.Helper()
	var open []string
	for i, m := range messages {
		for _, p := range pairs(t, m) {
			id := p[2:]
			if p[0] == 'c' {
				open = append(open, id)
				continue
			}
			at := slices.Index(open, id)
			if at < 0 {
				t.Fatalf("messages[%d] of the result answers the call %q, which is not open: %v", i, id, open)
			}
			open = slices.Delete(open, at, at+1)
		}
	}
	if len(open) > 0 {
		t.Fatalf("the result leaves calls without results: %v", open)
	}
}
