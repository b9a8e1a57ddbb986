package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
	"mcp-memory/memory/recall"
	"mcp-memory/server"
	"mcp-memory/tools"
)

// engine stands in for the engines: what is served does not depend on them.
type engine struct {
	append func(ctx context.Context) (history.Added, error)
	read   func(ctx context.Context) (history.Page, error)
}

func (e engine) Append(ctx context.Context, _, _ string, drafts []memory.Draft) (history.Added, error) {
	if e.append != nil {
		return e.append(ctx)
	}
	return history.Added{Appended: memory.Appended{Added: len(drafts), FirstID: 1, LastID: int64(len(drafts))}}, nil
}

func (e engine) Read(ctx context.Context, req history.ReadRequest) (history.Page, error) {
	if e.read != nil {
		return e.read(ctx)
	}
	return history.Page{Messages: []memory.Message{{ID: 1, Session: req.Session, Role: memory.RoleUser, Content: "in " + req.Session}}}, nil
}

func (engine) Sessions(context.Context, string, int) ([]memory.Session, string, error) {
	return []memory.Session{{ID: "home", Messages: 1}}, "", nil
}

func (engine) Mark(context.Context, string) (string, error) { return "1", nil }

func (engine) Search(context.Context, recall.Request) (*recall.Result, error) {
	return &recall.Result{}, nil
}

// connection is a client of a server in this process. The library keeps one
// session for standard input and output, so that these tests run one by one.
type connection struct {
	t       *testing.T
	in      *io.PipeWriter
	out     *bufio.Reader
	done    chan error
	log     *syncBuffer
	closing sync.Once
}

type syncBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func newLog(to io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func connect(t *testing.T, e engine) *connection {
	t.Helper()
	log := &syncBuffer{}
	logger := newLog(log)
	chat := &tools.ChatHistory{History: e, Recall: e, Session: "home", Zone: time.UTC, Now: time.Now}
	list, err := tools.All(&tools.AddMessages{History: e, Session: "home", Zone: time.UTC}, chat)
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{Tools: list, History: chat, Marks: e, Log: logger})
	if err != nil {
		t.Fatal(err)
	}
	inReader, inWriter := io.Pipe()
	outReader, outWriter := io.Pipe()
	c := &connection{t: t, in: inWriter, out: bufio.NewReader(outReader), done: make(chan error, 1), log: log}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		err := s.ServeStdio(ctx, inReader, outWriter)
		outWriter.Close()
		c.done <- err
	}()
	t.Cleanup(func() {
		c.end()
		cancel()
	})
	return c
}

// send writes a line without waiting for an answer.
func (c *connection) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// reply is an answer of the server.
type reply struct {
	ID     json.RawMessage
	Result struct {
		IsError  bool
		Content  []struct{ Text string }
		Contents []struct {
			Text string
			Meta map[string]any `json:"_meta"`
		}
		Messages []struct {
			Role    string
			Content struct{ Text string }
		}
		Instructions string
	}
	Error struct {
		Code    int
		Message string
	}
}

func (r reply) text() string {
	if len(r.Result.Content) == 0 {
		return ""
	}
	return r.Result.Content[0].Text
}

// line is the next that the server writes.
func (c *connection) line() string {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatalf("read an answer: %v", err)
	}
	return line
}

func (c *connection) receive() reply {
	c.t.Helper()
	line := c.line()
	var r reply
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		c.t.Fatalf("answer %.300q is no JSON: %v", line, err)
	}
	return r
}

func (c *connection) ask(line string) reply {
	c.t.Helper()
	c.send(line)
	return c.receive()
}

// end closes the input and returns what is left of the output.
func (c *connection) end() string {
	rest := ""
	c.closing.Do(func() {
		c.in.Close()
		b, err := io.ReadAll(c.out)
		if err != nil {
			c.t.Errorf("read the rest: %v", err)
		}
		rest = string(b)
		if err := <-c.done; err != nil {
			c.t.Errorf("ServeStdio = %v, want nil at the end of the input", err)
		}
	})
	return rest
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	addOne     = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add_messages","arguments":{"messages":[{"role":"user","content":"secret text"}]}}}`
)

