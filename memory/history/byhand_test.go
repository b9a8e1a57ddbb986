package history_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
	"mcp-memory/memory/sqlite"
)

// turns makes messages of short forms: "u:text", "a:text", "t:text".
func turns(list ...string) []memory.Draft {
	roles := map[byte]memory.Role{'u': memory.RoleUser, 'a': memory.RoleAssistant, 't': memory.RoleTool}
	drafts := make([]memory.Draft, len(list))
	for i, s := range list {
		drafts[i] = memory.Draft{Role: roles[s[0]], Content: s[2:], SentAt: noon.Add(time.Duration(i) * time.Second)}
	}
	return drafts
}

// live are the contents of hot history.
func live(t *testing.T, db *sqlite.DB) string {
	t.Helper()
	list, err := db.Newest(t.Context(), "s", 100000)
	if err != nil {
		t.Fatalf("Newest(): %v", err)
	}
	return strings.Join(contents(list), " ")
}

func TestCompactByHand(t *testing.T) {
	t.Parallel()
	naming := func(words ...string) func(context.Context, [][]memory.Message) ([]bool, error) {
		return func(_ context.Context, list [][]memory.Message) ([]bool, error) {
			gone := make([]bool, len(list))
			for i, x := range list {
				gone[i] = slices.Contains(words, x[0].Content)
			}
			return gone, nil
		}
	}
	for name, c := range map[string]struct {
		outdated func(context.Context, [][]memory.Message) ([]bool, error)
		turns    []string
		want     string
	}{
		"empty text goes":               {naming(), []string{"u:", "a:1", "u: \n", "a:2", "u:x", "a:3"}, "x 3"},
		"repeated text goes":            {naming(), []string{"u:x", "a:1", "u:y", "a:2", "u: x ", "a:3", "u:z"}, "y 2  x  3 z"},
		"the last stays":                {naming(), []string{"u:x", "a:1", "u:", "a:2"}, "x 1  2"},
		"exchanges go whole":            {naming("x"), []string{"u:x", "a:1", "t:2", "a:3", "u:y", "a:4"}, "y 4"},
		"the model names":               {naming("x", "z"), []string{"u:x", "a:1", "u:y", "a:2", "u:z", "a:3"}, "y 2 z 3"},
		"what no user began stays":      {naming(), []string{"a:", "t:", "u:x", "a:1"}, "  x 1"},
		"nothing to do":                 {naming(), []string{"u:x", "a:1"}, "x 1"},
		"one exchange":                  {naming("x"), []string{"u:x", "a:1", "a:2"}, "x 1 2"},
		"without a model, the window":   {nil, []string{"u:1", "a:2", "u:3", "a:4", "u:5", "a:6"}, "3 4 5 6"},
		"a window inside an exchange":   {nil, []string{"u:1", "a:2", "a:3", "a:4", "u:5", "a:6"}, "5 6"},
		"a large last exchange":         {nil, []string{"u:0", "u:1", "a:2", "a:3", "a:4", "a:5"}, "1 2 3 4 5"},
		"first what repeats, then that": {nil, []string{"u:1", "a:2", "u:3", "a:4", "u:3", "a:5", "u:6"}, "3 5 6"},
	} {
		db := openStore(t)
		h := open(t, history.Config{Store: db, Window: 4, Outdated: c.outdated})
		record(t, h, "s", turns(c.turns...)...)
		before := live(t, db)
		got, err := h.Compact(t.Context(), "s", 0)
		left := len(c.turns) - got.Removed
		if live := live(t, db); err != nil || live != c.want || got.Running {
			t.Errorf("%s: Compact() = %+v, %v, leaves %q, want %q", name, got, err, live, c.want)
		}
		if again, err := h.Compact(t.Context(), "s", 0); err != nil || again.Removed != 0 {
			t.Errorf("%s: Compact(again) = %+v, %v, want nothing more", name, again, err)
		}
		if all := everything(t, h, "s"); len(all) != len(c.turns) {
			t.Errorf("%s: %d messages are in the archive, want all %d", name, len(all), len(c.turns))
		}
		back, err := h.Unarchive(t.Context(), "s")
		if got.Removed == 0 {
			if !errors.Is(err, memory.ErrNotFound) {
				t.Errorf("%s: Unarchive(nothing) = %v, want ErrNotFound", name, err)
			}
			continue
		}
		if live := live(t, db); err != nil || back != got.Removed || live != before {
			t.Errorf("%s: Unarchive() = %d, %v, gives %q, want %q with %d more than %d", name, back, err, live, before, got.Removed, left)
		}
	}
}

