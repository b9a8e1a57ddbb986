package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
	"mcp-memory/server"
	"mcp-memory/tools"
)

// network serves an engine over Streamable HTTP.
func network(t *testing.T, e engine) (*server.Network, *httptest.Server) {
	t.Helper()
	chat := &tools.ChatHistory{History: e, Recall: e, Session: "home", Zone: time.UTC, Now: time.Now}
	list, err := tools.All(&tools.AddMessages{History: e, Session: "home", Zone: time.UTC}, chat)
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{Tools: list, History: chat, Marks: e})
	if err != nil {
		t.Fatal(err)
	}
	n := s.Network(0)
	site := httptest.NewServer(n.Streamable())
	t.Cleanup(func() {
		if err := n.Close(context.Background()); err != nil {
			t.Error(err)
		}
		site.Close()
	})
	return n, site
}

// modernPost sends a message of the protocol of 2026-07-28; params without the
// closing brace.
func modernPost(ctx context.Context, url, method, name, id, params string) (int, string, error) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0",%s"method":%q,"params":{%s"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, id, method, params)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
	r.Header.Set("Mcp-Method", method)
	if name != "" {
		r.Header.Set("Mcp-Name", name)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	return response.StatusCode, string(b), err
}

// slowReader is an engine whose Read waits.
type slowReader struct {
	started, release chan struct{}
}

func newSlowReader() slowReader {
	return slowReader{make(chan struct{}, 10), make(chan struct{})}
}

func (s slowReader) read(ctx context.Context) (history.Page, error) {
	s.started <- struct{}{}
	select {
	case <-ctx.Done():
		return history.Page{}, ctx.Err()
	case <-s.release:
		return history.Page{Messages: []memory.Message{{ID: 1, Role: memory.RoleUser, Content: "released"}}}, nil
	}
}

const readCall = `"name":"chat_history","arguments":{"mode":"read"},`

// The library knows requests of 2026-07-28 by their ids alone; a client must not
// be able to cancel that of another.
func TestNobodyCancelsTheCallOfAnother(t *testing.T) {
	t.Parallel()
	slow := newSlowReader()
	_, site := network(t, engine{read: slow.read})
	type outcome struct {
		body string
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		_, body, err := modernPost(t.Context(), site.URL, "tools/call", "chat_history", `"id":1,`, readCall)
		done <- outcome{body, err}
	}()
	<-slow.started
	if status, body, err := modernPost(t.Context(), site.URL, "notifications/cancelled", "", "", `"requestId":1,`); status != http.StatusAccepted || err != nil {
		t.Errorf("a foreign cancellation = %d %s, %v, want it accepted and dropped", status, body, err)
	}
	close(slow.release)
	if got := <-done; got.err != nil || !strings.Contains(got.body, "released") {
		t.Errorf("the call = %+v, want it to end well", got)
	}
}

// A client of 2026-07-28 cancels by closing its request; one before by a
// notification in its session.
func TestCancellationOfOnesOwn(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 2)
	started := make(chan struct{}, 2)
	_, site := network(t, engine{read: func(ctx context.Context) (history.Page, error) {
		started <- struct{}{}
		<-ctx.Done()
		ended <- ctx.Err()
		return history.Page{}, ctx.Err()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	var calling sync.WaitGroup
	calling.Go(func() { _, _, _ = modernPost(ctx, site.URL, "tools/call", "chat_history", `"id":1,`, readCall) })
	<-started
	cancel()
	<-ended
	calling.Wait()

	o := &old{t: t, post: site.URL}
	_, header := o.ask(initialize)
	o.session = header.Get("Mcp-Session-Id")
	calling.Go(func() {
		o.ask(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"chat_history","arguments":{"mode":"read"}}}`)
	})
	<-started
	o.ask(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	<-ended
	calling.Wait()
}

// Arguments that are no object are refused as the protocol says, and absent ones
// count as none (case N03).
func TestN03ArgumentsOverHTTP(t *testing.T) {
	t.Parallel()
	_, site := network(t, engine{})
	o := &old{t: t, post: site.URL}
	_, header := o.ask(initialize)
	o.session = header.Get("Mcp-Session-Id")
	for arguments, want := range map[string]int{`,"arguments":[]`: -32602, `,"arguments":"x"`: -32602, `,"arguments":7`: -32602, `,"arguments":null`: 0, ``: 0} {
		body, _ := o.ask(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"add_messages"` + arguments + `}}`)
		var r struct {
			ID string
			reply
		}
		if err := json.Unmarshal([]byte(body), &r); err != nil || r.Error.Code != want || r.ID != "a" {
			t.Errorf("call with %s = %s, want code %d", arguments, body, want)
		}
		if want == 0 && !strings.Contains(r.text(), "messages is missing") {
			t.Errorf("call with %s = %s, want the missing field named", arguments, body)
		}
	}
}

// A stream on which nothing happens gets a comment now and then; an answer that
// is no stream never does.
func TestStreamsAreKeptAlive(t *testing.T) {
	t.Parallel()
	kept := make(chan http.ResponseWriter, 2)
	site := httptest.NewServer(server.Lively(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", r.URL.Query().Get("type"))
		w.WriteHeader(http.StatusOK)
		fmt.Fprint(w, "data: 1\n\n")
		http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
		case <-time.After(300 * time.Millisecond):
		}
		fmt.Fprint(w, "data: 2\n\n")
		kept <- w
	}), 20*time.Millisecond))
	t.Cleanup(site.Close)
	for kind, want := range map[string]bool{"text/event-stream": true, "application/json": false} {
		response, err := http.Post(site.URL+"?type="+kind, "application/json", nil)
		if err != nil {
			t.Fatal(err)
		}
		comments, data := 0, 0
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			switch line := lines.Text(); {
			case strings.HasPrefix(line, ":"):
				comments++
			case strings.HasPrefix(line, "data: "):
				data++
			}
		}
		response.Body.Close()
		if (comments >= 2) != want || data != 2 {
			t.Errorf("%s has %d comments and %d events, want comments %v and 2 events", kind, comments, data, want)
		}
		w := <-kept // as the library keeps it
		eventually(t, "the writer lets go of the connection", func() bool {
			_, err := io.WriteString(w, "data: 3\n\n")
			return err != nil
		})
	}
}

// Waiting ends when the last call does, or when it has been long enough.
func TestWaitingForCalls(t *testing.T) {
	t.Parallel()
	slow := newSlowReader()
	n, site := network(t, engine{read: slow.read})
	var calling sync.WaitGroup
	calling.Go(func() { _, _, _ = modernPost(t.Context(), site.URL, "tools/call", "chat_history", `"id":1,`, readCall) })
	<-slow.started
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	n.Wait(short) // comes back although the call runs
	waited := make(chan struct{})
	go func() {
		n.Wait(t.Context())
		close(waited)
	}()
	select {
	case <-waited:
		t.Error("Wait came back while a call was running")
	case <-time.After(100 * time.Millisecond):
	}
	close(slow.release)
	<-waited
	calling.Wait()
}
