package storetest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
	"mcp-memory/memory/text"
)

// all is a size that no content here reaches.
const all = 1 << 20

// at is a moment of the conversations here: second n of 1 March 2026, 10:00 UTC.
func at(n int) time.Time {
	return time.Date(2026, time.March, 1, 10, 0, n, 0, time.UTC)
}

// entry analyses a message as the history engine does.
func entry(m memory.Message) memory.Entry {
	m.Size = len(m.Content)
	return history.Analyse(m, time.UTC)
}

// said is a message of the user, without a client id or a duplicate key.
func said(content string, sentAt time.Time) memory.Entry {
	return entry(memory.Message{Role: memory.RoleUser, Content: content, SentAt: sentAt, Source: "test"})
}

// keyed gives an entry the duplicate key of a message whose client gave a time.
func keyed(e memory.Entry) memory.Entry {
	m := &e.Message
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", m.Role, m.SentAt.UnixNano(), m.Content))
	e.Key = sum[:16]
	return e
}

// called gives an entry a client id.
func called(id string, e memory.Entry) memory.Entry {
	e.Message.ClientID = id
	return e
}

// by gives an entry a sender, and analyses it again.
func by(sender string, e memory.Entry) memory.Entry {
	e.Message.Sender = sender
	return entry(e.Message)
}

// of gives an entry a role.
func of(role memory.Role, e memory.Entry) memory.Entry {
	e.Message.Role = role
	return e
}

// numbered are n messages of the user, a second apart from second first on,
// whose contents format makes from their numbers 0, 1, ….
func numbered(n, first int, format string) []memory.Entry {
	list := make([]memory.Entry, n)
	for i := range list {
		list[i] = said(fmt.Sprintf(format, i), at(first+i))
	}
	return list
}

// add appends to a session and fails the test when that fails.
func add(t *testing.T, s Store, session string, batch ...memory.Entry) memory.Appended {
	t.Helper()
	done, err := s.Append(t.Context(), session, batch)
	if err != nil {
		t.Fatalf("Append(%s, %d entries): %v", session, len(batch), err)
	}
	return done
}

// transcript reads a whole session in order.
func transcript(t *testing.T, s Store, session string) []memory.Message {
	t.Helper()
	list, err := s.Page(t.Context(), session, memory.Position{SentAt: math.MinInt64}, false, 10000, all)
	if err != nil {
		t.Fatalf("Page(%s): %v", session, err)
	}
	return list
}

func contents(list []memory.Message) []string {
	texts := make([]string, len(list))
	for i, m := range list {
		texts[i] = m.Content
	}
	return texts
}

// found reads the contents of the messages that hits belong to, in their order.
func found(t *testing.T, s Store, hits []memory.Hit) []string {
	t.Helper()
	texts := make([]string, len(hits))
	for i, h := range hits {
		m, err := s.Message(t.Context(), h.MessageID)
		if err != nil {
			t.Fatalf("Message(%d) of a hit: %v", h.MessageID, err)
		}
		texts[i] = m.Content
	}
	return texts
}

// match searches and returns the contents that were found, best first.
func match(t *testing.T, s Store, q memory.TextQuery, f memory.Filter, n int) []string {
	t.Helper()
	hits, err := s.Match(t.Context(), q, f, memory.BestFirst, 0, n)
	if err != nil {
		t.Fatalf("Match(%+v, %+v): %v", q, f, err)
	}
	return found(t, s, hits)
}

// tokens are the index forms of a text, as the analyser makes them.
func tokens(s string) []string {
	var list []string
	for t := range text.Tokens(s) {
		list = append(list, t.Text)
	}
	return list
}

// long is a text that is analysed in parts: n paragraphs of some 600
// characters, some of them not ASCII, each with a word of its own, which number
// spells.
func long(n int) string {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "Paragraph %s. ", spelled(i))
		for range 11 {
			b.WriteString("The naïve café owner — 王小明 — counted the crates again. ")
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

// spelled is a word that stands for the number i, below 26, and for no other.
func spelled(i int) string { return "zeta" + string(rune('a'+i)) + "qua" }

// sameSet compares without order.
func sameSet[T ~string | ~int64](got, want []T) bool {
	got, want = slices.Clone(got), slices.Clone(want)
	slices.Sort(got)
	slices.Sort(want)
	return slices.Equal(got, want)
}
