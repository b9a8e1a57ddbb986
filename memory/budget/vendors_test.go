package budget_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/budget"
)

// parse reads messages written as JSON, a line each.
func parse(lines string) []json.RawMessage {
	var list []json.RawMessage
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		list = append(list, json.RawMessage(strings.TrimSpace(line)))
	}
	return list
}

// big stands for a long result in the messages of a test.
var big = strings.Repeat("found it ", 400)

// Each form of calls and results is understood: the older step becomes one text
// that holds arguments and result, and the newest one stays byte for byte.
func TestFormsOfCallsAndResults(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]string{
		"OpenAI": `
{"role":"assistant","content":"","tool_calls":[{"id":"ID","type":"function","function":{"name":"look","arguments":"{\"at\": \"sea\"}"}}],"reasoning_content":"hm"}
{"role":"tool","tool_call_id":"ID","content":"BIG"}`,
		"OpenAI, custom tools": `
{"tool_calls":[{"id":"ID","type":"custom","custom":{"name":"look","input":"sea"}}],"role":"assistant"}
{"content":[{"type":"text","text":"BIG"}],"tool_call_id":"ID","role":"tool"}`,
		"OpenAI, as it was": `
{"role":"assistant","content":null,"function_call":{"name":"look","arguments":"{\"at\":\"sea\"}"}}
{"role":"function","name":"look","content":"BIG"}`,
		"Ollama, without ids": `
{"role":"assistant","content":"","tool_calls":[{"function":{"name":"look","arguments":{"at":"sea"}}}]}
{"role":"tool","tool_name":"look","content":"BIG"}`,
		"Anthropic": `
{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"tool_use","id":"ID","name":"look","input":{"at":"sea"}}]}
{"role":"user","content":[{"type":"tool_result","tool_use_id":"ID","content":[{"type":"text","text":"BIG"}]}]}`,
		"Anthropic, an error": `
{"content":[{"id":"ID","input":{"at":"sea"},"name":"look","type":"tool_use"},{"type":"text","text":"I look"}],"role":"assistant"}
{"content":[{"content":"BIG","is_error":true,"type":"tool_result","tool_use_id":"ID"}],"role":"user"}`,
		"Bedrock": `
{"role":"assistant","content":[{"text":"I look"},{"toolUse":{"toolUseId":"ID","name":"look","input":{"at":"sea"}}}]}
{"role":"user","content":[{"toolResult":{"toolUseId":"ID","content":[{"text":"BIG"}],"status":"success"}}]}`,
		"AI SDK": `
{"role":"assistant","content":[{"type":"tool-call","toolCallId":"ID","toolName":"look","args":{"at":"sea"}}]}
{"role":"tool","content":[{"type":"tool-result","toolCallId":"ID","toolName":"look","result":{"text":"BIG"}}]}`,
	} {
		form = strings.ReplaceAll(form, "BIG", big)
		run := slices.Concat(parse(`{"role":"user","content":"go"}`), parse(strings.ReplaceAll(form, "ID", "one")), parse(strings.ReplaceAll(form, "ID", "two")))
		r := must(t, within(1_500, nil), budget.Request{Model: "m", Messages: run})
		if len(r.Messages) != 4 || !slices.EqualFunc(r.Messages[2:], run[3:], func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
			t.Errorf("%s: %d messages, want a text and the newest step: %.300s", name, len(r.Messages), r.Messages)
			continue
		}
		s := content(t, r.Messages[1])
		if !strings.HasPrefix(s, "[Earlier tool step: look]") || !strings.Contains(s, "sea") || !strings.Contains(s, "found it found it") || len(s) > 1_000 {
			t.Errorf("%s: the text is %q", name, s)
		}
	}
}

// The calls of one message may be answered in any order, and ids may be used again.
func TestResultsInAnyOrder(t *testing.T) {
	t.Parallel()
	step := `
{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"one","arguments":""}},{"id":"b","function":{"name":"two","arguments":""}}]}
{"role":"tool","tool_call_id":"b","content":"of two BIG"}
{"role":"tool","tool_call_id":"a","content":"of one"}`
	step = strings.ReplaceAll(step, "BIG", big)
	run := slices.Concat(parse(`{"role":"user","content":"go"}`), parse(step), parse(step))
	r := must(t, within(1_200, nil), budget.Request{Model: "m", Messages: run})
	if len(r.Messages) != 5 {
		t.Fatalf("%d messages, want a text and the newest step", len(r.Messages))
	}
	if s := content(t, r.Messages[1]); !strings.Contains(s, "one \nResult: of one\ntwo \nResult: of two") {
		t.Errorf("the text = %q, want each result with its call", s)
	}
}

