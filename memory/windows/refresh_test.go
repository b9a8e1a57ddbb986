package windows_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/windows"
)

// tableOf is a live table with one model.
func tableOf(tokens int) string {
	return fmt.Sprintf(`{"vendor":{"models":{"new":{"limit":{"context":%d}}}}}`, tokens)
}

// TestTiming follows the live table for hours: it is fetched at the start and
// every hour, asked for by its version, tried again five minutes after a failure,
// and stays when it cannot be fetched.
func TestTiming(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &page{body: tableOf(1000), etag: `"one"`}
		client, stop := p.serve()
		defer stop()
		log, warned := warnings()
		table := newTable(t, windows.Config{URL: "http://tables.example/api.json", HTTPClient: client, Log: log})
		wantWindow(t, table, "new", 128000, windows.Default)
		end := run(t, table)
		defer end()

		for _, step := range []struct {
			name   string
			change func(*page)
			after  time.Duration
			asked  int
			match  string
			tokens int
		}{
			{"at the start", nil, 0, 1, "", 1000},
			{"before the hour", nil, time.Hour - time.Second, 1, "", 1000},
			{"after an hour, unchanged", nil, time.Second, 2, `"one"`, 1000},
			{"changed", func(p *page) { p.body, p.etag = tableOf(2000), `"two"` }, time.Hour, 3, `"one"`, 2000},
			{"down", func(p *page) { p.status, p.etag = 500, "" }, time.Hour, 4, `"two"`, 2000},
			{"before the retry", nil, 5*time.Minute - time.Second, 4, `"two"`, 2000},
			{"still down", nil, time.Second, 5, `"two"`, 2000},
			{"a page", func(p *page) { p.status, p.body = 200, "<html>moved</html>" }, 5 * time.Minute, 6, `"two"`, 2000},
			{"up again, without a version", func(p *page) { p.body = tableOf(3000) }, 5 * time.Minute, 7, `"two"`, 3000},
			{"an hour later", nil, time.Hour, 8, "", 3000},
		} {
			if step.change != nil {
				p.set(step.change)
			}
			time.Sleep(step.after)
			synctest.Wait()
			if p.count() != step.asked || p.lastMatch() != step.match {
				t.Errorf("%s: asked %d times, If-None-Match %q, want %d, %q", step.name, p.count(), p.lastMatch(), step.asked, step.match)
			}
			wantWindow(t, table, "new", step.tokens, windows.Live)
		}
		if n := len(warned); n != 1 {
			t.Errorf("three failures in a row were worth %d warnings, want one", n)
		}
	})
}

// run runs the table until the function that it returns is called, which waits
// for it.
func run(t *testing.T, table *windows.Table) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { table.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

// TestSlow: a server that never answers is given up after 30 seconds, holds up no
// question, and the end of Run at no time.
func TestSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &page{body: tableOf(1000), hang: true}
		client, stop := p.serve()
		defer stop()
		table := newTable(t, windows.Config{URL: "http://tables.example/", HTTPClient: client})
		end := run(t, table)
		synctest.Wait()
		begin := time.Now()
		wantWindow(t, table, "new", 128000, windows.Default)
		if took := time.Since(begin); took > 0 {
			t.Errorf("Window() beside a slow server took %v, want no wait", took)
		}
		p.set(func(p *page) { p.hang = false })
		time.Sleep(5*time.Minute + 30*time.Second)
		synctest.Wait()
		wantWindow(t, table, "new", 1000, windows.Live)
		p.set(func(p *page) { p.hang = true })
		time.Sleep(time.Hour)
		synctest.Wait()
		begin = time.Now()
		end()
		if took := time.Since(begin); took > 0 {
			t.Errorf("Run() ended %v after its context, want at once", took)
		}
	})
}

