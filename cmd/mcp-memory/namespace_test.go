package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The tokens of the tests: two teams, one with somebody who only reads, and one
// person of the main memory.
const tokenFile = "# name token namespace\nann token-of-ann team-a\nbob token-of-bob team-b\neve token-of-eve team-a ro\nmain token-of-main\n"

// tokensOf writes a token file.
func tokensOf(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Two teams on one server: no call, resource, search, metric or error of one
// shows anything of the other.
func TestNamespacesSeeNothingOfEachOther(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, nil, "--db", filepath.Join(dir, "memory.db"), "--token-file", tokensOf(t, tokenFile))
	for token, note := range map[string]string{"token-of-ann": "the canary is yellow", "token-of-main": "the main canary is green"} {
		method, path, body := record("aviary", note)
		if status, got := s.ask(token, method, path, body); status != 200 {
			t.Fatalf("POST as %s = %d %s", token, status, got)
		}
	}
	annSession := s.session("token-of-ann")
	s.rpc("token-of-ann", annSession, "tools/call", `{"name":"get_context","arguments":{"session_id":"aviary"}}`)

	bob := "token-of-bob"
	session := s.session(bob)
	seen := map[string]string{}
	for _, path := range []string{
		"/v1/sessions", "/v1/search?query=canary", "/v1/search?query=canary&match=keyword&session_id=aviary", "/v1/session/aviary/messages",
		"/v1/session/aviary/context", "/v1/session/aviary/messages?message_id=1", "/v1/openapi.json",
	} {
		_, seen["GET "+path] = s.ask(bob, "GET", path, "")
	}
	for method, params := range map[string]string{
		"tools/list": `{}`, "resources/list": `{}`, "prompts/get": `{"name":"recall","arguments":{"session":"aviary"}}`,
	} {
		seen[method] = string(s.rpc(bob, session, method, params).Result)
	}
	for _, uri := range []string{"memory://sessions", "memory://sessions/aviary/messages"} {
		r := s.rpc(bob, session, "resources/read", fmt.Sprintf(`{"uri":%q}`, uri))
		seen[uri] = fmt.Sprintf("%s %+v", r.Result, r.Error)
	}
	for _, arguments := range []string{`{"query":"canary"}`, `{"query":"canary","match":"keyword"}`, `{"mode":"list"}`, `{"mode":"read","message_id":"1"}`, `{"mode":"read","session_id":"aviary"}`} {
		seen[arguments] = string(s.rpc(bob, session, "tools/call", `{"name":"chat_history","arguments":`+arguments+`}`).Result)
	}
	for asked, got := range seen {
		for _, foreign := range []string{"yellow", "green", "team-a", "token-of-ann", dir} {
			if strings.Contains(got, foreign) {
				t.Errorf("%s as bob shows %q: %s", asked, foreign, got)
			}
		}
	}
	if got := seen["GET /v1/sessions"]; got != "{\"sessions\":[]}\n" {
		t.Errorf("sessions of bob = %s, want none", got)
	}
	if got := seen["GET /v1/session/aviary/messages"]; !strings.Contains(got, "not_found") {
		t.Errorf("messages of a foreign session = %s, want not found", got)
	}
	if _, got := s.ask(bob, "GET", "/metrics", ""); strings.Contains(got, "get_context") || strings.Contains(got, "team-") || !strings.Contains(got, `tool="chat_history"`) {
		t.Errorf("metrics of bob show what ann did, or not what he did: %s", got)
	}
	if _, got := s.ask("token-of-ann", "GET", "/metrics", ""); !strings.Contains(got, `tool="get_context"`) || strings.Contains(got, `tool="chat_history"`) {
		t.Errorf("metrics of ann show what bob did, or not what she did")
	}
	// A session of one is none of the other's, over both transports.
	if status, got := s.ask(bob, "POST", "/mcp", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, "Mcp-Session-Id", annSession); status != http.StatusNotFound {
		t.Errorf("bob in the session of ann = %d %s, want 404", status, got)
	}
	s.foreignSSE("token-of-ann", bob)

	for name, want := range map[string]bool{"memory.db": true, "memory.team-a.db": true, "memory.team-b.db": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("the file %s: %v", name, err)
		}
	}
}

