package text_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"mcp-memory/memory/text"
)

func TestPassages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in    string
		limit int
		want  []string
	}{
		{"", 10, nil},
		{" \n\t", 10, nil},
		{"  short one \n", 20, []string{"short one"}},
		{"One two. Three four. Five", 14, []string{"One two.", "Three four.", "Five"}},
		{"First para.\n\nSecond para is long.", 26, []string{"First para.", "Second para is long."}},
		{"a line\nanother line\nlast", 20, []string{"a line\nanother line", "last"}},
		{"version 41.207 of example.com is out", 16, []string{"version 41.207", "of example.com", "is out"}},
		{"他说：“好。”然后走了。再见", 10, []string{"他说：“好。”", "然后走了。再见"}},
		{"no marks at all here", 8, []string{"no marks", "at all", "here"}},
		{"abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"ae\u0301e\u0301e\u0301", 4, []string{"ae\u0301", "e\u0301e\u0301"}},
		{"👍🏽👍🏽", 3, []string{"👍🏽", "👍🏽"}},
		{"no limit at all. None", 0, []string{"no limit at all. None"}},
		{strings.Repeat("\u0301", 5), 2, []string{"\u0301\u0301", "\u0301\u0301", "\u0301"}},
	} {
		if got := passages(tt.in, tt.limit); !slices.Equal(got, tt.want) {
			t.Errorf("Passages(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
}

// passages returns the passages of s as strings.
func passages(s string, limit int) []string {
	var out []string
	for _, span := range text.Passages(s, limit) {
		out = append(out, s[span.Start:span.End])
	}
	return out
}

// checkPassages verifies what Passages promises of any text.
func checkPassages(t *testing.T, s string, limit int) {
	t.Helper()
	end := 0
	for _, span := range text.Passages(s, limit) {
		if span.Start < end || span.End <= span.Start || span.End > len(s) {
			t.Fatalf("Passages(%q, %d) has the span %v after %d", s, limit, span, end)
		}
		if strings.TrimFunc(s[end:span.Start], unicode.IsSpace) != "" {
			t.Fatalf("Passages(%q, %d) leaves out %q", s, limit, s[end:span.Start])
		}
		if n := utf8.RuneCountInString(s[span.Start:span.End]); limit > 0 && n > limit {
			t.Fatalf("Passages(%q, %d) has a span of %d characters", s, limit, n)
		}
		end = span.End
	}
	if strings.TrimFunc(s[end:], unicode.IsSpace) != "" {
		t.Fatalf("Passages(%q, %d) leaves out %q", s, limit, s[end:])
	}
}

func FuzzPassages(f *testing.F) {
	for _, s := range []string{"", "One. Two\n\nThree", "部署。步骤；備份", "e\u0301\u0301", "a\xff\xfeb", "👨‍👩‍👧 🇩🇪"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		checkPassages(t, s, limit%50)
	})
}
