package extract_test

import (
	_ "embed"
	"strings"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/extract"
)

//go:embed testdata/rules.txt
var labelled string

//go:embed testdata/heldout.txt
var heldOut string

// sample is a sentence with what a person takes it for.
type sample struct{ label, sentence string }

// samples reads the lines "label, tab, sentence" of a file.
func samples(t *testing.T, file string) []sample {
	t.Helper()
	var list []sample
	for line := range strings.Lines(file) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		label, sentence, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			t.Fatalf("line %q has no tab", line)
		}
		list = append(list, sample{label, sentence})
	}
	return list
}

// label says what Rules takes a sentence for: Do, Don't or None.
func label(sentence string) string {
	rules := extract.Rules(memory.Message{Role: memory.RoleUser, Content: sentence})
	switch {
	case len(rules) == 0:
		return "None"
	case rules[0].Forbids:
		return "Don't"
	}
	return "Do"
}

func TestRulesOfLabelledSentences(t *testing.T) {
	t.Parallel()
	for _, s := range samples(t, labelled) {
		if got := label(s.sentence); got != s.label {
			t.Errorf("Rules(%q) = %s, want %s", s.sentence, got, s.label)
		}
	}
}

// TestRulesOfSentencesKeptApart measures: a rule with the wrong prefix counts
// as a wrong rule and as a missed one.
func TestRulesOfSentencesKeptApart(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{"labelled": labelled, "kept apart": heldOut} {
		var right, found, wanted int
		for _, s := range samples(t, file) {
			got := label(s.sentence)
			if got != "None" {
				found++
			}
			if s.label != "None" {
				wanted++
			}
			if got == s.label && got != "None" {
				right++
			}
			if got != s.label {
				t.Logf("%s: Rules(%q) = %s, want %s", name, s.sentence, got, s.label)
			}
		}
		precision, recall := float64(right)/float64(found), float64(right)/float64(wanted)
		t.Logf("%s: %d rules found, %d wanted: precision %.3f, recall %.3f", name, found, wanted, precision, recall)
		if precision < .9 || recall < .8 {
			t.Errorf("%s: precision %.3f, recall %.3f; want at least .9 and .8", name, precision, recall)
		}
	}
}
