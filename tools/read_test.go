package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestReadGivesBackWhatCameIn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("home",
		message("user", "line one\nline two", `"id":"u"`, `"sender":"Ada"`, `"sent_at":"2026-03-01T10:00:00.123456789Z"`),
		message("assistant", "", `"id":"a"`, `"tool_calls":[{"id":"c1","function":{"name":"look","arguments":"{}"}}]`),
		message("tool", "found it", `"id":"t"`, `"tool_name":"look"`, `"tool_call_id":"c1"`))
	a := d.must("chat_history", `{"mode":"read"}`)
	for path, want := range map[string][]string{
		"messages.client_id":                {"u", "a", "t"},
		"messages.role":                     {"user", "assistant", "tool"},
		"messages.content":                  {"line one\nline two", "", "found it"},
		"messages.sender":                   {"Ada"},
		"messages.tool_name":                {"look"},
		"messages.tool_call_id":             {"c1"},
		"messages.tool_calls.function.name": {"look"},
		"messages.size":                     {},
	} {
		got := a.strings(path)
		if !slices.Equal(got, want) {
			t.Errorf("%s = %q, want %q", path, got, want)
		}
	}
	if got := a.strings("messages.sent_at"); got[0] != "2026-03-01T10:00:00.123456789Z" {
		t.Errorf("sent_at = %v, want its nanoseconds kept", got)
	}
}

// A page ends before 60 KB, and the cursor gives all the rest, also of one very
// long message and of very many short ones.
func TestReadPagesHaveALimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, content string
		times         int
	}{
		{"one long message", strings.Repeat("long text. ", 10_000), 1},
		{"many short ones", "ok", 400},
		{"much to escape", strings.Repeat("\"<\\\n", 800), 30},
		{"control characters", strings.Repeat("\x1b", 500), 30},
		{"Chinese", strings.Repeat("潮汐", 3000), 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.add("home", slices.Repeat([]string{message("user", c.content)}, c.times)...)
			shown, cursor := 0, ""
			for page := 0; page == 0 || cursor != ""; page++ {
				a := d.must("chat_history", fmt.Sprintf(`{"mode":"read","limit":200,"cursor":%q}`, cursor))
				if a.size > 60_500 { // with the frame of the protocol
					t.Errorf("page %d has %d bytes, want under 60 KB", page, a.size)
				}
				for _, content := range a.strings("messages.content") {
					shown += len(content)
				}
				cursor = strings.Join(a.strings("next_cursor"), "")
				if page > 300 {
					t.Fatal("pages do not end")
				}
			}
			if want := len(c.content) * c.times; shown < want { // written out, hidden characters are longer
				t.Errorf("pages gave %d bytes, want all %d", shown, want)
			}
		})
	}
}

func TestReadAroundAMessage(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("work", message("user", "one"), message("user", "two"), message("user", "three"), message("user", "four"))
	for arguments, want := range map[string][]string{
		`{"message_id":"2"}`:                            {"two"},
		`{"message_id":2,"session_id":"work"}`:          {"two"},
		`{"before":"3"}`:                                {"one", "two"},
		`{"after":"2","session_id":"work"}`:             {"three", "four"},
		`{"mode":"read","session_id":"work","limit":2}`: {"three", "four"},
	} {
		if got := d.must("chat_history", arguments).strings("messages.content"); !slices.Equal(got, want) {
			t.Errorf("chat_history(%s) = %v, want %v", arguments, got, want)
		}
	}
	for _, arguments := range []string{`{"message_id":"99"}`, `{"mode":"read","session_id":"nowhere"}`, `{"message_id":"2","session_id":"home"}`} {
		if a := d.call("chat_history", arguments); !a.bad || strings.Contains(a.text, "internal") {
			t.Errorf("chat_history(%s) = %v %q, want a clear error", arguments, a.bad, a.text)
		}
	}
}

func TestListIsNewestFirst(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("older", message("user", "first\nquestion", `"sent_at":"2026-03-01T10:00:00Z"`))
	d.add("newer", message("assistant", "hello", `"sent_at":"2026-03-02T10:00:00Z"`), message("user", "second", `"sent_at":"2026-03-02T10:00:01Z"`))
	a := d.must("chat_history", `{}`)
	for path, want := range map[string][]string{
		"sessions.session_id": {"newer", "older"},
		"sessions.messages":   {"2", "1"},
		"sessions.first_at":   {"2026-03-02T10:00:00Z", "2026-03-01T10:00:00Z"},
		"sessions.last_at":    {"2026-03-02T10:00:01Z", "2026-03-01T10:00:00Z"},
	} {
		if got := a.strings(path); !slices.Equal(got, want) {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	page := d.must("chat_history", `{"limit":1}`)
	rest := d.must("chat_history", fmt.Sprintf(`{"limit":1,"cursor":%q}`, page.strings("next_cursor")[0]))
	if got := rest.strings("sessions.session_id"); !slices.Equal(got, []string{"older"}) {
		t.Errorf("second page = %v, want [older]", got)
	}
}
