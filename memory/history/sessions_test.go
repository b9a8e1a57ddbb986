package history_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
)

func TestSessions(t *testing.T) {
	t.Parallel()
	h := open(t, history.Config{})
	var want []string
	for i := range 23 {
		name := fmt.Sprintf("s%02d", i)
		want = append(want, name)
		record(t, h, name, memory.Draft{Role: memory.RoleUser, Content: "title  of\n" + name, SentAt: noon.Add(-time.Duration(i/4) * time.Minute)})
	}
	for _, limit := range []int{1, 2, 3, 5, 22, 23, 200} {
		var got []string
		for cursor, first := "", true; first || cursor != ""; first = false {
			sessions, next, err := h.Sessions(t.Context(), cursor, limit)
			if err != nil || len(sessions) > limit {
				t.Fatalf("Sessions(limit %d) = %d sessions, %v", limit, len(sessions), err)
			}
			for _, s := range sessions {
				got = append(got, s.ID)
			}
			cursor = next
		}
		if !slices.Equal(got, want) {
			t.Errorf("Sessions(limit %d) = %q, want %q", limit, got, want)
		}
	}
	sessions, next, err := h.Sessions(t.Context(), "", 0)
	if err != nil || len(sessions) != history.DefaultLimit || next == "" {
		t.Errorf("Sessions(limit 0) = %d sessions, cursor %q, %v; want %d and a cursor", len(sessions), next, err, history.DefaultLimit)
	}
	if got, want := sessions[0], (memory.Session{ID: "s00", Title: "title of s00", Messages: 1, FirstAt: noon, LastAt: noon}); got != want {
		t.Errorf("Sessions[0] = %+v, want %+v", got, want)
	}
}

func TestSessionsRefusesForeignCursors(t *testing.T) {
	t.Parallel()
	h := open(t, history.Config{})
	record(t, h, "s", talk(5)...)
	page, err := h.Read(t.Context(), history.ReadRequest{Session: "s", Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, cursor := range []string{page.NextCursor, "hits-8", "bnVsbA", "e30", "?"} {
		if got, _, err := h.Sessions(t.Context(), cursor, 0); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("Sessions(cursor %q) = %d sessions, %v; want ErrInvalid", cursor, len(got), err)
		}
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	roles := func(pattern string) []memory.Draft {
		drafts := talk(len(pattern))
		for i := range drafts {
			drafts[i].Role = map[byte]memory.Role{'u': memory.RoleUser, 'a': memory.RoleAssistant, 't': memory.RoleTool, 's': memory.RoleSystem}[pattern[i]]
		}
		return drafts
	}
	tests := []struct {
		pattern string // a letter a message
		window  int
		first   int // index of the first message of the window; -1 = none
	}{
		{"", 0, -1},
		{"u", 0, 0},
		{"uauaua", 0, 0},
		{"uauauauauauauauauaua", 0, 4},  // 16 from a user message on
		{"auauauauauauauauauaua", 0, 5}, // 17 are there from 4 on; 5 is a user message
		{"uatatatatatatatatatatau", 0, 22},
		{"uataatatatatatatatatata", 0, 7}, // the last 16 hold no user message
		{"aaaa", 0, 0},
		{"sua", 0, 1},
		{"uauaua", 3, 4},
		{"uauaua", 1, 5},
	}
	store := openStore(t)
	for i, tt := range tests {
		h := open(t, history.Config{Store: store, Window: tt.window})
		session := fmt.Sprint("s", i)
		want := []string(nil)
		if tt.pattern != "" {
			record(t, h, session, roles(tt.pattern)...)
			want = contents(everything(t, h, session))[tt.first:]
		}
		got, err := h.Window(t.Context(), session)
		if err != nil || !slices.Equal(contents(got), want) {
			t.Errorf("Window(%d of %q) = %q, %v; want %q", tt.window, tt.pattern, contents(got), err, want)
		}
	}
	h := open(t, history.Config{Store: store})
	if _, err := h.Window(t.Context(), "a/b"); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("Window(a/b) = %v, want ErrInvalid", err)
	}
}

// TestWindowLeavesOutTheArchive: what compaction took out is no longer given to
// the agent.
func TestWindowLeavesOutTheArchive(t *testing.T) {
	t.Parallel()
	h := open(t, history.Config{MaxHotBytes: 100})
	drafts := talk(8)
	drafts[7].Content = string(make([]byte, 101))
	record(t, h, "s", drafts...)
	got, err := h.Window(t.Context(), "s")
	if err != nil || len(got) != 2 || got[0].Content != "message 6" {
		t.Errorf("Window = %q, %v; want the last exchange", contents(got), err)
	}
}
