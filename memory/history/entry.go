package history

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/rank"
	"mcp-memory/memory/text"
)

// passageRunes is the length above which a message is also indexed in parts: a
// long one would swamp a ranking by words.
const passageRunes = 1000

// maxParts is how many parts of a message get an index entry and a vector of
// their own; what lies behind them is found through the whole.
const maxParts = 255

// Analyse makes the index entry of a message: its passages, their tokens, what
// ranking needs of them, and its words. Dates are written in words as they are
// in loc.
func Analyse(m memory.Message, loc *time.Location) memory.Entry {
	e := memory.Entry{Message: m}
	sentAt := m.SentAt.In(loc)
	head := rank.Head(m.Sender, sentAt)
	whole, words := passage(m.Content, 0, text.Span{End: len(m.Content)}, sentAt)
	if len(whole.Tokens) == 0 {
		return e
	}
	e.Words = words
	spans := text.Passages(m.Content, passageRunes)
	if len(spans) < 2 {
		whole.Head, whole.Embed = head, true
		e.Passages = []memory.Passage{whole}
		return e
	}
	e.Passages = append(make([]memory.Passage, 0, len(spans)+1), whole)
	for i, span := range spans[:min(len(spans), maxParts)] {
		part, _ := passage(m.Content, i+1, span, sentAt)
		part.Head, part.Embed = head, true
		e.Passages = append(e.Passages, part)
	}
	return e
}

// passage analyses one stretch of a content that was sent at the given time.
func passage(content string, ord int, span text.Span, sentAt time.Time) (memory.Passage, []memory.Word) {
	stretch := content[span.Start:span.End]
	p := memory.Passage{Ord: ord, Start: span.Start, End: span.End}
	var words []memory.Word
	seen := map[string]bool{}
	for t := range text.Tokens(stretch) {
		p.Tokens = append(p.Tokens, t.Text)
		if t.Word != "" && !seen[t.Word] {
			seen[t.Word] = true
			words = append(words, memory.Word{Text: t.Word, Token: t.Text})
		}
	}
	if len(p.Tokens) > 0 {
		features := rank.Describe(stretch, sentAt)
		p.Features, p.Terms = features.Encode(), features.Length
	}
	return p, words
}

// key is the duplicate key of a message whose time the client gave: the same
// role, time and text in a session is the same message.
func key(m *memory.Message) []byte {
	h := sha256.New()
	h.Write([]byte(m.Role))
	h.Write(binary.BigEndian.AppendUint64([]byte{0}, uint64(m.SentAt.UnixNano())))
	for _, s := range []string{m.Content, m.ToolName, m.ToolCallID, string(m.ToolCalls)} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	return h.Sum(nil)[:16]
}
