package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"mcp-memory/memory"
	"mcp-memory/memory/embed"
	"mcp-memory/memory/history"
	"mcp-memory/memory/recall"
	"mcp-memory/memory/sqlite"
	"mcp-memory/server/guard"
	"mcp-memory/server/rest"
	"mcp-memory/tools"
)

// noted is the summary of one session.
type noted struct{ fail error }

func (n noted) Current(_ context.Context, session string) (memory.SummaryVersion, error) {
	if session != "with summary" || n.fail != nil {
		return memory.SummaryVersion{}, n.fail
	}
	return memory.SummaryVersion{Version: 3, Summary: memory.Summary{KeyDecisions: []string{"Do: write tests"}}}, nil
}

// desk is the operations on a memory of their own, with the tools behind them.
type desk struct {
	t     *testing.T
	tools map[string]tools.Tool
	site  *httptest.Server
	log   bytes.Buffer

	mu   sync.Mutex
	seen []string // what was observed
}

// observed is what was observed until now.
func (d *desk) observed() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.seen)
}

func newDesk(t *testing.T, readOnly bool, summaries noted) *desk {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "memory.db"), Sync: "normal"})
	if err != nil {
		t.Fatal(err)
	}
	h, err := history.New(history.Config{Store: db, Location: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	r, err := recall.New(recall.Config{Store: db, Embedder: embed.NewHashed(64), Location: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	list, err := tools.All(
		&tools.AddMessages{History: h, Session: "home", Zone: time.UTC},
		&tools.ChatHistory{History: h, Recall: r, Session: "home", Zone: time.UTC, Now: time.Now},
		&tools.GetContext{History: h, Session: "home"},
		&tools.SessionSummary{Summaries: summaries, History: h, Session: "home"},
	)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, tools: map[string]tools.Tool{}}
	for _, one := range list {
		d.tools[one.Name()] = one
	}
	offered, err := tools.Selection{ReadOnly: readOnly}.Of(list)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := rest.New(rest.Config{
		Tools: offered, ReadOnly: readOnly, Version: "7", Log: slog.New(slog.NewTextHandler(&d.log, nil)),
		Observe: func(operation string, _ time.Duration, status int) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.seen = append(d.seen, operation+" "+http.StatusText(status))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	d.site = httptest.NewServer(handler)
	t.Cleanup(func() {
		d.site.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// ask sends a request and returns the status and the body of the answer.
func (d *desk) ask(method, path, body string) (int, []byte) {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), method, d.site.URL+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	if got := response.Header.Get("Content-Type"); got != "application/json" {
		d.t.Errorf("%s %s has the type %q, want JSON", method, path, got)
	}
	return response.StatusCode, b
}

const twoMessages = `{"messages":[{"role":"user","content":"Where is the <key>?","id":"m1","sent_at":"2026-05-08T10:00:00Z"},{"role":"assistant","content":"Under the mat.","id":"m2","sent_at":"2026-05-08T10:00:01Z"}]}`

// Each operation answers with what its tool does.
func TestBodiesAreTheToolsResults(t *testing.T) {
	t.Parallel()
	d := newDesk(t, false, noted{})
	if status, b := d.ask("POST", "/v1/session/caf%C3%A9%20x/messages", twoMessages); status != 200 || !bytes.Contains(b, []byte(`"added":2`)) {
		t.Fatalf("POST messages = %d %s", status, b)
	}
	if status, b := d.ask("POST", "/v1/session/with%20summary/messages", twoMessages); status != 200 {
		t.Fatalf("POST messages = %d %s", status, b)
	}
	for _, c := range []struct{ path, tool, arguments string }{
		{"/v1/sessions", "chat_history", `{"mode":"list"}`},
		{"/v1/sessions?limit=1", "chat_history", `{"mode":"list","limit":1}`},
		{"/v1/session/caf%C3%A9%20x/messages", "chat_history", `{"mode":"read","session_id":"café x"}`},
		{"/v1/session/caf%C3%A9%20x/messages?after=1&limit=5", "chat_history", `{"mode":"read","session_id":"café x","after":"1","limit":5}`},
		{"/v1/session/caf%C3%A9%20x/context?query=key&max_tokens=", "get_context", `{"session_id":"café x","query":"key"}`},
		{"/v1/session/with%20summary/summary", "session_summary", `{"session_id":"with summary"}`},
		{"/v1/session/home/summary", "session_summary", `{"session_id":"home"}`},
		{"/v1/search?query=mat&match=keyword", "chat_history", `{"mode":"search","query":"mat","match":"keyword"}`},
		{"/v1/search?query=where+is+the+key&session_id=with%20summary", "chat_history", `{"mode":"search","query":"where is the key","session_id":"with summary"}`},
		{"/v1/search?query=null&match=keyword", "chat_history", `{"mode":"search","query":"null","match":"keyword"}`},
	} {
		result, err := d.tools[c.tool].Call(t.Context(), json.RawMessage(c.arguments))
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		if status, got := d.ask("GET", c.path, ""); status != 200 || string(bytes.TrimSpace(got)) != string(want) {
			t.Errorf("GET %s = %d %s, want %s", c.path, status, got, want)
		}
	}
	seen := d.observed()
	if !slices.Contains(seen, "GET /v1/session/{id}/messages OK") || slices.ContainsFunc(seen, func(s string) bool { return strings.Contains(s, "caf") }) {
		t.Errorf("observed %q, want operations and no session", seen)
	}
}

// What goes wrong is said in the same form everywhere, with nothing of what is
// inside.
func TestErrors(t *testing.T) {
	t.Parallel()
	d := newDesk(t, false, noted{fail: errors.New("no such table: /home/someone")})
	for _, c := range []struct {
		method, path, body string
		status             int
		code, message      string
	}{
		{"GET", "/v1/nothing", "", 404, "not_found", "openapi.json"},
		{"DELETE", "/v1/sessions", "", 405, "method_not_allowed", "GET"},
		{"GET", "/v1/sessions?limit=abc", "", 400, "invalid", "limit"},
		{"GET", "/v1/sessions?mode=read", "", 400, "invalid", `unknown parameter "mode"`},
		{"GET", "/v1/sessions?limit=1&limit=2", "", 400, "invalid", "2 times"},
		{"GET", "/v1/search", "", 400, "invalid", "query"},
		{"GET", "/v1/session/none/messages", "", 404, "not_found", "none"},
		{"GET", "/v1/session/a%2Fb/messages", "", 400, "invalid", "session"},
		{"GET", "/v1/session/home/summary", "", 500, "internal", "internal error"},
		{"POST", "/v1/session/x/messages", "[]", 400, "invalid", "object"},
		{"POST", "/v1/session/x/messages", "null", 400, "invalid", "object"},
		{"POST", "/v1/session/x/messages", "{", 400, "invalid", "object"},
		{"POST", "/v1/session/x/messages", "{}", 400, "invalid", "messages is missing"},
		{"POST", "/v1/session/x/messages", `{"messages":[]}`, 400, "invalid", "empty"},
		{"POST", "/v1/session/x/messages", `{"session_id":"y","messages":[]}`, 400, "invalid", "in the path"},
		{"POST", "/v1/session/x/messages", `{"messages":[{"role":"king","content":"x"}]}`, 400, "invalid", "role"},
	} {
		status, b := d.ask(c.method, c.path, c.body)
		var f guard.Failure
		if err := json.Unmarshal(b, &f); err != nil || status != c.status || f.Error.Code != c.code || !strings.Contains(f.Error.Message, c.message) {
			t.Errorf("%s %s = %d %s, want %d %s with %q", c.method, c.path, status, b, c.status, c.code, c.message)
		}
		if bytes.Contains(b, []byte("/home/someone")) {
			t.Errorf("%s %s shows what is inside: %s", c.method, c.path, b)
		}
	}
	if !strings.Contains(d.log.String(), "no such table") {
		t.Errorf("log = %q, want the reason of the internal error", &d.log)
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	d := newDesk(t, true, noted{})
	if status, b := d.ask("POST", "/v1/session/home/messages", twoMessages); status != 403 || !bytes.Contains(b, []byte("read-only")) {
		t.Errorf("POST messages = %d %s, want 403", status, b)
	}
	if status, b := d.ask("GET", "/v1/sessions", ""); status != 200 || string(b) != `{"sessions":[]}`+"\n" {
		t.Errorf("GET sessions = %d %s, want none", status, b)
	}
	if _, document := d.ask("GET", rest.DocumentPath, ""); bytes.Contains(document, []byte(`"post"`)) {
		t.Errorf("the document offers to write: %s", document)
	}
}

// operation is what the tests read of an operation in the document.
type operation struct {
	OperationID string
	Parameters  []struct {
		Name, In string
		Required bool
		Schema   json.RawMessage
	}
	RequestBody struct {
		Content map[string]struct{ Schema json.RawMessage }
	}
	Responses map[string]struct {
		Content map[string]struct{ Schema json.RawMessage }
	}
}

// compile makes a validator of a schema.
func compile(t *testing.T, raw json.RawMessage) *jsonschema.Schema {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("schema %s: %v", raw, err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", parsed); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatalf("schema %s: %v", raw, err)
	}
	return s
}

func parsed(t *testing.T, b []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return v
}

// Every operation of the document is there, takes what the document says, and
// answers with what it says.
func TestTheDocumentIsTrue(t *testing.T) {
	t.Parallel()
	d := newDesk(t, false, noted{})
	d.ask("POST", "/v1/session/home/messages", twoMessages)
	_, b := d.ask("GET", rest.DocumentPath, "")
	var document struct {
		OpenAPI string
		Info    struct{ Title, Version string }
		Paths   map[string]map[string]operation
	}
	if err := json.Unmarshal(b, &document); err != nil || document.OpenAPI != "3.1.0" || document.Info.Version != "7" {
		t.Fatalf("document = %s, %v", b, err)
	}
	ids, served := map[string]bool{}, 0
	for path, operations := range document.Paths {
		for method, o := range operations {
			served++
			if ids[o.OperationID] || o.OperationID == "" {
				t.Errorf("%s %s has the id %q, which is no id or another's", method, path, o.OperationID)
			}
			ids[o.OperationID] = true
			body, query := "", ""
			if taken := o.RequestBody.Content["application/json"].Schema; taken != nil {
				body = twoMessages
				if err := compile(t, taken).Validate(parsed(t, []byte(body))); err != nil {
					t.Errorf("%s %s: the body is not as the document says: %v", method, path, err)
				}
			}
			for _, p := range o.Parameters {
				compile(t, p.Schema)
				if p.In == "query" && p.Name == "query" {
					query = "?query=key"
				}
			}
			status, got := d.ask(strings.ToUpper(method), strings.ReplaceAll(path, "{id}", "home")+query, body)
			if status != 200 {
				t.Errorf("%s %s = %d %s, want 200", method, path, status, got)
			}
			if err := compile(t, o.Responses["200"].Content["application/json"].Schema).Validate(parsed(t, got)); err != nil {
				t.Errorf("%s %s answers %s, which is not as the document says: %v", method, path, got, err)
			}
		}
	}
	if served != 6 {
		t.Errorf("the document has %d operations, want 6", served)
	}
}
