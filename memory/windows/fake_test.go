package windows_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
	"mcp-memory/memory/windows"
)

// openStore opens a file, which is closed when the test ends.
func openStore(t *testing.T, path string) *sqlite.DB {
	t.Helper()
	if path == "" {
		path = filepath.Join(t.TempDir(), "memory.db")
	}
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Sync: "normal"})
	if err != nil {
		t.Fatalf("Open(%s): %v", path, err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close(): %v", err)
		}
	})
	return db
}

func newTable(t *testing.T, c windows.Config) *windows.Table {
	t.Helper()
	if c.Store == nil {
		c.Store = openStore(t, "")
	}
	table, err := windows.New(c)
	if err != nil {
		t.Fatalf("New(%+v): %v", c, err)
	}
	return table
}

func wantWindow(t *testing.T, table *windows.Table, model string, tokens int, source string) {
	t.Helper()
	want := memory.Window{Tokens: tokens, Source: source}
	if got := table.Window(t.Context(), model); got != want {
		t.Errorf("Window(%q) = %+v, want %+v", model, got, want)
	}
}

// notebook is a store for tests that are about the tables: the last limit of
// each model, for one goroutine.
type notebook map[string]memory.LearntLimit

func (n notebook) LearnLimit(_ context.Context, l memory.LearntLimit) error {
	n[l.Model] = l
	return nil
}

func (n notebook) LearntLimit(_ context.Context, model string) (memory.LearntLimit, bool, error) {
	l, found := n[model]
	return l, found, nil
}

// lines hands on what is written to it, a line each.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// warnings is a log and the warnings in it.
func warnings() (*slog.Logger, <-chan string) {
	l := make(lines, 100)
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelWarn})), l
}

// reporter is an endpoint that reports what it is told to.
type reporter struct {
	mu    sync.Mutex
	list  []memory.ModelWindow
	err   error
	asked int
}

func (r *reporter) Windows(context.Context) ([]memory.ModelWindow, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	return r.list, r.err
}

func (r *reporter) set(err error, list ...memory.ModelWindow) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list, r.err = list, err
}

func (r *reporter) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked
}

// page is a server inside of the program, for tests with a clock of their own,
// which real connections would keep from running.
type page struct {
	mu      sync.Mutex
	status  int
	body    string
	etag    string
	hang    bool
	asked   int
	matches []string // the If-None-Match of each request

	connections chan net.Conn
	closed      chan struct{}
}

// serve starts the server; the client reaches it under every address.
func (p *page) serve() (client *http.Client, stop func()) {
	p.connections, p.closed = make(chan net.Conn), make(chan struct{})
	server := &http.Server{Handler: p}
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(p) })
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		near, far := net.Pipe()
		select {
		case p.connections <- far:
			return near, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	return &http.Client{Transport: transport}, func() {
		server.Close()
		serving.Wait()
		transport.CloseIdleConnections()
	}
}

// Accept, Close and Addr make a page the listener of its server.
func (p *page) Accept() (net.Conn, error) {
	select {
	case c := <-p.connections:
		return c, nil
	case <-p.closed:
		return nil, errors.New("closed")
	}
}

func (p *page) Close() error   { close(p.closed); return nil }
func (p *page) Addr() net.Addr { return &net.UnixAddr{} }

func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked++
	p.matches = append(p.matches, r.Header.Get("If-None-Match"))
	status, body, etag, hang := p.status, p.body, p.etag, p.hang
	p.mu.Unlock()
	if hang {
		<-r.Context().Done()
		return
	}
	if etag != "" {
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if status != 0 {
		w.WriteHeader(status)
	}
	w.Write([]byte(body))
}

func (p *page) set(change func(*page)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

func (p *page) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

func (p *page) lastMatch() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.matches) == 0 {
		return ""
	}
	return p.matches[len(p.matches)-1]
}
