package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/tools"
)

func TestArgumentsAreReadLeniently(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var messages []string
	for range 30 {
		messages = append(messages, message("user", "note"))
	}
	d.add("home", messages...)
	for arguments, hits := range map[string]int{
		`{"query":"note","limit":"20"}`:                         20,
		`{"query":"note","limit":20.0}`:                         20,
		`{"query":"note","limit":"20.0"}`:                       20,
		`{"query":"note","limit":""}`:                           8,
		`{"query":"note","limit":null}`:                         8,
		`{"query":"note","limit":1000}`:                         30,
		`{"query":"note","match":"null","mode":"null"}`:         8,
		`{"query":"note","match":null,"role":"","scope":"all"}`: 8,
		`{"keyword":"note"}`:                                    8,
		`{"query":"note","session_id":"home"}`:                  8,
		`{"query":"note","scope":"session"}`:                    8,
		`{"query":"note","time_range":"all"}`:                   8,
	} {
		if got := len(d.must("chat_history", arguments).strings("hits.message_id")); got != hits {
			t.Errorf("chat_history(%s) = %d hits, want %d", arguments, got, hits)
		}
	}
}

func TestArgumentsThatCannotBeMeant(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, c := range []struct{ tool, arguments, want string }{
		{"chat_history", `{"query":"x","limit":"abc"}`, `limit must be a whole number, got "abc"`},
		{"chat_history", `{"query":"x","limit":2.5}`, `limit must be a whole number, got 2.5`},
		{"chat_history", `{"query":"x","limit":[1]}`, `limit must be a whole number, got a list`},
		{"chat_history", `{"query":"x","limit":0}`, `limit must be 1 or more, got 0`},
		{"chat_history", `{"query":"x","limit":-3}`, `limit must be 1 or more, got -3`},
		{"chat_history", `{"query":"x","match":"fuzzy"}`, `match must be one of semantic, keyword; got "fuzzy"`},
		{"chat_history", `{"query":"x","match":["null"]}`, `match must be text, got a list`},
		{"chat_history", `{"query":5}`, `query must be text, got 5`},
		{"chat_history", `{"mode":"search","query":""}`, `query is empty`},
		{"chat_history", `{"mode":"search","query":" \n "}`, `query is empty`},
		{"chat_history", `{"query":"x","q":1,"a":2}`, `unknown argument "a", "q" in chat_history: known are mode, query`},
		{"chat_history", `{"message_id":"seven"}`, `message_id must be a message id`},
		{"chat_history", `{"message_id":-1}`, `message_id must be a message id`},
		{"chat_history", `{"query":"x","time_range":"soon"}`, `time_range must be all or a number`},
		{"chat_history", `{"query":"x","since":"tomorrow"}`, `since: cannot read the time "tomorrow"`},
		{"chat_history", `{"query":"x","since":true}`, `since must be a time`},
		{"chat_history", `{"query":"x","since":"2026-03-02","until":"2026-03-01"}`, `until (2026-03-01T00:00:00Z) is before since`},
		{"chat_history", `{"query":"x","session_id":"a/b"}`, `session_id must not contain`},
		{"chat_history", `[]`, `arguments must be an object, got a list`},
		{"chat_history", `"x"`, `arguments must be an object, got "x"`},
		{"get_context", `{"max_tokens":0}`, `max_tokens must be 1 or more`},
		{"add_messages", ``, `messages is missing`},
		{"add_messages", `null`, `messages is missing`},
		{"add_messages", `{"messages":null}`, `messages is missing`},
		{"add_messages", `{"messages":[]}`, `messages is empty`},
		{"add_messages", `{"messages":{}}`, `messages must be a list, got an object`},
		{"add_messages", `{"messages":[5]}`, `messages[0] must be an object, got 5`},
		{"add_messages", `{"messages":[{"content":"x"}]}`, `messages[0].role is missing`},
		{"add_messages", `{"messages":[{"role":"user"}]}`, `messages[0].content is missing`},
		{"add_messages", `{"messages":[{"role":"user","content":null}]}`, `messages[0].content is missing`},
		{"add_messages", `{"messages":[{"role":"robot","content":"x"}]}`, `messages[0].role must be one of user, assistant, system, tool; got "robot"`},
		{"add_messages", `{"messages":[{"role":"user","content":"x","text":"y"}]}`, `unknown argument "text" in messages[0]`},
		{"add_messages", `{"messages":[{"role":"user","content":"x","sent_at":"noon"}]}`, `messages[0].sent_at: cannot read the time "noon"`},
		{"add_messages", `{"messages":[{"role":"user","content":"x","tool_calls":["f"]}]}`, `messages[0].tool_calls[0] must be an object, got "f"`},
	} {
		a := d.call(c.tool, c.arguments)
		if !a.bad || !strings.HasPrefix(a.text, c.want) {
			t.Errorf("%s(%s) = %v %q, want the error %q", c.tool, c.arguments, a.bad, a.text, c.want)
		}
	}
	if got := d.must("chat_history", `{"mode":"list"}`).strings("sessions.session_id"); len(got) != 0 {
		t.Errorf("sessions after refused calls = %v, want none", got)
	}
}

