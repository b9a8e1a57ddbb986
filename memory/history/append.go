package history

import (
	"context"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// Added is what became of a batch.
type Added struct {
	memory.Appended
	Redacted int // secrets that were masked
	Replaced int // NULs and invalid bytes that were replaced
	Archived int // messages that compaction took out of hot history afterwards
}

// The limits of the short fields of a message, in bytes.
const (
	maxClientID = 512
	maxName     = 512
)

// Append records messages into a session, in order, all of them or none. Each
// is cleaned and masked before anything else looks at it. Messages that the
// session has already are counted, not stored again. source says what records
// ("mcp", "import", …). Bad input is ErrInvalid, names the message, and changes
// nothing. ErrConflict: the session was reset or removed meanwhile, and nothing
// was recorded.
func (h *History) Append(ctx context.Context, session, source string, drafts []memory.Draft) (Added, error) {
	var done Added
	if err := memory.CheckSessionID(session); err != nil {
		return done, err
	}
	if len(drafts) == 0 {
		return done, memory.Invalidf("messages is empty: give at least one")
	}
	for i := range drafts {
		if err := check(&drafts[i], i); err != nil {
			return done, err
		}
	}
	generation, err := h.store.Generation(ctx, session)
	if err != nil {
		return done, err
	}
	now := h.now() // each message without a time gets the next nanosecond, so that order is kept and no two are alike
	batch := make([]memory.Entry, len(drafts))
	for i := range drafts {
		batch[i] = h.entry(session, source, &drafts[i], now.Add(time.Duration(i)), &done)
	}
	appended, err := h.store.AppendSince(ctx, session, generation, batch)
	if err != nil {
		return Added{}, err
	}
	done.Appended = appended
	if appended.Added == 0 {
		return done, nil
	}
	h.onAppend()
	done.Archived, err = h.compact(ctx, session, appended.HotBytes)
	if err != nil { // the messages are safe; the next append tries again
		h.log.Error("compact session", "error", err)
	}
	return done, nil
}

// check refuses what cannot be stored.
func check(d *memory.Draft, i int) error {
	if _, err := memory.ParseRole(string(d.Role)); err != nil {
		return memory.Invalidf("messages[%d]: %v", i, err)
	}
	if len(d.Content) > memory.MaxContentBytes {
		return memory.Invalidf("messages[%d]: content has %d bytes: at most %d (16 MiB) are stored; split it", i, len(d.Content), memory.MaxContentBytes)
	}
	if len(d.ToolCalls) > memory.MaxContentBytes {
		return memory.Invalidf("messages[%d]: tool_calls has %d bytes: at most %d (16 MiB) are stored", i, len(d.ToolCalls), memory.MaxContentBytes)
	}
	if len(d.ClientID) > maxClientID {
		return memory.Invalidf("messages[%d]: id has %d bytes: at most %d are allowed", i, len(d.ClientID), maxClientID)
	}
	for _, field := range []struct{ name, value string }{{"sender", d.Sender}, {"tool_name", d.ToolName}, {"tool_call_id", d.ToolCallID}} {
		if len(field.value) > maxName {
			return memory.Invalidf("messages[%d]: %s has %d bytes: at most %d are allowed", i, field.name, len(field.value), maxName)
		}
	}
	if y := d.SentAt.Year(); !d.SentAt.IsZero() && (y < 1678 || y > 2261) {
		return memory.Invalidf("messages[%d]: sent_at is in the year %d: years 1678 to 2261 can be stored", i, y)
	}
	return nil
}

// entry cleans, masks, stamps and analyses one message.
func (h *History) entry(session, source string, d *memory.Draft, now time.Time, done *Added) memory.Entry {
	m := memory.Message{Session: session, Role: d.Role, SentAt: d.SentAt, Source: source}
	m.ClientID, _ = text.Clean(d.ClientID)
	m.Sender = h.clean(d.Sender, done)
	m.ToolName = h.clean(d.ToolName, done)
	m.ToolCallID, _ = text.Clean(d.ToolCallID)
	m.Content = h.clean(d.Content, done)
	if len(d.ToolCalls) > 0 {
		m.ToolCalls = h.cleanJSON(d.ToolCalls, done)
	}
	m.Size = len(m.Content)
	timed := !m.SentAt.IsZero()
	if !timed {
		m.SentAt = now
	}
	m.SentAt = m.SentAt.UTC()
	e := Analyse(m, h.location)
	e.Key, e.Fresh = key(&m), !timed
	return e
}

func (h *History) clean(s string, done *Added) string {
	s, replaced := text.Clean(s)
	done.Replaced += replaced
	if h.masker == nil {
		return s
	}
	s, found := h.masker.Mask(s)
	done.Redacted += found
	return s
}
