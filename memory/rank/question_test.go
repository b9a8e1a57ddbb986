package rank_test

import (
	"testing"

	"mcp-memory/memory/rank"
)

// about returns the sender that the question asks about, as the Sender signal
// shows it; "" = no one.
func about(t *testing.T, query string, names ...string) string {
	t.Helper()
	list := talk(make([]string, len(names))...)
	for i, name := range names {
		list[i] = message(int64(i+1), "s", "words")
		list[i].Sender = name
	}
	who := ""
	for i, x := range evidence(input(query, frequencies(nil), list...), rank.Sender) {
		if x == 1 && who != "" && who != names[i] {
			t.Errorf("%q is about %s and %s, want one at most", query, who, names[i])
		}
		if x == 1 {
			who = names[i]
		}
	}
	return who
}

func TestAboutWhom(t *testing.T) {
	t.Parallel()
	people := []string{"Melanie", "Caroline Smith", "O'Neil", "田中", "小明", "Bob"}
	tests := []struct{ name, query, want string }{
		{"no one", "What was the plan?", ""},
		{"a name", "What did Melanie say?", "Melanie"},
		{"another case", "what did MELANIE say", "Melanie"},
		{"a first name", "Where does Caroline live?", "Caroline Smith"},
		{"a full name", "Where does Caroline Smith live?", "Caroline Smith"},
		{"a short form", "What did Mel paint?", "Melanie"},
		{"too short a form", "What did Me paint?", ""},
		{"possessive", "What is Melanie's hobby?", "Melanie"},
		{"the possessive is of another", "What did Bob think of Melanie's hobby?", "Bob"},
		{"the possessive comes first", "What did Melanie's friend Bob say?", "Bob"},
		{"joined by and", "What do Melanie and Bob like?", ""},
		{"both", "Which books have Bob, Melanie both read?", ""},
		{"together", "Where do Bob with Melanie go together?", ""},
		{"two, not joined", "When did Bob meet Melanie?", "Bob"},
		{"twice the same", "Did Melanie say that Mel paints?", "Melanie"},
		{"Japanese, inside a run", "田中さんはどこに住んでいますか", "田中"},
		{"Chinese, inside a run", "昨天小明说了什么？", "小明"},
		{"not part of a word", "What is bobsleigh?", ""},
		{"a word that begins a stop word", "the others", ""},
	}
	for _, tt := range tests {
		if got := about(t, tt.query, people...); got != tt.want {
			t.Errorf("%s: %q is about %q, want %q", tt.name, tt.query, got, tt.want)
		}
	}
}

// TestAboutNoRole: user, assistant and the like name no person.
func TestAboutNoRole(t *testing.T) {
	t.Parallel()
	for _, query := range []string{"What did the user say?", "did the assistant answer", "which tool", "any bot"} {
		if got := about(t, query, "user", "assistant", "Tool", "bot", ""); got != "" {
			t.Errorf("%q is about %q, want no one", query, got)
		}
	}
}

// TestShortFormOfAStopWord: a stop word that begins a name is no short form.
func TestShortFormOfAStopWord(t *testing.T) {
	t.Parallel()
	for query, names := range map[string][]string{
		"the plan":           {"Theodor"},
		"her plan":           {"Hermine"},
		"what can be done":   {"Candice"},
		"for all of us":      {"Allan", "Fortuna"},
		"why will it not go": {"Willow", "Nottingham"},
	} {
		if got := about(t, query, names...); got != "" {
			t.Errorf("%q is about %q, want no one", query, got)
		}
	}
}

// TestNamesAreNoEvidence: the name of a sender in the question does not count as
// a word that the text around should hold.
func TestNamesAreNoEvidence(t *testing.T) {
	t.Parallel()
	list := talk("fox", "Ann")
	list[0].Sender, list[0].Session = "Ann", "s1"
	list[1].Sender, list[1].Session = "Bob", "s2"
	in := input("Ann fox", frequencies(map[string]int{"ann": 1, "fox": 1}), list...)
	check(t, "share of the session", in, rank.Session, 1, 0)
}

func TestAboutWhomOfManyNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, query string
		people      []string
		want        string
	}{
		{"two with one short form", "What did Mel paint?", []string{"Melanie", "Melissa"}, ""},
		{"two in a run", "田中と山田はどこで会いましたか", []string{"田中", "山田"}, ""},
		{"will is a verb", "What will Ann bring?", []string{"Will", "Ann"}, "Ann"},
		{"Will is a man", "When did Will move?", []string{"Will", "Ann"}, "Will"},
		{"may is a verb", "What may Ann bring?", []string{"May", "Ann"}, "Ann"},
		{"the rest of a name", "What did Neil bring?", []string{"O'Neil", "Ann"}, "O'Neil"},
		{"a surname", "What did Smith say?", []string{"Ann Smith"}, "Ann Smith"},
		{"two with one first name", "What did Ann say?", []string{"Ann Lee", "Ann Smith"}, ""},
		{"the full name of one of them", "What did Ann Lee say?", []string{"Ann Lee", "Ann Smith"}, "Ann Lee"},
		{"a list", "Did Ann, Bob and Carl go?", []string{"Ann", "Bob", "Carl"}, ""},
	}
	for _, tt := range tests {
		if got := about(t, tt.query, tt.people...); got != tt.want {
			t.Errorf("%s: %q is about %q, want %q", tt.name, tt.query, got, tt.want)
		}
	}
}
