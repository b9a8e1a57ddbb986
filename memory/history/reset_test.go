package history_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/embed"
	"mcp-memory/memory/history"
	"mcp-memory/memory/index"
	"mcp-memory/memory/sqlite"
	"mcp-memory/memory/summary"
)

// house is a memory with all that hangs on its messages: vectors learnt from
// them, and a summary by a model.
type house struct {
	t       *testing.T
	path    string
	db      *sqlite.DB
	loop    *index.Loop
	model   *summariser
	summary *summary.Engine
	*history.History
}

// summariser is a chat model whose summaries say nothing of the messages.
type summariser struct {
	mu     sync.Mutex
	calls  int
	answer func(ctx context.Context) error // nil = at once, well
}

func (m *summariser) Name() string { return "fake" }

func (m *summariser) Chat(ctx context.Context, _ memory.Prompt) (memory.Reply, error) {
	m.mu.Lock()
	m.calls++
	n, answer := m.calls, m.answer
	m.mu.Unlock()
	if answer != nil {
		if err := answer(ctx); err != nil {
			return memory.Reply{}, err
		}
	}
	return memory.Reply{Text: fmt.Sprintf(`{"key_decisions":["Do: keep rule %d"],"past_discussions":[],"current_discussion":{"topic":"","description":"","perspectives":"","direction":""}}`, n)}, nil
}

func newHouse(t *testing.T, change func(*history.Config)) *house {
	t.Helper()
	h := &house{t: t, path: filepath.Join(t.TempDir(), "m.db"), model: &summariser{}}
	var err error
	if h.db, err = sqlite.Open(t.Context(), sqlite.Options{Path: h.path, Sync: "normal"}); err != nil {
		t.Fatalf("Open(): %v", err)
	}
	local := embed.NewLocal(h.db)
	if h.loop, err = index.New(index.Config{Store: h.db, Source: local}); err != nil {
		t.Fatalf("New(): %v", err)
	}
	if h.summary, err = summary.New(summary.Config{Store: h.db, Model: h.model, Location: time.UTC}); err != nil {
		t.Fatalf("New(): %v", err)
	}
	c := history.Config{Store: h.db, Location: time.UTC, MaxHotBytes: -1, Summarise: h.summary.Update}
	if change != nil {
		change(&c)
	}
	if h.History, err = history.New(c); err != nil {
		t.Fatalf("New(): %v", err)
	}
	t.Cleanup(func() {
		h.History.Close()
		h.summary.Close()
		if err := h.db.Close(); err != nil {
			t.Errorf("Close(): %v", err)
		}
	})
	return h
}

// secret is in every message of session s, and nowhere else.
const secret = "xylophones"

// settle fills session s with n exchanges, and another with some, makes vectors
// of both and summarises s.
func (h *house) settle(n int) {
	h.t.Helper()
	for session, mark := range map[string]string{"s": secret, "other": "harmless"} {
		var drafts []memory.Draft
		for i := range n {
			at := noon.Add(time.Duration(i) * time.Minute)
			drafts = append(drafts,
				memory.Draft{Role: memory.RoleUser, Sender: "Ann of " + mark, Content: fmt.Sprintf("question %d about %s and the harbour", i, mark), SentAt: at},
				memory.Draft{Role: memory.RoleAssistant, Content: fmt.Sprintf("answer %d: the %s are tuned %sly", i, mark, mark), SentAt: at.Add(time.Second)})
		}
		record(h.t, h.History, session, drafts...)
		if err := h.summary.Update(h.t.Context(), session); err != nil {
			h.t.Fatalf("Update(): %v", err)
		}
	}
	h.drain()
}

// drain makes the vectors that are missing, and the model that is due.
func (h *house) drain() {
	h.t.Helper()
	if err := h.loop.Drain(h.t.Context()); err != nil {
		h.t.Fatalf("Drain(): %v", err)
	}
}

