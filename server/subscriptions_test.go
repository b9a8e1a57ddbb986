package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
	"mcp-memory/memory/lessons"
	"mcp-memory/memory/notes"
	"mcp-memory/memory/notes/folder"
	"mcp-memory/memory/sqlite"
	"mcp-memory/server"
	"mcp-memory/tools"
)

// summaries stands in for the engine: versions in a map.
type summaries struct {
	mu     sync.Mutex
	by     map[string]memory.SummaryVersion
	failed error
	after  func() // nil = nothing; happens once, after the next look
}

func newSummaries() *summaries { return &summaries{by: map[string]memory.SummaryVersion{}} }

func (s *summaries) Current(_ context.Context, session string) (memory.SummaryVersion, error) {
	s.mu.Lock()
	v, err, after := s.by[session], s.failed, s.after
	s.after = nil
	s.mu.Unlock()
	if after != nil {
		after()
	}
	return v, err
}

// save makes a new version of the session's summary.
func (s *summaries) save(session, topic string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.by[session] = memory.SummaryVersion{
		Session: session, Version: s.by[session].Version + 1, Model: memory.LocalModel, Cursor: 12,
		Summary: memory.Summary{CurrentDiscussion: memory.CurrentDiscussion{Topic: topic}},
		SavedAt: time.Date(2026, 5, 8, 10, 0, 0, 0, time.UTC),
	}
}

func (s *summaries) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = err
}

// house is a server on a memory file of its own, which it watches.
type house struct {
	t         *testing.T
	path      string
	history   *history.History
	summaries *summaries
	notes     *notes.Notes
	server    *server.Server
	log       *syncBuffer
}

func newHouse(t *testing.T, every time.Duration) *house {
	t.Helper()
	h := &house{t: t, path: filepath.Join(t.TempDir(), "memory.db"), summaries: newSummaries(), log: &syncBuffer{}}
	db := h.openDB()
	h.history = h.openHistory(db)
	h.notes = h.openNotes(db)
	chat := &tools.ChatHistory{History: h.history, Session: "home", Zone: time.UTC, Now: time.Now}
	get := &tools.GetContext{History: h.history, Session: "home"}
	list, err := tools.All(&tools.AddMessages{History: h.history, Session: "home", Zone: time.UTC}, chat,
		&tools.Compact{History: h.history, Session: "home"}, &tools.Reset{History: h.history, Session: "home"})
	if err != nil {
		t.Fatal(err)
	}
	h.server, err = server.New(server.Config{
		Session: "home", Tools: list, History: chat, Context: get, Summaries: h.summaries, Marks: db, Notes: h.notes, Log: newLog(h.log),
		Lessons: &tools.FindErrors{Lessons: h.openLessons(db)},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { h.server.Run(ctx) })
	running.Go(func() { db.Watch(ctx, every, h.server.Changed) })
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
	return h
}

func (h *house) openDB() *sqlite.DB {
	h.t.Helper()
	db, err := sqlite.Open(h.t.Context(), sqlite.Options{Path: h.path, Sync: "normal"})
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		if err := db.Close(); err != nil {
			h.t.Error(err)
		}
	})
	return db
}

func (h *house) openHistory(db *sqlite.DB) *history.History {
	h.t.Helper()
	engine, err := history.New(history.Config{Store: db, Location: time.UTC})
	if err != nil {
		h.t.Fatal(err)
	}
	return engine
}

func (h *house) openLessons(db *sqlite.DB) *lessons.Lessons {
	h.t.Helper()
	engine, err := lessons.New(lessons.Config{Store: db})
	if err != nil {
		h.t.Fatal(err)
	}
	return engine
}

// openNotes returns the notes of the house, in a folder that does not exist yet.
func (h *house) openNotes(db *sqlite.DB) *notes.Notes {
	h.t.Helper()
	files, err := folder.New(h.path + "-workspace")
	if err != nil {
		h.t.Fatal(err)
	}
	n, err := notes.New(notes.Config{Store: db, Files: files, Location: time.UTC, OnWrite: func() { h.server.Changed() }})
	if err != nil {
		h.t.Fatal(err)
	}
	return n
}

// neighbour is another process: an engine of its own on the same file. What it
// saves moves the version of the file.
type neighbour struct {
	*history.History
	house *house
}

func (h *house) neighbour() neighbour { return neighbour{h.openHistory(h.openDB()), h} }

// add records a message.
func (n neighbour) add(session, content string) {
	n.house.t.Helper()
	if _, err := n.Append(n.house.t.Context(), session, "test", []memory.Draft{{Role: memory.RoleUser, Content: content}}); err != nil {
		n.house.t.Fatal(err)
	}
}

