package windows_test

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-memory/memory"
	"mcp-memory/memory/windows"
)

func itoa(n int) string { return strconv.Itoa(n) }
func pad(n int) string  { return fmt.Sprintf("%03d", n) }

// TestReadPublished reads both shapes of a live table, and what is near to them.
func TestReadPublished(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		want       map[string]int // nil = an error
	}{
		{"by vendor", `{"openai":{"id":"openai","models":{"gpt-4o":{"id":"x","limit":{"context":128000,"output":16384}}}}}`,
			map[string]int{"openai/gpt-4o": 128000}},
		{"by vendor, the id with another vendor", `{"openrouter":{"models":{"z-ai/glm-4.6:free":{"limit":{"context":200000}}}}}`,
			map[string]int{"openrouter/zai/glm-4-6:free": 200000}},
		{"by name", `{"groq/llama-3.1-8b":{"max_input_tokens":131072,"max_output_tokens":8192,"max_tokens":8192}}`,
			map[string]int{"groq/llama-3-1-8b": 131072}},
		{"the vendor beside the name", `{"gpt-4o":{"litellm_provider":"openai","max_input_tokens":128000}}`,
			map[string]int{"openai/gpt-4o": 128000}},
		{"max_tokens alone", `{"a/b":{"max_tokens":4096},"a/c":{"max_tokens":4096,"max_output_tokens":4096},"a/d":{"max_tokens":8192,"max_output_tokens":4096}}`,
			map[string]int{"a/b": 4096, "a/d": 8192}},
		{"numbers as texts and floats", `{"a/b":{"max_input_tokens":"4096"},"a/c":{"max_input_tokens":1e5},"a/d":{"max_input_tokens":4096.9}}`,
			map[string]int{"a/b": 4096, "a/c": 100000, "a/d": 4096}},
		{"odd ones beside a good one", `{"sample_spec":{"max_tokens":"LEGACY parameter","max_input_tokens":"max input tokens, if known"},
			"a/null":null,"a/list":[1],"a/number":7,"a/text":"x","a/object":{"max_tokens":{}},"a/small":{"max_tokens":255},"a/large":{"max_tokens":100000001},
			"a/minus":{"max_tokens":-4096},"a/huge":{"max_tokens":1e300},"a/true":{"max_tokens":true},"a/empty":{},"":{"max_tokens":4096.5},
			"v":{"models":{"m1":null,"m2":{"limit":7},"m3":{"limit":{"context":"4k"}},"m4":{"limit":{"context":[]}},"good":{"limit":{"context":4096}}}},
			"w":{"models":"none"},"x":{"models":[{"id":"m"}]}}`,
			map[string]int{"v/good": 4096}},
		{"nothing", `{}`, nil},
		{"no window", `{"openai":{"models":{"gpt-4o":{}}}}`, nil},
		{"a list", `[{"a/b":{"max_tokens":4096}}]`, nil},
		{"null", `null`, nil},
		{"HTML", `<html>`, nil},
		{"half", `{"a/b":{"max_tokens":4096}`, nil},
		{"more behind it", `{"a/b":{"max_tokens":4096}} {}`, nil},
		{"empty", ``, nil},
		{"deep", strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20000), nil},
	} {
		got, err := windows.ReadPublished([]byte(c.body))
		if (err != nil) != (c.want == nil) || !maps.Equal(got, c.want) {
			t.Errorf("%s: readPublished() = %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}

// FuzzReadPublished looks for tables that break the rules of every entry.
func FuzzReadPublished(f *testing.F) {
	f.Add([]byte(live))
	f.Add([]byte(`{"a/b":{"max_input_tokens":"1e5","litellm_provider":"x"}}`))
	f.Add([]byte(`{"v":{"models":{"m":{"limit":{"context":4096}}}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		list, err := windows.ReadPublished(body)
		if (err == nil) == (len(list) == 0) {
			t.Errorf("readPublished(%q) = %v, %v, want entries or an error", body, list, err)
		}
		for key, tokens := range list {
			if tokens < memory.MinWindow || tokens > memory.MaxWindow {
				t.Errorf("readPublished(%q) has %q of %d tokens", body, key, tokens)
			}
		}
	})
}

// FuzzName looks for names whose key is another name, or that never end.
func FuzzName(f *testing.F) {
	for _, s := range []string{"openai/gpt-4o", "openai@gpt-4o", "a@b@c", "us.anthropic.claude-opus-4-1-20250805-v1:0", "models/x:free", "@", "//", "a/@2025", "x[1m][2m]"} {
		f.Add(s)
	}
	table, err := windows.New(windows.Config{Store: notebook{}})
	if err != nil {
		f.Fatalf("New(): %v", err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key, forms := windows.Look(s)
		if utf8.ValidString(s) && !utf8.ValidString(key+forms) {
			t.Errorf("Look(%q) = %q, %q, want valid text", s, key, forms)
		}
		if key != strings.ToLower(key) || strings.Contains(key, "//") {
			t.Errorf("Look(%q) = %q, want it lower case, without empty parts", s, key)
		}
		if w := table.Window(t.Context(), s); w.Tokens < memory.MinWindow || w.Tokens > memory.MaxWindow || w.Source == "" {
			t.Errorf("Window(%q) = %+v, want a window", s, w)
		}
	})
}
