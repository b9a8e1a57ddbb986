package openai_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata" // not every system has the time zones

	"mcp-memory/memory"
	"mcp-memory/memory/openai"
	"mcp-memory/memory/sqlite"
)

var _ memory.ChatModel = (*openai.Meter)(nil)

// openLedger is a real one, in a new file.
func openLedger(t *testing.T) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "m.db"), Sync: "normal"})
	if err != nil {
		t.Fatalf("Open(): %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close(): %v", err)
		}
	})
	return db
}

func newMeter(t *testing.T, c openai.MeterConfig) *openai.Meter {
	t.Helper()
	m, err := openai.NewMeter(c)
	if err != nil {
		t.Fatalf("NewMeter(%+v): %v", c, err)
	}
	return m
}

func in(t *testing.T, name string) *time.Location {
	t.Helper()
	location, err := time.LoadLocation(name)
	if err != nil {
		t.Fatalf("LoadLocation(%s): %v", name, err)
	}
	return location
}

func wantSpending(t *testing.T, ledger openai.Ledger, want ...memory.Spending) {
	t.Helper()
	if got, err := ledger.Spending(t.Context(), ""); err != nil || !slices.Equal(got, want) {
		t.Errorf("Spending() = %+v, %v, want %+v", got, err, want)
	}
}

// anAnswer is what one answer of the fake costs: 18 tokens.
var anAnswer = memory.Usage{Requests: 1, Input: 11, Output: 7}

func times(u memory.Usage, n int) memory.Usage {
	return memory.Usage{Requests: n * u.Requests, Input: n * u.Input, Output: n * u.Output}
}

func TestNewMeterRefuses(t *testing.T) {
	t.Parallel()
	chat, ledger := newChat(t, openai.ChatConfig{BaseURL: "http://localhost/v1", Model: "m"}), openLedger(t)
	for name, c := range map[string]openai.MeterConfig{
		"no model":          {Ledger: ledger},
		"no ledger":         {Model: chat},
		"a negative budget": {Model: chat, Ledger: ledger, Daily: -1},
	} {
		if _, err := openai.NewMeter(c); err == nil {
			t.Errorf("%s: NewMeter = nil, want an error", name)
		}
	}
}

// TestMeterKeepsTheBudget spends a day's budget and comes back the next day,
// which begins earlier in Tokyo than in Greenwich.
func TestMeterKeepsTheBudget(t *testing.T) {
	t.Parallel()
	f, ledger := newFake(t, says("hello")), openLedger(t)
	now := time.Date(2026, 11, 1, 14, 0, 0, 0, time.UTC) // 23:00 in Tokyo
	m := newMeter(t, openai.MeterConfig{
		Model: newChat(t, f.chatConfig()), Ledger: ledger, Daily: 50, Location: in(t, "Asia/Tokyo"), Now: func() time.Time { return now },
	})
	if m.Name() != "m" {
		t.Errorf("Name() = %q, want m", m.Name())
	}
	for range 3 { // the third begins with 36 spent, and ends with 54
		if reply, err := m.Chat(t.Context(), ask("a")); err != nil || reply.Text != "hello" {
			t.Fatalf("Chat() within the budget = %+v, %v, want the answer", reply, err)
		}
	}
	reply, err := m.Chat(t.Context(), ask("a"))
	var retry *memory.RetryError
	var public *memory.PublicError
	if !errors.Is(err, memory.ErrUnavailable) || !errors.As(err, &public) || !errors.As(err, &retry) || retry.Never || retry.After != time.Hour {
		t.Errorf("Chat() beyond the budget = %+v, %v, want a public RetryError with ErrUnavailable, after 1h", reply, err)
	}
	if want := "the day's budget of 50 tokens is used up; it begins anew at 00:00 Asia/Tokyo time"; err == nil || err.Error() != want {
		t.Errorf("Chat() beyond the budget = %v, want %q", err, want)
	}
	now = now.Add(time.Hour)
	p := ask("a")
	p.Purpose = "judge"
	if _, err := m.Chat(t.Context(), p); err != nil {
		t.Errorf("Chat() on the next day: %v", err)
	}
	if n := len(f.asked()); n != 4 {
		t.Errorf("%d requests, want 4: none for what was refused", n)
	}
	wantSpending(t, ledger,
		memory.Spending{Day: "2026-11-01", Purpose: "test", Model: "m", Usage: times(anAnswer, 3)},
		memory.Spending{Day: "2026-11-02", Purpose: "judge", Model: "m", Usage: anAnswer})
}