// save saves a summary, as far as the house can tell: a version and a write to
// the file.
func (n neighbour) save(session, topic string) {
	n.house.t.Helper()
	n.house.summaries.save(session, topic)
	n.add("elsewhere", topic)
}

// peer is a session of the library's without a transport: tests read what is
// queued for it.
type peer struct {
	house *house
	id    string
	queue chan mcp.JSONRPCNotification
}

func (p *peer) SessionID() string                                   { return p.id }
func (p *peer) NotificationChannel() chan<- mcp.JSONRPCNotification { return p.queue }
func (p *peer) Initialize()                                         {}
func (p *peer) Initialized() bool                                   { return true }

// peer connects one that has room for some notifications.
func (h *house) peer(id string, room int) *peer {
	h.t.Helper()
	p := &peer{house: h, id: id, queue: make(chan mcp.JSONRPCNotification, room)}
	if err := h.server.MCP().RegisterSession(h.t.Context(), p); err != nil {
		h.t.Fatal(err)
	}
	return p
}

func (p *peer) leave() { p.house.server.MCP().UnregisterSession(p.house.t.Context(), p.id) }

// ask sends a request and returns the answer.
func (p *peer) ask(ctx context.Context, method, params string) reply {
	p.house.t.Helper()
	request := fmt.Sprintf(`{"jsonrpc":"2.0","id":5,"method":%q,"params":%s}`, method, params)
	s := p.house.server.MCP()
	b, err := json.Marshal(s.HandleMessage(s.WithContext(ctx, p), json.RawMessage(request)))
	if err != nil {
		p.house.t.Fatal(err)
	}
	var r reply
	if err := json.Unmarshal(b, &r); err != nil {
		p.house.t.Fatalf("answer %s: %v", b, err)
	}
	return r
}

func (p *peer) subscribe(uri string) reply {
	p.house.t.Helper()
	return p.ask(p.house.t.Context(), "resources/subscribe", fmt.Sprintf(`{"uri":%q}`, uri))
}

// listen opens a stream in a goroutine; end closes it and waits.
func (p *peer) listen(uris ...string) (end func()) {
	p.house.t.Helper()
	list, err := json.Marshal(uris)
	if err != nil {
		p.house.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(p.house.t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		p.ask(ctx, "subscriptions/listen", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"notifications":{"resourceSubscriptions":`+string(list)+`}}`)
	})
	synctest.Wait()
	return func() {
		cancel()
		running.Wait()
		synctest.Wait()
	}
}

// heard lets a time pass and returns what was queued since, as "method uri
// stream".
func (p *peer) heard(after time.Duration) []string {
	p.house.t.Helper()
	time.Sleep(after)
	synctest.Wait()
	var list []string
	for {
		select {
		case n := <-p.queue:
			line := strings.TrimPrefix(n.Method, "notifications/")
			if uri, ok := n.Params.AdditionalFields["uri"]; ok {
				line += fmt.Sprint(" ", uri)
			}
			if id, ok := n.Params.Meta[mcp.MetaKeySubscriptionID]; ok {
				line += fmt.Sprint(" ", id)
			}
			list = append(list, line)
		default:
			return list
		}
	}
}

// hears fails unless exactly that is heard within two seconds.
func (p *peer) hears(when string, want ...string) {
	p.house.t.Helper()
	if got := p.heard(2 * time.Second); !slices.Equal(got, want) {
		p.house.t.Errorf("%s: heard %q, want %q", when, got, want)
	}
}

const (
	updated  = "resources/updated "
	ownURI   = "memory://summary"
	otherURI = "memory://sessions/caf%C3%A9%20x/summary"
	msgURI   = "memory://sessions/caf%C3%A9%20x/messages"
	allURI   = "memory://sessions"
)

func TestSubscriptionsOfSessions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, 0)
		other := h.neighbour()
		one, two := h.peer("one", 10), h.peer("two", 10)
		for _, uri := range []string{ownURI, otherURI, msgURI} {
			if r := one.subscribe(uri); r.Error.Code != 0 {
				t.Fatalf("subscribe %s = %+v", uri, r.Error)
			}
		}
		two.subscribe(allURI)
		one.hears("nothing has changed")
		two.hears("nothing has changed")

		other.save("home", "a")
		one.hears("a summary was saved", updated+ownURI)
		two.hears("a session was added", updated+allURI)
		other.add("café x", "hello")
		one.hears("a message was added", updated+msgURI)
		other.save("café x", "b")
		other.save("café x", "c")
		one.hears("two versions at once", updated+otherURI)
		two.heard(0) // of these
		other.add("elsewhere", "nothing for one")
		one.hears("something else was written")
		two.hears("the sessions changed", updated+allURI)

		one.ask(t.Context(), "resources/unsubscribe", `{"uri":"`+ownURI+`"}`)
		other.save("home", "d")
		one.hears("after unsubscribing")
		two.leave()
		one.leave()
		other.save("café x", "e")
		one.hears("after leaving")
		if hearing, sessions := h.server.Subscribers(); hearing+sessions != 0 {
			t.Errorf("%d subscribers and %d sessions are left, want none", hearing, sessions)
		}
	})
}

func TestSubscriptionsOfStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, 0)
		other := h.neighbour()
		p := h.peer("one", 10)
		end := p.listen(ownURI, "memory://nothing", otherURI)
		p.hears("the stream begins", "subscriptions/acknowledged 5")
		other.save("home", "a")
		p.hears("a summary was saved", updated+ownURI+" 5")
		other.save("café x", "b")
		p.hears("another one", updated+otherURI+" 5")
		end()
		other.save("home", "c")
		p.hears("after the end of the stream")
		if hearing, _ := h.server.Subscribers(); hearing != 0 {
			t.Errorf("%d subscribers are left, want none", hearing)
		}
		p.listen("memory://nothing") // returns by itself: there is nothing to wait for
		p.hears("nothing that exists", "subscriptions/acknowledged 5")
		if hearing, _ := h.server.Subscribers(); hearing != 0 {
			t.Errorf("%d subscribers are left, want none", hearing)
		}
	})
}

// A stream whose session goes away without ending it is ended: its goroutine is
// gone when the bubble ends.
func TestAStreamEndsWithItsSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, 0)
		p := h.peer("one", 10)
		ended := make(chan struct{})
		go func() {
			p.ask(context.WithoutCancel(t.Context()), "subscriptions/listen", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"notifications":{"resourceSubscriptions":["memory://summary"]}}`)
			close(ended)
		}()
		synctest.Wait()
		if hearing, _ := h.server.Subscribers(); hearing != 1 {
			t.Errorf("%d subscribers, want 1", hearing)
		}
		p.leave()
		<-ended
		if hearing, sessions := h.server.Subscribers(); hearing+sessions != 0 {
			t.Errorf("%d subscribers and %d sessions are left, want none", hearing, sessions)
		}
	})
}

