package memory_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-memory/memory"
)

func TestCheckSessionID(t *testing.T) {
	t.Parallel()
	for _, id := range []string{
		"a", "A b", "2026-03-01 café", "王小明", "🙂", "👨‍👩‍👧", "...", ".a", "a.", "a:b*c?d\"e<f>g|h", "%2F", "temp-1", " ", "-", "~", "'; DROP TABLE sessions; --",
		strings.Repeat("x", 200), strings.Repeat("🙂", 200), "\u202e", "\uf8ffs1",
	} {
		if err := memory.CheckSessionID(id); err != nil {
			t.Errorf("CheckSessionID(%q) = %v, want nil", id, err)
		}
	}
	for id, text := range map[string]string{
		"":                       "empty",
		".":                      "must not be",
		"..":                     "must not be",
		"a/b":                    `'/'`,
		"../x":                   `'/'`,
		`a\b`:                    `'\\'`,
		"a\x00":                  `'\x00'`,
		"a\nb":                   `'\n'`,
		"\t":                     `'\t'`,
		"\x7f":                   `'\x7f'`,
		"\u0085":                 `'\u0085'`,
		"a\xffb":                 "UTF-8",
		"\xed\xa0\x80":           "UTF-8",
		strings.Repeat("x", 201): "201 characters",
		strings.Repeat("🙂", 300): "300 characters",
	} {
		err := memory.CheckSessionID(id)
		if !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), text) {
			t.Errorf("CheckSessionID(%q) = %v, want ErrInvalid that says %s", id, err, text)
		}
	}
}

func FuzzCheckSessionID(f *testing.F) {
	for _, id := range []string{"", ".", "a/b", "王", "\xff", strings.Repeat("x", 201)} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		n := utf8.RuneCountInString(id)
		err := memory.CheckSessionID(id)
		legal := n >= 1 && n <= 200 && utf8.ValidString(id) && id != "." && id != ".." && !strings.ContainsAny(id, "/\\\x00\n\x7f")
		if err == nil && !legal {
			t.Errorf("CheckSessionID(%q) = nil, want an error", id)
		}
		if err != nil && (!errors.Is(err, memory.ErrInvalid) || !utf8.ValidString(err.Error())) {
			t.Errorf("CheckSessionID(%q) = %q, want ErrInvalid in valid UTF-8", id, err)
		}
	})
}
