package summary_test

import (
	"context"
	"errors"
	"testing"

	"mcp-memory/memory"
)

func turnsOf(list []string) []memory.Turn {
	turns := make([]memory.Turn, len(list))
	for i, text := range list {
		turns[i] = memory.Turn{Role: memory.RoleUser, Content: text}
		if i%2 == 1 {
			turns[i] = memory.Turn{Role: memory.RoleAssistant, Content: text[len("assistant: "):]}
		}
	}
	return turns
}

// Turns that are recorded are summarised with their session, once; others are in
// what is returned and nowhere else.
func TestFold(t *testing.T) {
	t.Parallel()
	list := talk(0, 6)
	for name, c := range map[string]struct {
		recorded int
		calls    int
		cursor   int64
	}{
		"all recorded":  {6, 1, 6},
		"some recorded": {4, 2, 4},
		"none recorded": {0, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := open(t, nil)
			if c.recorded > 0 {
				f.say("s", list[:c.recorded]...)
			}
			s, err := f.Fold(t.Context(), "s", turnsOf(list), "")
			if err != nil || s.CurrentDiscussion.Description != joined(list) {
				t.Errorf("Fold() = %+v, %v, want all turns, each once", s, err)
			}
			f.wantCalls(c.calls)
			if c.recorded > 0 {
				f.want("s", joined(list[:c.recorded]), c.cursor)
			}
			if s, err = f.Fold(t.Context(), "s", turnsOf(list[:c.recorded]), ""); err != nil || s.CurrentDiscussion.Description != joined(list[:c.recorded]) {
				t.Errorf("Fold() again = %+v, %v, want the recorded turns, each once", s, err)
			}
			f.wantCalls(c.calls)
		})
	}
}

// A model that fails leaves the summary as it was; the caller keeps its turns.
func TestFoldFails(t *testing.T) {
	t.Parallel()
	f := open(t, nil)
	f.say("s", talk(0, 2)...)
	f.tick()
	f.model.answer = func(context.Context, int, memory.Prompt) (string, error) { return "", memory.Unavailablef("no answer") }
	if _, err := f.Fold(t.Context(), "s", turnsOf(talk(10, 2)), ""); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("Fold() = %v, want ErrUnavailable", err)
	}
	f.want("s", joined(talk(0, 2)), 2)
}
