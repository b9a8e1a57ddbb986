package prompts

import (
	_ "embed"
	"strings"
)

//go:embed onboard.md
var onboard string

//go:embed onboarding_system.md
var onboardingSystem string

//go:embed onboarding_user.md
var onboardingUser string

// OnboardingSystem are the questions about the agent, for a first run.
func OnboardingSystem() []string { return lines(onboardingSystem) }

// OnboardingUser are the questions about the person.
func OnboardingUser() []string { return lines(onboardingUser) }

// Onboard is what the prompt onboard says in the user's name, with the questions
// that are open. Without any it says that all is known.
func Onboard(questions []string) string {
	if len(questions) == 0 {
		return "Your memory holds who you are and who I am. Read system.md and user.md with memory_get, tell me in a few sentences what they say, and ask me whether it is still right."
	}
	return strings.TrimSpace(onboard) + "\n\n- " + strings.Join(questions, "\n- ")
}

// lines are the lines of a text that are not blank.
func lines(s string) []string {
	var list []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}
