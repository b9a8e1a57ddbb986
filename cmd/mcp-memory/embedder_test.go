package main

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
	"mcp-memory/memory/sqlite"
)

// topics is n texts, each with words of its own and words that others have too.
func topics(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("note%d about topic%d and the colour%d", i, i%7, i%11)
	}
	return texts
}

// record adds messages of the user to session s1, with their places as ids.
func (c *client) record(contents ...string) {
	c.t.Helper()
	list := make([]map[string]any, len(contents))
	for i, content := range contents {
		list[i] = msg(fmt.Sprint(i+1), content)
	}
	if a := c.tool("add_messages", map[string]any{"session_id": "s1", "messages": list}); a.bad {
		c.t.Fatalf("add_messages = error %q", a.text)
	}
}

// find searches session s1 and returns the hits and what they lack.
func (c *client) find(match, query string) (hits []string, degraded string) {
	c.t.Helper()
	a := c.tool("chat_history", map[string]any{"session_id": "s1", "query": query, "match": match})
	if a.bad {
		c.t.Fatalf("search for %q = error %q", query, a.text)
	}
	degraded, _ = a.value["degraded"].(string)
	return a.column("hits", "client_id"), degraded
}

// until searches by meaning until what the search lacks fits; it returns the hits.
func (c *client) until(what, query string, fits func(degraded string) bool) []string {
	c.t.Helper()
	limit := time.Now().Add(time.Minute)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		hits, degraded := c.find("semantic", query)
		if fits(degraded) {
			return hits
		}
		if time.Now().After(limit) {
			c.t.Fatalf("searches wait in vain for %s: %q", what, degraded)
		}
		<-tick.C
	}
}

// untilComplete searches by meaning until all vectors take part.
func (c *client) untilComplete(query string) []string {
	c.t.Helper()
	return c.until("complete vectors", query, func(degraded string) bool { return degraded == "" })
}

// untilAnsweredBy searches by meaning until the vectors of the endpoint answer, all
// of them: as long as they are made, those of before do.
func (c *client) untilAnsweredBy(e *endpoint, query string) {
	c.t.Helper()
	c.until("vectors of the endpoint", query, func(degraded string) bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return degraded == "" && e.given[query] > 0
	})
}

