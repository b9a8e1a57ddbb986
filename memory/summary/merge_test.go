package summary_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/summary"
)

// A key decision without its mark is asked for once more, with the reason.
func TestMissingMark(t *testing.T) {
	t.Parallel()
	bad := strings.Replace(good, "Don't: shout", "不要: shout", 1)
	f := open(t, nil)
	f.say("s", "<a>")
	f.model.answer = answers(bad, good)
	f.tick()
	f.wantCalls(2)
	p := f.model.prompt(2)
	if len(p.Turns) != 3 || p.Turns[1] != (memory.Turn{Role: memory.RoleAssistant, Content: bad}) || !strings.Contains(p.Turns[2].Content, "key_decisions[1] does not begin with Do: or Don't:") {
		t.Errorf("the second ask is %+v, want the answer and what is wrong with it", p.Turns)
	}
	if v, err := f.Current(t.Context(), "s"); err != nil || reply(v.Summary) != reply(goodSummary()) {
		t.Errorf("Current() = %+v, %v, want the second answer", v, err)
	}
	f.say("s", "<b>")
	f.model.answer = answers(bad)
	if err := f.Tick(t.Context()); err == nil {
		t.Error("Tick() with two answers without a mark: no error")
	}
	f.wantCalls(4)
	if v, err := f.Current(t.Context(), "s"); err != nil || v.Version != 1 || v.Cursor != 1 {
		t.Errorf("Current() = %+v, %v, want version 1 as it was", v, err)
	}
}

func TestTwelveDecisions(t *testing.T) {
	t.Parallel()
	var rules []string
	for i := range 12 {
		rules = append(rules, fmt.Sprint("Do: ", i))
	}
	f := open(t, nil)
	f.say("s", "<a>")
	f.model.answer = answers(reply(ruled(rules...)))
	f.tick()
	v, err := f.Current(t.Context(), "s")
	if err != nil || fmt.Sprint(v.Summary.KeyDecisions) != fmt.Sprint(rules[4:]) {
		t.Errorf("Current() = %+v, %v, want the newest 8", v, err)
	}
}

// Without a new message nothing is asked, and the summary stays byte by byte.
func TestNothingNew(t *testing.T) {
	t.Parallel()
	f := open(t, nil)
	f.say("s", "<a>")
	f.model.answer = answers(good)
	f.tick()
	before, err := f.Versions(t.Context(), "s")
	if err != nil {
		t.Fatalf("Versions(): %v", err)
	}
	f.tick()
	f.wantCalls(1)
	if after, err := f.Versions(t.Context(), "s"); err != nil || fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("Versions() = %+v, %v, want %+v", after, err, before)
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	for language, want := range map[string]string{
		"":         "write in the language that the conversation is held in",
		"auto":     "write in the language that the conversation is held in",
		"Japanese": "write in Japanese.",
	} {
		f := open(t, func(c *summary.Config) { c.Language = language })
		f.say("s", "<a>")
		f.tick()
		if p := f.model.prompt(1); !strings.Contains(p.System, want) {
			t.Errorf("the prompt for %q does not say %q", language, want)
		}
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	if _, err := summary.New(summary.Config{}); err == nil {
		t.Error("New(no store): no error")
	}
	f := open(t, nil)
	if _, err := summary.New(summary.Config{Store: f.db, Runes: 100}); err == nil {
		t.Error("New(100 characters a chunk): no error")
	}
}

// A model that gives an error of another kind with its own deadline is a failure,
// although it looks like a cancelled call.
func TestModelTimesOut(t *testing.T) {
	t.Parallel()
	f := open(t, nil)
	f.say("s", "<a>")
	f.model.answer = func(context.Context, int, memory.Prompt) (string, error) { return "", context.DeadlineExceeded }
	if err := f.Tick(t.Context()); err == nil {
		t.Error("Tick() with a call that took too long: no error")
	}
	if list, err := f.Failures(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("Failures() = %+v, %v, want one", list, err)
	}
}