// copies counts the places of the secret in the file and beside it.
func (h *house) copies() int {
	h.t.Helper()
	n := 0
	for _, suffix := range []string{"", "-wal", "-shm"} {
		content, err := os.ReadFile(h.path + suffix)
		if err != nil {
			h.t.Fatalf("ReadFile(): %v", err)
		}
		n += bytes.Count(bytes.ToLower(content), []byte(secret[:8])) // its stem too
	}
	return n
}

// state is what the table of operations speaks of, for session s.
type state struct {
	hot, vectors, archive int
	cutOff                bool
	summary               bool
}

func (h *house) state() state {
	h.t.Helper()
	ctx := h.t.Context()
	hot, err := h.db.Newest(ctx, "s", 1000)
	if err != nil {
		h.t.Fatalf("Newest(): %v", err)
	}
	all, err := h.db.Page(ctx, "s", memory.Position{}, false, 1000, 1<<20)
	if err != nil {
		h.t.Fatalf("Page(): %v", err)
	}
	found, err := h.db.Count(ctx, memory.TextQuery{All: []string{"xylophon"}}, memory.Filter{Session: "s"}, 1000)
	if err != nil || found != len(all) {
		h.t.Errorf("%d of %d messages are found by a word, %v, want all", found, len(all), err)
	}
	active, err := h.db.ActiveModel(ctx)
	if err != nil {
		h.t.Fatalf("ActiveModel(): %v", err)
	}
	probe := make([]float32, active.Dimensions)
	probe[0] = 1
	near, err := h.db.Nearest(ctx, active, probe, memory.Filter{Session: "s"}, 1000)
	if err != nil {
		h.t.Fatalf("Nearest(): %v", err)
	}
	v, err := h.summary.Current(ctx, "s")
	if err != nil {
		h.t.Fatalf("Current(): %v", err)
	}
	return state{hot: len(hot), vectors: len(near), archive: len(all), cutOff: h.hasCutOff(), summary: v.Version > 0}
}

// hasCutOff looks into the file: no method tells.
func (h *house) hasCutOff() bool {
	h.t.Helper()
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: h.path}).String())
	if err != nil {
		h.t.Fatalf("open: %v", err)
	}
	defer db.Close()
	var moved bool
	err = db.QueryRowContext(h.t.Context(), `
		SELECT start_at > -9223372036854775808
		FROM sessions s
		JOIN message_meta h ON h.session_id = s.id
		WHERE s.name = 's'`).Scan(&moved)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		h.t.Fatalf("read the cut-off: %v", err)
	}
	return moved
}

// The table of what each operation does to what, row by row.
func TestOperations(t *testing.T) {
	t.Parallel()
	const exchanges = 40
	reset := func(mode memory.ResetMode) func(*testing.T, *house) {
		return func(t *testing.T, h *house) {
			got, err := h.Reset(t.Context(), history.ResetRequest{Session: "s", Mode: mode})
			if err != nil || got.Removed != 2*exchanges+4 || !got.Wiped {
				t.Errorf("Reset(%s) = %+v, %v, want 84 removed, wiped", mode, got, err)
			}
			if n := h.copies(); n != 0 {
				t.Errorf("after Reset(%s) there are %d copies, want none", mode, n)
			}
		}
	}
	nothing := state{}
	for name, c := range map[string]struct {
		do   func(t *testing.T, h *house)
		want state
	}{
		"before": {func(*testing.T, *house) {}, state{hot: 80, vectors: 80, archive: 84, cutOff: true, summary: true}},
		"compact, automatic": {func(t *testing.T, h *house) {
			small := open(t, history.Config{Store: h.db, MaxHotBytes: 2000})
			added := record(t, small, "s", memory.Draft{Role: memory.RoleUser, Content: "and xylophones", SentAt: noon.AddDate(0, 0, 1)})
			if added.Archived == 0 {
				t.Error("nothing was archived")
			}
		}, state{hot: 35, vectors: 34, archive: 85, cutOff: true, summary: true}},
		"compact, by hand": {func(t *testing.T, h *house) {
			if got, err := h.Compact(t.Context(), "s", 0); err != nil || got.Removed != 64 {
				t.Errorf("Compact() = %+v, %v, want all but the window removed", got, err)
			}
		}, state{hot: 16, vectors: 16, archive: 84, cutOff: true, summary: true}},
		"reset, summary": {reset(memory.ResetSummary), state{summary: true}},
		"reset, all":     {reset(memory.ResetAll), nothing},
		"remove session": {reset(memory.ResetRemove), nothing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, nil)
			record(t, h.History, "s", archived()...)
			h.settle(exchanges)
			if _, err := h.db.Archive(t.Context(), "s", memory.Position{SentAt: noon.UnixNano()}, false); err != nil {
				t.Fatalf("Archive(): %v", err)
			}
			if h.copies() == 0 {
				t.Fatal("the secret is not in the file: the test looks in the wrong place")
			}
			before, err := h.summary.Current(t.Context(), "s")
			if err != nil {
				t.Fatalf("Current(): %v", err)
			}
			c.do(t, h)
			if got := h.state(); got != c.want {
				t.Errorf("after it, %+v, want %+v", got, c.want)
			}
			if after, err := h.summary.Current(t.Context(), "s"); err != nil || c.want.summary && after.Version != before.Version {
				t.Errorf("Current() = version %d, %v, want %d untouched", after.Version, err, before.Version)
			}
			h.wantNeighbour(2 * exchanges)
		})
	}
}

