package tools_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// longRun is a conversation of n exchanges with a tool step each.
func longRun(n int) []string {
	list := []string{`{"role":"system","content":"You <b>help</b>."}`}
	for i := range n {
		list = append(list,
			fmt.Sprintf(`{"role":"user","content":"question %d %s","x_trace":{"n":%d}}`, i, strings.Repeat("word ", 40), i),
			fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"look","arguments":"{}"}}]}`, i),
			fmt.Sprintf(`{"role":"tool","tool_call_id":"c%d","content":"%s"}`, i, strings.Repeat("found ", 600)),
			fmt.Sprintf(`{"role":"assistant","content":"answer %d"}`, i))
	}
	return list
}

func fitArguments(messages []string, more string) string {
	return `{"model":"claude","messages":[` + strings.Join(messages, ",") + `]` + more + `}`
}

// number is a field of an answer.
func number(t *testing.T, a answer, name string) int64 {
	t.Helper()
	n, err := a.value[name].(json.Number).Int64()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestFitContextLeavesARunThatFits(t *testing.T) {
	t.Parallel()
	run := longRun(2)
	a := newDesk(t).must("fit_context", fitArguments(run, `,"input_tokens":"900"`))
	got, err := json.Marshal(a.value["messages"])
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal([]byte("["+strings.Join(run, ",")+"]"), &want); err != nil {
		t.Fatal(err)
	}
	if w, err := json.Marshal(want); err != nil || string(w) != string(got) {
		t.Errorf("messages = %s, want them as they came: %v", got, err)
	}
	for _, list := range []string{"stages", "left_out"} {
		if v, ok := a.value[list].([]any); !ok || len(v) != 0 {
			t.Errorf("%s = %v, want an empty list", list, a.value[list])
		}
	}
	if !strings.Contains(a.text, "Nothing was left out") || strings.Contains(a.text, "found") {
		t.Errorf("text = %q, want what was done, without the messages", a.text)
	}
}

func TestFitContextShortensAndSaysSo(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a := d.must("fit_context", fitArguments(longRun(20), `,"max_tokens":6000`))
	if got := a.strings("stages"); !slices.Equal(got, []string{"steps"}) {
		t.Errorf("stages = %v, want [steps]", got)
	}
	if left := a.strings("left_out"); len(left) != 1 || !strings.Contains(left[0], "older tool step") || !strings.Contains(a.text, left[0]) {
		t.Errorf("left_out = %v, want the steps, also in %q", left, a.text)
	}
	if after := number(t, a, "tokens_after"); after > 6000 || number(t, a, "budget") != 6000 || number(t, a, "tokens_before") < 12_000 {
		t.Errorf("tokens %v before, %v after, budget %v", a.value["tokens_before"], after, a.value["budget"])
	}
}

func TestFitContextTakesTheProvidersWord(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	run := longRun(20)
	a := d.must("fit_context", fitArguments(run, `,"provider_error":"This model's maximum context length is 8192 tokens. However, your messages resulted in 12000 tokens."`))
	if number(t, a, "learned_limit") != 8192 || number(t, a, "budget") != 6553 || !strings.Contains(a.text, "8192 is remembered") {
		t.Errorf("learned_limit %v, budget %v, text %q; want 8192 and 6553", a.value["learned_limit"], a.value["budget"], a.text)
	}
	a = d.must("fit_context", fitArguments(run, `,"provider_error":"ThrottlingException: Too many tokens, please wait before trying again."`))
	if got := a.value["messages"].([]any); len(got) != len(run) || a.value["learned_limit"] != nil || !strings.Contains(a.text, "rate limit") {
		t.Errorf("after a rate limit: %d messages of %d, learned_limit %v, text %q", len(got), len(run), a.value["learned_limit"], a.text)
	}
}

func TestFitContextRefusesWhatCannotBeMeant(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for arguments, want := range map[string]string{
		`{"messages":[{"role":"user","content":"x"}]}`: "model is missing",
		`{"model":"m"}`:                                                                      "messages is missing",
		`{"model":"m","messages":[]}`:                                                        "messages is empty",
		`{"model":"m","messages":["x"]}`:                                                     "messages[0] must be an object",
		`{"model":"m","messages":[{"content":"x"}]}`:                                         "messages[0].role is missing",
		`{"model":"m","messages":[{"role":"model","content":"x"}]}`:                          `messages[0].role is "model"`,
		`{"model":"m","messages":[{"role":"user","content":{}}]}`:                            "messages[0].content",
		`{"model":"m","max_tokens":0,"messages":[{"role":"user","content":"x"}]}`:            "max_tokens must be 1 or more",
		`{"model":"m","input_tokens":-1,"messages":[{"role":"user","content":"x"}]}`:         "input_tokens must be 0 or more",
		`{"model":"m","max_tokens":3,"messages":[{"role":"user","content":"` + long + `"}]}`: "the run does not fit m",
	} {
		if a := d.call("fit_context", arguments); !a.bad || !strings.Contains(a.text, want) {
			t.Errorf("fit_context(%.100s) = %q, want an error with %q", arguments, a.text, want)
		}
	}
}

const long = "one two three four five six seven eight nine ten"