// An interrupted run: no endpoint takes it, so it is mended, and the answer says
// how.
func TestBrokenRunsAreMended(t *testing.T) {
	t.Parallel()
	call := `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"look","arguments":"{}"}}]}`
	for name, c := range map[string]struct {
		run  string
		want []string // the roles that are left
		said string
	}{
		"a result without its call": {`
{"role":"tool","tool_call_id":"x","content":"lost"}
{"role":"user","content":"go"}`, []string{"user"}, "1 tool result whose call is not in messages"},
		"a second result for a call": {call + `
{"role":"tool","tool_call_id":"a","content":"1"}
{"role":"tool","tool_call_id":"a","content":"2"}`, []string{"assistant", "tool"}, "1 tool result"},
		"a call without its result": {call + `
{"role":"user","content":"stop"}`, []string{"assistant", "user"}, "1 tool step that got no result: now text"},
		"two calls at the end": {call + "\n" + call, []string{"assistant", "assistant"}, "1 tool step that got no result"},
		"calls under way":      {`{"role":"user","content":"go"}` + "\n" + call, []string{"user", "assistant"}, ""},
		"blocks, some lost": {`
{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"look","input":{}}]}
{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"lost"},{"type":"tool_result","tool_use_id":"a","content":"found"}]}`,
			[]string{"assistant", "user"}, "1 tool result"},
		"blocks, all lost but words": {`
{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"lost"},{"type":"text","text":"go on"}]}`, []string{"user"}, "1 tool result"},
	} {
		r := must(t, within(1_000, nil), budget.Request{Model: "m", Messages: parse(c.run)})
		var roles []string
		for _, m := range r.Messages {
			var o struct{ Role string }
			if err := json.Unmarshal(m, &o); err != nil {
				t.Fatal(err)
			}
			roles = append(roles, o.Role)
		}
		said := strings.Join(r.LeftOut, "; ")
		if !slices.Equal(roles, c.want) || !strings.Contains(said, c.said) || (said == "") != (len(r.Stages) == 0) || strings.Contains(string(r.Messages[len(r.Messages)-1]), "lost") {
			t.Errorf("%s: %s, left out %q, stages %v; want roles %v, %q", name, r.Messages, said, r.Stages, c.want, c.said)
		}
		again := must(t, within(1_000, nil), budget.Request{Model: "m", Messages: r.Messages})
		if again.TokensAfter != r.TokensAfter || len(again.LeftOut) != 0 {
			t.Errorf("%s: a second pass has %d tokens, not %d, and leaves out %v", name, again.TokensAfter, r.TokensAfter, again.LeftOut)
		}
	}
}

// What cannot be meant is refused with its place and what to do.
func TestMalformedMessagesAreNamed(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		`7`:                                    "messages[1] must be an object",
		`null`:                                 "messages[1] must be an object",
		`{"content":"x"}`:                      "messages[1].role is missing",
		`{"role":"bot"}`:                       `messages[1].role is "bot"`,
		`{"role":"user","content":{"a":1}}`:    "messages[1].content must be text or a list",
		`{"role":"assistant","tool_calls":{}}`: "messages[1].tool_calls must be a list",
		`{"role":"assistant","tool_calls":[{"id":"x"}]}`:                                    "messages[1].tool_calls[0] names no function",
		`{"role":"user","tool_calls":[{"id":"x","function":{"name":"f"}}]}`:                 "messages[1] calls a tool but its role is user",
		`{"role":"assistant","content":[{"type":"tool_result","tool_use_id":"x"}]}`:         "messages[1] holds a tool's result but its role is assistant",
		`{"role":"assistant","function_call":"f"}`:                                          "messages[1].function_call must be an object",
		`{"role":"assistant","content":[{"type":"tool_use","id":"x","name":7,"input":{}}]}`: "",
	} {
		_, err := within(1_000, nil).Fit(t.Context(), budget.Request{Model: "m", Messages: parse(`{"role":"user","content":"x"}` + "\n" + message)})
		if want == "" {
			if err != nil {
				t.Errorf("Fit(%s) = %v, want no error", message, err)
			}
			continue
		}
		if !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("Fit(%s) = %v, want %q", message, err, want)
		}
	}
}

func TestNothingIsLeftOfResultsAlone(t *testing.T) {
	t.Parallel()
	_, err := within(1_000, nil).Fit(t.Context(), budget.Request{Model: "m", Messages: parse(`{"role":"tool","tool_call_id":"x","content":"lost"}`)})
	if !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), "every message is the result of a tool call") {
		t.Errorf("Fit of one result = %v, want an error", err)
	}
}

// FuzzFit looks for messages that break what every answer promises.
func FuzzFit(f *testing.F) {
	for seed := range uint64(12) {
		messages, err := json.Marshal(generate(f, seed, 30, 4_000))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(messages), 400, "", "")
		f.Add(string(messages), 900, "prompt is too long: 9000 tokens > 1000 maximum", "other")
	}
	f.Fuzz(func(t *testing.T, text string, max int, said, previous string) {
		var messages []json.RawMessage
		if json.Unmarshal([]byte(text), &messages) != nil || max <= 0 {
			return
		}
		e := within(100_000, func(c *budget.Config) { c.Folder = &folder{text: "S"} })
		r, err := e.Fit(t.Context(), budget.Request{Model: "m", Messages: messages, MaxTokens: max, ProviderError: said, PreviousModel: previous})
		if err != nil {
			if !errors.Is(err, memory.ErrInvalid) {
				t.Errorf("Fit(%s) = %v, want an error for the caller", text, err)
			}
			return
		}
		if r.TokensAfter > r.Budget && said == "" {
			t.Errorf("Fit(%s) has %d tokens, budget %d", text, r.TokensAfter, r.Budget)
		}
		again, err := e.Fit(t.Context(), budget.Request{Model: "m", Messages: r.Messages, MaxTokens: max, PriorStages: r.Stages})
		switch {
		case len(r.Messages) == 0:
		case err != nil && said == "":
			t.Errorf("Fit(%s) = %s, which is refused: %v", text, r.Messages, err)
		case err == nil && said == "" && (len(again.LeftOut) > 0 || again.TokensAfter != r.TokensAfter):
			t.Errorf("Fit(%s) = %s, of which a second pass leaves out %v", text, r.Messages, again.LeftOut)
		}
	})
}
