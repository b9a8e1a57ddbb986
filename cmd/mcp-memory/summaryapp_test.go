package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"mcp-memory/memory"
	"mcp-memory/tools"
)

// openApp opens the memory that the flags describe, without serving it.
func openApp(t *testing.T, flags ...string) *app {
	t.Helper()
	p := &program{stdin: strings.NewReader(""), stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}, env: newEnvironment(nil), log: slog.New(slog.DiscardHandler)}
	var grammar commandLine
	parser, err := kong.New(&grammar, kong.NoDefaultHelp(), kong.Bind(p), kong.BindTo(t.Context(), (*context.Context)(nil)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(append([]string{"stdio"}, flags...)); err != nil {
		t.Fatal(err)
	}
	if err := grammar.Settings.check(p.env); err != nil {
		t.Fatal(err)
	}
	a, err := p.open(t.Context(), &grammar.Settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// A rebuild of 500 messages on a slow model answers in time that it is running, a
// second call joins it, and the old summary stays until the new one is complete.
// Then the old one can be restored.
func TestSlowRebuild(t *testing.T) {
	t.Parallel()
	list := talk(0, 500, 300)
	path, db := conversation(t, list)
	e := newChatEndpoint(t, saying(summaryJSON(sound)))
	a := openApp(t, e.flags(path)...)
	if err := a.jobs.RunNow(t.Context(), "summary"); err != nil {
		t.Fatal(err)
	}
	chunks := len(e.of("summary"))
	free := make(chan struct{})
	slow := held(free)
	e.set(inShort(func(w http.ResponseWriter, r *http.Request, c chatCall) bool {
		return c.nth == 2*chunks && slow(w, r, c) // the last one
	}))
	rebuild := func(wait time.Duration) tools.CompactResult {
		tool := tools.Compact{Summaries: a.summary, Session: "s", Wait: wait}
		result, _, err := tool.Call(t.Context(), tools.CompactArgs{Action: "summary"})
		if err != nil {
			t.Errorf("compact: %v", err)
		}
		return result
	}
	if r := rebuild(50 * time.Millisecond); !r.Running || *r.Count >= 500 {
		t.Errorf("compact on a slow model = %+v, want running, and some of 500 messages", r)
	}
	e.waitCalls(t, "summary", 2*chunks)
	if r := rebuild(time.Millisecond); !r.Running || *r.Count < 300 || *r.Count >= 500 {
		t.Errorf("compact meanwhile = %+v, want running, and most of 500 messages", r)
	}
	if got := stateOf(t, db); summaryJSON(got.Current.Summary) != summaryJSON(sound) || got.Mark.Version != 1 {
		t.Errorf("the summary meanwhile is %+v, want the old one", got.Current)
	}
	close(free)
	waitSaved(t, db, 2)
	e.wantCalls(t, "summary", 2*chunks)
	if got := stateOf(t, db).Current.Summary.CurrentDiscussion.Description; got != names(list) {
		t.Errorf("the new summary has %q, want all 500 messages", got)
	}
}

// Versions come back with and without a number, as new ones; the cursor stays.
func TestRestore(t *testing.T) {
	t.Parallel()
	path, db := conversation(t, nil)
	e := newChatEndpoint(t, nil)
	p := start(t, nil, append([]string{"stdio", "--session", "s"}, e.flags(path)...)...)
	if a := p.tool("compact", `{"action":"restore"}`); !a.bad {
		t.Errorf("restore without a summary = %q, want an error", a.text)
	}
	list := talk(0, 6, 0)
	for pair := range 3 {
		say(t, db, "s", list[2*pair:2*pair+2])
		jobWorks(t, e.flags(path)...)
	}
	for _, c := range []struct {
		arguments string
		version   string // of the result; "" = an error
		holds     []memory.Draft
	}{
		{`{"action":"restore"}`, "4", list[:4]},
		{`{"action":"restore"}`, "5", list}, // which undoes the one before
		{`{"action":"restore","version":1}`, "6", list[:2]},
		{`{"action":"restore","version":99}`, "", list[:2]},
		{`{"action":"summary","version":1}`, "", list[:2]},
		{`{"action":"restore","session_id":"nobody"}`, "", list[:2]},
	} {
		a := p.tool("compact", c.arguments)
		if got, _ := a.value["version"]; a.bad != (c.version == "") || !a.bad && fmt.Sprint(got) != c.version {
			t.Errorf("compact(%s) = error %v, %q, version %v, want %q", c.arguments, a.bad, a.text, got, c.version)
		}
		st := stateOf(t, db)
		if got := st.Current.Summary.CurrentDiscussion.Description; got != joined(c.holds) || st.Mark.Cursor.Seq != 6 {
			t.Errorf("after compact(%s) the summary is of %q, the cursor %+v, want %q and 6", c.arguments, got, st.Mark.Cursor, joined(c.holds))
		}
	}
	jobWorks(t, e.flags(path)...)
	e.wantCalls(t, "", 3)
}