// What this process saves is told at once, without waiting for a look at the
// file.
func TestOwnChangesAreToldAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, 0)
		p := h.peer("one", 10)
		p.subscribe(ownURI)
		p.heard(time.Second)
		h.summaries.save("home", "a")
		h.server.Changed()
		if got := p.heard(50 * time.Millisecond); len(got) != 1 {
			t.Errorf("heard %q after 50 ms, want one change", got)
		}
		h.server.Changed()
		p.hears("the same again")
	})
}

// A version that is saved while a client subscribes is not lost, and one that it
// can have read is not told.
func TestAChangeWhileSubscribing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, 0)
		p := h.peer("one", 10)
		h.summaries.save("home", "before")
		p.subscribe(ownURI)
		p.hears("it subscribed to a version")
		p.subscribe(otherURI)
		h.summaries.save("café x", "right after") // before the look that follows
		p.hears("a version came right after", updated+otherURI)
	})
}

// Who subscribes while the version is looked up, and knows a newer one, is not
// told of the older.
func TestSubscribingDuringALook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, 0)
		one, two := h.peer("one", 10), h.peer("two", 10)
		one.subscribe(ownURI)
		one.heard(500 * time.Millisecond)
		h.summaries.mu.Lock()
		h.summaries.after = func() {
			h.summaries.save("home", "a")
			two.subscribe(ownURI)
		}
		h.summaries.mu.Unlock()
		h.server.Changed()
		one.hears("a version came during the look", updated+ownURI)
		two.hears("it subscribed to that version")
	})
}

// Somebody who does not read holds up nobody and hears of the change when he
// reads again.
func TestASlowSubscriber(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, 0)
		slow, quick := h.peer("slow", 1), h.peer("quick", 10)
		for _, uri := range []string{ownURI, otherURI} {
			slow.subscribe(uri)
			quick.subscribe(uri)
		}
		h.summaries.save("home", "a")
		h.summaries.save("café x", "a")
		h.server.Changed()
		quick.hears("two changes", updated+otherURI, updated+ownURI)
		quick.hears("while the other is slow")
		if got := slow.heard(0); len(got) != 1 {
			t.Errorf("slow heard %q, want the one that had room", got)
		}
		slow.hears("room again", updated+ownURI)
		slow.hears("all is told")
	})
}

