package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"mcp-memory/memory"
)

// decided is a summary with one decision.
func decided(d string) memory.Summary {
	return memory.Summary{KeyDecisions: []string{d}, PastDiscussions: []memory.PastDiscussion{}}
}

// decisions are the key decisions that an agent gets.
func (d *desk) decisions(session string) string {
	d.t.Helper()
	return strings.Join(d.must("get_context", fmt.Sprintf(`{"session_id":%q}`, session)).strings("prior_summary.key_decisions"), "; ")
}

func TestCompactMakesTheSummaryAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("home", message("user", "Always write the tests first."), message("assistant", "I will."), message("user", "Which port does the server use?"))
	d.summarise("home", decided("Do: something wrong"))
	a := d.must("compact", `{"action":"summary"}`)
	if got := fmt.Sprint(a.value); got != "map[count:3 session_id:home]" || a.text != "The summary of session home was made again from 3 messages.\n" {
		t.Errorf("compact = %s, %q", got, a.text)
	}
	if got := d.decisions("home"); got != "Do: Always write the tests first." {
		t.Errorf("decisions after a rebuild = %q, want the rule that was stated", got)
	}
	if a := d.must("compact", `{"action":"summary"}`); fmt.Sprint(a.value["count"]) != "3" {
		t.Errorf("compact again = %v, want 3 messages", a.value)
	}
}

func TestCompactRestores(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("work", message("user", "hello"))
	for i := 1; i <= 3; i++ {
		d.summarise("work", decided(fmt.Sprint("Do: ", i)))
	}
	for _, c := range []struct{ arguments, version, decision string }{
		{`{"session_id":"work","action":"restore"}`, "4", "Do: 2"},
		{`{"session_id":"work","action":"restore","version":1}`, "5", "Do: 1"},
		{`{"session_id":"work","action":"restore","version":"3"}`, "6", "Do: 3"},
		{`{"session_id":"work","action":"restore","version":null}`, "7", "Do: 1"},
	} {
		a := d.must("compact", c.arguments)
		if got := d.decisions("work"); fmt.Sprint(a.value["version"]) != c.version || got != c.decision || !strings.HasSuffix(a.text, "is back, as version "+c.version+".\n") {
			t.Errorf("compact(%s) = %v, %q, decisions %q, want version %s with %q", c.arguments, a.value, a.text, got, c.version, c.decision)
		}
	}
}

func TestCompactRefuses(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("home", message("user", "hello"))
	d.summarise("home", decided("Do: stay"))
	for arguments, want := range map[string]string{
		`{"action":"dance"}`:                    "action must be one of",
		`{"action":"restore"}`:                  "session home has no older version of its summary",
		`{"action":"restore","version":9}`:      `session "home" has no version 9 of its summary: the last 10 are kept`,
		`{"action":"summary","version":1}`:      "version goes with the action restore, not with summary",
		`{"action":"summary","mode":"all"}`:     "mode",
		`{"action":"summary","session_id":"x"}`: `there is no session "x"`,
		`{"action":"restore","session_id":"x"}`: "session x has no older version of its summary",
		`{"action":"restore","version":"one"}`:  "version must be a whole number",
	} {
		if a := d.call("compact", arguments); !a.bad || !strings.Contains(a.text, want) {
			t.Errorf("compact(%s) = error %v %q, want one that says %q", arguments, a.bad, a.text, want)
		}
	}
	if got := d.decisions("home"); got != "Do: stay" {
		t.Errorf("decisions after refusals = %q, want them as they were", got)
	}
}
