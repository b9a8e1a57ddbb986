package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// Fewer tools can be offered, by flag, variable or file, and the instructions
// speak of those alone.
func TestFewerToolsOverStdio(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		env   []string
		args  []string
		tools string
	}{
		{"all", nil, []string{"stdio"}, "add_messages chat_history compact find_errors fit_context get_context memory_get memory_search memory_write reset write_error"},
		{"read-only", nil, []string{"stdio", "--read-only"}, "chat_history find_errors get_context memory_get memory_search"},
		{"by variable, without a command", []string{"MCP_MEMORY_READ_ONLY=true"}, nil, "chat_history find_errors get_context memory_get memory_search"},
		{"two sets", []string{"MCP_MEMORY_TOOLSETS=lessons,notes"}, []string{"stdio"}, "find_errors memory_get memory_search memory_write write_error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := launch(t, c.env, append(c.args, "--db", filepath.Join(t.TempDir(), "memory.db"))...)
			var welcome struct{ Instructions string }
			if err := json.Unmarshal(p.request("initialize", initializeParams("2025-06-18")).Result, &welcome); err != nil {
				t.Fatal(err)
			}
			r := p.request("tools/list", `{}`)
			if got := toolNames(t, r); got != c.tools {
				t.Errorf("tools = %q, want %q", got, c.tools)
			}
			for _, name := range []string{"add_messages", "chat_history", "compact", "find_errors", "get_context", "memory_search"} {
				if strings.Contains(welcome.Instructions, name) != strings.Contains(c.tools, name) {
					t.Errorf("instructions name %s, or not, while the tools are %q: %s", name, c.tools, welcome.Instructions)
				}
			}
		})
	}
}