// beside opens the file of a program that runs or has ended.
func beside(t *testing.T, path string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Options{
		Path: path, Sync: "normal",
		Analyse: func(m memory.Message) memory.Entry { return history.Analyse(m, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// keep records messages in a session, without any program.
func keep(t *testing.T, db *sqlite.DB, session string, contents ...string) {
	t.Helper()
	h, err := history.New(history.Config{Store: db, Location: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	drafts := make([]memory.Draft, len(contents))
	for i, content := range contents {
		drafts[i] = memory.Draft{Role: memory.RoleUser, Content: content, ClientID: fmt.Sprint(session, i)}
	}
	for batch := range slices.Chunk(drafts, 500) {
		if _, err := h.Append(t.Context(), session, "test", batch); err != nil {
			t.Fatal(err)
		}
	}
}

// checkVectors checks that every text has one vector of these dimensions, its own,
// and that the file is sound.
func checkVectors(t *testing.T, path string, dimensions int, contents ...string) {
	t.Helper()
	db := beside(t, path)
	active := checkOwn(t, db, dimensions, contents...)
	p, err := db.Progress(t.Context(), active)
	if want := (memory.Progress{Indexed: len(contents)}); err != nil || p != want {
		t.Errorf("Progress() = %+v, %v, want %+v", p, err, want)
	}
	findings, err := db.Check(t.Context())
	if err != nil || slices.ContainsFunc(findings, func(f sqlite.Finding) bool { return !f.OK }) {
		t.Errorf("Check() = %+v, %v, want a sound file", findings, err)
	}
}

// checkOwn checks that the message nearest to the vector of each text is the one
// with this text, and returns the active model.
func checkOwn(t *testing.T, db *sqlite.DB, dimensions int, contents ...string) memory.EmbeddingModel {
	t.Helper()
	active, err := db.ActiveModel(t.Context())
	if err != nil || active.Dimensions != dimensions {
		t.Fatalf("ActiveModel() = %+v, %v, want %d dimensions", active, err, dimensions)
	}
	for _, content := range contents {
		hits, err := db.Nearest(t.Context(), active, wordVector(content, dimensions), memory.Filter{}, 1)
		if err != nil || len(hits) != 1 || hits[0].Score < .9999 {
			t.Errorf("Nearest(%q) = %+v, %v, want its own vector", content, hits, err)
			continue
		}
		if m, err := db.Message(t.Context(), hits[0].MessageID); err != nil || m.Content != content {
			t.Errorf("the vector of %q is that of %q, %v", content, m.Content, err)
		}
	}
	return active
}

// Whatever an endpoint does, messages are added and found by words while it does
// it, and have their own vectors once it works.
func TestEndpointTrouble(t *testing.T) {
	t.Parallel()
	const anyCall, ofNotes = "word", "note"
	atOnce, withMessages := make(chan struct{}), make(chan struct{})
	wrongKey := func(w http.ResponseWriter, _ *http.Request, c embedCall) bool {
		return c.key != "Bearer right" && refuseWith(w, http.StatusUnauthorized, "no such key")
	}
	for name, c := range map[string]struct {
		behave behaviour
		until  string        // it goes on until a text with this word was asked for
		lasts  bool          // it is no trouble, and goes on
		stays  bool          // the program need not be started anew
		flags  []string      // more of them
		free   chan struct{} // closing it ends it
	}{
		"401":                     {behave: wrongKey, until: anyCall, lasts: true},
		"429, seconds":            {behave: busy(2, func() string { return "1" }), until: anyCall, lasts: true, stays: true},
		"429, a date":             {behave: busy(2, func() string { return time.Now().Add(time.Second).UTC().Format(http.TimeFormat) }), until: anyCall, lasts: true, stays: true},
		"500":                     {behave: refuses(500, "out of memory"), until: anyCall},
		"503":                     {behave: refuses(503, "loading"), until: anyCall, stays: true},
		"hangs at once":           {behave: hangs(anyCall, atOnce), until: anyCall, stays: true, free: atOnce},
		"hangs with messages":     {behave: hangs(ofNotes, withMessages), until: ofNotes, stays: true, free: withMessages},
		"wrong order":             {behave: backwards, until: ofNotes, lasts: true, stays: true},
		"short batch":             {behave: short, until: ofNotes},
		"one of another length":   {behave: crooked, until: ofNotes},
		"all of another length":   {behave: gives([]int{1, 2, 3}), until: ofNotes, flags: []string{"--embed-dimensions", "64"}},
		"NaN":                     {behave: replies(`{"data":[{"index":0,"embedding":[NaN]}]}`), until: anyCall},
		"null":                    {behave: gives(nil), until: anyCall},
		"null among the numbers":  {behave: gives([]any{1, nil}), until: anyCall},
		"zeros":                   {behave: gives(make([]int, endpointDimensions)), until: ofNotes, flags: []string{"--embed-dimensions", "64"}},
		"empty vectors":           {behave: gives([]int{}), until: anyCall},
		"no vectors":              {behave: replies(`{"data":[]}`), until: anyCall},
		"a page of a proxy":       {behave: replies(`<html>sign in</html>`), until: anyCall},
		"base64, never asked for": {behave: inBase64, until: ofNotes, lasts: true, stays: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contents := topics(12)
			db := filepath.Join(t.TempDir(), "memory.db")
			e := newEndpoint(t, c.behave)
			p := start(t, []string{"MCP_MEMORY_EMBED_API_KEY=wrong"}, e.flags(db, c.flags...)...)
			if c.until == anyCall {
				e.waitAsked(t, anyCall)
			}
			p.record(contents...)
			if hits, degraded := p.find("keyword", "note7"); !slices.Equal(hits, []string{"8"}) || degraded != "" {
				t.Errorf("search for note7 by keyword = %v, degraded %q, want 8", hits, degraded)
			}
			e.waitAsked(t, c.until)
			if hits, _ := p.find("keyword", "note3"); !slices.Equal(hits, []string{"4"}) {
				t.Errorf("search for note3 by keyword in the middle = %v, want 4", hits)
			}
			if !c.lasts {
				e.set(nil)
			}
			if c.free != nil {
				close(c.free)
			}
			if !c.stays {
				if code := p.end(); code != 0 {
					t.Errorf("exit code %d, want 0; stderr: %s", code, p.stderr)
				}
				p = start(t, []string{"MCP_MEMORY_EMBED_API_KEY=right"}, e.flags(db, c.flags...)...)
			}
			e.wait(t, "all messages", func() bool {
				return !slices.ContainsFunc(contents, func(s string) bool { return e.seen[s] == 0 })
			})
			if hits := p.untilComplete(contents[5]); len(hits) == 0 || hits[0] != "6" {
				t.Errorf("search for %q = %v, want 6 first", contents[5], hits)
			}
			p.end()
			checkVectors(t, db, endpointDimensions, contents...)
		})
	}
}

// An endpoint that nobody has started yet is used once it is there.
func TestEndpointStartsLate(t *testing.T) {
	t.Parallel()
	contents := topics(12)
	db := filepath.Join(t.TempDir(), "memory.db")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	e := &endpoint{Server: &httptest.Server{URL: "http://" + address}, seen: map[string]int{}, given: map[string]int{}, keys: map[string]bool{}, changed: make(chan struct{})}
	p := start(t, nil, e.flags(db)...)
	p.record(contents...)
	if hits, _ := p.find("keyword", "note7"); !slices.Equal(hits, []string{"8"}) {
		t.Errorf("search for note7 by keyword = %v, want 8", hits)
	}
	if hits, degraded := p.find("semantic", contents[7]); len(hits) == 0 || hits[0] != "8" || !strings.Contains(degraded, "by words only") {
		t.Errorf("search for note7 = %v, degraded %q, want 8 first, by words", hits, degraded)
	}
	if listener, err = net.Listen("tcp", address); err != nil {
		t.Fatal(err)
	}
	e.Server = &httptest.Server{Listener: listener, Config: &http.Server{Handler: e}}
	e.Start()
	t.Cleanup(e.Close)
	p.untilComplete("topic3")
	p.end()
	checkVectors(t, db, endpointDimensions, contents...)
}

// With nothing but OpenAI's variables in the environment nothing leaves the machine.
// When the endpoint is asked for they are honoured, and the key is shown nowhere.
func TestOpenAIVariables(t *testing.T) {
	t.Parallel()
	const key = "sk-test-0123456789abcdef"
	contents := topics(80) // enough for learnt vectors
	db := filepath.Join(t.TempDir(), "memory.db")
	e := newEndpoint(t, nil)
	env := []string{"OPENAI_API_KEY=" + key, "OPENAI_BASE_URL=" + e.URL + "/v1", "MCP_MEMORY_LOG_LEVEL=debug", "HOME=" + t.TempDir()}
	p := start(t, env, "stdio", "--db", db)
	p.record(contents...)
	p.untilComplete("topic3")
	p.end()
	if n := e.asked(); n != 0 {
		t.Errorf("the endpoint was asked %d times although nothing names it", n)
	}
	args := []string{"--db", db, "--embedder", "openai"}
	p = start(t, env, append([]string{"stdio"}, args...)...)
	e.waitGiven(t, contents...)
	p.untilAnsweredBy(e, "topic3")
	e.set(func(w http.ResponseWriter, _ *http.Request, c embedCall) bool {
		return refuseWith(w, http.StatusUnauthorized, "no such key: "+strings.TrimPrefix(c.key, "Bearer "))
	})
	p.record("one more")
	said := string(p.request("tools/call", `{"name":"chat_history","arguments":{"query":"a last word"}}`).Result)
	p.end()
	if keys := slices.Collect(maps.Keys(e.keys)); !slices.Equal(keys, []string{"Bearer " + key}) {
		t.Errorf("the endpoint saw the keys %q, want the one of the environment", keys)
	}
	code, stdout, stderr := runProgram(t, env, append([]string{"doctor"}, args...)...)
	if code != exitFailure || !strings.Contains(stdout, "BAD  endpoint") || !strings.Contains(stdout, "HTTP 401: no such key: [key]") {
		t.Errorf("doctor = %d\n%s%s, want the endpoint's refusal", code, stdout, stderr)
	}
	if !strings.Contains(said, "HTTP 401") {
		t.Errorf("search = %s, want the refusal named", said)
	}
	for where, text := range map[string]string{"an answer": said, "the log": p.stderr.String(), "doctor": stdout + stderr} {
		if strings.Contains(text, key) {
			t.Errorf("%s shows the key: %s", where, text)
		}
	}
}

// The first answer does not wait for a file without vectors nor for an endpoint
// that hangs.
func TestInitializeWaitsForNothing(t *testing.T) {
	t.Parallel()
	rows := 20_000
	if testing.Short() {
		rows = 2_000
	}
	path := filepath.Join(t.TempDir(), "memory.db")
	db := beside(t, path)
	keep(t, db, "s1", topics(rows)...)
	e := newEndpoint(t, hangs("", nil))
	began := time.Now()
	p := start(t, nil, e.flags(path)...)
	t.Logf("initialize with %d messages without vectors: %v after the start of the process", rows, time.Since(began))
	p.record("an afterthought")
	if hits, _ := p.find("keyword", "afterthought"); !slices.Equal(hits, []string{"1"}) {
		t.Errorf("search = %v, want the message just added", hits)
	}
	e.waitAsked(t, "word")
	p.end()
	if p, err := db.Progress(t.Context(), memory.EmbeddingModel{}); err != nil || p.Waiting != rows+1 {
		t.Errorf("Progress() = %+v, %v, want all waiting", p, err)
	}
}

// searches searches until stop is closed, and once more: every search must have
// hits. What each lacks goes to lacks.
func (c *client) searches(stop <-chan struct{}, lacks func(string)) {
	c.t.Helper()
	for n, last := 0, false; !last; n++ {
		select {
		case <-stop:
			last = true
		default:
		}
		hits, degraded := c.find("semantic", fmt.Sprintf("note%d topic%d", n%50, n%7))
		if len(hits) == 0 {
			c.t.Errorf("search %d has no hits", n)
		}
		lacks(degraded)
	}
}

// From the local model to an endpoint and back while two servers of the file search
// all the time: every search has hits, and the vectors of before answer until
// those of the endpoint are complete.
func TestSwitchWhileSearching(t *testing.T) {
	t.Parallel()
	n := 5_000
	if testing.Short() {
		n = 600
	}
	contents := topics(n)
	path := filepath.Join(t.TempDir(), "memory.db")
	db := beside(t, path)
	keep(t, db, "s1", contents...)
	e := newEndpoint(t, nil)
	local := []string{"stdio", "--db", path, "--sync", "normal"}
	phase := func(flags []string, free func(), allowed string) {
		t.Helper()
		var work sync.WaitGroup
		stop := make(chan struct{})
		servers := []*client{start(t, nil, flags...), start(t, nil, flags...)}
		for _, c := range servers {
			work.Go(func() {
				c.searches(stop, func(lack string) {
					if lack != "" && !strings.Contains(lack, allowed) {
						t.Errorf("a search during the switch is degraded: %q", lack)
					}
				})
			})
		}
		free()
		close(stop)
		work.Wait()
		for _, c := range servers {
			c.untilComplete("topic3")
			c.end()
		}
	}
	active := func(provider string) {
		t.Helper()
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for limit := time.Now().Add(time.Minute); ; <-tick.C {
			m, err := db.ActiveModel(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if p, err := db.Progress(t.Context(), m); err == nil && m.Provider == provider && p.Waiting == 0 && p.Indexed == n {
				return
			}
			if time.Now().After(limit) {
				t.Fatalf("the active model is %+v, want one of %s", m, provider)
			}
		}
	}
	phase(local, func() { active("local") }, "by words only")

	free := make(chan struct{})
	last := contents[n-1]
	e.set(hangs(last, free)) // complete only when the test lets it be
	phase(e.flags(path), func() {
		e.waitAsked(t, last)
		if m, err := db.ActiveModel(t.Context()); err != nil || m.Provider != "local" {
			t.Errorf("ActiveModel() before the endpoint's vectors are complete = %+v, %v, want the local one", m, err)
		}
		close(free)
		active("openai")
	}, "nothing is allowed")
	checkOwn(t, db, endpointDimensions, contents[:50]...)
	phase(local, func() { active("local") }, "until those of the configured embedder are complete")
}
