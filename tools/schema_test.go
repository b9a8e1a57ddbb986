package tools_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"mcp-memory/tools"
)

var update = flag.Bool("update", false, "write the golden files")

func TestSchemasAreGolden(t *testing.T) {
	t.Parallel()
	for name, tool := range newDesk(t).tools {
		def, err := json.Marshal(tool.Definition)
		if err != nil {
			t.Fatal(err)
		}
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, def, "", "  "); err != nil {
			t.Fatal(err)
		}
		pretty.WriteByte('\n')
		path := filepath.Join("testdata", name+".json")
		if *update {
			if err := os.WriteFile(path, pretty.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(pretty.Bytes(), want) {
			t.Errorf("definition of %s differs from %s; if that is meant, run go test ./tools -update\n%s", name, path, pretty.Bytes())
		}
	}
}

// Some clients refuse the whole list of tools for one keyword that they do not
// know (case N04), or drop tools with long names (N05).
func TestSchemasUseOnlyWhatEveryClientKnows(t *testing.T) {
	t.Parallel()
	for name, tool := range newDesk(t).tools {
		if !regexp.MustCompile(`^[a-zA-Z0-9_-]{1,40}$`).MatchString(name) || len("mcp-memory")+1+len(name) > 60 {
			t.Errorf("name %q does not fit every client", name)
		}
		checkSchema(t, name+" input", tool.Definition.RawInputSchema)
		checkSchema(t, name+" output", tool.Definition.RawOutputSchema)
	}
}

func checkSchema(t *testing.T, place string, raw json.RawMessage) {
	t.Helper()
	var node map[string]json.RawMessage
	if err := json.Unmarshal(raw, &node); err != nil {
		t.Fatalf("%s is no schema: %v", place, err)
	}
	known := []string{"type", "description", "properties", "required", "enum", "items"}
	for key := range node {
		if !slices.Contains(known, key) {
			t.Errorf("%s has the keyword %q, want only %v", place, key, known)
		}
	}
	var kind string
	if err := json.Unmarshal(node["type"], &kind); err != nil {
		t.Errorf("%s: type is %s, want one word", place, node["type"])
	}
	if enum := node["enum"]; enum != nil {
		var values []string
		if err := json.Unmarshal(enum, &values); err != nil || kind != "string" {
			t.Errorf("%s: enum %s of type %s, want strings", place, enum, kind)
		}
	}
	if kind == "array" {
		if node["items"] == nil {
			t.Errorf("%s: array without items", place)
			return
		}
		checkSchema(t, place+" items", node["items"])
	}
	var properties map[string]json.RawMessage
	if node["properties"] != nil {
		if err := json.Unmarshal(node["properties"], &properties); err != nil {
			t.Fatalf("%s: properties: %v", place, err)
		}
	}
	for name, p := range properties {
		checkSchema(t, place+"."+name, p)
	}
}

func TestEveryToolHasAllHints(t *testing.T) {
	t.Parallel()
	for name, tool := range newDesk(t).tools {
		a := tool.Definition.Annotations
		if a.Title == "" || a.ReadOnlyHint == nil || a.DestructiveHint == nil || a.IdempotentHint == nil || a.OpenWorldHint == nil {
			t.Errorf("annotations of %s = %+v, want title and all four hints", name, a)
		}
		writes := []string{"add_messages", "compact", "fit_context", "memory_write", "reset", "write_error"}
		destroys := name == "reset" || name == "memory_write"
		if *a.DestructiveHint != destroys || *a.OpenWorldHint || *a.ReadOnlyHint == slices.Contains(writes, name) {
			t.Errorf("hints of %s do not say what it does: %+v", name, a)
		}
	}
}

// The names are a contract; a result must not carry a field that its schema
// does not name, since clients check one against the other.
func TestResultsKeepToTheirSchema(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("home",
		message("user", "Always look under the mat first.", `"sender":"Ada"`),
		message("user", "Where is the key?", `"sender":"Ada","id":"q"`),
		message("assistant", "", `"tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]`),
		message("tool", "under the mat", `"tool_name":"look","tool_call_id":"c1"`))
	for _, call := range []struct{ tool, arguments string }{
		{"add_messages", `{"messages":[{"role":"user","content":"x"}]}`},
		{"chat_history", `{"query":"key"}`},
		{"chat_history", `{"mode":"list"}`},
		{"chat_history", `{"mode":"read"}`},
		{"compact", `{"action":"summary"}`},
		{"get_context", `{}`},
		{"write_error", `{"tool_name":"git","keywords":[],"symptom":"key rejected","action":"add it","outcome":"resolved"}`},
		{"write_error", `{"tool_name":"git","keywords":["key"],"symptom":"key rejected","action":"add it","outcome":"resolved"}`},
		{"write_error", `{"tool_name":"git","keywords":["key"],"symptom":"key rejected","action":"add it","outcome":"failed"}`},
		{"find_errors", `{"query":"key rejected"}`},
		{"find_errors", `{}`},
		{"fit_context", fitArguments(longRun(2), `,"max_tokens":900`)},
	} {
		a := d.must(call.tool, call.arguments)
		var schema map[string]any
		if err := json.Unmarshal(d.tools[call.tool].Definition.RawOutputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		checkValue(t, call.tool, schema, a.value)
	}
}

func checkValue(t *testing.T, place string, schema map[string]any, value any) {
	t.Helper()
	switch value := value.(type) {
	case map[string]any:
		properties, open := schema["properties"].(map[string]any)
		if !open { // objects that pass through
			return
		}
		for name, v := range value {
			sub, ok := properties[name].(map[string]any)
			if !ok {
				t.Errorf("%s has the field %q, which is not in its schema", place, name)
				continue
			}
			checkValue(t, place+"."+name, sub, v)
		}
		required, _ := schema["required"].([]any)
		for _, name := range required {
			if value[name.(string)] == nil {
				t.Errorf("%s lacks the field %v", place, name)
			}
		}
	case []any:
		for _, item := range value {
			checkValue(t, place+"[]", schema["items"].(map[string]any), item)
		}
	case nil:
		t.Errorf("%s is null", place)
	}
}

var _ tools.Searcher = silent{}
