package text_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mcp-memory/memory/text"
)

// seeds are texts with something to trip over.
var seeds = []string{
	"", " ", "\x00", "\xff\xfe", "C++ c# ++ ##", "e\u0301\u0301", "ｶﾞｰ", "\u1112\u1161\u11AB", "👍🏽👨‍👩‍👧🇩🇪🇯", "\u200D\uFE0F", "補跑job之后",
	"น้ำ", "İıßœ", "\uFDFA", "a\u034Fb", "™℠", strings.Repeat("\u0301", 100), "\uE000\U000F0000\U0010FFFD",
}

func FuzzTokens(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		start := 0
		for tok := range text.Tokens(s) {
			if tok.Start < start || tok.End < tok.Start || tok.End > len(s) {
				t.Fatalf("Tokens(%q) has %+v after %d", s, tok, start)
			}
			if (tok.Word == "") != (tok.Kind != text.Word) {
				t.Fatalf("Tokens(%q) has %+v: Word does not go with Kind", s, tok)
			}
			if tok.Text == "" || !utf8.ValidString(tok.Text) || strings.ContainsFunc(tok.Text, foreign) {
				t.Fatalf("Tokens(%q) has the text %+q", s, tok.Text)
			}
			start = tok.Start
		}
		if stable := norm.NFD.String(s); utf8.ValidString(s) && len(s) < 60 {
			if got, want := texts(stable), texts(norm.NFC.String(s)); !slices.Equal(got, want) {
				t.Fatalf("Tokens(NFD of %+q) = %+q, want %+q", s, got, want)
			}
		}
	})
}

// foreign reports whether the index would cut a token at r.
func foreign(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Co) }

func FuzzParseQuery(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Add(`"a "b" “c” ”“ "`)
	f.Fuzz(func(t *testing.T, s string) {
		q := text.ParseQuery(s)
		for _, c := range q.Chunks {
			if len(c.Tokens) == 0 || !utf8.ValidString(c.Text) {
				t.Fatalf("ParseQuery(%q) has the chunk %+v", s, c)
			}
			if !phrase(texts(s), c.Tokens) {
				t.Fatalf("ParseQuery(%q) has the chunk %+v, which does not occur in the tokens %q of the same text", s, c, texts(s))
			}
		}
		if (len(q.Terms()) == 0) != q.Empty() {
			t.Fatalf("ParseQuery(%q).Terms() = %q, Empty() = %v", s, q.Terms(), q.Empty())
		}
	})
}
