package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// longTalk is a run of n exchanges, oldest first, as a host keeps it.
func longTalk(n int) []any {
	list := []any{map[string]any{"role": "system", "content": "Be brief."}}
	for i := range n {
		list = append(list,
			map[string]any{"role": "user", "content": fmt.Sprintf("Question %d about the harbour: %s", i, strings.Repeat("which crane is free on which day? ", 10))},
			map[string]any{"role": "assistant", "content": fmt.Sprintf("Answer %d: %s", i, strings.Repeat("the blue crane is free on Monday. ", 10))})
	}
	return append(list, map[string]any{"role": "user", "content": "And tomorrow?"})
}

// A run that its provider has refused is cut to the limit that the refusal names,
// which another process knows from then on; what was cut waits for the day's note,
// and goes with its session.
func TestFitContext(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	p := start(t, nil, "stdio", "--db", path)
	p.record("hello")
	run := longTalk(40)
	run[1] = map[string]any{"role": "user", "content": "My key is " + "sk-" + strings.Repeat("a1B2c3D4", 6)}
	a := p.tool("fit_context", map[string]any{
		"session_id": "s", "model": "vendor/unheard-of", "messages": run,
		"provider_error": "This model's maximum context length is 4096 tokens. However, your messages resulted in 6100 tokens.",
	})
	if a.bad || !strings.Contains(a.text, "4096") {
		t.Fatalf("fit_context = %q, want the limit of 4096 learnt", a.text)
	}
	contents := a.column("messages", "content")
	after, budget := a.value["tokens_after"].(float64), a.value["budget"].(float64)
	if last := contents[len(contents)-1]; last != "And tomorrow?" || after > budget || budget > 4096 {
		t.Errorf("%v tokens of %v, ending %q: want them to fit and to end with the last user message", after, budget, last)
	}
	p.end()
	q := start(t, nil, "stdio", "--db", path)
	if a := q.tool("fit_context", map[string]any{"model": "vendor/unheard-of", "messages": run}); a.bad || !strings.Contains(a.text, "a window of 4096 (learnt)") {
		t.Errorf("fit_context in another process = %q, want the learnt window", a.text)
	}
	q.end()
	if code, stdout, _ := runProgram(t, nil, "job", "list", "--db", path); code != exitOK || !strings.Contains(stdout, "overflow s ") {
		t.Errorf("job list = %d\n%s, want the cut conversation among what waits", code, stdout)
	}
	for _, name := range []string{path, path + "-wal"} {
		if content, err := os.ReadFile(name); err == nil && bytes.Contains(content, []byte("a1B2c3D4a1B2c3D4")) {
			t.Errorf("%s holds the secret of the run", name)
		}
	}
}
