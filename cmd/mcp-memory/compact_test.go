package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// With a main model, compact takes away what that names; when it fails, nothing.
func TestCompactAsksTheModel(t *testing.T) {
	t.Parallel()
	var fails atomic.Bool
	fails.Store(true)
	chat := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fails.Load() || r.URL.Path != "/v1/chat/completions" {
			http.Error(w, `{"error":{"message":"no such model"}}`, http.StatusBadRequest)
			return
		}
		reply, err := json.Marshal(`{"verdicts":[{"id":"2","remove":true,"confidence":0.9}]}`)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, `{"id":"1","object":"chat.completion","model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%s}}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`, reply)
	}))
	t.Cleanup(chat.Close)
	env := []string{"MCP_MEMORY_LLM_BASE_URL=" + chat.URL + "/v1", "MCP_MEMORY_LLM_MODEL=m", "MCP_MEMORY_LLM_API_KEY=k"}
	c := start(t, env, "stdio", "--db", filepath.Join(t.TempDir(), "memory.db"))
	c.tool("add_messages", `{"messages":[{"role":"user","content":"one"},{"role":"assistant","content":"1"},{"role":"user","content":"two"},{"role":"assistant","content":"2"},{"role":"user","content":"three"}]}`)
	if a := c.tool("compact", `{}`); !a.bad || strings.Contains(a.text, "internal error") {
		t.Errorf("compact with a model that fails = %v %q, want an error that says so", a.value, a.text)
	}
	if a := c.tool("get_context", `{}`); len(a.column("messages", "id")) != 5 {
		t.Errorf("after a compaction that failed there are %v, want all", a.column("messages", "content"))
	}
	fails.Store(false)
	if a := c.tool("compact", `{}`); a.bad || a.value["removed"] != 2. {
		t.Errorf("compact = %v %q, want 2 removed", a.value, a.text)
	}
	if got := strings.Join(c.tool("get_context", `{}`).column("messages", "content"), " "); got != "one 1 three" {
		t.Errorf("live are %q, want what the model did not name", got)
	}
	if a := c.tool("compact", `{"action":"unarchive"}`); a.bad || a.value["count"] != 2. {
		t.Errorf("unarchive = %v %q, want 2 back", a.value, a.text)
	}
}
