package extract_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"mcp-memory/memory/extract"
)

func TestSentences(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{" \n ", nil},
		{"One. Two! Three? Four", []string{"One.", "Two!", "Three?", "Four"}},
		{"Dr. Lee came at 5 p.m. on Monday. Then we left.", []string{"Dr. Lee came at 5 p.m. on Monday.", "Then we left."}},
		{"It closes at 5 p.m. Come early.", []string{"It closes at 5 p.m.", "Come early."}},
		{"J. Smith and I. So be it.", []string{"J. Smith and I.", "So be it."}},
		{"Use v1.2.3, see https://a.example/b?c=d. Then 41.207 rows.", []string{"Use v1.2.3, see https://a.example/b?c=d.", "Then 41.207 rows."}},
		{"1. Stop the server\n2. Copy the file", []string{"1. Stop the server", "2. Copy the file"}},
		{"He said \"stop.\" Then he left.", []string{"He said \"stop.\"", "Then he left."}},
		{"好的。明天見！「走吧。」他說", []string{"好的。", "明天見！", "「走吧。」", "他說"}},
		{"好!謝謝?再見", []string{"好!", "謝謝?", "再見"}},
		{"版本 1.5 可以用。例如 a.b.c", []string{"版本 1.5 可以用。", "例如 a.b.c"}},
		{"そうですか？！はい…… 分かりました。", []string{"そうですか？！", "はい……", "分かりました。"}},
		{"Wait... what?", []string{"Wait...", "what?"}},
	} {
		if got := slices.Collect(extract.Sentences(test.in)); !slices.Equal(got, test.want) {
			t.Errorf("Sentences(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func FuzzSentences(f *testing.F) {
	for _, s := range []string{"", "a. b", "。。", "e.g. x", "1. a\n\n2. b", "\xff.\xfe", "「。」", "...", "U+2028\u2028x", "a.\u3000b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var all strings.Builder
		for sentence := range extract.Sentences(s) {
			if strings.TrimSpace(sentence) == "" || strings.TrimSpace(sentence) != sentence || strings.Contains(sentence, "\n") {
				t.Fatalf("Sentences(%q) has %q: blank, with blanks around it, or of two lines", s, sentence)
			}
			all.WriteString(sentence)
		}
		if got, want := bare(all.String()), bare(s); got != want {
			t.Fatalf("Sentences(%q) have the characters %q, want %q", s, got, want)
		}
	})
}

// bare drops the blanks of s.
func bare(s string) string {
	return strings.Join(strings.FieldsFunc(s, unicode.IsSpace), "")
}

func TestProse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, want string }{
		{"Look:\n```go\nx := 1\n```\nDone.", "Look:\nDone."},
		{"~~~\nnever closed", ""},
		{"> never use tabs\nI disagree.", "I disagree."},
		{"It says\n2026-04-05 23:11:02 ERROR boom\n[INFO] started", "It says"},
		{"panic: boom\ngoroutine 1 [running]:\nmain.go:12: boom", ""},
		{"$ rm -rf build\nWorks.", "Works."},
		{"func main() {\n\treturn a[i] + b[j];\n}", ""},
		{"Never delete a finished delivery, because the\naccountants need it.", "Never delete a finished delivery, because the accountants need it."},
		{"- one\n- two", "- one\n- two"},
		{"不要刪除這個資料夾\n因為會計要用", "不要刪除這個資料夾\n因為會計要用"},
		{"a\u202Eb\x1b[2J", "a⟨U+202E⟩b⟨U+001B⟩[2J"},
		{strings.Repeat("QUJD", 80), ""},
	} {
		if got := extract.Prose(test.in); got != test.want {
			t.Errorf("Prose(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestProseOfALongText(t *testing.T) {
	t.Parallel()
	line := "This line is one of many.\n"
	got := extract.Prose("The beginning.\n" + strings.Repeat(line, 50_000) + "The end.")
	if !strings.HasPrefix(got, "The beginning.\n") || !strings.HasSuffix(got, "\nThe end.") || len(got) > 30_000 {
		t.Errorf("Prose of 1.3 MB has %d bytes, from %q to %q; want at most 30,000, from the beginning to the end", len(got), got[:20], got[len(got)-20:])
	}
	if one := extract.Prose(strings.Repeat("語", 100_000)); len(one) > 30_000 || !utf8.ValidString(one) {
		t.Errorf("Prose of one line of 300 KB has %d bytes, valid %v; want at most 30,000, valid", len(one), utf8.ValidString(one))
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in    string
		limit int
		want  string
	}{
		{"short", 5, "short"},
		{"one two three", 9, "one two…"},
		{"one two three", 8, "one two…"},
		{"漢字漢字", 8, "漢字漢字"},
		{"漢字漢字", 7, "漢字漢…"},
		{"漢字漢字", 6, "漢字…"},
		{"the 漢字漢字", 8, "the 漢…"},
		{"unbrokenword", 6, "unbro…"},
		{"", 0, ""},
		{"a", 0, "…"},
	} {
		if got := extract.Cut(test.in, test.limit); got != test.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", test.in, test.limit, got, test.want)
		}
	}
}