// archived are messages from before the others.
func archived() []memory.Draft {
	list := talk(4)
	for i := range list {
		list[i].SentAt = list[i].SentAt.AddDate(0, 0, -1)
		list[i].Content += " on xylophones"
	}
	return list
}

// wantNeighbour checks that the other session is as it was, and that the model is
// learnt anew from what there is.
func (h *house) wantNeighbour(messages int) {
	h.t.Helper()
	h.drain()
	n, err := h.db.Count(h.t.Context(), memory.TextQuery{All: []string{"harmless"}}, memory.Filter{}, 1000)
	if err != nil || n != messages {
		h.t.Errorf("%d messages of the other session are found, %v, want %d", n, err, messages)
	}
	findings, err := h.db.Check(h.t.Context())
	if err != nil {
		h.t.Fatalf("Check(): %v", err)
	}
	for _, f := range findings {
		if !f.OK {
			h.t.Errorf("Check() found %s: %s", f.Name, f.Detail)
		}
	}
	if due, err := embed.NewLocal(h.db).Due(h.t.Context()); err != nil || due {
		h.t.Errorf("Due() = %v, %v, want the model learnt from what is left", due, err)
	}
}

// What is told to be forgotten goes, and nothing else.
func TestResetOfMessages(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	h.settle(35)
	record(t, h.History, "other", memory.Draft{Role: memory.RoleUser, Content: "my secret is Xylophonesque", SentAt: noon})
	h.drain()
	if _, err := h.Reset(t.Context(), history.ResetRequest{Session: "s", Mode: memory.ResetAll}); err != nil {
		t.Fatalf("Reset(): %v", err)
	}
	list := everything(t, h.History, "other")
	var ids []int64
	for _, m := range list {
		if strings.Contains(m.Content, "Xylo") {
			ids = append(ids, m.ID, m.ID) // named twice
		}
	}
	got, err := h.Reset(t.Context(), history.ResetRequest{Session: "other", Mode: memory.ResetMessages, Messages: ids})
	if err != nil || got.Removed != 1 || !got.Wiped || h.copies() != 0 {
		t.Errorf("Reset(messages) = %+v, %v, want one removed and no copy", got, err)
	}
	if left := everything(t, h.History, "other"); len(left) != len(list)-1 {
		t.Errorf("%d messages are left of %d, want all but one", len(left), len(list))
	}
	h.wantNeighbour(70)
}

