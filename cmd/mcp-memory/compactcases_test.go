package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Case K02: after any number of compactions each message is in the window or in
// what the model was shown for the summary, and always in the archive.
func TestCaseK02(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	e := newChatEndpoint(t, nil)
	p := start(t, nil, "stdio", "--db", path)
	for round := range 2 {
		var list []any
		for i := range 40 {
			n := round*40 + i
			m := msg(fmt.Sprintf("k%d", n), fmt.Sprintf("<k%d> said", n))
			if n%2 == 1 {
				m["role"] = "assistant"
			}
			list = append(list, m)
		}
		p.tool("add_messages", map[string]any{"session_id": "s", "messages": list})
		if a := p.tool("compact", `{"session_id":"s"}`); a.bad {
			t.Fatalf("compact = %q", a.text)
		}
	}
	if got := p.tool("chat_history", `{"mode":"read","session_id":"s","limit":200}`).column("messages", "id"); len(got) != 80 {
		t.Errorf("%d messages are in the archive, want 80", len(got))
	}
	window := strings.Join(p.tool("get_context", `{"session_id":"s"}`).column("messages", "content"), " ")
	p.end()
	jobWorks(t, e.flags(path)...)
	shown := window
	for _, c := range e.of("summary") {
		shown += strings.Join(c.texts(), " ")
	}
	for n := range 80 {
		if !strings.Contains(shown, fmt.Sprintf("<k%d>", n)) {
			t.Errorf("message %d is neither in the window nor was it summarised", n)
		}
	}
}

// Case K03: the window begins with a user message, and each result in it has its
// call, whatever compaction has taken out.
func TestCaseK03(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "stdio", "--db", filepath.Join(t.TempDir(), "memory.db"), "--max-history-messages", "6")
	var list []any
	for i := range 5 {
		call := fmt.Sprintf("c%d", i)
		list = append(list,
			map[string]any{"role": "user", "content": fmt.Sprintf("q%d", i)},
			map[string]any{"role": "assistant", "content": "", "tool_calls": []any{map[string]any{"id": call}}},
			map[string]any{"role": "tool", "content": fmt.Sprintf("r%d", i), "tool_call_id": call},
			map[string]any{"role": "assistant", "content": fmt.Sprintf("a%d", i)})
	}
	p.tool("add_messages", map[string]any{"session_id": "s", "messages": list})
	for _, when := range []string{"before", "after"} {
		a := p.tool("get_context", `{"session_id":"s"}`)
		roles := a.column("messages", "role")
		if len(roles) == 0 || roles[0] != "user" {
			t.Errorf("%s compact the window has the roles %q, want it to begin with the user", when, roles)
		}
		calls := fmt.Sprint(a.column("messages", "tool_calls"))
		for _, id := range a.column("messages", "tool_call_id") {
			if !strings.Contains(calls, id) {
				t.Errorf("%s compact the result of %s is in the window without its call", when, id)
			}
		}
		if a := p.tool("compact", `{"session_id":"s"}`); a.bad {
			t.Fatalf("compact = %q", a.text)
		}
	}
}

// Case Q01: what was deleted is found in no way, and takes nobody's place.
func TestCaseQ01(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "stdio", "--db", filepath.Join(t.TempDir(), "memory.db"))
	for session, n := range map[string]int{"s1": 10, "s2": 5} {
		var list []any
		for i := range n {
			list = append(list, msg(fmt.Sprint(i), fmt.Sprintf("the nightingale number %d sings", i)))
		}
		p.tool("add_messages", map[string]any{"session_id": session, "messages": list})
	}
	p.untilComplete("nightingale")
	if a := p.tool("reset", `{"session_id":"s1","mode":"all","confirm":true}`); a.bad || a.value["removed"] != 10. {
		t.Fatalf("reset = %v %q, want 10 removed", a.value, a.text)
	}
	for match, session := range map[string]string{"semantic": "s1", "keyword": "s1"} {
		a := p.tool("chat_history", fmt.Sprintf(`{"mode":"search","session_id":%q,"match":%q,"query":"nightingale"}`, session, match))
		if got := a.column("hits", "message_id"); len(got) != 0 {
			t.Errorf("%s search finds %q of what was deleted", match, got)
		}
	}
	a := p.tool("chat_history", `{"mode":"search","session_id":"s2","match":"semantic","query":"nightingale","limit":5}`)
	if got := a.column("hits", "message_id"); len(got) != 5 {
		t.Errorf("%d hits in the other session, want all 5", len(got))
	}
}

// Case F02: compaction beside another process that records never meets a locked
// database.
func TestCaseF02(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	writer, tidier := start(t, nil, "stdio", "--db", path), start(t, nil, "stdio", "--db", path)
	const n = 200
	writer.tool("add_messages", map[string]any{"session_id": "s", "messages": []any{msg("first", "hello")}})
	var both sync.WaitGroup
	both.Go(func() {
		for i := range n {
			if a := writer.tool("add_messages", map[string]any{"session_id": "s", "messages": []any{msg(fmt.Sprint(i), fmt.Sprintf("message %d", i))}}); a.bad {
				t.Errorf("add_messages = %q", a.text)
			}
		}
	})
	both.Go(func() {
		for range 40 {
			if a := tidier.tool("compact", `{"session_id":"s"}`); a.bad {
				t.Errorf("compact = %q", a.text)
			}
		}
	})
	both.Wait()
	if got := tidier.tool("chat_history", `{"mode":"read","session_id":"s","limit":1}`).column("messages", "content"); len(got) != 1 || got[0] != fmt.Sprintf("message %d", n-1) {
		t.Errorf("the newest message is %q, want the last one that was added", got)
	}
}
