package history_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
)

func TestAppendRefuses(t *testing.T) {
	t.Parallel()
	good := said(memory.RoleUser, "fine")
	long := strings.Repeat("x", 513)
	tests := []struct {
		name    string
		session string
		drafts  []memory.Draft
		want    []string // parts of the text
	}{
		{"no message", "s", nil, []string{"messages is empty", "at least one"}},
		{"no session", "", []memory.Draft{good}, []string{"session_id is empty", "1 to 200"}},
		{"slash", "a/b", []memory.Draft{good}, []string{"session_id", "slashes"}},
		{"long session", strings.Repeat("é", 201), []memory.Draft{good}, []string{"session_id", "201", "at most 200"}},
		{"unknown role", "s", []memory.Draft{good, said("robot", "x")}, []string{"messages[1]", "user, assistant, system, tool", `"robot"`}},
		{"no role", "s", []memory.Draft{said("", "x")}, []string{"messages[0]", "role must be one of"}},
		{"large content", "s", []memory.Draft{good, good, said(memory.RoleUser, strings.Repeat("x", memory.MaxContentBytes+1))}, []string{"messages[2]", "16777217", "16 MiB", "split it"}},
		{"large tool calls", "s", []memory.Draft{{Role: memory.RoleAssistant, ToolCalls: make(json.RawMessage, memory.MaxContentBytes+1)}}, []string{"messages[0]", "tool_calls", "16 MiB"}},
		{"long id", "s", []memory.Draft{good, {Role: memory.RoleUser, ClientID: long}}, []string{"messages[1]", "id has 513 bytes", "at most 512"}},
		{"long sender", "s", []memory.Draft{{Role: memory.RoleUser, Sender: long, ToolName: long}}, []string{"messages[0]", "sender has 513 bytes", "at most 512"}},
		{"long tool name", "s", []memory.Draft{{Role: memory.RoleTool, ToolName: long}}, []string{"messages[0]", "tool_name", "at most 512"}},
		{"long call id", "s", []memory.Draft{{Role: memory.RoleTool, ToolCallID: long}}, []string{"messages[0]", "tool_call_id", "at most 512"}},
		{"before 1678", "s", []memory.Draft{good, {Role: memory.RoleUser, SentAt: time.Date(1500, 1, 1, 0, 0, 0, 0, time.UTC)}}, []string{"messages[1]", "sent_at", "1500", "1678 to 2261"}},
		{"after 2261", "s", []memory.Draft{{Role: memory.RoleUser, SentAt: time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC)}}, []string{"messages[0]", "sent_at", "2300", "1678 to 2261"}},
	}
	called := 0
	h := open(t, history.Config{OnAppend: func() { called++ }})
	for _, tt := range tests {
		_, err := h.Append(t.Context(), tt.session, "test", tt.drafts)
		if !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%s: Append = %v, want ErrInvalid", tt.name, err)
			continue
		}
		for _, part := range tt.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: Append = %q, want %q in it", tt.name, err, part)
			}
		}
	}
	if sessions, _, err := h.Sessions(t.Context(), "", 0); err != nil || len(sessions) > 0 {
		t.Errorf("after refusals there are sessions %v (%v), want none", sessions, err)
	}
	if called > 0 {
		t.Errorf("OnAppend was called %d times for refused batches, want never", called)
	}
}

func TestAppendTakesTheLargestMessage(t *testing.T) {
	t.Parallel()
	h := open(t, history.Config{})
	content := strings.Repeat(" ", memory.MaxContentBytes-4) + " end"
	added := record(t, h, "s", said(memory.RoleUser, content))
	page, err := h.Read(t.Context(), history.ReadRequest{MessageID: added.FirstID, MaxBytes: memory.MaxContentBytes})
	if err != nil || len(page.Messages) != 1 || page.Messages[0].Content != content {
		t.Errorf("Read gives back another text than the 16 MiB that were stored (%v)", err)
	}
}