// foreignSSE fails when somebody can send into the SSE session of another.
func (s *station) foreignSSE(owner, stranger string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 5*time.Second)
	defer cancel()
	stream, err := s.do(ctx, owner, "GET", "/sse", "")
	if err != nil {
		s.t.Fatal(err)
	}
	defer stream.Body.Close()
	for line := range lines(stream) {
		if endpoint, ok := strings.CutPrefix(line, "data: "); ok {
			if status, got := s.ask(stranger, "POST", endpoint, hello); status != http.StatusBadRequest || !strings.Contains(got, "session") {
				s.t.Errorf("a stranger in an SSE session = %d %s, want 400", status, got)
			}
			return
		}
	}
	s.t.Error("SSE names no endpoint")
}

// toolNames lists the tools that a result of tools/list names.
func toolNames(t *testing.T, r response) string {
	t.Helper()
	a := (&client{t: t}).answer(response{Result: []byte(`{"structuredContent":` + string(r.Result) + `}`)})
	names := a.column("tools", "name")
	slices.Sort(names)
	return strings.Join(names, " ")
}

// Who may only read sees no tool that writes and cannot write another way, but
// reads, and hears of, what others of the team write.
func TestReadOnlyTokens(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, "--db", filepath.Join(t.TempDir(), "memory.db"), "--token-file", tokensOf(t, tokenFile))
	eve := "token-of-eve"
	session := s.session(eve)
	if got := toolNames(t, s.rpc(eve, session, "tools/list", `{}`)); got != "chat_history find_errors get_context memory_get memory_search" {
		t.Errorf("tools of eve = %q, want those that read", got)
	}
	if r := s.rpc(eve, session, "tools/call", `{"name":"add_messages","arguments":{"messages":[{"role":"user","content":"x"}]}}`); r.Error == nil {
		t.Errorf("add_messages as eve = %s, want an error", r.Result)
	}
	method, path, body := record("aviary", "the canary is yellow")
	if status, got := s.ask(eve, method, path, body); status != 403 || !strings.Contains(got, "read-only") {
		t.Errorf("POST as eve = %d %s, want 403", status, got)
	}
	s.rpc(eve, session, "resources/subscribe", `{"uri":"memory://sessions"}`)
	stream, err := s.do(t.Context(), eve, "GET", "/mcp", "", "Mcp-Session-Id", session, "Accept", "text/event-stream")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	if status, got := s.ask("token-of-ann", method, path, body); status != 200 {
		t.Fatalf("POST as ann = %d %s", status, got)
	}
	told, late := lines(stream), time.After(2*time.Second)
	for heard := false; !heard; {
		select {
		case line := <-told:
			heard = strings.Contains(line, "resources/updated")
		case <-late:
			t.Fatal("eve was not told within 2 s of what ann wrote")
		}
	}
	if _, got := s.ask(eve, "GET", "/v1/search?query=canary", ""); !strings.Contains(got, "yellow") {
		t.Errorf("search as eve = %s, want what ann wrote", got)
	}
}

// One token in the environment is enough for one person, and health needs none.
func TestATokenInTheEnvironment(t *testing.T) {
	t.Parallel()
	s := serve(t, []string{tokenVariable + "=token-of-one"}, "--db", filepath.Join(t.TempDir(), "memory.db"))
	for token, want := range map[string]int{"": 401, "token-of-two": 401, "token-of-one": 200} {
		for _, path := range []string{"/v1/sessions", "/metrics"} {
			if status, got := s.ask(token, "GET", path, ""); status != want {
				t.Errorf("GET %s with %q = %d %s, want %d", path, token, status, got, want)
			}
		}
		if status, _ := s.ask(token, "GET", "/healthz", ""); status != 200 {
			t.Errorf("healthz with %q = %d, want 200", token, status)
		}
	}
}
