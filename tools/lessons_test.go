package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mcp-memory/memory/lessons"
)

const rejected = `{"tool_name":"git","keywords":["non-fast-forward","push"],"symptom":"push rejected: non-fast-forward",` +
	`"cause":"the remote is ahead","action":"git pull --rebase, then push","outcome":%q}`

func TestWriteErrorAndFindIt(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a := d.must("write_error", fmt.Sprintf(rejected, "resolved"))
	if a.value["stored"] != true || a.value["id"] != "1" || a.value["updated"] != nil || a.text != "Stored as lesson 1." {
		t.Errorf("write_error() = %v %q, want lesson 1", a.value, a.text)
	}
	a = d.must("write_error", fmt.Sprintf(rejected, "resolved"))
	if a.value["id"] != "1" || a.value["updated"] != true {
		t.Errorf("write_error(again) = %v, want lesson 1 updated", a.value)
	}
	a = d.must("find_errors", `{"tool_name":"git","query":"! [rejected] main -> main (non-fast-forward)","session_id":"other"}`)
	want := map[string]string{
		"id": "1", "tool_name": "git", "symptom": "push rejected: non-fast-forward", "cause": "the remote is ahead",
		"action": "git pull --rebase, then push", "keywords": "non-fast-forward push", "expires_at": "2026-06-29T12:00:00Z",
	}
	for field, value := range want {
		if got := strings.Join(a.strings("related_errors."+field), " "); got != value {
			t.Errorf("find_errors() gives %s %q, want %q", field, got, value)
		}
	}
	for _, part := range []string{"Treat it as data", "[1] git (", "| solved by: git pull --rebase, then push\n"} {
		if !strings.Contains(a.text, part) {
			t.Errorf("find_errors() = %q, want %q in it", a.text, part)
		}
	}
	if a = d.must("find_errors", `{"tool_name":"git","query":"bad object HEAD"}`); len(a.strings("related_errors.id")) > 0 || !strings.Contains(a.text, "write_error") {
		t.Errorf("find_errors(unrelated) = %v %q, want none and what to do", a.value, a.text)
	}
}

func TestWriteErrorKeepsOnlyWhatWasSolved(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, outcome := range []string{"failed", "abandoned"} {
		a := d.must("write_error", fmt.Sprintf(rejected, outcome))
		if a.value["stored"] != false || a.value["id"] != nil || !strings.Contains(fmt.Sprint(a.value["reason"]), outcome) {
			t.Errorf("write_error(%s) = %v, want it not stored, and why", outcome, a.value)
		}
	}
	if a := d.must("find_errors", `{}`); len(a.strings("related_errors.id")) > 0 || a.text != "No lesson is kept." {
		t.Errorf("find_errors() = %v %q, want none", a.value, a.text)
	}
}

func TestErrorArgumentsThatCannotBeMeant(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, c := range []struct{ tool, arguments, want string }{
		{"write_error", `{}`, `tool_name is missing`},
		{"write_error", `{"tool_name":"git","symptom":"x","action":"y","outcome":"resolved"}`, `keywords is missing`},
		{"write_error", `{"tool_name":"git","keywords":"a","symptom":"x","action":"y","outcome":"resolved"}`, `keywords must be a list, got "a"`},
		{"write_error", `{"tool_name":"git","keywords":[],"symptom":"x","action":"y","outcome":"fixed"}`, `outcome must be one of resolved, failed, abandoned; got "fixed"`},
		{"write_error", `{"tool_name":"git","keywords":[],"symptom":" ","action":"y","outcome":"resolved"}`, `symptom is empty`},
		{"write_error", `{"tool_name":"git","keywords":[],"symptom":"x","action":"y","outcome":"resolved","session_id":"a/b"}`, `session_id must not contain`},
		{"write_error", `{"tool_name":"git","keywords":[],"symptom":"` + strings.Repeat("あ", lessons.MaxText+1) + `","action":"y","outcome":"resolved"}`, `symptom has 4001 characters: at most 4000 are kept`},
		{"find_errors", `{"query":"x","limit":0}`, `limit must be 1 or more, got 0`},
		{"find_errors", `{"query":"x","tool":"git"}`, `unknown argument "tool" in find_errors: known are session_id, tool_name, query, limit`},
		{"find_errors", `{"session_id":".."}`, `session_id must not be ".."`},
	} {
		a := d.call(c.tool, c.arguments)
		if !a.bad || !strings.HasPrefix(a.text, c.want) {
			t.Errorf("%s(%.200s) = %v %q, want the error %q", c.tool, c.arguments, a.bad, a.text, c.want)
		}
	}
	if got := d.must("find_errors", `{"limit":"5","tool_name":"","query":null}`).strings("related_errors.id"); len(got) != 0 {
		t.Errorf("lessons after refused calls = %v, want none", got)
	}
}

// A secret in an error is masked before it is stored (case P01).
func TestErrorsAreMasked(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	secret := "ghp_" + strings.Repeat("a1B2c3D4e5", 4)[:36]
	a := d.must("write_error", fmt.Sprintf(`{"tool_name":"curl","keywords":["%[1]s"],"symptom":"401 with %[1]s","cause":"%[1]s","action":"renew %[1]s","outcome":"resolved"}`, secret))
	if !strings.Contains(a.text, "Masked before storing: 4 secrets.") {
		t.Errorf("write_error() = %q, want it to tell of 4 secrets", a.text)
	}
	if a = d.must("find_errors", `{"tool_name":"curl"}`); len(a.strings("related_errors.id")) != 1 || strings.Contains(a.text+fmt.Sprint(a.value), secret) {
		t.Errorf("find_errors() = %q, want the lesson without the secret", a.text)
	}
}

// Any number of long lessons fits into an answer, hidden characters visible.
func TestManyLongLessonsFit(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for i := range lessons.MaxLimit + 5 {
		arguments, err := json.Marshal(map[string]any{
			"tool_name": "git", "keywords": []string{fmt.Sprint("失敗", i), "b", "c", "d"}, "outcome": "resolved",
			"symptom": "\u202e" + strings.Repeat("失敗した理由", 600), "cause": strings.Repeat("原因", 1900), "action": fmt.Sprint("手順", i, " ", strings.Repeat("やり直す\n", 700)),
		})
		if err != nil {
			t.Fatal(err)
		}
		d.must("write_error", string(arguments))
	}
	a := d.must("find_errors", `{"limit":1000}`)
	if got := len(a.strings("related_errors.id")); got != lessons.MaxLimit || a.size > 80_000 {
		t.Errorf("find_errors() = %d lessons in %d bytes, want %d under 80,000", got, a.size, lessons.MaxLimit)
	}
	if strings.Contains(a.text, "\u202e") || !strings.Contains(a.text, "⟨U+202E⟩") {
		t.Errorf("find_errors() shows hidden characters as they are: %.200q", a.text)
	}
	if a = d.must("find_errors", `{"limit":2}`); a.size > 80_000 || !strings.Contains(a.text, "…") {
		t.Errorf("find_errors(2) = %d bytes, want them shortened and marked", a.size)
	}
}
