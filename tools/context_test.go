package tools_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mcp-memory/memory"
)

func TestGetContextGivesTheWindow(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var messages []string
	for i := range 30 {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		messages = append(messages, message(role, fmt.Sprintf("message %d", i)))
	}
	d.add("home", messages...)
	a := d.must("get_context", `{"query":"what now?"}`)
	got := a.strings("messages.content")
	if len(got) != 16 || got[0] != "message 14" || got[15] != "message 29" {
		t.Errorf("window = %v, want messages 14 to 29", got)
	}
	for _, list := range []string{"daily", "onboarding", "left_out"} {
		if v, ok := a.value[list].([]any); !ok || len(v) != 0 {
			t.Errorf("%s = %v, want an empty list", list, a.value[list])
		}
	}
	if rules := a.strings("rules")[0]; !strings.Contains(rules, "key_decisions") || !strings.Contains(a.text, rules) {
		t.Errorf("rules = %q, want them in both forms", rules)
	}
}

func TestGetContextLeavesOutTheOldestFirst(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	filler := strings.Repeat("word ", 200)
	d.add("home",
		message("user", "one "+filler), message("assistant", "two "+filler), message("user", "three "+filler),
		message("assistant", "four "+filler), message("assistant", "five "+filler))
	firsts := func(a answer) []string {
		var words []string
		for _, content := range a.strings("messages.content") {
			words = append(words, strings.Fields(content)[0])
		}
		return words
	}
	for _, c := range []struct {
		max  int
		want []string
	}{
		{8000, []string{"one", "two", "three", "four", "five"}},
		{900, []string{"three", "four", "five"}},
		{700, []string{"three", "five"}},
		{1, []string{"three"}},
	} {
		a := d.must("get_context", fmt.Sprintf(`{"max_tokens":%d}`, c.max))
		if got := firsts(a); !slices.Equal(got, c.want) {
			t.Errorf("messages within %d tokens = %v, want %v", c.max, got, c.want)
		}
		tokens, err := strconv.Atoi(a.strings("tokens")[0])
		if err != nil || tokens > max(c.max, 500) {
			t.Errorf("tokens within %d = %v", c.max, a.strings("tokens"))
		}
		if left := len(a.strings("left_out")) > 0; left != (len(c.want) < 5) {
			t.Errorf("left_out within %d tokens = %v", c.max, a.strings("left_out"))
		}
	}
}

