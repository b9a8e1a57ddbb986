package openai

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"mcp-memory/memory"
)

// Ledger keeps what models have cost, by day. Days are dates, 2006-01-02, of the
// user's time zone.
type Ledger interface {
	// Spend adds to what was spent on a day for a purpose with a model.
	Spend(ctx context.Context, day, purpose, model string, u memory.Usage) error
	// Spent is the sum of a day, over purposes and models.
	Spent(ctx context.Context, day string) (memory.Usage, error)
	// Spending lists what was spent since a day, that day included, by day,
	// purpose and model; "" = since ever.
	Spending(ctx context.Context, since string) ([]memory.Spending, error)
}

// MeterConfig configures a Meter.
type MeterConfig struct {
	Model    memory.ChatModel // required
	Ledger   Ledger           // required
	Daily    int              // tokens a day, of all purposes and models in the ledger; 0 = no limit
	Location *time.Location   // whose midnight begins a day; nil = time.Local

	Now func() time.Time // nil = time.Now
	Log *slog.Logger     // nil = discarded
}

// Meter is a chat model that books what each call of another costs, and refuses
// calls once the day's budget is used up. A call that begins within the budget
// is never cut short, so that calls at the same time can pass it.
type Meter struct {
	c MeterConfig

	mu   sync.Mutex
	owed []memory.Spending // what could not be booked; tried again with the next call
}

// NewMeter checks the configuration.
func NewMeter(c MeterConfig) (*Meter, error) {
	if c.Model == nil || c.Ledger == nil {
		return nil, errors.New("a meter needs a model and a ledger")
	}
	if c.Daily < 0 {
		return nil, memory.Invalidf("a budget cannot be %d tokens a day", c.Daily)
	}
	if c.Location == nil {
		c.Location = time.Local
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Meter{c: c}, nil
}

// Name is the name of the model.
func (m *Meter) Name() string { return m.c.Model.Name() }

// Chat asks the model, as it does, and books the usage that comes back, also
// with an error and when ctx has ended meanwhile. Once the budget is used up the
// error is a RetryError with ErrUnavailable, whose After reaches to the next
// day. A ledger that cannot be written loses no answer: what is owed is booked
// with the next call.
func (m *Meter) Chat(ctx context.Context, p memory.Prompt) (memory.Reply, error) {
	now := m.c.Now().In(m.c.Location)
	day := now.Format(time.DateOnly)
	if err := m.allow(ctx, now, day); err != nil {
		return memory.Reply{}, err
	}
	reply, err := m.c.Model.Chat(ctx, p)
	if reply.Usage != (memory.Usage{}) {
		m.book(context.WithoutCancel(ctx), memory.Spending{Day: day, Purpose: p.Purpose, Model: m.Name(), Usage: reply.Usage})
	}
	return reply, err
}

// allow refuses a call when nothing is left of the day's budget.
func (m *Meter) allow(ctx context.Context, now time.Time, day string) error {
	if m.c.Daily == 0 {
		return nil
	}
	spent, err := m.c.Ledger.Spent(ctx, day)
	if err != nil {
		return err
	}
	spent = spent.Add(m.owes(day))
	if spent.Input+spent.Output < m.c.Daily {
		return nil
	}
	next := nextDay(now)
	return &memory.RetryError{
		Err: memory.Unavailablef("the day's budget of %d tokens is used up; it begins anew at %s %s time",
			m.c.Daily, next.Format("15:04"), zone(next)),
		After: next.Sub(now),
	}
}

// owes is what was spent on a day and is not booked.
func (m *Meter) owes(day string) memory.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	var sum memory.Usage
	for _, s := range m.owed {
		if s.Day == day {
			sum = sum.Add(s.Usage)
		}
	}
	return sum
}

// book writes s and all that is owed into the ledger.
func (m *Meter) book(ctx context.Context, s memory.Spending) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.owed = append(m.owed, s)
	for len(m.owed) > 0 {
		first := m.owed[0]
		if err := m.c.Ledger.Spend(ctx, first.Day, first.Purpose, first.Model, first.Usage); err != nil {
			m.c.Log.Warn("used tokens could not be booked; they will be with the next call", "calls", len(m.owed), "err", err)
			return
		}
		m.owed = m.owed[1:]
	}
}

// nextDay is the first moment of the day after now: midnight, or later where the
// clocks skip it.
func nextDay(now time.Time) time.Time {
	year, month, day := now.Date()
	next := time.Date(year, month, day+1, 0, 0, 0, 0, now.Location())
	for next.Day() == day { // a midnight that does not exist may lie on either side
		next = next.Add(time.Hour)
	}
	return next
}

// zone is the name of the time zone of t, for a person.
func zone(t time.Time) string {
	if name := t.Location().String(); name != "Local" {
		return name
	}
	name, _ := t.Zone()
	return name
}