// TestMetersShareTheBudget lets what one model costs use up the budget of
// another.
func TestMetersShareTheBudget(t *testing.T) {
	t.Parallel()
	f, ledger, clock := newFake(t, says("hello")), openLedger(t), newClock()
	meter := func(model string, daily int) *openai.Meter {
		c := f.chatConfig()
		c.Model = model
		return newMeter(t, openai.MeterConfig{Model: newChat(t, c), Ledger: ledger, Daily: daily, Location: time.UTC, Now: clock.Now})
	}
	small, big, free := meter("small", 18), meter("big", 18), meter("free", 0)
	if _, err := small.Chat(t.Context(), ask("a")); err != nil {
		t.Fatalf("Chat(): %v", err)
	}
	if _, err := big.Chat(t.Context(), ask("a")); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("Chat() with a budget that another model has used up = %v, want ErrUnavailable", err)
	}
	if _, err := free.Chat(t.Context(), ask("a")); err != nil {
		t.Errorf("Chat() without a budget: %v", err)
	}
	wantSpending(t, ledger,
		memory.Spending{Day: "2026-11-01", Purpose: "test", Model: "free", Usage: anAnswer},
		memory.Spending{Day: "2026-11-01", Purpose: "test", Model: "small", Usage: anAnswer})
}

// TestMeterWaitsForTheNextDay asks for the wait at odd hours.
func TestMeterWaitsForTheNextDay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		zone string
		now  string
		wait time.Duration
		text string
	}{
		{"UTC", "2026-12-31 23:59:59", time.Second, "00:00 UTC"},
		{"UTC", "2026-02-28 00:00:00", 24 * time.Hour, "00:00 UTC"},
		{"Europe/Berlin", "2026-03-29 00:00:00", 23 * time.Hour, "00:00 Europe/Berlin"},
		{"Europe/Berlin", "2026-10-25 00:00:00", 25 * time.Hour, "00:00 Europe/Berlin"},
		// Midnight of the 6th is skipped in Santiago, and that of the 24th in Cairo.
		{"America/Santiago", "2026-09-05 22:00:00", 2 * time.Hour, "01:00 America/Santiago"},
		{"Africa/Cairo", "2026-04-23 22:00:00", 2 * time.Hour, "01:00 Africa/Cairo"},
		// The last hour of the day comes twice.
		{"America/Santiago", "2026-04-04 22:00:00", 3 * time.Hour, "00:00 America/Santiago"},
	} {
		f, ledger := newFake(t, says("hello")), openLedger(t)
		location := in(t, test.zone)
		now, err := time.ParseInLocation(time.DateTime, test.now, location)
		if err != nil {
			t.Fatalf("ParseInLocation(%s): %v", test.now, err)
		}
		m := newMeter(t, openai.MeterConfig{
			Model: newChat(t, f.chatConfig()), Ledger: ledger, Daily: 1, Location: location, Now: func() time.Time { return now.UTC() },
		})
		if _, err := m.Chat(t.Context(), ask("a")); err != nil {
			t.Fatalf("Chat(): %v", err)
		}
		_, err = m.Chat(t.Context(), ask("a"))
		var retry *memory.RetryError
		if !errors.As(err, &retry) || retry.After != test.wait || !strings.Contains(err.Error(), "at "+test.text+" time") {
			t.Errorf("%s, %s: Chat() = %v, want a RetryError after %v that says %s", test.zone, test.now, err, test.wait, test.text)
		}
		now = now.Add(test.wait)
		if _, err := m.Chat(t.Context(), ask("a")); err != nil {
			t.Errorf("%s, %s: Chat() after the wait: %v", test.zone, test.now, err)
		}
	}
}

