package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// station is the program serving over HTTP in a process of its own.
type station struct {
	t      *testing.T
	cmd    *exec.Cmd
	url    string // http://127.0.0.1:port
	client *http.Client
	mu     sync.Mutex // of stderr
	stderr bytes.Buffer
	ended  bool
}

// Write collects what the process says.
func (s *station) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stderr.Write(p)
}

// log is what the process has said.
func (s *station) log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stderr.String()
}

// serve starts the program and waits until it says where it is.
func serve(t *testing.T, env []string, args ...string) *station {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &station{t: t, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 50}}}
	s.cmd = exec.Command(exe, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	s.cmd.Env = append([]string{asProgram + "=1", "PATH=" + os.Getenv("PATH")}, env...)
	s.cmd.Stderr = s
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.end() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the program does not say where it is: %v; %s", err, s.log())
	}
	_, rest, _ := strings.Cut(line, "MCP at ")
	s.url, _, _ = strings.Cut(rest, "/mcp")
	return s
}

// end sends the signal that a service manager sends. The program must end well
// within 10 seconds.
func (s *station) end() {
	s.t.Helper()
	if s.ended {
		return
	}
	s.ended = true
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Error(err)
	}
	late := time.AfterFunc(10*time.Second, func() { _ = s.cmd.Process.Kill() })
	defer late.Stop()
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("the program ended with %v, want exit code 0: %s", err, s.log())
	}
	if strings.Contains(s.log(), "panic") {
		s.t.Errorf("the program panicked: %s", s.log())
	}
	s.client.CloseIdleConnections()
}

// do sends a request as the bearer of a token, "" = without one.
func (s *station) do(ctx context.Context, token, method, path, body string, headers ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	return s.client.Do(r)
}

// ask sends a request and returns its status and the whole answer.
func (s *station) ask(token, method, path, body string, headers ...string) (int, string) {
	s.t.Helper()
	response, err := s.do(s.t.Context(), token, method, path, body, headers...)
	if err != nil {
		s.t.Fatalf("%s %s: %v; %s", method, path, err, s.log())
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, string(b)
}

// session says hello over Streamable HTTP and returns the id of the session.
func (s *station) session(token string) string {
	s.t.Helper()
	response, err := s.do(s.t.Context(), token, "POST", "/mcp", hello)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		s.t.Fatalf("initialize = %s", response.Status)
	}
	return response.Header.Get("Mcp-Session-Id")
}

var hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + initializeParams("2025-06-18") + `}`