// A model that fails, or does not answer for each exchange, removes nothing.
func TestCompactByHandFails(t *testing.T) {
	t.Parallel()
	for name, outdated := range map[string]func(context.Context, [][]memory.Message) ([]bool, error){
		"down":  func(context.Context, [][]memory.Message) ([]bool, error) { return nil, memory.Unavailablef("down") },
		"short": func(context.Context, [][]memory.Message) ([]bool, error) { return []bool{true}, nil },
	} {
		db := openStore(t)
		h := open(t, history.Config{Store: db, Outdated: outdated})
		record(t, h, "s", turns("u:", "a:1", "u:x", "a:2", "u:y", "a:3", "u:z")...)
		if got, err := h.Compact(t.Context(), "s", 0); err == nil || got.Removed != 0 {
			t.Errorf("%s: Compact() = %+v, %v, want an error", name, got, err)
		}
		if live := live(t, db); live != " 1 x 2 y 3 z" {
			t.Errorf("%s: left are %q, want all", name, live)
		}
	}
	h := open(t, history.Config{})
	if _, err := h.Compact(t.Context(), "nobody", 0); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Compact(unknown session) = %v, want ErrNotFound", err)
	}
	if _, err := h.Unarchive(t.Context(), "nobody"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Unarchive(unknown session) = %v, want ErrNotFound", err)
	}
}

// A slow model: the call answers that it goes on, the next one joins it, and a
// cancelled call ends the request.
func TestCompactByHandTakesLong(t *testing.T) {
	t.Parallel()
	db := openStore(t)
	asked, goOn, ended := make(chan struct{}, 9), make(chan struct{}), make(chan struct{}, 9)
	h := open(t, history.Config{Store: db, Outdated: func(ctx context.Context, list [][]memory.Message) ([]bool, error) {
		asked <- struct{}{}
		select {
		case <-goOn:
			return slices.Repeat([]bool{true}, len(list)), nil
		case <-ctx.Done():
			ended <- struct{}{}
			return nil, ctx.Err()
		}
	}})
	defer h.Close()
	record(t, h, "s", turns("u:x", "a:1", "u:y")...)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if _, err := h.Compact(ctx, "s", 0); !errors.Is(err, context.Canceled) {
		t.Errorf("Compact(cancelled) = %v, want that", err)
	}
	<-ended
	got, err := h.Compact(t.Context(), "s", time.Millisecond)
	if err != nil || !got.Running || got.Removed != 0 {
		t.Errorf("Compact(1 ms) = %+v, %v, want it running", got, err)
	}
	<-asked
	close(goOn)
	if got, err = h.Compact(t.Context(), "s", 0); err != nil || got.Running || got.Removed > 2 {
		t.Errorf("Compact(again) = %+v, %v, want its end", got, err)
	}
	if live := live(t, db); live != "y" {
		t.Errorf("left are %q, want y", live)
	}
	h.Close()
	if _, err := h.Compact(t.Context(), "s", 0); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("Compact(closed) = %v, want ErrUnavailable", err)
	}
}

// SPEC's limit of 25 s for a reset whose summary is slow: nothing is deleted, the
// work goes on and the next call joins it.
func TestResetWithASlowSummary(t *testing.T) {
	t.Parallel()
	h := open(t, history.Config{Summarise: func(ctx context.Context, _ string) error {
		select {
		case <-time.After(time.Minute):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}})
	defer h.Close()
	record(t, h, "s", talk(2)...)
	got, err := h.Reset(t.Context(), history.ResetRequest{Session: "s", Mode: memory.ResetSummary, Wait: time.Millisecond})
	if !errors.Is(err, memory.ErrUnavailable) || got.Removed != 0 || !strings.Contains(err.Error(), "nothing was deleted") {
		t.Errorf("Reset(slow summary) = %+v, %v, want that nothing was deleted", got, err)
	}
	if all := everything(t, h, "s"); len(all) != 2 {
		t.Errorf("%d messages are left, want both", len(all))
	}
}

// A session of 10,000 tiny exchanges; with -short, of a tenth.
func TestCompactManyTinyExchanges(t *testing.T) {
	t.Parallel()
	exchanges := 10_000
	if testing.Short() {
		exchanges /= 10
	}
	db := openStore(t)
	h := open(t, history.Config{Store: db})
	var drafts []memory.Draft
	for i := range exchanges {
		at := noon.Add(time.Duration(i) * time.Second)
		drafts = append(drafts, memory.Draft{Role: memory.RoleUser, Content: fmt.Sprint("q", i%(exchanges*9/10)), SentAt: at}, memory.Draft{Role: memory.RoleAssistant, Content: "a", SentAt: at.Add(1)})
	}
	for part := range slices.Chunk(drafts, 1000) {
		record(t, h, "s", part...)
	}
	got, err := h.Compact(t.Context(), "s", 0)
	if err != nil || got.Removed != 2*exchanges-history.DefaultWindow {
		t.Errorf("Compact() = %+v, %v, want all but the window removed", got, err)
	}
	if n, err := h.Unarchive(t.Context(), "s"); err != nil || n != got.Removed {
		t.Errorf("Unarchive() = %d, %v, want %d", n, err, got.Removed)
	}
	if r, err := h.Reset(t.Context(), history.ResetRequest{Session: "s", Mode: memory.ResetAll}); err != nil || r.Removed != 2*exchanges {
		t.Errorf("Reset() = %+v, %v, want all removed", r, err)
	}
}
