package notes_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-memory/memory/notes"
)

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string // "lines heading: text" each
	}{
		{"nothing", "", nil},
		{"blank", " \n\n\t\n", nil},
		{"plain", "one\ntwo", []string{`1-2 "": "one\ntwo"`}},
		{"headings", "# A\n\nabout a\n\n## B\nabout b\n# C\nabout c\n", []string{
			`1-3 "": "# A\n\nabout a"`, `5-6 "A": "## B\nabout b"`, `7-8 "": "# C\nabout c"`}},
		{"headings with nothing between", "# A\n## B\n\ntext\n## C", []string{`1-4 "": "# A\n## B\n\ntext"`, `5-5 "A": "## C"`}},
		{"levels", "# A\nx\n### B\nx\n## C\nx\n### D ##\nx", []string{
			`1-2 "": "# A\nx"`, `3-4 "A": "### B\nx"`, `5-6 "A": "## C\nx"`, `7-8 "A > C": "### D ##\nx"`}},
		{"no headings", "#tag\n####### seven\nx", []string{`1-3 "": "#tag\n####### seven\nx"`}},
		{"code", "# A\n```sh\n# no heading\n```\n# B\nx", []string{`1-4 "": "# A\n` + "```" + `sh\n# no heading\n` + "```" + `"`, `5-6 "": "# B\nx"`}},
		{"code that has no end", "~~~~\n~~~\n# no heading", []string{`1-3 "": "~~~~\n~~~\n# no heading"`}},
		{"marks of sections", "## s\n<!-- mcp-memory {} -->\n\nx", []string{`1-4 "": "## s\n\nx"`}},
		{"line ends of windows", "\ufeff# A\r\nx\r\n", []string{`1-2 "": "# A\nx"`}},
	} {
		got := notes.Cut(c.text)
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: cut(%q) = %q, want %q", c.name, c.text, got, c.want)
		}
	}
}

// Long sections are cut at paragraphs, long lines at sentences, in every script.
func TestCutLongSections(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		most int // characters of a chunk
	}{
		"paragraphs":   {"# A\n\n" + strings.Repeat(strings.Repeat("a word or two. ", 20)+"\n\n", 20), 1300},
		"lines":        {"# A\n" + strings.Repeat("- an item of a list that goes on\n", 300), 1300},
		"one line":     {"# A\n" + strings.Repeat("One sentence of many. ", 500), 1300},
		"chinese":      {"# 部署\n" + strings.Repeat("昨晚部署了新版本，数据库迁移用了三分钟。", 100), 330},
		"one word":     {strings.Repeat("x", 5000), 1300},
		"emoji joined": {strings.Repeat("👩‍👩‍👧", 400), 1300},
	} {
		chunks := notes.CutTexts(c.text)
		var all strings.Builder
		for _, chunk := range chunks {
			if n := utf8.RuneCountInString(chunk); n > c.most || !utf8.ValidString(chunk) {
				t.Errorf("%s: a chunk has %d characters, want at most %d", name, n, c.most)
			}
			all.WriteString(chunk)
		}
		plain := strings.NewReplacer("\n", "", " ", "").Replace
		if len(chunks) < 2 || plain(all.String()) != plain(c.text) {
			t.Errorf("%s: %d chunks hold %d bytes, want all %d", name, len(chunks), len(plain(all.String())), len(plain(c.text)))
		}
	}
}

// A private key stays in one chunk, so that it is masked.
func TestCutKeepsKeysWhole(t *testing.T) {
	t.Parallel()
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat(strings.Repeat("aB3d", 16)+"\n", 60) + "-----END RSA PRIVATE KEY-----"
	found := false
	for _, chunk := range notes.CutTexts("# Keys\n\nbefore\n\n" + key + "\n\nafter\n") {
		found = found || strings.Contains(chunk, key)
	}
	if !found {
		t.Error("the key was cut")
	}
}

// Lines of chunks are in order, none overlaps another but within one long line,
// and each is found in the text.
func FuzzCut(f *testing.F) {
	for _, seed := range []string{"# A\n\nb\n```\n# c\n", "-----BEGIN PRIVATE KEY-----\n#\n", strings.Repeat("長い行。", 300), "#\n##\n\r\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		lines, last := strings.Count(s, "\n")+1, 0
		for _, c := range notes.CutLines(s) {
			if c[0] < max(1, last) || c[1] < c[0] || c[1] > lines {
				t.Fatalf("cut(%q) has lines %d–%d after %d, of %d", s, c[0], c[1], last, lines)
			}
			last = c[1]
		}
	})
}
