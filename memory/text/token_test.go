package text_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mcp-memory/memory/text"
)

// show writes the tokens of s with a sign for their kind: words bare, pairs in
// (), singles with a *, symbols as the text they stand for in <>.
func show(s string) string {
	var out []string
	for t := range text.Tokens(s) {
		switch t.Kind {
		case text.Word:
			out = append(out, t.Text)
		case text.Pair:
			out = append(out, "("+t.Text+")")
		case text.Single:
			out = append(out, t.Text+"*")
		case text.Symbol:
			out = append(out, "<"+s[t.Start:t.End]+">")
		}
	}
	return strings.Join(out, " ")
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{" \t\n!?—…", ""},
		{"Running quickly", "run quick"},
		{"snake_case can't", "snake case can t"},
		{"on 2026-11-30 at 41.207", "on 2026 11 30 at 41 207"},
		{"補跑job-qx7之后还剩30条", "(補跑) 跑* job qx7 (之后) (后还) (还剩) 剩* 30 条*"},
		{"部", "部*"},
		{"々〆〇", "(々〆) (〆〇) 〇*"},
		{"サーバー設定", "(サー) (ーバ) (バー) (ー設) (設定) 定*"},
		{"ｻｰﾊﾞｰ", "(サー) (ーバ) (バー) ー*"},
		{"がか", "(がか) か*"},
		{"한국어 말", "(한국) (국어) 어* 말*"},
		{"漢字한글", "(漢字) 字* (한글) 글*"},
		{"ไทย", "(ไท) (ทย) ย*"},
		{"ＡＢＣ　１２３", "abc 123"},
		{"Straße ΣΊΣΥΦΟΣ Øre Ærø œuvre Łódź đak ıdıl İzmir", "strass σισυφοσ ore aero oeuvr lodz dak idil izmir"},
		{"Schröder café naïve", "schroder cafe naiv"},
		{"Наталья готовит отчёт мой", "натал готов отчет мо"},
		{"أَحْمَد שָׁלוֹם", "احمد שלום"},
		{"हिन्दी में", "हिन्दी में"},
		{".NET", "net"},
		{"Ctrl+C a+b disney+", "ctrl c a b disney"},
		{"issue#42 page.html#top", "issu 42 page html top"},
		{"soft\u00ADhyphen zero\u200Bwidth", "softhyphen zerowidth"},
		{"bad\xffbyte\x00nul", "bad byte nul"},
		{"20°C © ™ │──│ ⠋", "20 c"},
		{"party 🎉 👍🏽👨‍👩‍👧🇩🇪🇯🇵 ❤️ x", "parti <🎉> <👍🏽> <👨‍👩‍👧> <🇩🇪> <🇯🇵> <❤️> x"},
		{strings.Repeat("q", 100) + " z", strings.Repeat("q", 64) + " z"},
	} {
		if got := show(tt.in); got != tt.want {
			t.Errorf("Tokens(%q) = %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestTokensSigns(t *testing.T) {
	t.Parallel()
	names := []string{"c", "c++", "c#", "f#", "f", "g++", "g"}
	seen := make(map[string]string)
	for _, name := range names {
		got := texts(name)
		if len(got) != 1 {
			t.Fatalf("Tokens(%q) = %q, want one token", name, got)
		}
		if other, ok := seen[got[0]]; ok {
			t.Errorf("Tokens(%q) = Tokens(%q), want them to differ", name, other)
		}
		seen[got[0]] = name
	}
	for _, same := range [][2]string{{"C++", "c＋＋"}, {"C#", "Ｃ＃"}, {"C++17", "c++ 17"}, {"C#8", "c# 8"}, {"用C#写", "用c# 写"}} {
		if a, b := texts(same[0]), texts(same[1]); !slices.Equal(a, b) {
			t.Errorf("Tokens(%q) = %q, want those of %q, %q", same[0], a, same[1], b)
		}
	}
}

// texts returns the index forms of s.
func texts(s string) []string {
	var out []string
	for t := range text.Tokens(s) {
		out = append(out, t.Text)
	}
	return out
}

func TestTokensNormalForms(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"café Ångström ñandú Việt Nam", "отчёт мой её", "ΐ ά ὕβρις", "がぎぐ パピプ", "한국어 각", "আমি হিন্দী क़",
		"น้ำใจ ความจำ", "ﬁ ½ Ⅳ ①", "ｶﾞｷﾞ", "ё̈ q̃",
	} {
		want := texts(s)
		for name, form := range map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD} {
			if got := texts(form.String(s)); !slices.Equal(got, want) {
				t.Errorf("Tokens(%s of %q) = %q, want %q", name, s, got, want)
			}
		}
	}
}

func TestTokensOffsets(t *testing.T) {
	t.Parallel()
	s := "Zoë's Café: 部署 ｶﾞ 👍🏽 C++!"
	var got []string
	for tok := range text.Tokens(s) {
		got = append(got, s[tok.Start:tok.End])
	}
	want := []string{"Zoë", "s", "Café", "部署", "署", "ｶﾞ", "👍🏽", "C++"}
	if !slices.Equal(got, want) {
		t.Errorf("Tokens(%q) stand for %q, want %q", s, got, want)
	}
}

func TestTokensStopEarly(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"one two", "部署步骤", "é è", "🎉🎉"} {
		n := 0
		for range text.Tokens(s) {
			n++
			break
		}
		if n != 1 {
			t.Errorf("Tokens(%q) gave %d tokens before a break, want 1", s, n)
		}
	}
}

func TestTokensMemory(t *testing.T) {
	s := strings.Repeat("deploy the Server 部署步骤 ", 2000)
	count := func() {
		for range text.Tokens(s) {
		}
	}
	count()
	if got := testing.AllocsPerRun(5, count); got > 20 {
		t.Errorf("Tokens of %d bytes allocate %v times, want at most 20", len(s), got)
	}
}

func TestTerms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   string
		want []string
	}{
		{"The servers and the server", []string{"server", "server"}},
		{"我们部署", []string{"我们", "们部", "部署"}},
		{"好 的", []string{"好"}},
		{"the", nil},
	} {
		if got := text.Terms(tt.in); !slices.Equal(got, tt.want) {
			t.Errorf("Terms(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestIsStop(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{"The": true, "don": true, "deploy": false, "的": true, "部": false, "🎉": false, "2": false} {
		for tok := range text.Tokens(in) {
			if got := text.IsStop(tok); got != want {
				t.Errorf("IsStop(%q) = %v, want %v", in, got, want)
			}
		}
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                  "",
		"Ｆｕｌｌ　Width":        "full width",
		"C++ & \"Straße\"":  "c++ & \"strasse\"",
		"ÉCOLE e\u0301cole": "ecole ecole",
		"Отчёт Мой":         "отчет мой",
		"ｻｰﾊﾞｰ が":           "サーバー が",
		"a\u200Db\uFEFF":    "ab",
		"bad\xff":           "bad\uFFFD",
		"ไม่":               "ไม่",
		"Ǆ \u1E9E \u0130":   "dz ss i",
	} {
		got := text.Fold(in)
		if got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
		if !utf8.ValidString(got) {
			t.Errorf("Fold(%q) = %q, want valid UTF-8", in, got)
		}
	}
}
