package server_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/memory/notes"
)

// jot writes a note as a tool would.
func (h *house) jot(ctx context.Context, c notes.Change) {
	h.t.Helper()
	if _, err := h.notes.Write(ctx, c); err != nil {
		h.t.Fatal(err)
	}
}

func TestNotesAreResources(t *testing.T) {
	t.Parallel()
	h := newHouse(t, 0)
	p := h.peer("one", 1)
	core := func() reply { return p.ask(t.Context(), "resources/read", `{"uri":"memory://core"}`) }
	if r := core(); len(r.Result.Contents) != 1 || r.Result.Contents[0].Text != "" {
		t.Errorf("core memory before the first write = %+v, want an empty text", r)
	}
	h.jot(t.Context(), notes.Change{Target: notes.Core, Content: "a \u202efact"})
	if r := core(); len(r.Result.Contents) != 1 || r.Result.Contents[0].Text != "a ⟨U+202E⟩fact\n" || r.Result.Contents[0].Meta["path"] != "MEMORY.md" {
		t.Errorf("core memory = %+v, want the fact", r)
	}
	if _, err := h.notes.AppendSection(t.Context(), "2026-03-08", notes.Section{Session: "s", From: 1, To: 4, Text: "what happened"}); err != nil {
		t.Fatal(err)
	}
	r := p.ask(t.Context(), "resources/read", `{"uri":"memory://daily/2026-03-08"}`)
	if len(r.Result.Contents) != 1 || !strings.Contains(r.Result.Contents[0].Text, "what happened") {
		t.Errorf("note of the day = %+v, want what happened", r)
	}
	for _, uri := range []string{"memory://daily/2026-03-09", "memory://daily/2026-13-45", "memory://daily/../MEMORY", "memory://daily/..%2Fx", "memory://daily/"} {
		if r := p.ask(t.Context(), "resources/read", `{"uri":"`+uri+`"}`); r.Error.Code == 0 || len(r.Result.Contents) > 0 {
			t.Errorf("read %s = %+v, want an error", uri, r)
		}
	}
}

func TestSubscriptionsOfNotes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, 0)
		p := h.peer("one", 10)
		for _, uri := range []string{"memory://core", "memory://daily/" + time.Now().UTC().Format(time.DateOnly)} {
			if r := p.subscribe(uri); r.Error.Code != 0 {
				t.Fatalf("subscribe to %s: %+v", uri, r)
			}
		}
		h.jot(t.Context(), notes.Change{Target: notes.Core, Content: "a fact"})
		p.hears("after a write to core", updated+"memory://core")
		h.jot(t.Context(), notes.Change{Target: notes.User, Content: "a name"})
		p.hears("after a write to another note")
		h.jot(t.Context(), notes.Change{Target: notes.Today, Content: "an event"})
		p.hears("after a write to the day", updated+"memory://daily/"+time.Now().UTC().Format(time.DateOnly))
	})
}

func TestThePromptOnboard(t *testing.T) {
	t.Parallel()
	h := newHouse(t, 0)
	p := h.peer("one", 1)
	say := func() string {
		t.Helper()
		r := p.ask(t.Context(), "prompts/get", `{"name":"onboard"}`)
		if len(r.Result.Messages) != 1 || r.Result.Messages[0].Role != "user" {
			t.Fatalf("onboard = %+v, want one message of the user", r)
		}
		return r.Result.Messages[0].Content.Text
	}
	if got := say(); !strings.Contains(got, "What is your name") || !strings.Contains(got, "What should I be called") || !strings.Contains(got, "memory_write") {
		t.Errorf("onboard on a first run = %q, want all questions and how to save the answers", got)
	}
	h.jot(t.Context(), notes.Change{Target: notes.User, Content: "Ann"})
	if got := say(); strings.Contains(got, "What is your name") || !strings.Contains(got, "What should I be called") {
		t.Errorf("onboard with a user = %q, want the questions about the agent alone", got)
	}
	h.jot(t.Context(), notes.Change{Target: notes.System, Content: "kind"})
	if got := say(); strings.Contains(got, "?") {
		t.Errorf("onboard when all is known = %q, want no question", got)
	}
}
