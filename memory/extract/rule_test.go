package extract_test

import (
	_ "embed"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

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

func TestRules(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		role    memory.Role
		content string
		want    []extract.Rule
	}{
		{memory.RoleUser, "", nil},
		{memory.RoleUser, "Hi. Always use tabs! Never use spaces.", []extract.Rule{{Text: "Always use tabs!"}, {Text: "Never use spaces.", Forbids: true}}},
		{memory.RoleUser, "Rules:\n- **Always** quote the source.\n- 請用繁體中文", []extract.Rule{{Text: "Always quote the source."}, {Text: "請用繁體中文"}}},
		{memory.RoleAssistant, "Always use tabs.", nil},
		{memory.RoleTool, "Always use tabs.", nil},
		{memory.RoleSystem, "Always use tabs.", nil},
		{memory.RoleUser, "```\nAlways use tabs.\n```\n> Never use tabs.", nil},
		{memory.RoleUser, "The file says “always use tabs”.", nil},
		{memory.RoleUser, "Always keep\u202E this.", []extract.Rule{{Text: "Always keep⟨U+202E⟩ this."}}},
		{memory.RoleUser, "Always " + strings.Repeat("word ", 45) + "end.", []extract.Rule{{Text: "Always " + strings.Repeat("word ", 37) + "word…"}}},
		{memory.RoleUser, "Always " + strings.Repeat("word ", 60) + "end.", nil},
	} {
		if got := extract.Rules(memory.Message{Role: test.role, Content: test.content}); !slices.Equal(got, test.want) {
			t.Errorf("Rules(%s: %q) = %+v, want %+v", test.role, test.content, got, test.want)
		}
	}
}

func FuzzRules(f *testing.F) {
	for _, s := range []string{"Always a", "以後不要", "今後は〜しないで", "「\"`", "\xff always", "don’t", "please please please", "請請請也也就就"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range extract.Rules(memory.Message{Role: memory.RoleUser, Content: s}) {
			if r.Text == "" || strings.ContainsAny(r.Text, "\n\r\u202E\x00") || utf8.RuneCountInString(r.Text) > 200 {
				t.Fatalf("Rules(%q) has %q: want one visible line of at most 200 characters", s, r.Text)
			}
		}
	})
}

func TestLeadInIsLeftOut(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"One rule: never push to main.":     "never push to main.",
		"Our house rule: always run lint.":  "always run lint.",
		"Reminder: always answer in French": "always answer in French",
		"規則：以後都用繁體中文回答。":                    "以後都用繁體中文回答。",
		"ルール：今後は必ず日本語で答えてください。":             "今後は必ず日本語で答えてください。",
		"Never write notes: they get lost.": "Never write notes: they get lost.",
	} {
		rules := extract.Rules(memory.Message{Role: memory.RoleUser, Content: content})
		if len(rules) != 1 || rules[0].Text != want {
			t.Errorf("Rules(%q) = %+v, want %q", content, rules, want)
		}
	}
}