// What cannot be looked up is said once in the log and told when it can be.
func TestFailingLooks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, 0)
		p := h.peer("one", 10)
		p.subscribe(ownURI)
		p.heard(time.Second)
		h.summaries.save("home", "a")
		h.summaries.fail(errors.New("out of order"))
		h.server.Changed()
		p.subscribe(otherURI) // its version is not known
		p.hears("the summaries are out of order")
		p.heard(5 * time.Second)
		h.summaries.fail(nil)
		p.hears("they work again", updated+otherURI, updated+ownURI)
		p.hears("all is told")
		if n := strings.Count(h.log.String(), "cannot look for changes"); n != 1 {
			t.Errorf("logged %d times, want once: %s", n, h.log)
		}
	})
}

func TestWhatCannotBeSubscribedTo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, 0)
		p := h.peer("one", 1)
		for _, uri := range []string{"memory://nothing", "memory://sessions/a%2Fb/summary", "memory://sessions/%ZZ/summary", "memory://sessions/x", "http://example.org/"} {
			if r := p.subscribe(uri); r.Error.Code != -32600 || !strings.Contains(r.Error.Message, "cannot subscribe to "+uri) {
				t.Errorf("subscribe %s = %+v, want it refused", uri, r.Error)
			}
		}
		stranger := &peer{house: h, id: "stranger"} // as over HTTP without sessions
		if r := stranger.subscribe(ownURI); !strings.Contains(r.Error.Message, "no session") {
			t.Errorf("subscribe without a session = %+v, want it refused", r.Error)
		}
		if hearing, _ := h.server.Subscribers(); hearing != 0 {
			t.Errorf("%d subscribers, want none", hearing)
		}
	})
}

// A server that sees no changes offers no subscriptions.
func TestNothingToSubscribeTo(t *testing.T) {
	t.Parallel()
	chat := &tools.ChatHistory{History: engine{}, Recall: engine{}, Session: "home", Zone: time.UTC, Now: time.Now}
	s, err := server.New(server.Config{History: chat})
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, server: s}
	p := h.peer("one", 1)
	if r := p.subscribe(allURI); r.Error.Code != -32601 {
		t.Errorf("subscribe = %+v, want -32601", r.Error)
	}
	if r := p.ask(t.Context(), "resources/read", `{"uri":"memory://summary"}`); r.Error.Code != -32002 {
		t.Errorf("read of a summary = %+v, want -32002", r.Error)
	}
	if _, err := server.New(server.Config{History: chat, Summaries: newSummaries()}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("New with summaries and no session = %v, want ErrInvalid", err)
	}
}

func TestSummaryResources(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, 0)
		p := h.peer("one", 1)
		read := func(uri string) reply { return p.ask(t.Context(), "resources/read", fmt.Sprintf(`{"uri":%q}`, uri)) }
		const empty = `{"key_decisions":[],"past_discussions":[],"current_discussion":{"topic":"","description":"","perspectives":"","direction":""}}`
		if r := read(ownURI); len(r.Result.Contents) != 1 || r.Result.Contents[0].Text != empty || r.Result.Contents[0].Meta != nil {
			t.Errorf("%s before the first = %+v, want the empty shape", ownURI, r)
		}
		if r := read(otherURI); r.Error.Code != -32002 {
			t.Errorf("%s of a session that does not exist = %+v, want not found", otherURI, r)
		}
		h.neighbour().add("café x", "hello")
		if r := read(otherURI); len(r.Result.Contents) != 1 || r.Result.Contents[0].Text != empty {
			t.Errorf("%s before the first = %+v, want the empty shape", otherURI, r)
		}
		h.summaries.save("gone", "the plan") // a session without messages
		r := read("memory://sessions/gone/summary")
		if len(r.Result.Contents) != 1 || !strings.Contains(r.Result.Contents[0].Text, `"topic":"the plan"`) {
			t.Fatalf("summary = %+v, want the plan", r)
		}
		want := map[string]any{"version": 1.0, "model": "local", "saved_at": "2026-05-08T10:00:00Z", "cursor": 12.0}
		if got := r.Result.Contents[0].Meta; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("beside the summary = %v, want %v", got, want)
		}
		modern := `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"uri":"memory://sessions/none/messages"}`
		if r := p.ask(t.Context(), "resources/read", modern); r.Error.Code != -32602 || !strings.Contains(r.Error.Message, "not found") {
			t.Errorf("what does not exist, in the protocol of 2026-07-28 = %+v, want -32602", r)
		}
	})
}
