package history_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"unicode/utf8"

	"mcp-memory/memory/history"
)

func TestCleanJSON(t *testing.T) {
	t.Parallel()
	h := open(t, history.Config{Masker: fakeMasker{}})
	tests := []struct {
		name, in, want   string
		masked, replaced int
	}{
		{"nothing to do", ` [ {"b" : 1e2, "a":1.0} , null ] `, ` [ {"b" : 1e2, "a":1.0} , null ] `, 0, 0},
		{"escapes stay as they were", `["\u00e9\/\n\"<&>"]`, `["\u00e9\/\n\"<&>"]`, 0, 0},
		{"a lone surrogate stays", `["\ud800"]`, `["\ud800"]`, 0, 0},
		{"one string of many", `[{"a":"x\u0041","b":"my secret"}]`, `[{"a":"x\u0041","b":"my [masked]"}]`, 1, 0},
		{"spelt with an escape", `["\u0073ecret"]`, `["[masked]"]`, 1, 0},
		{"a key", `{"secret":"secret secret"}`, `{"[masked]":"[masked] [masked]"}`, 3, 0},
		{"JSON in a string", `["{\"k\":\"secret\"}"]`, `["{\"k\":\"[masked]\"}"]`, 1, 0},
		{"escaped NUL", `["a\u0000b"]`, `["a` + "\uFFFD" + `b"]`, 0, 1},
		{"invalid UTF-8", "[\"a\xffb\", 1]", "[\"a\uFFFDb\", 1]", 0, 1},
		{"invalid UTF-8 beside a secret", "[\"\xff secret\"]", "[\"\uFFFD [masked]\"]", 1, 1},
		{"a backslash at the end", `["secret\\","x"]`, `["[masked]\\","x"]`, 1, 0},
		{"a scalar", `42`, `42`, 0, 0},
		{"not JSON", `call(secret, "x")`, `"call([masked], \"x\")"`, 1, 0},
		{"two values", `[] []`, `"[] []"`, 0, 0},
		{"not JSON, NUL", "{\x00", "\"{\uFFFD\"", 0, 1},
	}
	for _, tt := range tests {
		got, counts := h.CleanJSON(json.RawMessage(tt.in))
		if string(got) != tt.want || counts.Redacted != tt.masked || counts.Replaced != tt.replaced {
			t.Errorf("%s: cleanJSON(%s) = %s (%d masked, %d replaced), want %s (%d, %d)",
				tt.name, tt.in, got, counts.Redacted, counts.Replaced, tt.want, tt.masked, tt.replaced)
		}
	}
}

// FuzzCleanJSON: the result is always JSON in valid UTF-8 without a NUL; when
// nothing was changed it is the input byte for byte, and a second pass changes
// nothing.
func FuzzCleanJSON(f *testing.F) {
	for _, s := range []string{
		`[{"id":"c1","function":{"name":"f","arguments":"{\"a\":\"secret\"}"}}]`,
		`{"secret":1,"b":[true,null,-0.5e+10]}`, `"\u0000\ud83d\ude00\ud800"`, "[\"\xff\xfe\"]", `[`, ``, `""`, `{"a":"\\"}`, "\x00",
	} {
		f.Add([]byte(s))
	}
	h := open(f, history.Config{Masker: fakeMasker{}})
	f.Fuzz(func(t *testing.T, in []byte) {
		got, counts := h.CleanJSON(in)
		if !json.Valid(got) || !utf8.Valid(got) || bytes.IndexByte(got, 0) >= 0 {
			t.Fatalf("cleanJSON(%q) = %q, want JSON in valid UTF-8", in, got)
		}
		var value any
		if err := json.Unmarshal(got, &value); err != nil {
			t.Fatalf("cleanJSON(%q) = %q: %v", in, got, err)
		}
		if json.Valid(in) && counts == (history.Added{}) && !bytes.Equal(got, in) {
			t.Fatalf("cleanJSON(%q) = %q, want it unchanged: nothing was masked", in, got)
		}
		again, counts := h.CleanJSON(got)
		if counts != (history.Added{}) || !bytes.Equal(again, got) {
			t.Fatalf("cleanJSON(%q) = %q, %+v, want a second pass to change nothing", got, again, counts)
		}
		if !json.Valid(in) {
			if _, ok := value.(string); !ok {
				t.Fatalf("cleanJSON(%q) = %q, want a JSON string", in, got)
			}
			return
		}
		var before any
		if json.Unmarshal(in, &before) == nil && reflect.TypeOf(before) != reflect.TypeOf(value) {
			t.Fatalf("cleanJSON(%q) = %q, want the same shape", in, got)
		}
	})
}