func TestAppendCleansAndMasks(t *testing.T) {
	t.Parallel()
	h := open(t, history.Config{Masker: fakeMasker{}})
	added := record(t, h, "s", memory.Draft{
		Role: memory.RoleAssistant, ClientID: "i\x00d", Sender: "secret Ann", ToolName: "t\xff", ToolCallID: "c\x00",
		Content:   "a secret\x00 and\tanother secret\r\n\xfe\u202e",
		ToolCalls: json.RawMessage(`[ {"n":1.50, "a":"the secret","b":"<&>"} ]`),
	})
	want := history.Added{Redacted: 4, Replaced: 3}
	want.Appended = added.Appended
	if added != want {
		t.Errorf("Append = %+v, want %+v", added, want)
	}
	m := everything(t, h, "s")[0]
	got := []string{m.ClientID, m.Sender, m.ToolName, m.ToolCallID, m.Content, string(m.ToolCalls), m.Source, m.Session}
	wanted := []string{
		"i\uFFFDd", "[masked] Ann", "t\uFFFD", "c\uFFFD", "a [masked]\uFFFD and\tanother [masked]\r\n\uFFFD\u202e",
		`[ {"n":1.50, "a":"the [masked]","b":"<&>"} ]`, "test", "s",
	}
	if !slices.Equal(got, wanted) {
		t.Errorf("stored %q, want %q", got, wanted)
	}
	if m.Size != len(m.Content) || !m.SentAt.Equal(noon) || m.SentAt.Location() != time.UTC {
		t.Errorf("stored size %d at %v, want %d at %v", m.Size, m.SentAt, len(m.Content), noon)
	}
}

func TestAppendKeepsEmptyContent(t *testing.T) {
	t.Parallel()
	h := open(t, history.Config{})
	record(t, h, "s", said(memory.RoleUser, ""), memory.Draft{Role: memory.RoleAssistant, ToolCalls: json.RawMessage(`[{"id":"1"}]`)})
	got := everything(t, h, "s")
	if len(got) != 2 || got[0].Content != "" || got[0].ToolCalls != nil || string(got[1].ToolCalls) != `[{"id":"1"}]` {
		t.Errorf("Read = %+v, want an empty message and one of tool calls alone", got)
	}
}

// TestAppendDuplicates goes through SPEC §1.1. Each row is appended in order to
// a session of its own, one call a draft.
func TestAppendDuplicates(t *testing.T) {
	t.Parallel()
	at := func(d memory.Draft, sec int) memory.Draft {
		d.SentAt = noon.Add(time.Duration(sec) * time.Second)
		return d
	}
	id := func(d memory.Draft, id string) memory.Draft {
		d.ClientID = id
		return d
	}
	user := func(s string) memory.Draft { return said(memory.RoleUser, s) }
	tests := []struct {
		name   string
		drafts []memory.Draft
		kept   int
	}{
		{"the same id", []memory.Draft{id(user("a"), "1"), id(user("a"), "1")}, 1},
		{"the same id, another text", []memory.Draft{id(user("a"), "1"), id(at(user("b"), 5), "1")}, 1},
		{"equal text, another id", []memory.Draft{id(at(user("ok"), 0), "1"), id(at(user("ok"), 0), "2")}, 2},
		{"equal text and time", []memory.Draft{at(user("ok"), 0), at(user("ok"), 0)}, 1},
		{"equal text and time in another zone", []memory.Draft{at(user("ok"), 0), {Role: memory.RoleUser, Content: "ok", SentAt: noon.In(time.FixedZone("", 3600))}}, 1},
		{"equal text, another time", []memory.Draft{at(user("ok"), 0), at(user("ok"), 300)}, 2},
		{"equal text and time, another role", []memory.Draft{at(user("ok"), 0), at(said(memory.RoleAssistant, "ok"), 0)}, 2},
		{"no time: every call adds", []memory.Draft{user("ok"), user("ok"), user("ok")}, 3},
		{"no time, then the same with the time it got", []memory.Draft{user("ok"), at(user("ok"), 0)}, 1},
		{"an id, then the same without", []memory.Draft{id(at(user("ok"), 0), "1"), at(user("ok"), 0)}, 1},
		{"results of two calls", []memory.Draft{
			{Role: memory.RoleTool, Content: "done", SentAt: noon, ToolCallID: "c1"},
			{Role: memory.RoleTool, Content: "done", SentAt: noon, ToolCallID: "c2"},
		}, 2},
		{"the masked text counts", []memory.Draft{at(user("key secret"), 0), at(user("key [masked]"), 0)}, 1},
		{"the cleaned text counts", []memory.Draft{at(user("a\x00"), 0), at(user("a\xff"), 0)}, 1},
		{"the cleaned id counts", []memory.Draft{id(user("a"), "x\x00"), id(user("a"), "x\uFFFD")}, 1},
		{"ids are case-sensitive", []memory.Draft{id(user("a"), "x"), id(user("a"), "X")}, 2},
	}
	h := open(t, history.Config{Masker: fakeMasker{}})
	for _, tt := range tests {
		var added history.Added
		for _, d := range tt.drafts {
			one := record(t, h, tt.name, d)
			added.Added += one.Added
			added.Duplicates += one.Duplicates
		}
		if got := len(everything(t, h, tt.name)); got != tt.kept || added.Added != tt.kept || added.Duplicates != len(tt.drafts)-tt.kept {
			t.Errorf("%s: %d stored, Append counted %d added and %d duplicates; want %d of %d", tt.name, got, added.Added, added.Duplicates, tt.kept, len(tt.drafts))
		}
		record(t, h, "all of "+tt.name, tt.drafts...)
		if got := len(everything(t, h, "all of "+tt.name)); got != tt.kept {
			t.Errorf("%s, in one batch: %d stored, want %d", tt.name, got, tt.kept)
		}
	}
}