func TestInstructionsNameOnlyToolsThatExist(t *testing.T) {
	c := connect(t, engine{})
	got := c.ask(initialize).Result.Instructions
	for _, name := range []string{"add_messages", "chat_history"} {
		if !strings.Contains(got, name) {
			t.Errorf("instructions do not mention %s: %q", name, got)
		}
	}
	for _, name := range []string{"get_context", "compact", "reset", "fit_context", "write_error", "find_errors", "memory_search", "memory_get", "memory_write"} {
		if strings.Contains(got, name) {
			t.Errorf("instructions mention %s, which does not exist", name)
		}
	}
}

func TestPanicsAndErrorsBecomeAnswers(t *testing.T) {
	for name, fail := range map[string]func(context.Context) (history.Added, error){
		"panic": func(context.Context) (history.Added, error) { panic("/home/someone") },
		"error": func(context.Context) (history.Added, error) { return history.Added{}, errors.New("/home/someone") },
	} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, engine{append: fail})
			r := c.ask(addOne)
			if !r.Result.IsError || r.text() != "internal error: see the server's log" {
				t.Errorf("answer = %v %q, want an internal error", r.Result.IsError, r.text())
			}
			if r := c.ask(`{"jsonrpc":"2.0","id":3,"method":"ping"}`); r.Error.Code != 0 {
				t.Errorf("ping after a %s = error %d", name, r.Error.Code)
			}
			c.end()
			if log := c.log.String(); !strings.Contains(log, "add_messages") || strings.Contains(log, "secret text") {
				t.Errorf("log = %q, want the tool and no message text", log)
			}
		})
	}
}

func TestArgumentsThatAreNoObject(t *testing.T) {
	c := connect(t, engine{})
	for arguments, kind := range map[string]string{`[]`: "a list", `"x"`: "text", `5`: "5", `true`: "true"} {
		r := c.ask(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"add_messages","arguments":` + arguments + `}}`)
		if r.Error.Code != -32602 || r.Error.Message != "arguments must be an object, got "+kind || string(r.ID) != `"a"` {
			t.Errorf("arguments %s = id %s, %d %q, want -32602", arguments, r.ID, r.Error.Code, r.Error.Message)
		}
	}
	for _, params := range []string{`{"name":"add_messages"}`, `{"name":"add_messages","arguments":null}`} {
		if r := c.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":` + params + `}`); !r.Result.IsError || r.text() != "messages is missing" {
			t.Errorf("params %s = %q, want the missing argument named", params, r.text())
		}
	}
}

// What was read before the input ended is answered, also what had to wait.
func TestTheEndOfTheInputWaitsForCalls(t *testing.T) {
	release := make(chan struct{})
	c := connect(t, engine{append: func(ctx context.Context) (history.Added, error) {
		<-release
		return history.Added{}, ctx.Err()
	}})
	const calls = 20
	for range calls - 1 {
		c.send(addOne)
	}
	if _, err := io.WriteString(c.in, addOne); err != nil { // the last line has no end
		t.Fatal(err)
	}
	c.in.Close()
	close(release)
	rest := c.end()
	if n := strings.Count(rest, `"id":2`); n != calls {
		t.Errorf("%d answers to %d calls", n, calls)
	}
	if strings.Contains(rest, "isError") {
		t.Errorf("a call was cancelled by the end of the input: %s", rest)
	}
}

// hanging is an engine whose Read goes on until it is cancelled. It tells when
// it has begun.
func hanging() (e engine, begun chan struct{}) {
	begun = make(chan struct{}, 1)
	return engine{read: func(ctx context.Context) (history.Page, error) {
		begun <- struct{}{}
		<-ctx.Done()
		return history.Page{}, ctx.Err()
	}}, begun
}