func TestTimesComeInEveryForm(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	want := "2026-03-01T10:00:00Z"
	for i, sentAt := range []string{`"2026-03-01T10:00:00Z"`, `"2026-03-01 10:00:00"`, `1772359200`, `"1772359200000"`, `1772359200000000000`} {
		session := string(rune('a' + i))
		d.add(session, message("user", "x", `"sent_at":`+sentAt))
		got := d.must("chat_history", `{"mode":"read","session_id":"`+session+`"}`).strings("messages.sent_at")
		if !slices.Equal(got, []string{want}) {
			t.Errorf("sent_at %s = %v, want %s", sentAt, got, want)
		}
	}
}

func TestTimeRange(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for id, age := range map[string]time.Duration{"hours": 5 * time.Hour, "days": 5 * 24 * time.Hour, "weeks": 25 * 24 * time.Hour, "months": 200 * 24 * time.Hour} {
		d.add("home", message("user", "note", `"id":"`+id+`"`, `"sent_at":"`+now.Add(-age).Format(time.RFC3339)+`"`))
	}
	for period, want := range map[string][]string{
		"6h": {"hours"}, "1d": {"hours"}, "7d": {"days", "hours"}, "1w": {"days", "hours"},
		"1m": {"days", "hours", "weeks"}, "1y": {"days", "hours", "months", "weeks"}, "all": {"days", "hours", "months", "weeks"},
		"9999999y": {"days", "hours", "months", "weeks"},
	} {
		for _, match := range []string{"keyword", "semantic"} {
			got := d.must("chat_history", `{"query":"note","match":"`+match+`","time_range":"`+period+`"}`).strings("hits.client_id")
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("time_range %s, %s = %v, want %v", period, match, got, want)
			}
		}
	}
}

// No arguments, however odd, make a tool panic or leak what is inside.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{}`, `{"query":"x","limit":"20"}`, `{"message_id":"1"}`, `{"limit":1e400}`, `{"since":-1}`, `[`, `{"query":{"a":[null]}}`, `{"time_range":"9m"}`} {
		f.Add(seed)
	}
	chat := &tools.ChatHistory{History: failing{}, Recall: silent{}, Session: "home", Zone: time.UTC, Now: func() time.Time { return now }}
	tool, err := chat.Tool()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, arguments string) {
		log, _ := logger()
		a := callTool(t, tool, log, arguments)
		if a.bad && a.text == "" {
			t.Errorf("chat_history(%q) = an error without text", arguments)
		}
		if !json.Valid([]byte(arguments)) && !a.bad && strings.TrimSpace(arguments) != "" {
			t.Errorf("chat_history(%q) took what is no JSON", arguments)
		}
	})
}
