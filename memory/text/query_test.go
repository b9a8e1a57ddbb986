package text_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcp-memory/memory/text"
)

// showQuery writes the chunks of s in [], quoted ones in {}, those of stop
// words alone with a trailing !.
func showQuery(s string) string {
	var out []string
	for _, c := range text.ParseQuery(s).Chunks {
		var tokens []string
		for _, t := range c.Tokens {
			tokens = append(tokens, t.Text)
		}
		chunk := "[" + strings.Join(tokens, " ") + "]"
		if c.Quoted {
			chunk = "{" + strings.Join(tokens, " ") + "}"
		}
		if c.Stop {
			chunk += "!"
		}
		out = append(out, chunk)
	}
	return strings.Join(out, " ")
}

func TestParseQuery(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{" \t　\n", ""},
		{`!!! " -- ""`, ""},
		{"pre-flight lists", "[pre flight] [list]"},
		{"std::chrono content:deploy", "[std chrono] [content deploy]"},
		{"~/cow/MEMORY.md a@b.c 41.207", "[cow memori md] [a b c] [41 207]"},
		{"can't", "[can t]!"},
		{`"staging`, "[stage]"},
		{`"staging host" up`, "{stage host} [up]!"},
		{"“数据库 备份” x", "{数据 据库 库 备份} [x]"},
		{`a 5" x 3" board`, "[a]! [5] [x] [3] [board]"},
		{`say:"one two"then`, "[say] {one two} [then]!"},
		{"use AND OR NOT NEAR * ^ x", "[use] [and]! [or]! [not]! [near] [x]"},
		{"job-qx7之后", "[job qx7 之后]"},
		{"跑job", "[跑 job]"},
		{"部", "[部]"},
		{"部署步", "[部署 署步]"},
		{"部署　步骤", "[部署] [步骤]"},
		{"a\x00b", "[a b]"},
		{"x\xffy", "[x y]"},
	} {
		if got := showQuery(tt.in); got != tt.want {
			t.Errorf("ParseQuery(%q) = %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestParseQueryText(t *testing.T) {
	t.Parallel()
	q := text.ParseQuery(`Pre-Flight "ＣＡＦÉ au lait" "Lone`)
	want := []string{"pre-flight", "cafe au lait", `"lone`}
	for i, c := range q.Chunks {
		if c.Text != want[i] {
			t.Errorf("ParseQuery chunk %d has Text %q, want %q", i, c.Text, want[i])
		}
	}
}

func TestParseQueryOffsets(t *testing.T) {
	t.Parallel()
	in := `see "über Café" 部署`
	var got []string
	for _, c := range text.ParseQuery(in).Chunks {
		for _, tok := range c.Tokens {
			got = append(got, in[tok.Start:tok.End])
		}
	}
	if want := []string{"see", "über", "Café", "部署"}; !slices.Equal(got, want) {
		t.Errorf("ParseQuery(%q) tokens stand for %q, want %q", in, got, want)
	}
}

func TestParseQueryLimits(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"many words":  strings.Repeat("word ", 200_000),
		"one chunk":   strings.Repeat("a-", 500_000),
		"Han":         strings.Repeat("部署步骤", 100_000),
		"quotes":      strings.Repeat(`"`, 1_000_000),
		"curly":       strings.Repeat("“", 300_000),
		"quoted":      strings.Repeat(`"a b" `, 200_000),
		"one word":    strings.Repeat("a", 1_000_000),
		"punctuation": strings.Repeat("-", 1_000_000),
		"NUL":         strings.Repeat("\x00", 1_000_000),
		"invalid":     strings.Repeat("\xff", 1_000_000),
	} {
		q := text.ParseQuery(in)
		tokens := 0
		for _, c := range q.Chunks {
			tokens += len(c.Tokens)
			if len(c.Tokens) == 0 {
				t.Errorf("ParseQuery(%s) has an empty chunk, want none", name)
			}
		}
		if len(q.Chunks) > 128 || tokens > 256 {
			t.Errorf("ParseQuery(%s) has %d chunks and %d tokens, want at most 128 and 256", name, len(q.Chunks), tokens)
		}
	}
}

func TestQueryTerms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in    string
		want  []string
		empty bool
	}{
		{"what did the Servers and server do", []string{"server"}, false},
		{"to be or not", []string{"to", "be", "or", "not"}, false},
		{"部署步骤 部署", []string{"部署", "署步", "步骤"}, false},
		{"部 数据库abc", []string{"部", "数据", "据库", "abc"}, false},
		{"?!", nil, true},
	} {
		q := text.ParseQuery(tt.in)
		if got := q.Terms(); !slices.Equal(got, tt.want) {
			t.Errorf("ParseQuery(%q).Terms() = %q, want %q", tt.in, got, tt.want)
		}
		if got := q.Empty(); got != tt.empty {
			t.Errorf("ParseQuery(%q).Empty() = %v, want %v", tt.in, got, tt.empty)
		}
	}
}

// matches says whether a full-text engine would find content by q: each chunk
// as a phrase, all chunks in any order, a Single at the end of a chunk as the
// prefix of a token. Chunks of stop words alone count only when quoted, or when
// there is nothing else.
func matches(content string, q text.Query) bool {
	index := texts(content)
	needed := 0
	for _, c := range q.Chunks {
		if c.Stop && !c.Quoted {
			continue
		}
		needed++
		if !phrase(index, c.Tokens) {
			return false
		}
	}
	if needed > 0 {
		return true
	}
	for _, c := range q.Chunks {
		if !phrase(index, c.Tokens) {
			return false
		}
	}
	return !q.Empty()
}

