package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-memory/memory/text"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in, want string
		replaced int
	}{
		{"", "", 0},
		{"plain\r\n\t\x01\u202E é 👍 \uFFFD", "plain\r\n\t\x01\u202E é 👍 \uFFFD", 0},
		{"alpha\x00omega", "alpha\uFFFDomega", 1},
		{"bad\xfe\xfftext", "bad\uFFFD\uFFFDtext", 2},
		{"\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD", 3},
		{"cut \xe4\xb8", "cut \uFFFD\uFFFD", 2},
		{"\x00", "\uFFFD", 1},
	} {
		got, replaced := text.Clean(tt.in)
		if got != tt.want || replaced != tt.replaced {
			t.Errorf("Clean(%q) = %q, %d, want %q, %d", tt.in, got, replaced, tt.want, tt.replaced)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\x00b\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got, n := text.Clean(s)
		if !utf8.ValidString(got) || strings.IndexByte(got, 0) >= 0 {
			t.Fatalf("Clean(%q) = %q, want valid UTF-8 without NUL", s, got)
		}
		if (n == 0) != (got == s) {
			t.Fatalf("Clean(%q) = %q, %d replaced", s, got, n)
		}
		if again, more := text.Clean(got); again != got || more != 0 {
			t.Fatalf("Clean(Clean(%q)) = %q, %d, want %q, 0", s, again, more, got)
		}
	})
}

func TestVisible(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"line\n\ttab é 部署", "line\n\ttab é 部署"},
		{"dos\r\nline", "dos\r\nline"},
		{"over\rwrite", "over⟨U+000D⟩write"},
		{"esc\x1b[31m bell\x07 del\x7f c1\u0085", "esc⟨U+001B⟩[31m bell⟨U+0007⟩ del⟨U+007F⟩ c1⟨U+0085⟩"},
		{"a\u202Eb\u2066c\u200Fd\u061Ce", "a⟨U+202E⟩b⟨U+2066⟩c⟨U+200F⟩d⟨U+061C⟩e"},
		{"x\u2028y\u2029z", "x⟨U+2028⟩y⟨U+2029⟩z"},
		{"tag\U000E0041", "tag⟨U+E0041⟩"},
		{"a\uFEFFb", "a⟨U+FEFF⟩b"},
		{"👨‍👩‍👧 ❤️ می\u200cخواهم", "👨‍👩‍👧 ❤️ می\u200cخواهم"},
		{"\x00", "⟨U+0000⟩"},
		{"raw\xffbyte\x01", "raw\xffbyte⟨U+0001⟩"},
	} {
		got := text.Visible(tt.in)
		if got != tt.want {
			t.Errorf("Visible(%q) = %q, want %q", tt.in, got, tt.want)
		}
		if again := text.Visible(got); again != got {
			t.Errorf("Visible(Visible(%q)) = %q, want %q", tt.in, again, got)
		}
	}
}