func TestResetRefuses(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	record(t, h.History, "s", talk(2)...)
	for _, c := range []struct {
		r    history.ResetRequest
		want error
		text string
	}{
		{history.ResetRequest{Session: "nobody", Mode: memory.ResetAll}, memory.ErrNotFound, `there is no session "nobody"`},
		{history.ResetRequest{Session: "nobody", Mode: memory.ResetSummary}, memory.ErrNotFound, `there is no session "nobody"`},
		{history.ResetRequest{Session: "../..", Mode: memory.ResetAll}, memory.ErrInvalid, "session_id must not contain"},
		{history.ResetRequest{Session: "s", Mode: "everything"}, memory.ErrInvalid, "mode must be one of"},
		{history.ResetRequest{Session: "s"}, memory.ErrInvalid, "mode must be one of"},
		{history.ResetRequest{Session: "s", Mode: memory.ResetMessages}, memory.ErrInvalid, "message_ids is empty"},
		{history.ResetRequest{Session: "s", Mode: memory.ResetAll, Messages: []int64{1}}, memory.ErrInvalid, "message_ids goes with the mode messages"},
		{history.ResetRequest{Session: "s", Mode: memory.ResetMessages, Messages: []int64{1, 77}}, memory.ErrNotFound, "there is no message 77"},
	} {
		if _, err := h.Reset(t.Context(), c.r); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("Reset(%+v) = %v, want %v that says %q", c.r, err, c.want, c.text)
		}
	}
	if got := everything(t, h.History, "s"); len(got) != 2 {
		t.Errorf("%d messages are left, want both", len(got))
	}
}

// A summary that cannot be brought up to date leaves everything as it was.
func TestResetNeedsTheSummary(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	h.settle(5)
	record(t, h.History, "s", memory.Draft{Role: memory.RoleUser, Content: "news", SentAt: noon.AddDate(0, 0, 1)})
	h.model.answer = func(context.Context) error { return memory.Unavailablef("the endpoint is down") }
	_, err := h.Reset(t.Context(), history.ResetRequest{Session: "s", Mode: memory.ResetSummary})
	if !errors.Is(err, memory.ErrUnavailable) || !strings.Contains(err.Error(), "nothing was deleted") || !strings.Contains(err.Error(), "endpoint is down") {
		t.Errorf("Reset() = %v, want that nothing was deleted, and why", err)
	}
	if got := everything(t, h.History, "s"); len(got) != 11 {
		t.Errorf("%d messages are left, want all 11", len(got))
	}
	h.model.answer = nil
	got, err := h.Reset(t.Context(), history.ResetRequest{Session: "s", Mode: memory.ResetSummary})
	if err != nil || got.Removed != 11 {
		t.Errorf("Reset() = %+v, %v, want 11 removed", got, err)
	}
	v, err := h.summary.Current(t.Context(), "s")
	if err != nil || v.Cursor != 11 {
		t.Errorf("Current() = %+v, %v, want all 11 messages in it", v, err)
	}
}

// What comes in while the summary is brought up to date is summarised too.
func TestResetTakesInWhatComesMeanwhile(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	h.settle(5)
	record(t, h.History, "s", memory.Draft{Role: memory.RoleUser, Content: "news", SentAt: noon.AddDate(0, 0, 1)})
	once := sync.OnceFunc(func() {
		record(t, h.History, "s", memory.Draft{Role: memory.RoleUser, Content: "more news", SentAt: noon.AddDate(0, 0, 2)})
	})
	h.model.answer = func(context.Context) error { once(); return nil }
	got, err := h.Reset(t.Context(), history.ResetRequest{Session: "s", Mode: memory.ResetSummary})
	if err != nil || got.Removed != 12 {
		t.Errorf("Reset() = %+v, %v, want 12 removed", got, err)
	}
	if v, err := h.summary.Current(t.Context(), "s"); err != nil || v.Cursor != 12 {
		t.Errorf("Current() = %+v, %v, want all 12 messages in it", v, err)
	}
}

