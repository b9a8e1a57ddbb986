package history_test

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
	"mcp-memory/memory/rank"
	"mcp-memory/memory/text"
)

func analyse(content string) memory.Entry {
	return history.Analyse(memory.Message{Role: memory.RoleUser, Sender: "Ann", Content: content, SentAt: noon}, time.UTC)
}

func TestAnalyseShortText(t *testing.T) {
	t.Parallel()
	const content = "Deployed the deployment, twice: 部署"
	e := analyse(content)
	if len(e.Passages) != 1 {
		t.Fatalf("Analyse has %d passages, want 1", len(e.Passages))
	}
	p := e.Passages[0]
	if p.Ord != 0 || p.Start != 0 || p.End != len(content) || !p.Embed {
		t.Errorf("passage = %+v, want the whole content, embedded", p)
	}
	if want := rank.Head("Ann", noon); !slices.Equal(p.Head, want) {
		t.Errorf("Head = %q, want %q", p.Head, want)
	}
	var tokens []string
	for token := range text.Tokens(content) {
		tokens = append(tokens, token.Text)
	}
	if !slices.Equal(p.Tokens, tokens) {
		t.Errorf("Tokens = %q, want %q", p.Tokens, tokens)
	}
	features := rank.Describe(content, noon)
	if !slices.Equal(p.Features, features.Encode()) || p.Terms != features.Length || p.Terms == 0 {
		t.Errorf("Features do not describe the content, or Terms = %d is not %d", p.Terms, features.Length)
	}
	var words []string
	for _, w := range e.Words {
		words = append(words, w.Text)
	}
	if want := []string{"deployed", "the", "deployment", "twice"}; !slices.Equal(words, want) {
		t.Errorf("Words = %q, want %q: folded, not stemmed, each once", words, want)
	}
	if e.Words[0].Token != e.Words[2].Token {
		t.Errorf("tokens of deployed and deployment are %q and %q, want one stem", e.Words[0].Token, e.Words[2].Token)
	}
}

func TestAnalyseDateInItsZone(t *testing.T) {
	t.Parallel()
	late := time.Date(2023, time.May, 7, 23, 30, 0, 0, time.UTC)
	m := memory.Message{Content: "x", SentAt: late}
	east := history.Analyse(m, time.FixedZone("east", 3600)).Passages[0].Head
	if want := rank.Head("", late.Add(30*time.Minute)); !slices.Equal(east, want) || !slices.Contains(east, "8") {
		t.Errorf("Head an hour further east = %q, want %q", east, want)
	}
}

func TestAnalyseNothing(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "  \n", "!!! -- ...", "\uFFFD"} {
		if e := analyse(content); len(e.Passages) > 0 || len(e.Words) > 0 {
			t.Errorf("Analyse(%q) = %d passages, %d words; want none", content, len(e.Passages), len(e.Words))
		}
	}
}

func TestAnalyseLongText(t *testing.T) {
	t.Parallel()
	sentence := "The release of version 7 waits for the review. 发布正在等待审查。 "
	for name, content := range map[string]string{
		"sentences": strings.Repeat(sentence, 200),
		"no blank":  strings.Repeat("あ", 5000),
		"lines":     strings.Repeat("one line of a log\n", 400),
	} {
		e := analyse(content)
		whole, parts := e.Passages[0], e.Passages[1:]
		if whole.Ord != 0 || whole.End != len(content) || whole.Embed || whole.Head != nil {
			t.Errorf("%s: the first passage is not the bare whole", name)
		}
		if len(parts) < 2 {
			t.Errorf("%s: %d parts, want several", name, len(parts))
		}
		at := 0
		for i, p := range parts {
			if p.Ord != i+1 || !p.Embed || len(p.Head) == 0 || len(p.Tokens) == 0 || len(p.Features) == 0 {
				t.Errorf("%s: part %d = %+v, want an indexed part with vector and head", name, i, p)
			}
			if gap := content[at:p.Start]; strings.TrimFunc(gap, unicode.IsSpace) != "" {
				t.Errorf("%s: %q is in no part", name, gap)
			}
			if n := utf8.RuneCountInString(content[p.Start:p.End]); n > 1000 || !utf8.ValidString(content[p.Start:p.End]) {
				t.Errorf("%s: part %d has %d characters, want whole ones, at most 1000", name, i, n)
			}
			at = p.End
		}
		if rest := strings.TrimSpace(content[at:]); rest != "" {
			t.Errorf("%s: the last %d bytes are in no part", name, len(rest))
		}
	}
}

func TestAnalyseHasAtMost255Parts(t *testing.T) {
	t.Parallel()
	content := strings.Repeat(strings.Repeat("x", 999)+" ", 400) + "needle"
	e := analyse(content)
	if len(e.Passages) != 256 || e.Passages[255].Ord != 255 {
		t.Fatalf("Analyse has %d passages, want the whole and 255 parts", len(e.Passages))
	}
	if whole := e.Passages[0].Tokens; whole[len(whole)-1] != "needl" {
		t.Errorf("the whole ends with %q, want the last word of the text", whole[len(whole)-1])
	}
}
