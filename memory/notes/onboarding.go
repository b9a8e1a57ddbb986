package notes

import (
	"context"
	"slices"

	"mcp-memory/prompts"
)

// Missing lists the profiles that nothing is known of: their files do not exist
// or are blank.
func (n *Notes) Missing(ctx context.Context) ([]Target, error) {
	var missing []Target
	for _, t := range []Target{System, User} {
		d, err := n.Profile(ctx, t)
		if err != nil {
			return nil, err
		}
		if d.Content == "" {
			missing = append(missing, t)
		}
	}
	return missing, nil
}

// Onboarding returns the questions to ask the person on a first run, for what is
// missing in the profile; none when nothing is.
func (n *Notes) Onboarding(ctx context.Context) ([]string, error) {
	missing, err := n.Missing(ctx)
	if err != nil {
		return nil, err
	}
	questions := []string{}
	if slices.Contains(missing, System) {
		questions = append(questions, prompts.OnboardingSystem()...)
	}
	if slices.Contains(missing, User) {
		questions = append(questions, prompts.OnboardingUser()...)
	}
	return questions, nil
}