// rpc sends a request of the protocol in a session.
func (s *station) rpc(token, session, method, params string) response {
	s.t.Helper()
	status, body := s.ask(token, "POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":%q,"params":%s}`, method, params), "Mcp-Session-Id", session)
	var r response
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		s.t.Fatalf("%s = %d %s", method, status, body)
	}
	return r
}

// record is the request that records a message over REST.
func record(session, content string) (method, path, body string) {
	return "POST", "/v1/session/" + session + "/messages", fmt.Sprintf(`{"messages":[{"role":"user","content":%q}]}`, content)
}

// What is recorded over one way is found over the others, and the log says
// nothing of it.
func TestServe(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, "--db", filepath.Join(t.TempDir(), "memory.db"), "--log-level", "debug")
	if status, body := s.ask("", "GET", "/healthz", ""); status != 200 || body != "{\"status\":\"ok\"}\n" {
		t.Errorf("healthz = %d %s", status, body)
	}
	method, path, body := record("kitchen", "the sugar is in the blue tin")
	if status, got := s.ask("", method, path, body, "X-Request-Id", "my-own-id"); status != 200 {
		t.Fatalf("POST = %d %s", status, got)
	}
	id := s.session("")
	r := s.rpc("", id, "tools/call", `{"name":"chat_history","arguments":{"query":"sugar","match":"keyword"}}`)
	if !strings.Contains(string(r.Result), "blue tin") {
		t.Errorf("search over MCP = %s", r.Result)
	}
	if status, got := s.ask("", "GET", "/v1/search?query=sugar", ""); status != 200 || !strings.Contains(got, "blue tin") {
		t.Errorf("search over REST = %d %s", status, got)
	}
	if status, got := s.ask("", "GET", "/v1/openapi.json", ""); status != 200 || !strings.Contains(got, "/v1/session/{id}/context") {
		t.Errorf("openapi = %d %s", status, got)
	}
	_, metrics := s.ask("", "GET", "/metrics", "")
	for _, want := range []string{`mcp_memory_tool_calls_total{outcome="ok",tool="chat_history"} 1`, `operation="GET /v1/search"`, "mcp_memory_passages"} {
		if !strings.Contains(metrics, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
	for _, path := range []string{"/", "/v2/sessions", "/mcp/x"} {
		if status, got := s.ask("", "GET", path, ""); status != 404 || !strings.Contains(got, `"not_found"`) {
			t.Errorf("GET %s = %d %s, want 404", path, status, got)
		}
	}
	s.end()
	for _, want := range []string{"request=my-own-id", `route="POST /v1/session/{id}/messages"`, `msg="tool call" tool=chat_history`} {
		if !strings.Contains(s.log(), want) {
			t.Errorf("the log lacks %s: %s", want, s.log())
		}
	}
	for _, secret := range []string{"sugar", "kitchen", "blue"} {
		if strings.Contains(s.log(), secret) {
			t.Errorf("the log holds %q: %s", secret, s.log())
		}
	}
}

// A page of another origin reads nothing, and a name that is not ours is not
// answered, whatever the path (case M03).
func TestM03StrangersGetNothing(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, "--db", filepath.Join(t.TempDir(), "memory.db"))
	for _, path := range []string{"/mcp", "/sse", "/message?sessionId=x", "/v1/sessions", "/v1/openapi.json", "/healthz", "/metrics", "/"} {
		for _, header := range [][2]string{{"Origin", "https://evil.example"}, {"Origin", "null"}, {"Host", "evil.example:8080"}} {
			response, err := s.do(t.Context(), "", "GET", path, "", header[0], header[1])
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(response.Body)
			response.Body.Close()
			if response.StatusCode != 403 || response.Header.Get("Access-Control-Allow-Origin") != "" || !bytes.Contains(b, []byte(`"forbidden"`)) || err != nil {
				t.Errorf("GET %s with %s = %d %v %s, %v, want 403", path, header, response.StatusCode, response.Header, b, err)
			}
		}
	}
	response, err := s.do(t.Context(), "", "GET", "/sse", "")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if got := response.Header.Get("Access-Control-Allow-Origin"); got != "" || response.StatusCode != 200 {
		t.Errorf("SSE allows %q to read, status %d, want nobody", got, response.StatusCode)
	}
}

// lines reads a stream into a channel until it ends.
func lines(response *http.Response) <-chan string {
	out := make(chan string, 1000)
	go func() {
		defer close(out)
		for in := bufio.NewScanner(response.Body); in.Scan(); {
			out <- in.Text()
		}
	}()
	return out
}

// listenBody asks for a stream by the protocol of 2026-07-28.
const listenBody = `{"jsonrpc":"2.0","id":9,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["memory://sessions"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`

// streams opens one of each kind.
func (s *station) streams() map[string]*http.Response {
	s.t.Helper()
	open := map[string]*http.Response{}
	session := s.session("")
	for name, ask := range map[string]func() (*http.Response, error){
		"sse": func() (*http.Response, error) { return s.do(s.t.Context(), "", "GET", "/sse", "") },
		"old": func() (*http.Response, error) {
			return s.do(s.t.Context(), "", "GET", "/mcp", "", "Mcp-Session-Id", session, "Accept", "text/event-stream")
		},
		"modern": func() (*http.Response, error) {
			return s.do(s.t.Context(), "", "POST", "/mcp", listenBody, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen")
		},
	} {
		response, err := ask()
		if err != nil || response.StatusCode != 200 {
			s.t.Fatalf("open stream %s: %v %v", name, response, err)
		}
		s.t.Cleanup(func() { response.Body.Close() })
		open[name] = response
	}
	return open
}

// Every kind of stream is kept alive while nothing happens (case M01).
func TestM01QuietStreamsAreKeptAlive(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, "--db", filepath.Join(t.TempDir(), "memory.db"), "--keep-alive", "50ms")
	for name, stream := range s.streams() {
		in := lines(stream)
		late := time.After(5 * time.Second)
		for alive := 0; alive < 3; {
			select {
			case line := <-in:
				if strings.HasPrefix(line, ":") || strings.Contains(line, `"ping"`) {
					alive++
				}
			case <-late:
				t.Fatalf("stream %s has %d signs of life in 5 s, want 3", name, alive)
			}
		}
	}
}

// The signal to end comes while clients record and others listen: streams close,
// the program ends well, and all that was acknowledged is there.
func TestTheEndLosesNothing(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "memory.db")
	s := serve(t, nil, "--db", db)
	streams := s.streams()
	var mu sync.Mutex
	acknowledged := map[string]bool{}
	busy := make(chan struct{}, 1000)
	var writing sync.WaitGroup
	for w := range 4 {
		writing.Go(func() {
			for i := 0; ; i++ {
				note := fmt.Sprintf("writer %d note %d", w, i)
				method, path, body := record("s", note)
				response, err := s.do(context.Background(), "", method, path, body)
				if err != nil {
					return // the end
				}
				if response.StatusCode == http.StatusOK {
					mu.Lock()
					acknowledged[note] = true
					mu.Unlock()
				}
				response.Body.Close()
				select {
				case busy <- struct{}{}:
				default:
				}
			}
		})
	}
	for range 40 {
		<-busy
	}
	began := time.Now()
	s.end()
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("the end took %v with nothing but streams open", took)
	}
	writing.Wait()
	for name, stream := range streams {
		if _, err := io.Copy(io.Discard, stream.Body); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("stream %s ended with %v", name, err)
		}
	}
	stored := map[string]bool{}
	for _, m := range everything(t, db) {
		stored[m] = true
	}
	for note := range acknowledged {
		if !stored[note] {
			t.Errorf("%q was acknowledged and is not stored", note)
		}
	}
	if info, err := os.Stat(db + "-wal"); err == nil && info.Size() > 0 {
		t.Errorf("a journal of %d bytes is left", info.Size())
	}
}

// Clients that vanish in the middle of a call leave nothing broken (case M05).
func TestM05ClientsThatVanish(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, "--db", filepath.Join(t.TempDir(), "memory.db"))
	clients := 100
	if testing.Short() {
		clients = 20
	}
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			stream, err := s.do(ctx, "", "GET", "/sse", "")
			if err != nil {
				t.Error(err)
				return
			}
			for line := range lines(stream) {
				endpoint, ok := strings.CutPrefix(line, "data: ")
				if !ok {
					continue
				}
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add_messages","arguments":{"messages":[{"role":"user","content":"client %d"}]}}}`, i)
				if posted, err := s.do(ctx, "", "POST", endpoint, body); err == nil {
					posted.Body.Close()
				}
				break
			}
			stream.Body.Close() // before the answer has come
		})
	}
	all.Wait()
	if status, body := s.ask("", "GET", "/v1/sessions", ""); status != 200 {
		t.Errorf("sessions after all have gone = %d %s", status, body)
	}
}

