package site_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
	"mcp-memory/memory/recall"
	"mcp-memory/server"
	"mcp-memory/server/guard"
	"mcp-memory/server/site"
	"mcp-memory/tools"
)

// nothing is an engine that keeps nothing.
type nothing struct{}

func (nothing) Read(context.Context, history.ReadRequest) (history.Page, error) {
	return history.Page{}, memory.NotFoundf("nothing is here")
}

func (nothing) Sessions(context.Context, string, int) ([]memory.Session, string, error) {
	return nil, "", nil
}

func (nothing) Search(context.Context, recall.Request) (*recall.Result, error) {
	return &recall.Result{}, nil
}

// place is a site that is served, with what the test puts behind /v1.
type place struct {
	url    string
	opened atomic.Int64
	closed atomic.Int64
	fail   atomic.Bool // opening fails
	log    buffer
	stop   func() error // ends serving and closes the site
}

type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func serve(t *testing.T, rest http.HandlerFunc, tokens ...guard.Token) *place {
	t.Helper()
	g, err := guard.New(guard.Config{Tokens: tokens, Public: []string{site.HealthPath}})
	if err != nil {
		t.Fatal(err)
	}
	p := &place{}
	open := func(context.Context, string) (*site.Tenant, error) {
		if p.fail.Load() {
			return nil, errors.New("no such folder: /home/someone")
		}
		p.opened.Add(1)
		s, err := server.New(server.Config{History: &tools.ChatHistory{History: nothing{}, Recall: nothing{}, Session: "home", Zone: time.UTC, Now: time.Now}})
		if err != nil {
			return nil, err
		}
		return &site.Tenant{
			Full:    site.Face{MCP: s.Network(0), REST: rest},
			Metrics: http.NotFoundHandler(),
			Close:   func() error { p.closed.Add(1); return nil },
		}, nil
	}
	s, err := site.New(site.Config{Guard: g, Open: open, Log: slog.New(site.Requests(slog.NewTextHandler(&p.log, nil)))})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.url = "http://" + l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l, nil) }()
	p.stop = sync.OnceValue(func() error {
		cancel()
		return errors.Join(<-served, s.Close(context.Background()))
	})
	t.Cleanup(func() {
		if err := p.stop(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// ask sends a request as the bearer of a token.
func (p *place) ask(t *testing.T, path, token string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(b)
}

// A namespace is opened once, by whoever comes first, and closed at the end.
func TestNamespacesAreOpenedOnce(t *testing.T) {
	t.Parallel()
	p := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "here") },
		guard.NewToken(guard.Identity{Name: "a", Namespace: "x"}, "secret-a"),
		guard.NewToken(guard.Identity{Name: "b", Namespace: "x"}, "secret-b"),
		guard.NewToken(guard.Identity{Name: "c", Namespace: "y"}, "secret-c"),
		guard.NewToken(guard.Identity{Name: "d", Namespace: "x", ReadOnly: true}, "secret-d"))
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			if status, body := p.ask(t, "/v1/x", "secret-"+string("abc"[i%3])); status != 200 || body != "here" {
				t.Errorf("request %d = %d %s", i, status, body)
			}
		})
	}
	all.Wait()
	if status, _ := p.ask(t, site.HealthPath, ""); status != 200 {
		t.Errorf("health without a token = %d, want 200", status)
	}
	if status, body := p.ask(t, "/v1/x", "secret-d"); status != 403 {
		t.Errorf("a read-only token where there is nothing for it = %d %s, want 403", status, body)
	}
	if err := p.stop(); err != nil || p.opened.Load() != 2 || p.closed.Load() != 2 {
		t.Errorf("%d opened, %d closed, %v, want 2 each", p.opened.Load(), p.closed.Load(), err)
	}
}

// What cannot be opened is said in the log, not to the caller, and tried again.
func TestOpeningIsTriedAgain(t *testing.T) {
	t.Parallel()
	p := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "here") })
	p.fail.Store(true)
	if status, body := p.ask(t, "/v1/x", ""); status != 500 || strings.Contains(body, "/home") || !strings.Contains(body, `"internal"`) {
		t.Errorf("while it cannot be opened = %d %s, want 500 and no path", status, body)
	}
	p.fail.Store(false)
	if status, body := p.ask(t, "/v1/x", ""); status != 200 || body != "here" {
		t.Errorf("when it can = %d %s", status, body)
	}
	if !strings.Contains(p.log.String(), "/home/someone") {
		t.Errorf("log = %s, want the reason", &p.log)
	}
}

// A panic becomes an answer, its reason goes to the log under the request's id.
func TestPanicsBecomeAnswers(t *testing.T) {
	t.Parallel()
	p := serve(t, func(http.ResponseWriter, *http.Request) { panic("/home/someone") })
	if status, body := p.ask(t, "/v1/secret?q=secret", ""); status != 500 || !strings.Contains(body, "internal error") || strings.Contains(body, "/home") {
		t.Errorf("panic = %d %s, want an internal error", status, body)
	}
	if err := p.stop(); err != nil {
		t.Fatal(err)
	}
	log := p.log.String()
	if !strings.Contains(log, "/home/someone") || strings.Count(log, "request=") != 2 || strings.Contains(log, "secret") {
		t.Errorf("log = %s, want the panic and the request, both with an id, and no path", log)
	}
}

// An operation that is running when the end comes is answered.
func TestTheEndWaitsForOperations(t *testing.T) {
	t.Parallel()
	started, release := make(chan struct{}), make(chan struct{})
	p := serve(t, func(w http.ResponseWriter, r *http.Request) {
		close(started)
		select {
		case <-release:
			fmt.Fprint(w, "finished")
		case <-r.Context().Done():
			fmt.Fprint(w, "given up")
		}
	})
	answered := make(chan string, 1)
	go func() {
		response, err := http.Get(p.url + "/v1/x")
		if err != nil {
			answered <- err.Error()
			return
		}
		defer response.Body.Close()
		b, _ := io.ReadAll(response.Body)
		answered <- string(b)
	}()
	<-started
	ended := make(chan error, 1)
	go func() { ended <- p.stop() }()
	select {
	case err := <-ended:
		t.Errorf("the end came while an operation was running: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	close(release)
	if got := <-answered; got != "finished" {
		t.Errorf("the operation was answered %q, want it finished", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