const readSeven = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"chat_history","arguments":{"mode":"read"}}}`

// A stream is not counted among the calls that the end of the input waits for,
// neither while it is open nor when it has ended.
func TestStreamsAreNoCalls(t *testing.T) {
	const listen = `{"jsonrpc":"2.0","id":%q,"method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"notifications":{"resourceSubscriptions":["memory://sessions"]}}}`
	release := make(chan struct{})
	c := connect(t, engine{append: func(ctx context.Context) (history.Added, error) {
		<-release
		return history.Added{}, ctx.Err()
	}})
	for _, id := range []string{"a", "b"} {
		c.send(fmt.Sprintf(listen, id))
		if line := c.line(); !strings.Contains(line, "subscriptions/acknowledged") {
			t.Fatalf("first on the stream = %s, want its acknowledgement", line)
		}
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`)
	if r := c.receive(); string(r.ID) != `"a"` {
		t.Fatalf("answer to %s, want to the stream that was cancelled", r.ID)
	}
	c.send(addOne)
	c.in.Close()
	close(release)
	start := time.Now()
	if rest := c.end(); !strings.Contains(rest, `"id":2`) || strings.Contains(rest, "isError") {
		t.Errorf("output = %s, want the call answered", rest)
	}
	if took := time.Since(start); took > 600*time.Millisecond {
		t.Errorf("the server took %v to end with a stream open", took)
	}
}

func TestACancelledCallEnds(t *testing.T) {
	e, begun := hanging()
	c := connect(t, e)
	c.send(readSeven)
	<-begun
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9999}}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	if r := c.receive(); string(r.ID) != "7" || r.text() != "the call was cancelled" {
		t.Errorf("answer = %s %q, want that 7 was cancelled", r.ID, r.text())
	}
	if r := c.ask(addOne); r.Result.IsError {
		t.Errorf("the next call = %q", r.text())
	}
}

// A call that hangs does not keep the program alive for ever.
func TestTheEndOfTheInputCancelsWhatHangs(t *testing.T) {
	e, begun := hanging()
	c := connect(t, e)
	c.send(readSeven)
	<-begun
	start := time.Now()
	if rest := c.end(); !strings.Contains(rest, "the call was cancelled") {
		t.Errorf("output = %q, want the call answered", rest)
	}
	if took := time.Since(start); took > 4*time.Second {
		t.Errorf("the server took %v to end, want about 0.8 s", took)
	}
}

func TestResources(t *testing.T) {
	c := connect(t, engine{})
	for uri, want := range map[string]string{
		"memory://sessions":                                   `"session_id":"home"`,
		"memory://sessions/home/messages":                     `"content":"in home"`,
		"memory://sessions/caf%C3%A9%20%F0%9F%98%80/messages": `"content":"in café 😀"`,
		"memory://sessions/100%25/messages":                   `"content":"in 100%"`,
	} {
		r := c.ask(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"` + uri + `"}}`)
		if len(r.Result.Contents) != 1 || !strings.Contains(r.Result.Contents[0].Text, want) {
			t.Errorf("%s = %+v, want %s", uri, r, want)
		}
	}
	for _, uri := range []string{"memory://sessions/a%2Fb/messages", "memory://sessions/%2E%2E/messages", "memory://nothing"} {
		if r := c.ask(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"` + uri + `"}}`); r.Error.Code != -32002 || !strings.Contains(r.Error.Message, "not found") {
			t.Errorf("%s = %+v, want not found", uri, r)
		}
	}
}

func TestAnUnknownSessionIsNotFound(t *testing.T) {
	const uri = "memory://sessions/x/messages"
	for name, c := range map[string]struct {
		err  error
		code int
		want string
	}{
		"unknown": {memory.NotFoundf("there is no session %q", "x"), -32002, uri + ` (there is no session "x")`},
		"broken":  {errors.New("/home/someone"), -32603, "internal error: see the server's log"},
	} {
		t.Run(name, func(t *testing.T) {
			conn := connect(t, engine{read: func(context.Context) (history.Page, error) { return history.Page{}, c.err }})
			r := conn.ask(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"` + uri + `"}}`)
			if r.Error.Code != c.code || !strings.Contains(r.Error.Message, c.want) {
				t.Errorf("error = %d %q, want %d %q", r.Error.Code, r.Error.Message, c.code, c.want)
			}
		})
	}
}

func TestAProgressTokenIsNoHindrance(t *testing.T) {
	c := connect(t, engine{})
	r := c.ask(strings.Replace(addOne, `"params":{`, `"params":{"_meta":{"progressToken":"p"},`, 1))
	if r.Result.IsError {
		t.Errorf("call with a progress token = %q", r.text())
	}
}