// TestMeterBooksWhatFails wants answers of no use booked, and what cost nothing
// not.
func TestMeterBooksWhatFails(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(w http.ResponseWriter, c call, n int) {
		if n == 1 {
			body(completed("half", "length"))(w, c, n)
		} else {
			refuse(w, 401, "no")
		}
	})
	ledger := openLedger(t)
	m := newMeter(t, openai.MeterConfig{Model: newChat(t, f.chatConfig()), Ledger: ledger, Location: time.UTC, Now: newClock().Now})
	for range 2 {
		if _, err := m.Chat(t.Context(), ask("a")); !errors.Is(err, memory.ErrUnavailable) {
			t.Errorf("Chat() = %v, want ErrUnavailable", err)
		}
	}
	wantSpending(t, ledger, memory.Spending{Day: "2026-11-01", Purpose: "test", Model: "m", Usage: anAnswer})
}

// leaver is a model whose caller goes away while it answers.
type leaver struct {
	memory.ChatModel
	leave context.CancelFunc
}

func (l leaver) Chat(ctx context.Context, p memory.Prompt) (memory.Reply, error) {
	reply, err := l.ChatModel.Chat(ctx, p)
	l.leave()
	return reply, err
}

func TestMeterBooksForACallerWhoHasLeft(t *testing.T) {
	t.Parallel()
	f, ledger := newFake(t, says("hello")), openLedger(t)
	ctx, cancel := context.WithCancel(t.Context())
	m := newMeter(t, openai.MeterConfig{Model: leaver{newChat(t, f.chatConfig()), cancel}, Ledger: ledger, Location: time.UTC, Now: newClock().Now})
	if _, err := m.Chat(ctx, ask("a")); err != nil {
		t.Errorf("Chat(): %v", err)
	}
	wantSpending(t, ledger, memory.Spending{Day: "2026-11-01", Purpose: "test", Model: "m", Usage: anAnswer})
}

// full is a ledger that cannot be written for a while.
type full struct {
	openai.Ledger
	mu  sync.Mutex
	err error
}

func (l *full) set(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
}

func (l *full) Spend(ctx context.Context, day, purpose, model string, u memory.Usage) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	return l.Ledger.Spend(ctx, day, purpose, model, u)
}

// TestMeterOwes fills the disk: answers still come, count for the budget, and
// are booked when that is possible again.
func TestMeterOwes(t *testing.T) {
	t.Parallel()
	f, ledger := newFake(t, says("hello")), &full{Ledger: openLedger(t)}
	now := newClock().now
	m := newMeter(t, openai.MeterConfig{Model: newChat(t, f.chatConfig()), Ledger: ledger, Daily: 30, Location: time.UTC, Now: func() time.Time { return now }})
	ledger.set(memory.Unavailablef("the disk is full"))
	for range 2 {
		if reply, err := m.Chat(t.Context(), ask("a")); err != nil || reply.Text != "hello" {
			t.Errorf("Chat() with a full disk = %+v, %v, want the answer", reply, err)
		}
	}
	if _, err := m.Chat(t.Context(), ask("a")); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("Chat() with a budget of 30 and 36 owed = %v, want ErrUnavailable", err)
	}
	wantSpending(t, ledger)
	ledger.set(nil)
	now = now.Add(24 * time.Hour)
	if _, err := m.Chat(t.Context(), ask("a")); err != nil {
		t.Errorf("Chat(): %v", err)
	}
	wantSpending(t, ledger,
		memory.Spending{Day: "2026-11-01", Purpose: "test", Model: "m", Usage: times(anAnswer, 2)},
		memory.Spending{Day: "2026-11-02", Purpose: "test", Model: "m", Usage: anAnswer})
}

// TestMeterNeedsToKnowWhatIsSpent closes the ledger.
func TestMeterNeedsToKnowWhatIsSpent(t *testing.T) {
	t.Parallel()
	f, clock := newFake(t, says("hello")), newClock()
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "m.db")})
	if err != nil {
		t.Fatalf("Open(): %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatalf("Close(): %v", err)
	}
	m := newMeter(t, openai.MeterConfig{Model: newChat(t, f.chatConfig()), Ledger: db, Daily: 30, Location: time.UTC, Now: clock.Now})
	if _, err := m.Chat(t.Context(), ask("a")); err == nil {
		t.Error("Chat() with a budget and a ledger that cannot be read = nil, want an error")
	}
	if n := len(f.asked()); n != 0 {
		t.Errorf("%d requests, want 0", n)
	}
}