// TestReportTiming: an endpoint is asked once a day; a report that is a day old
// and cannot be renewed is believed no longer.
func TestReportTiming(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lasting := &reporter{list: []memory.ModelWindow{{Model: "local", Tokens: 4096}}}
		without := &reporter{err: &memory.RetryError{Err: memory.ErrUnavailable, Never: true}}
		log, warned := warnings()
		table := newTable(t, windows.Config{Endpoints: []windows.Reporter{without, lasting}, Log: log})
		end := run(t, table)
		defer end()
		for _, step := range []struct {
			name          string
			change        func()
			after         time.Duration
			asked, silent int
			want          memory.Window
		}{
			{"at the start", func() {}, 0, 1, 1, memory.Window{Tokens: 4096, Source: windows.Endpoint}},
			{"within a day", func() {}, 24*time.Hour - time.Second, 1, 1, memory.Window{Tokens: 4096, Source: windows.Endpoint}},
			{"after a day", func() { lasting.set(nil, memory.ModelWindow{Model: "local", Tokens: 8192}) }, time.Second, 2, 2, memory.Window{Tokens: 8192, Source: windows.Endpoint}},
			{"gone", func() { lasting.set(errors.New("down")) }, 24 * time.Hour, 3, 3, memory.Window{Tokens: 128000, Source: windows.Default}},
			{"back", func() { lasting.set(nil, memory.ModelWindow{Model: "local", Tokens: 2048}) }, 5 * time.Minute, 4, 3, memory.Window{Tokens: 2048, Source: windows.Endpoint}},
		} {
			step.change()
			time.Sleep(step.after)
			synctest.Wait()
			if lasting.count() != step.asked || without.count() != step.silent {
				t.Errorf("%s: the endpoints were asked %d and %d times, want %d and %d", step.name, lasting.count(), without.count(), step.asked, step.silent)
			}
			wantWindow(t, table, "local", step.want.Tokens, step.want.Source)
		}
		if n := len(warned); n != 1 {
			t.Errorf("%d warnings, want one of the endpoint that was gone and none of the one without a report", n)
		}
	})
}

// TestNothingToRun: without sources Run returns, though its context lives.
func TestNothingToRun(t *testing.T) {
	t.Parallel()
	newTable(t, windows.Config{}).Run(t.Context())
}

// TestBadServers fetches the live table from real servers that misbehave: the
// table before, here the built-in one, stays in force.
func TestBadServers(t *testing.T) {
	t.Parallel()
	const good = `{"openai":{"models":{"gpt-4o":{"limit":{"context":99000}}}}}`
	for name, reply := range map[string]http.HandlerFunc{
		"500":    func(w http.ResponseWriter, _ *http.Request) { http.Error(w, good, http.StatusInternalServerError) },
		"HTML":   func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<!doctype html><p>hello") },
		"empty":  func(http.ResponseWriter, *http.Request) {},
		"a list": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "["+good+"]") },
		"wrong types": func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"openai":{"models":[1]},"gpt-4o":{"max_tokens":{}},"x":7}`)
		},
		"half":        func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, good[:len(good)-3]) },
		"304 unasked": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) },
		"broken off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, good)
		},
		"huge":         huge,
		"never ending": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/again", http.StatusFound) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(reply)
			t.Cleanup(server.Close)
			log, warned := warnings()
			table := newTable(t, windows.Config{URL: server.URL + "/table?key=hidden", Log: log})
			end := run(t, table)
			defer end()
			if line := <-warned; strings.Contains(line, "hidden") {
				t.Errorf("the log has %q, want no URL", line)
			}
			wantWindow(t, table, "gpt-4o", 128000, windows.BuiltIn)
		})
	}
}

// huge answers with a table that is too large, without making it all at once.
func huge(w http.ResponseWriter, _ *http.Request) {
	io.WriteString(w, `{"openai":{"models":{"gpt-4o":{"limit":{"context":99000}}}},"x":"`)
	block := strings.Repeat("x", 1<<20)
	for range 33 {
		if _, err := io.WriteString(w, block); err != nil {
			return
		}
	}
	io.WriteString(w, `"}`)
}