// A Chinese character is about a token; four Latin ones are.
func TestTokensDependOnTheScript(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("latin", message("user", strings.Repeat("abcd", 300)))
	d.add("han", message("user", strings.Repeat("潮", 1200)))
	tokens := func(session string) int {
		n, err := strconv.Atoi(d.must("get_context", `{"session_id":"`+session+`"}`).strings("tokens")[0])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if latin, han := tokens("latin"), tokens("han"); han-latin != 900 {
		t.Errorf("1,200 Latin letters are %d tokens and Chinese ones %d, want 900 more", latin, han)
	}
}

func TestGetContextOfAnEmptySession(t *testing.T) {
	t.Parallel()
	a := newDesk(t).must("get_context", `{"session_id":"new"}`)
	if got, ok := a.value["messages"].([]any); !ok || len(got) != 0 || !strings.Contains(a.text, "Nothing is recorded in session new yet.") {
		t.Errorf("context of a new session = %v %q, want empty", a.value["messages"], a.text)
	}
}

// A last message of many pages would fill any window; its beginning stays.
func TestGetContextCutsAHugeLastMessage(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("home", message("user", "begin "+strings.Repeat("long ", 20_000)))
	a := d.must("get_context", `{}`)
	if a.size > 80_000 || !strings.HasPrefix(a.strings("messages.content")[0], "begin") || len(a.strings("left_out")) != 1 {
		t.Errorf("context has %d bytes, left_out %v", a.size, a.strings("left_out"))
	}
	if got := a.strings("messages.size"); !slices.Equal(got, []string{"100006"}) {
		t.Errorf("size = %v, want [100006]", got)
	}
}

// discussions is a summary with decisions and n past discussions of some 250
// tokens each.
func discussions(n int) memory.Summary {
	s := memory.Summary{
		KeyDecisions:      []string{"Do: answer in French", "Don't: use tabs " + strings.Repeat("never ", 400)},
		CurrentDiscussion: memory.CurrentDiscussion{Topic: "the port"},
	}
	for i := range n {
		s.PastDiscussions = append(s.PastDiscussions, memory.PastDiscussion{Topic: fmt.Sprint("topic ", i), Description: strings.Repeat("word ", 200), LastDiscussed: "2026-03-01 10:00"})
	}
	return s
}

func TestGetContextGivesTheSummary(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("home", message("user", "hello"), message("assistant", "good day"))
	if a := d.must("get_context", `{}`); a.value["prior_summary"] != nil || strings.Contains(a.text, "Prior summary") {
		t.Errorf("prior_summary without one = %v, want none", a.value["prior_summary"])
	}
	d.summarise("home", discussions(2))
	a := d.must("get_context", `{"query":"which port?"}`)
	if got := a.strings("prior_summary.past_discussions.topic"); !slices.Equal(got, []string{"topic 0", "topic 1"}) {
		t.Errorf("past discussions = %q, want both", got)
	}
	if got := a.strings("prior_summary.current_discussion.topic"); !slices.Equal(got, []string{"the port"}) {
		t.Errorf("current discussion = %q, want the port", got)
	}
	history, summary := strings.Index(a.text, "good day"), strings.Index(a.text, "\nPrior summary:\n{\"key_decisions\":[\"Do: answer in French\"")
	if history < 0 || summary < history {
		t.Errorf("the text is %q, want the summary as JSON after the messages", a.text)
	}
	if a := d.must("get_context", `{"session_id":"elsewhere"}`); a.value["prior_summary"] != nil {
		t.Errorf("prior_summary of another session = %v, want none", a.value["prior_summary"])
	}
}

// The older window goes first, then the oldest past discussions; key decisions and
// the last user message stay, whatever the limit.
func TestGetContextLeavesOutOfTheSummaryLast(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	filler := strings.Repeat("word ", 200)
	d.add("home", message("user", "one "+filler), message("assistant", "two "+filler), message("user", "three "+filler), message("assistant", "four "+filler))
	d.summarise("home", discussions(3))
	whole, err := strconv.Atoi(d.must("get_context", `{}`).strings("tokens")[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		max     int
		window  int
		topics  []string
		leftOut []string
	}{
		{whole, 4, []string{"topic 0", "topic 1", "topic 2"}, nil},
		{whole - 1, 3, []string{"topic 0", "topic 1", "topic 2"}, []string{"1 message of the window"}},
		{whole - 600, 1, []string{"topic 0", "topic 1", "topic 2"}, []string{"3 messages of the window"}},
		{whole - 760, 1, []string{"topic 1", "topic 2"}, []string{"3 messages of the window", "1 past discussion of the summary"}},
		{1, 1, nil, []string{"3 messages of the window", "3 past discussions of the summary"}},
	} {
		a := d.must("get_context", fmt.Sprintf(`{"max_tokens":%d}`, c.max))
		window := a.strings("messages.content")
		if len(window) != c.window || !slices.ContainsFunc(window, func(s string) bool { return strings.HasPrefix(s, "three") }) {
			t.Errorf("within %d tokens: %d messages, want %d with the last of the user", c.max, len(window), c.window)
		}
		if got := a.strings("prior_summary.past_discussions.topic"); !slices.Equal(got, c.topics) {
			t.Errorf("within %d tokens: past discussions %q, want %q", c.max, got, c.topics)
		}
		if got := a.strings("left_out"); !slices.Equal(got, c.leftOut) {
			t.Errorf("within %d tokens: left out %q, want %q", c.max, got, c.leftOut)
		}
		if got := a.strings("prior_summary.key_decisions"); len(got) != 2 || !strings.Contains(a.text, "key_decisions") {
			t.Errorf("within %d tokens: decisions %q, want both", c.max, got)
		}
	}
}
