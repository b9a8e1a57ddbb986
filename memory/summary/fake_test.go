package summary_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
	"mcp-memory/memory/sqlite"
	"mcp-memory/memory/summary"
)

// noon is when the clocks of these tests begin.
var noon = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// model is a chat model that remembers what it was asked. It is a perfect
// summariser: the description of its summary is the one before with the texts it
// was shown after it, so that a test sees from the summary what is in it.
type model struct {
	mu      sync.Mutex
	prompts []memory.Prompt
	// answer, when set, answers in the model's place; the number counts the
	// calls from 1. An empty text without an error leaves the call to the model.
	answer func(ctx context.Context, n int, p memory.Prompt) (string, error)
}

func (m *model) Name() string { return "fake" }

func (m *model) Chat(ctx context.Context, p memory.Prompt) (memory.Reply, error) {
	m.mu.Lock()
	m.prompts = append(m.prompts, p)
	n, answer := len(m.prompts), m.answer
	m.mu.Unlock()
	if answer != nil {
		if text, err := answer(ctx, n, p); text != "" || err != nil {
			return memory.Reply{Text: text}, err
		}
	}
	s := previous(p)
	for _, l := range shown(p) {
		s.CurrentDiscussion.Description += l.Text
	}
	return memory.Reply{Text: reply(s)}, nil
}

func (m *model) calls() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.prompts)
}

// prompt is the call of the given number, from 1.
func (m *model) prompt(n int) memory.Prompt {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.prompts[n-1]
}

// shownLine is a message as a model sees it.
type shownLine struct {
	Role    string `json:"role"`
	Sender  string `json:"sender"`
	Tool    string `json:"tool"`
	Time    string `json:"time"`
	Part    string `json:"part"`
	Text    string `json:"text"`
	Calls   string `json:"tool_calls"`
	LeftOut string `json:"left_out"`
}

// shown are the messages that a prompt of the summary quotes: all lines between
// the first and the last, each of which must be one JSON object.
func shown(p memory.Prompt) []shownLine {
	var list []shownLine
	lines := strings.Split(p.Turns[0].Content, "\n")
	for _, line := range lines[1 : len(lines)-1] {
		var l shownLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			panic(fmt.Sprintf("the transcript has a line that is no JSON object: %q", line))
		}
		list = append(list, l)
	}
	return list
}

func texts(lines []shownLine) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text)
	}
	return b.String()
}

// previous is the summary that a prompt hands over.
func previous(p memory.Prompt) memory.Summary {
	var s memory.Summary
	_, body, _ := strings.Cut(p.System, "The summary so far:\n")
	if err := json.Unmarshal([]byte(body), &s); err != nil {
		panic(fmt.Sprintf("the prompt holds no summary: %v", err))
	}
	return s
}

func reply(s memory.Summary) string {
	body, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(body)
}

// fixture is an engine over a file of its own.
type fixture struct {
	t     *testing.T
	path  string
	db    *sqlite.DB
	model *model
	now   time.Time
	*summary.Engine
}

// open makes an engine. change may alter its configuration; the store in it is
// the file's.
func open(t *testing.T, change func(*summary.Config)) *fixture {
	t.Helper()
	return openFile(t, filepath.Join(t.TempDir(), "m.db"), change)
}

func openFile(t *testing.T, path string, change func(*summary.Config)) *fixture {
	t.Helper()
	f := &fixture{t: t, path: path, model: &model{}, now: noon}
	var err error
	if f.db, err = sqlite.Open(t.Context(), sqlite.Options{Path: path, Sync: "normal"}); err != nil {
		t.Fatalf("Open(): %v", err)
	}
	c := summary.Config{Store: f.db, Model: f.model, Location: time.UTC, Now: func() time.Time { return f.now }}
	if change != nil {
		change(&c)
	}
	if f.Engine, err = summary.New(c); err != nil {
		t.Fatalf("New(%+v): %v", c, err)
	}
	t.Cleanup(func() {
		f.Close()
		if err := f.db.Close(); err != nil {
			t.Errorf("Close(): %v", err)
		}
	})
	return f
}

// say appends messages; a role may stand before the text, "assistant: …".
func (f *fixture) say(session string, contents ...string) {
	f.t.Helper()
	f.sayAt(session, noon.Add(-time.Hour), contents...)
}

func (f *fixture) sayAt(session string, at time.Time, contents ...string) {
	f.t.Helper()
	var batch []memory.Entry
	for _, c := range contents {
		m := memory.Message{Role: memory.RoleUser, Content: c, SentAt: at, Source: "test"}
		for _, role := range []memory.Role{memory.RoleAssistant, memory.RoleTool, memory.RoleSystem} {
			if text, ok := strings.CutPrefix(c, string(role)+": "); ok {
				m.Role, m.Content = role, text
			}
		}
		m.Size = len(m.Content)
		batch = append(batch, history.Analyse(m, time.UTC))
	}
	if _, err := f.db.Append(f.t.Context(), session, batch); err != nil {
		f.t.Fatalf("Append(): %v", err)
	}
}

// talk is a conversation of n messages, numbered from first: questions and
// answers, each with a text that occurs nowhere else.
func talk(first, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("<m%d>", first+i)
		if (first+i)%2 == 1 {
			list[i] = "assistant: " + list[i]
		}
	}
	return list
}

// joined is what a perfect summary says of such a conversation.
func joined(list []string) string {
	return strings.ReplaceAll(strings.Join(list, ""), "assistant: ", "")
}

func (f *fixture) tick() {
	f.t.Helper()
	if err := f.Tick(f.t.Context()); err != nil {
		f.t.Errorf("Tick(): %v", err)
	}
}

func (f *fixture) wantCalls(want int) {
	f.t.Helper()
	if got := f.model.calls(); got != want {
		f.t.Errorf("%d calls of the model, want %d", got, want)
	}
}

// want checks what is in the summary of a session, and where its cursor stands.
func (f *fixture) want(session, description string, cursor int64) {
	f.t.Helper()
	got, err := f.Current(f.t.Context(), session)
	if err != nil || got.Summary.CurrentDiscussion.Description != description || got.Cursor != cursor {
		f.t.Errorf("Current(%s) = %s, up to %d, %v, want %q, up to %d", session, reply(got.Summary), got.Cursor, err, description, cursor)
	}
}
