package tools_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
	"mcp-memory/tools"
)

// failing is an engine whose every call fails in a way that is nobody's
// business.
type failing struct{ err error }

func (f failing) Read(context.Context, history.ReadRequest) (history.Page, error) {
	return history.Page{}, f.fail()
}

func (f failing) Sessions(context.Context, string, int) ([]memory.Session, string, error) {
	return nil, "", f.fail()
}

func (f failing) fail() error {
	if f.err == nil {
		return errors.New("disk I/O error in /home/someone/memory.db")
	}
	return f.err
}

func TestErrorsBecomeAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		err    error
		want   string
		logged bool
	}{
		{"the caller's fault", memory.Invalidf("limit is odd"), "limit is odd", false},
		{"wrapped", fmt.Errorf("read messages: %w", memory.NotFoundf("no such message")), "no such message", false},
		{"cancelled", context.Canceled, "the call was cancelled", false},
		{"anything else", errors.New("SQL logic error near /home/someone"), "internal error: see the server's log", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			chat := &tools.ChatHistory{History: failing{c.err}, Recall: silent{}, Session: "home", Zone: time.UTC, Now: time.Now}
			tool, err := chat.Tool()
			if err != nil {
				t.Fatal(err)
			}
			log, written := logger()
			a := callTool(t, tool, log, `{"mode":"list"}`)
			if !a.bad || a.text != c.want {
				t.Errorf("answer = %v %q, want the error %q", a.bad, a.text, c.want)
			}
			if got := strings.Contains(written.String(), "name=chat_history"); got != c.logged {
				t.Errorf("logged = %v, want %v: %s", got, c.logged, written)
			}
		})
	}
}
