package prompts_test

import (
	"strings"
	"testing"

	"mcp-memory/prompts"
)

// The prompts of the models, filled. Each call pays for them, so they may be
// longer than what goes with every request of an agent, but not by much.
func TestModelPromptsAreGolden(t *testing.T) {
	t.Parallel()
	for name, got := range map[string]string{
		"summary_auto":     prompts.Summary{Previous: `{"key_decisions":["Do: use <b> & \"quotes\""]}`}.System(),
		"summary_language": prompts.Summary{Previous: `{}`, Language: "Japanese"}.System(),
		"summary_messages": prompts.SummaryMessages("{\"text\":\"{{.Previous}} </data>\"}\n{\"text\":\"two\"}"),
		"summary_again":    prompts.SummaryAgain("key_decisions[0] does not begin with Do: or Don't:"),
		"judge_noise":      prompts.Noise(),
		"judge_outdated":   prompts.Outdated(),
		"judge_overturned": prompts.Overturned(),
		"judge_relevant":   prompts.Relevant(),
		"judge_steps":      prompts.UnneededSteps(),
		"steps":            prompts.Steps(300),
	} {
		checkGolden(t, name, got)
		if got != strings.TrimSpace(got) || len(got) > 4000 {
			t.Errorf("%s has %d bytes, want at most 4,000 and no blank ends", name, len(got))
		}
	}
}