// A body of 100 MB is refused before it is read, on every path that takes one.
func TestLargeBodiesAreRefused(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, "--db", filepath.Join(t.TempDir(), "memory.db"))
	for _, path := range []string{"/mcp", "/message?sessionId=x", "/v1/session/s/messages"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, io.LimitReader(endless{}, 100<<20))
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = 100 << 20
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Expect", "100-continue")
		response, err := (&http.Transport{ExpectContinueTimeout: 5 * time.Second, DisableKeepAlives: true}).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != 413 || !bytes.Contains(b, []byte(`"too_large"`)) || err != nil {
			t.Errorf("100 MB to %s = %d %s, %v, want 413", path, response.StatusCode, b, err)
		}
		if status, got := s.ask("", "POST", path, "{}", "Content-Type", "text/plain"); status != 415 {
			t.Errorf("text/plain to %s = %d %s, want 415", path, status, got)
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// Who does not finish his headers is cut off after some seconds.
func TestSlowHeadersAreCutOff(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes as long as headers may")
	}
	s := serve(t, nil, "--db", filepath.Join(t.TempDir(), "memory.db"))
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	began := time.Now()
	if _, err := io.WriteString(c, "GET /v1/sessions HTTP/1.1\r\nHost: localhost\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := c.SetReadDeadline(began.Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, c); err != nil || time.Since(began) < 5*time.Second {
		t.Errorf("cut off after %v with %v, want after some seconds", time.Since(began), err)
	}
}