// A reset while the summary job waits for a slow model: nothing comes back.
func TestResetWhileASummaryIsMade(t *testing.T) {
	t.Parallel()
	for _, mode := range []memory.ResetMode{memory.ResetAll, memory.ResetRemove} {
		h := newHouse(t, nil)
		record(t, h.History, "s", archived()...)
		waits, goOn := make(chan struct{}), make(chan struct{})
		h.model.answer = func(context.Context) error { close(waits); <-goOn; return nil }
		var job sync.WaitGroup
		job.Go(func() {
			if err := h.summary.Tick(t.Context()); err != nil {
				t.Errorf("Tick(): %v", err)
			}
		})
		<-waits
		if got, err := h.Reset(t.Context(), history.ResetRequest{Session: "s", Mode: mode}); err != nil || got.Removed != 4 {
			t.Errorf("Reset(%s) = %+v, %v, want 4 removed", mode, got, err)
		}
		close(goOn)
		job.Wait()
		if v, err := h.summary.Current(t.Context(), "s"); err != nil || v.Version != 0 {
			t.Errorf("Current(after Reset(%s)) = %+v, %v, want none", mode, v, err)
		}
		if n := h.copies(); n != 0 {
			t.Errorf("after Reset(%s) there are %d copies, want none", mode, n)
		}
	}
}

// gate is a masker that lets one message wait.
type gate struct{ waits, goOn chan struct{} }

func (g gate) Mask(s string) (string, int) {
	if strings.Contains(s, "waits") {
		close(g.waits)
		<-g.goOn
	}
	return s, 0
}

// An append that has begun before a reset brings nothing back.
func TestResetWhileMessagesAreRecorded(t *testing.T) {
	t.Parallel()
	for _, mode := range []memory.ResetMode{memory.ResetSummary, memory.ResetAll, memory.ResetRemove} {
		g := gate{make(chan struct{}), make(chan struct{})}
		h := newHouse(t, func(c *history.Config) { c.Masker = g })
		record(t, h.History, "s", talk(2)...)
		var late sync.WaitGroup
		late.Go(func() {
			_, err := h.Append(t.Context(), "s", "test", []memory.Draft{said(memory.RoleUser, "waits")})
			if !errors.Is(err, memory.ErrConflict) || !strings.Contains(err.Error(), "was reset") {
				t.Errorf("Append(during Reset(%s)) = %v, want ErrConflict", mode, err)
			}
		})
		<-g.waits
		if _, err := h.Reset(t.Context(), history.ResetRequest{Session: "s", Mode: mode}); err != nil {
			t.Errorf("Reset(%s): %v", mode, err)
		}
		close(g.goOn)
		late.Wait()
		if n, err := h.Messages(t.Context(), "s"); n != 0 || (mode == memory.ResetRemove) != errors.Is(err, memory.ErrNotFound) {
			t.Errorf("Messages(after Reset(%s)) = %d, %v, want none", mode, n, err)
		}
	}
}

// Notes of the person stay, and are named.
func TestResetNamesNotes(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *history.Config) {
		c.Notes = func(_ context.Context, session string) ([]string, error) { return []string{session + ".md"}, nil }
	})
	record(t, h.History, "s", talk(2)...)
	got, err := h.Reset(t.Context(), history.ResetRequest{Session: "s", Mode: memory.ResetRemove})
	if err != nil || len(got.Notes) != 1 || got.Notes[0] != "s.md" {
		t.Errorf("Reset() = %+v, %v, want the note that names the session", got, err)
	}
}

// With a reader of another connection in the way, the wipe is finished later.
func TestFinishWipe(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	record(t, h.History, "s", archived()...)
	other, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: h.path}).String())
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	defer other.Close()
	tx, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatalf("begin: %v", err)
	}
	var n int
	if err := tx.QueryRowContext(t.Context(), `SELECT count(*) FROM messages`).Scan(&n); err != nil {
		t.Fatalf("read: %v", err)
	}
	got, err := h.Reset(t.Context(), history.ResetRequest{Session: "s", Mode: memory.ResetAll})
	if err != nil || got.Wiped || h.copies() == 0 {
		t.Errorf("Reset(beside a reader) = %+v, %v, want it not wiped", got, err)
	}
	if err := h.FinishWipe(t.Context()); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("FinishWipe(beside a reader) = %v, want ErrUnavailable", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatalf("roll back: %v", err)
	}
	if err := h.FinishWipe(t.Context()); err != nil || h.copies() != 0 {
		t.Errorf("FinishWipe() = %v with %d copies left, want none", err, h.copies())
	}
}
