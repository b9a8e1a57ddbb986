package history_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
	"mcp-memory/memory/sqlite"
)

// noon is the time of tests in which the time does not matter.
var noon = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// openStore opens a new memory file that is closed when the test ends.
func openStore(tb testing.TB) *sqlite.DB {
	tb.Helper()
	db, err := sqlite.Open(tb.Context(), sqlite.Options{Path: tb.TempDir() + "/memory.db", Sync: "normal"})
	if err != nil {
		tb.Fatalf("open the store: %v", err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Errorf("close the store: %v", err)
		}
	})
	return db
}

// open returns an engine on a new file. Fields of c that the test left empty are
// set so that nothing depends on the machine.
func open(tb testing.TB, c history.Config) *history.History {
	tb.Helper()
	if c.Store == nil {
		c.Store = openStore(tb)
	}
	if c.Location == nil {
		c.Location = time.UTC
	}
	if c.Now == nil {
		c.Now = func() time.Time { return noon }
	}
	h, err := history.New(c)
	if err != nil {
		tb.Fatalf("New: %v", err)
	}
	return h
}

// record appends drafts to the session and fails the test when that fails.
func record(tb testing.TB, h *history.History, session string, drafts ...memory.Draft) history.Added {
	tb.Helper()
	added, err := h.Append(tb.Context(), session, "test", drafts)
	if err != nil {
		tb.Fatalf("Append(%s): %v", session, err)
	}
	return added
}

func said(role memory.Role, content string) memory.Draft {
	return memory.Draft{Role: role, Content: content}
}

// talk makes n drafts, user and assistant in turn, a second apart.
func talk(n int) []memory.Draft {
	drafts := make([]memory.Draft, n)
	for i := range drafts {
		drafts[i] = said(memory.RoleUser, fmt.Sprint("message ", i))
		if i%2 == 1 {
			drafts[i].Role = memory.RoleAssistant
		}
		drafts[i].SentAt = noon.Add(time.Duration(i) * time.Second)
	}
	return drafts
}

// everything reads a session whole, in order.
func everything(tb testing.TB, h *history.History, session string) []memory.Message {
	tb.Helper()
	page, err := h.Read(tb.Context(), history.ReadRequest{Session: session, Limit: history.MaxLimit, MaxBytes: 1 << 30})
	if err != nil {
		tb.Fatalf("Read(%s): %v", session, err)
	}
	if page.NextCursor != "" {
		tb.Fatalf("Read(%s) has more than one page", session)
	}
	return page.Messages
}

func contents(messages []memory.Message) []string {
	list := make([]string, len(messages))
	for i, m := range messages {
		list[i] = m.Content
	}
	return list
}

// fakeMasker masks the word "secret".
type fakeMasker struct{}

func (fakeMasker) Mask(s string) (string, int) {
	return strings.ReplaceAll(s, "secret", "[masked]"), strings.Count(s, "secret")
}

func TestNewNeedsAStore(t *testing.T) {
	t.Parallel()
	if _, err := history.New(history.Config{}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("New without a store = %v, want ErrInvalid", err)
	}
}
