package tools_test

import (
	"encoding/json"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/tools"
)

func TestShowSummary(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   memory.Summary
		want string
	}{
		"empty": {memory.Summary{}, `{"key_decisions":[],"past_discussions":[],"current_discussion":{"topic":"","description":"","perspectives":"","direction":""}}`},
		"hidden": {
			memory.Summary{
				KeyDecisions:      []string{"Do: a\x1bb"},
				PastDiscussions:   []memory.PastDiscussion{{Topic: "c\x1bd", LastDiscussed: "2026-05-08 10:00"}},
				CurrentDiscussion: memory.CurrentDiscussion{Topic: "x\u202ey", Direction: "部"},
			},
			`{"key_decisions":["Do: a⟨U+001B⟩b"],"past_discussions":[{"topic":"c⟨U+001B⟩d","description":"","direction":"","last_discussed":"2026-05-08 10:00"}],` +
				`"current_discussion":{"topic":"x⟨U+202E⟩y","description":"","perspectives":"","direction":"部"}}`,
		},
	} {
		if got, err := json.Marshal(tools.ShowSummary(c.in)); err != nil || string(got) != c.want {
			t.Errorf("%s: ShowSummary = %s, %v, want %s", name, got, err, c.want)
		}
	}
}
