package guard_test

import (
	"strings"
	"testing"

	"mcp-memory/server/guard"
)

func TestReadTokens(t *testing.T) {
	t.Parallel()
	tokens, err := guard.ReadTokens(strings.NewReader("# people\n\nann s1\n  bob\ts2 team-a\r\neve s3 ro\nfay s4 team-a ro\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []guard.Identity{{Name: "ann"}, {Name: "bob", Namespace: "team-a"}, {Name: "eve", ReadOnly: true}, {Name: "fay", Namespace: "team-a", ReadOnly: true}}
	if len(tokens) != len(want) {
		t.Fatalf("%d tokens, want %d", len(tokens), len(want))
	}
	for i := range want {
		if tokens[i].Identity != want[i] {
			t.Errorf("token %d = %+v, want %+v", i, tokens[i].Identity, want[i])
		}
	}
}

// What is wrong with a file is said without saying what its tokens are.
func TestReadTokensRefuses(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"ann":                        "line 1: 1 words",
		"ann s3cret a ro more":       "line 1: 5 words",
		"ann s3cret a b":             "the last word is not ro",
		"ann s3cret ../x":            "the namespace",
		"ann s3cret Team":            "the namespace",
		"#\nann s3cret\nann s3cret2": "line 3: there is another token of the name ann",
		"ann s3cret\nbob s3cret":     "line 2: the token of bob is another's too",
	} {
		_, err := guard.ReadTokens(strings.NewReader(file))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("ReadTokens(%q) = %v, want %q and no token", file, err, want)
		}
	}
}

func FuzzReadTokens(f *testing.F) {
	f.Add("ann s1\nbob s2 team-a ro\n# c\n")
	f.Fuzz(func(t *testing.T, file string) {
		tokens, err := guard.ReadTokens(strings.NewReader(file))
		if err != nil {
			return
		}
		for _, one := range tokens {
			if one.Name == "" || strings.ContainsAny(one.Namespace, "/\\. ") {
				t.Errorf("ReadTokens(%q) has %+v", file, one.Identity)
			}
		}
	})
}
