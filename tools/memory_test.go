package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/memory"
	"mcp-memory/memory/budget"
	"mcp-memory/memory/embed"
	"mcp-memory/memory/extract"
	"mcp-memory/memory/history"
	"mcp-memory/memory/index"
	"mcp-memory/memory/lessons"
	"mcp-memory/memory/notes"
	"mcp-memory/memory/notes/folder"
	"mcp-memory/memory/recall"
	"mcp-memory/memory/sqlite"
	"mcp-memory/memory/summary"
	"mcp-memory/memory/text"
	"mcp-memory/tools"
)

// now is the time of every test.
var now = time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)

// desk is a memory on a real database with the tools on it.
type desk struct {
	t         *testing.T
	db        *sqlite.DB
	loop      *index.Loop
	workspace string
	tools     map[string]tools.Tool
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "memory.db"), Sync: "normal"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	embedder := embed.NewHashed(64)
	clock := func() time.Time { return now }
	loop, err := index.New(index.Config{Store: db, Source: embed.NewFixed(db, embedder, nil), Notes: db.NoteQueue()})
	if err != nil {
		t.Fatal(err)
	}
	h, err := history.New(history.Config{Store: db, Location: time.UTC, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	r, err := recall.New(recall.Config{Store: db, Embedder: embedder, Location: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	solved, err := lessons.New(lessons.Config{Store: db, Masker: text.NewRedactor(), Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	summaries, err := summary.New(summary.Config{Store: db, Location: time.UTC, Now: clock, Local: quoted})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(summaries.Close)
	files, err := folder.New(filepath.Join(t.TempDir(), "workspace"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := notes.New(notes.Config{Store: db, Files: files, Embedder: embedder, Location: time.UTC, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	list, err := tools.All(
		&tools.WriteError{Lessons: solved, Session: "home"},
		&tools.FindErrors{Lessons: solved},
		&tools.GetContext{History: h, Summaries: summaries, Session: "home"},
		&tools.AddMessages{History: h, Session: "home", Zone: time.UTC},
		&tools.ChatHistory{History: h, Recall: r, Session: "home", Zone: time.UTC, Now: clock},
		&tools.Compact{History: h, Summaries: summaries, Session: "home"},
		&tools.Reset{History: h, Session: "home"},
		&tools.FitContext{Budget: budget.New(budget.Config{}), Session: "home"},
		&tools.MemorySearch{Notes: n, Zone: time.UTC},
		&tools.MemoryGet{Notes: n},
		&tools.MemoryWrite{Notes: n},
	)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, db: db, loop: loop, workspace: files.Path(), tools: map[string]tools.Tool{}}
	for _, tool := range list {
		d.tools[tool.Definition.Name] = tool
	}
	return d
}

// quoted is the summary that is made without a model.
func quoted(previous memory.Summary, talked time.Time, exchanges [][]memory.Message) memory.Summary {
	return extract.Summary(previous, exchanges, extract.Options{Location: time.UTC, Since: talked})
}

// summarise makes a summary the current one of a session, up to its last message.
func (d *desk) summarise(session string, s memory.Summary) {
	d.t.Helper()
	st, err := d.db.SummaryState(d.t.Context(), session)
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.db.SaveSummary(d.t.Context(), session, st.Mark, s, "model", memory.SummaryCursor{Seq: st.LastSeq}); err != nil {
		d.t.Fatal(err)
	}
}

// answer is what a call gave back.
type answer struct {
	text  string
	bad   bool
	size  int // bytes on the wire
	value map[string]any
}

// call calls a tool with arguments as JSON.
func (d *desk) call(name, arguments string) answer {
	d.t.Helper()
	return callTool(d.t, d.tools[name], slog.New(slog.DiscardHandler), arguments)
}

// must calls a tool and expects no error.
func (d *desk) must(name, arguments string) answer {
	d.t.Helper()
	a := d.call(name, arguments)
	if a.bad {
		d.t.Fatalf("%s(%.300s) = error %q", name, arguments, a.text)
	}
	return a
}

// add records messages, given as JSON objects, and makes their vectors.
func (d *desk) add(session string, messages ...string) {
	d.t.Helper()
	d.must("add_messages", fmt.Sprintf(`{"session_id":%q,"messages":[%s]}`, session, strings.Join(messages, ",")))
	if err := d.loop.Drain(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}

func callTool(t *testing.T, tool tools.Tool, log *slog.Logger, arguments string) answer {
	t.Helper()
	var req mcp.CallToolRequest
	req.Params.Name = tool.Definition.Name
	req.Params.RawArguments = json.RawMessage(arguments)
	result, err := tool.Handler(log)(t.Context(), req)
	if err != nil {
		t.Fatalf("%s(%.300s) = error %v, want an answer", tool.Definition.Name, arguments, err)
	}
	raw, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{bad: result.IsError, size: len(raw)}
	if len(result.Content) > 0 {
		a.text = result.Content[0].(mcp.TextContent).Text
	}
	var shape struct {
		StructuredContent map[string]any `json:"structuredContent"`
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // as the client sees it
	if err := d.Decode(&shape); err != nil {
		t.Fatal(err)
	}
	a.value = shape.StructuredContent
	return a
}

// strings collects one field of every object in the list at a dotted path;
// lists on the way are gone through.
func (a answer) strings(path string) []string {
	return collect(a.value, strings.Split(path, "."))
}

func collect(v any, path []string) []string {
	switch v := v.(type) {
	case []any:
		out := []string{}
		for _, item := range v {
			out = append(out, collect(item, path)...)
		}
		return out
	case map[string]any:
		if len(path) > 0 && v[path[0]] != nil {
			return collect(v[path[0]], path[1:])
		}
		return nil
	}
	return []string{fmt.Sprint(v)}
}

// message writes a message as JSON.
func message(role, content string, more ...string) string {
	quoted, err := json.Marshal(content)
	if err != nil {
		panic(err) // a string always encodes
	}
	fields := append([]string{fmt.Sprintf(`"role":%q,"content":%s`, role, quoted)}, more...)
	return "{" + strings.Join(fields, ",") + "}"
}

// logger returns a logger and what it writes.
func logger() (*slog.Logger, *strings.Builder) {
	var b strings.Builder
	return slog.New(slog.NewTextHandler(io.Writer(&b), &slog.HandlerOptions{Level: slog.LevelDebug})), &b
}

// silent is an engine that knows nothing.
type silent struct{}

func (silent) Search(context.Context, recall.Request) (*recall.Result, error) {
	return &recall.Result{}, nil
}