// TestAppendAgain sends a growing history again and again (cases D01, D03).
func TestAppendAgain(t *testing.T) {
	t.Parallel()
	h := open(t, history.Config{})
	batch := []memory.Draft{
		{ClientID: "1", Role: memory.RoleUser, Content: "a"},
		{ClientID: "2", Role: memory.RoleAssistant, Content: "b"},
		{ClientID: "3", Role: memory.RoleUser, Content: "c"},
	}
	first := record(t, h, "s", batch[:2]...)
	again := record(t, h, "s", batch[:2]...)
	if again.Added != 0 || again.Duplicates != 2 || again.FirstID != first.FirstID || again.LastID != first.LastID {
		t.Errorf("Append again = %+v, want 2 duplicates with the ids of %+v", again, first)
	}
	grown := record(t, h, "s", batch...)
	if grown.Added != 1 || grown.Duplicates != 2 || grown.FirstID != first.FirstID || grown.LastID <= first.LastID {
		t.Errorf("Append(grown) = %+v, want 1 added after the 2 known", grown)
	}
	other := record(t, h, "other", batch...)
	if other.Added != 3 {
		t.Errorf("Append into another session = %+v, want 3 added: an id is unique in its session only", other)
	}
}

// TestAppendOrder says that a session is in order of time, then of arrival (case
// D08), and that one call keeps its order.
func TestAppendOrder(t *testing.T) {
	t.Parallel()
	h := open(t, history.Config{})
	record(t, h, "s", memory.Draft{Role: memory.RoleAssistant, Content: "answer", SentAt: noon.Add(2 * time.Second)})
	record(t, h, "s", memory.Draft{Role: memory.RoleUser, Content: "question", SentAt: noon.Add(time.Second)})
	record(t, h, "s", memory.Draft{Role: memory.RoleUser, Content: "old note", SentAt: noon.AddDate(0, -1, 0)})
	record(t, h, "s",
		memory.Draft{Role: memory.RoleUser, Content: "now 1", SentAt: noon.Add(time.Minute)},
		memory.Draft{Role: memory.RoleUser, Content: "now 2", SentAt: noon.Add(time.Minute)},
		memory.Draft{Role: memory.RoleUser, Content: "now 3", SentAt: noon.Add(time.Minute)},
	)
	want := []string{"old note", "question", "answer", "now 1", "now 2", "now 3"}
	if got := contents(everything(t, h, "s")); !slices.Equal(got, want) {
		t.Errorf("Read = %q, want %q", got, want)
	}
}

func TestOnAppendOnceABatchThatAdds(t *testing.T) {
	t.Parallel()
	called := 0
	h := open(t, history.Config{OnAppend: func() { called++ }})
	batch := talk(5)
	record(t, h, "s", batch...)
	if called != 1 {
		t.Errorf("OnAppend called %d times after a batch of 5, want once", called)
	}
	record(t, h, "s", batch...)
	if called != 1 {
		t.Errorf("OnAppend called %d times after the same batch again, want still once", called)
	}
}
