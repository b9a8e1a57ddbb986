package server_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/memory/lessons"
)

const lessonsURI = "memory://lessons"

// TestLessonsResource: what another process learns is shown, and subscribers hear
// of it; so they do of what is renewed, and not of what changes nothing.
func TestLessonsResource(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, 0)
		other := h.neighbour()
		elsewhere := h.openLessons(h.openDB())
		p := h.peer("one", 10)
		read := func() string {
			r := p.ask(t.Context(), "resources/read", `{"uri":"`+lessonsURI+`"}`)
			if len(r.Result.Contents) != 1 {
				t.Fatalf("%s = %+v, want its content", lessonsURI, r)
			}
			return r.Result.Contents[0].Text
		}
		if got := read(); got != `{"related_errors":[]}` {
			t.Errorf("%s = %s, want an empty list", lessonsURI, got)
		}
		if r := p.subscribe(lessonsURI); r.Error.Code != 0 {
			t.Fatalf("subscribe = %+v", r.Error)
		}
		p.hears("nothing has changed")
		w, err := elsewhere.Write(t.Context(), lessons.Draft{Tool: "git", Symptom: "push rejected", Action: "pull first", Outcome: lessons.Resolved})
		if err != nil || !w.Stored {
			t.Fatalf("Write() = %+v, %v, want it stored", w, err)
		}
		p.hears("a lesson was written", updated+lessonsURI)
		if got := read(); !strings.Contains(got, `"action":"pull first"`) {
			t.Errorf("%s = %s, want the lesson", lessonsURI, got)
		}
		other.add("home", "hello")
		p.hears("a message was added")
		time.Sleep(time.Minute)
		if found, err := elsewhere.Related(t.Context(), "git", "push rejected", 0); err != nil || len(found) != 1 {
			t.Errorf("Related() = %+v, %v, want the lesson", found, err)
		}
		p.hears("the lesson was renewed", updated+lessonsURI)
		if err := elsewhere.Forget(t.Context(), w.ID); err != nil {
			t.Errorf("Forget(): %v", err)
		}
		p.hears("the lesson was forgotten", updated+lessonsURI)
	})
}