// phrase reports whether the tokens stand next to each other in index.
func phrase(index []string, tokens []text.Token) bool {
	for at := 0; at+len(tokens) <= len(index); at++ {
		found := true
		for i, t := range tokens {
			have := index[at+i]
			prefix := i == len(tokens)-1 && t.Kind == text.Single && strings.HasPrefix(have, t.Text)
			if have != t.Text && !prefix {
				found = false
				break
			}
		}
		if found {
			return true
		}
	}
	return false
}

func TestMatching(t *testing.T) {
	t.Parallel()
	const (
		symbols  = "part 41.207 at 90 km/h, ticket #42, C++ build 100% done, mail user@example.com, file ~/cow/MEMORY.md"
		deploy   = "昨晚我们确认了部署步骤和数据库备份"
		backfill = "补跑job-qx7之后还剩30条空引用"
		trump    = "昨日は家族でトランプ遊びをした"
		server   = "検証サーバー設定の見直し"
		thai     = "ระบบความจำของตัวแทนทำงานได้ดี"
		german   = "Besuch im Café mit Frau Schröder"
		russian  = "Наталья готовит отчёт"
		quoted   = `can't reach the "staging" host`
	)
	for _, tt := range []struct {
		content, query string
		want           bool
	}{
		{"the pre-flight list is ready", "pre-flight", true},
		{"the pre-flight list is ready", "pre-flight-list", true},
		{"unrelated", "pre-flight", false},
		{"NOTE: ship on Monday", "NOTE: ship", true},
		{"error:timeout in std::chrono", "std::chrono", true},
		{"NOTE: ship on Monday", "std::chrono", false},
		{"deploy notes", "content:deploy", false},
		{quoted, "can't", true},
		{quoted, `"staging`, true},
		{quoted, `"staging host"`, true},
		{symbols, "41.207", true},
		{symbols, "km/h", true},
		{symbols, "#42", true},
		{symbols, "C++", true},
		{symbols, "100%", true},
		{symbols, "user@example.com", true},
		{symbols, "~/cow/MEMORY.md", true},
		{"plan c", "C++", false},
		{"launch party 🎉", "🎉", true},
		{"other", "🎉", false},
		{"other", "", false},
		{"other", "   ", false},
		{"other", "!!!", false},
		{"other", `"`, false},
		{"other", "--", false},
		{"the migration of our main database is done", "database migration", true},
		{"use tea AND coffee, NOT water", "AND coffee", true},
		{"use tea AND coffee, NOT water", "NOT water", true},
		{"the migration of our main database is done", "AND coffee", false},
		{deploy, "部", true},
		{deploy, "份", true},
		{deploy, "部署", true},
		{deploy, "部署步", true},
		{deploy, "数据库备份", true},
		{deploy, "数据部", false},
		{"吃饭", "部", false},
		{backfill, "qx7", true},
		{backfill, "job-qx7", true},
		{backfill, "空引用", true},
		{backfill, "job-qx7之后", true},
		{backfill, "job-qx7之", true},
		{backfill, "跑job", true},
		{backfill, "补跑job-qx7之后还剩30条空", true},
		{trump, "トランプ", true},
		{server, "トランプ", false},
		{server, "サーバー", true},
		{server, "ｻｰﾊﾞｰ", true},
		{server, "サーハー", false},
		{thai, "ความจำ", true},
		{"昨日は家族で", "ความจำ", false},
		{"한국어를 공부", "국어", true},
		{german, "schröder", true},
		{german, "SCHRODER", true},
		{german, "cafe", true},
		{russian, "наталья", true},
		{russian, "НАТАЛЬЯ", true},
		{russian, "отчет", true},
		{"caf\u00e9 list", "cafe\u0301", true},
		{"cafe\u0301 plan", "caf\u00e9", true},
		{"alpha\x00omega", "omega", true},
		{"alpha\x00omega", "a\x00b", false},
		{"x\ufffdy", "y", true},
		{"bad\xfe\xfftext", "text", true},
	} {
		if got := matches(tt.content, text.ParseQuery(tt.query)); got != tt.want {
			t.Errorf("matches(%q, ParseQuery(%q)) = %v, want %v (index %q, query %s)",
				tt.content, tt.query, got, tt.want, texts(tt.content), showQuery(tt.query))
		}
	}
}

// TestMatchingSubstrings takes each stretch of texts without spaces as a query:
// all must be found.
func TestMatchingSubstrings(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"补跑job之后还剩条", "検証サーバー設定の見直し", "한국어를배워", "ความจำของ", "漢字かなカナ한글ไทยabc漢"} {
		runes := []rune(content)
		for from := range runes {
			for to := from + 1; to <= len(runes); to++ {
				part := string(runes[from:to])
				if strings.ContainsAny(part, "job") && !strings.Contains(part, "job") || strings.ContainsAny(part, "abc") && !strings.Contains(part, "abc") {
					continue
				}
				if !matches(content, text.ParseQuery(part)) {
					t.Errorf("matches(%q, ParseQuery(%q)) = false, want true", content, part)
				}
			}
		}
	}
}

func ExampleParseQuery() {
	for _, c := range text.ParseQuery(`"deploy steps" pre-flight 部署`).Chunks {
		fmt.Println(c.Text, len(c.Tokens), c.Quoted)
	}
	// Output:
	// deploy steps 2 true
	// pre-flight 2 false
	// 部署 1 false
}
