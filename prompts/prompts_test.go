package prompts_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/prompts"
)

var update = flag.Bool("update", false, "write the golden files")

// checkGolden compares a text with its golden file.
func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs from %s; if that is meant, run go test ./prompts -update\n%s", name, path, got)
	}
}

// What models are told is measured with the whole product; a change must be
// meant.
func TestTextsAreGolden(t *testing.T) {
	t.Parallel()
	for name, got := range map[string]string{
		"instructions": prompts.Instructions(),
		"rules":        prompts.Rules(),
		"recall":       prompts.Recall("the context\n", ""),
		"onboard":      prompts.Onboard(append(prompts.OnboardingSystem(), prompts.OnboardingUser()...)),
		"onboard_none": prompts.Onboard(nil),
		"recall_query": prompts.Recall("the context\n", "Which port?\n"),
		"compact":      prompts.Compact(" my project\n"),
		"reset":        prompts.Reset("", ""),
		"reset_mode":   prompts.Reset("my project", "all"),
	} {
		checkGolden(t, name, got)
		if got != strings.TrimSpace(got) || len(got) > 2000 {
			t.Errorf("%s has %d bytes, want at most 2,000 and no blank ends: every request pays for them", name, len(got))
		}
	}
}

// Rules about tools that are switched off are not told, and the rest reads as if
// they had never been there.
func TestInstructionsWithoutTools(t *testing.T) {
	t.Parallel()
	got := prompts.Instructions("add_messages", "get_context", "compact")
	for _, missing := range []string{"add_messages", "get_context"} {
		if strings.Contains(got, missing) {
			t.Errorf("instructions name %s, which is missing: %s", missing, got)
		}
	}
	if !strings.Contains(got, "\n\n1. Use one stable session_id") || !strings.Contains(got, "\n2. Before you say") {
		t.Errorf("the other rules are not counted from one: %s", got)
	}
}
