package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-memory/memory/text"
)

func TestSnippet(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("filler words go on and on ", 20)
	han := strings.Repeat("今天天气很好我们去公园散步", 20)
	for _, tt := range []struct {
		name, in, query string
		max             int
		want            string
	}{
		{"fits", "short text", "text", 50, "short text"},
		{"fits exactly", "日本語のテキスト", "本", 8, "日本語のテキスト"},
		{"no room", "short text", "text", 0, ""},
		{"one character", "short text", "text", 1, "…"},
		{"no match", "Alpha beta gamma delta epsilon", "zeta", 18, "Alpha beta gamma…"},
		{"middle", filler + "the deploy step failed " + filler, "deploy", 40, "…on and on the deploy step failed…"},
		{"densest", "deploy " + filler + "deploy the database " + filler, "database deploy", 40, "…and on deploy the database filler…"},
		{"stem", filler + "we deployed it " + filler, "deploying", 30, "…and on we deployed it filler…"},
		{"end", filler + "the deploy", "deploy", 24, "…on and on the deploy"},
		{"Han", han + "确认了部署步骤" + han, "部署", 12, "…步确认了部署步骤今天…"},
		{"one Han character", han + "确认了部署步骤" + han, "部", 12, "…步确认了部署步骤今天…"},
		{"part of a word", filler + "alphaomega " + filler, "om", 24, "…on alphaomega…"},
		{"long word", filler + strings.Repeat("x", 300), strings.Repeat("x", 300), 20, "…" + strings.Repeat("x", 18) + "…"},
	} {
		got := text.Snippet(tt.in, text.ParseQuery(tt.query), tt.max)
		if got != tt.want {
			t.Errorf("%s: Snippet = %q, want %q", tt.name, got, tt.want)
		}
		if n := utf8.RuneCountInString(got); n > tt.max {
			t.Errorf("%s: Snippet has %d characters, want at most %d", tt.name, n, tt.max)
		}
	}
}

func TestSnippetKeepsCharactersWhole(t *testing.T) {
	t.Parallel()
	in := strings.Repeat("e\u0301", 40) + "部署" + strings.Repeat("👍🏽", 40)
	for max := 4; max < 60; max++ {
		got := strings.Trim(text.Snippet(in, text.ParseQuery("部署"), max), "…")
		if r, _ := utf8.DecodeRuneInString(got); r == '\u0301' {
			t.Errorf("Snippet of %d characters begins with a mark: %q", max, got)
		}
		if strings.HasSuffix(got, "👍") {
			t.Errorf("Snippet of %d characters cuts a skin tone off: %q", max, got)
		}
	}
}

func FuzzSnippet(f *testing.F) {
	f.Add("the deploy step failed", "deploy", 10)
	f.Add("昨晚我们确认了部署步骤", "部", 5)
	f.Add("a\xffb\x00c e\u0301\u0301", "c", 3)
	f.Fuzz(func(t *testing.T, s, query string, max int) {
		max %= 100
		got := text.Snippet(s, text.ParseQuery(query), max)
		if n := utf8.RuneCountInString(got); n > 0 && n > max {
			t.Fatalf("Snippet(%q, %q, %d) = %q: %d characters", s, query, max, got, n)
		}
		if !strings.Contains(s, strings.TrimSuffix(strings.TrimPrefix(got, "…"), "…")) && !strings.Contains(s, got) {
			t.Fatalf("Snippet(%q, %q, %d) = %q: not a part of the text", s, query, max, got)
		}
	})
}
