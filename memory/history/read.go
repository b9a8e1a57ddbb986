package history

import (
	"cmp"
	"context"
	"math"
	"slices"
	"unicode/utf8"

	"mcp-memory/memory"
)

// The limits of ReadRequest.
const (
	DefaultLimit = 20
	MaxLimit     = 200
	// DefaultPageBytes keeps a page, given once as text and once as
	// structured content, under 60 KB.
	DefaultPageBytes = 28_000
)

// ReadRequest asks for a page of a session. With none of MessageID, Before and
// After it is the newest page, and the cursor goes back from there.
type ReadRequest struct {
	Session   string // may be empty when a message id says which
	MessageID int64  // this message alone, whole, in parts when it is long; 0 = none
	Before    int64  // the messages before this one; 0 = none
	After     int64  // the messages after this one; 0 = none
	Limit     int    // messages; 0 = DefaultLimit, more than MaxLimit counts as MaxLimit
	MaxBytes  int    // bytes of text a page may hold; 0 = DefaultPageBytes
	Cursor    string // Page.NextCursor of the page before; it says all but Limit and MaxBytes
}

// Page is a stretch of a session, oldest message first. A message that does not
// fit is given in parts: Offset says where its content begins, and Size is
// larger than what is there.
type Page struct {
	Messages   []memory.Message
	Offset     int    // bytes of the first message's content that earlier pages gave
	NextCursor string // "" = there is no more
}

// Read returns a page of a session, the archive included. An unknown session or
// message is ErrNotFound.
func (h *History) Read(ctx context.Context, r ReadRequest) (Page, error) {
	c, err := h.begin(ctx, &r)
	if err != nil {
		return Page{}, err
	}
	if r.Limit <= 0 {
		r.Limit = DefaultLimit
	}
	r.Limit = min(r.Limit, MaxLimit)
	if r.MaxBytes <= 0 {
		r.MaxBytes = DefaultPageBytes
	}
	if c.Message != 0 {
		return h.readPart(ctx, c, r)
	}
	return h.readPage(ctx, c, r)
}

// begin turns a request into the place where reading starts.
func (h *History) begin(ctx context.Context, r *ReadRequest) (cursor, error) {
	switch {
	case r.Cursor != "":
		var c cursor
		err := decode(r.Cursor, "read", &c)
		return c, err
	case r.MessageID != 0:
		return cursor{Session: r.Session, Message: r.MessageID, Only: true}, nil
	case r.Before != 0 && r.After != 0:
		return cursor{}, memory.Invalidf("give before or after, not both")
	case r.Before != 0 || r.After != 0:
		m, err := h.message(ctx, r.Session, cmp.Or(r.Before, r.After))
		return cursor{Session: m.Session, From: m.Position(), Newer: r.After != 0}, err
	}
	if err := memory.CheckSessionID(r.Session); err != nil {
		return cursor{}, err
	}
	return cursor{Session: r.Session, From: memory.Position{SentAt: math.MaxInt64, Seq: math.MaxInt64}}, nil
}

// message reads a message and makes sure that it is of the session, when one is
// named.
func (h *History) message(ctx context.Context, session string, id int64) (memory.Message, error) {
	m, err := h.store.Message(ctx, id)
	if err == nil && session != "" && m.Session != session {
		return memory.Message{}, memory.NotFoundf("there is no message %d in session %q", id, session)
	}
	return m, err
}

// readPage reads whole messages as far as the page has room. One that alone is
// too long is begun and goes on in the next page.
func (h *History) readPage(ctx context.Context, c cursor, r ReadRequest) (Page, error) {
	list, err := h.store.Page(ctx, c.Session, c.From, !c.Newer, r.Limit+1, r.MaxBytes+1)
	if err != nil {
		return Page{}, err
	}
	if len(list) == 0 {
		return Page{}, h.known(ctx, c)
	}
	if !c.Newer { // the newest messages are the ones that must fit
		slices.Reverse(list)
	}
	n := fitting(list[:min(len(list), r.Limit)], r.MaxBytes)
	if n == 0 {
		first := cursor{Session: c.Session, Message: list[0].ID, Newer: c.Newer, From: list[0].Position()}
		return h.readPart(ctx, first, r)
	}
	p := Page{Messages: list[:n]}
	if n < len(list) {
		p.NextCursor = encode(cursor{Session: c.Session, From: list[n-1].Position(), Newer: c.Newer})
	}
	if !c.Newer {
		slices.Reverse(p.Messages)
	}
	return p, nil
}

// known tells an empty session or the end of one from an unknown one.
func (h *History) known(ctx context.Context, c cursor) error {
	list, err := h.store.Page(ctx, c.Session, memory.Position{SentAt: math.MinInt64}, false, 1, 1)
	if err == nil && len(list) == 0 {
		return memory.NotFoundf("there is no session %q; mode list shows those that exist", c.Session)
	}
	return err
}

// messageOverhead is about what a message costs beside its text.
const messageOverhead = 200

// fitting is how many of the messages, in order, fit on a page together.
func fitting(list []memory.Message, maxBytes int) int {
	used := 0
	for i := range list {
		used += list[i].Size + len(list[i].ToolCalls) + messageOverhead
		if used > maxBytes {
			return i
		}
	}
	return len(list)
}

// readPart reads a stretch of one message.
func (h *History) readPart(ctx context.Context, c cursor, r ReadRequest) (Page, error) {
	m, err := h.message(ctx, c.Session, c.Message)
	if err != nil {
		return Page{}, err
	}
	if c.Offset > len(m.Content) || !onBorder(m.Content, c.Offset) {
		return Page{}, memory.Invalidf("cursor does not fit message %d: begin again without it", m.ID)
	}
	end := partEnd(m.Content, c.Offset, r.MaxBytes)
	p := Page{Offset: c.Offset}
	next := c
	if next.Offset = end; end == len(m.Content) {
		next = cursor{Session: m.Session, From: m.Position(), Newer: c.Newer}
	}
	if end < len(m.Content) || (!c.Only && h.more(ctx, next)) {
		p.NextCursor = encode(next)
	}
	m.Content = m.Content[c.Offset:end]
	if c.Offset > 0 {
		m.ToolCalls = nil // the first part had them
	}
	p.Messages = []memory.Message{m}
	return p, nil
}

// partEnd is where a part of at most maxBytes ends that begins at start: before
// a character, and past at least one.
func partEnd(content string, start, maxBytes int) int {
	end := min(len(content), start+maxBytes)
	for end > start && !onBorder(content, end) {
		end--
	}
	for end == start && end < len(content) || !onBorder(content, end) {
		end++
	}
	return end
}

// onBorder says whether byte i of s begins a character or ends s.
func onBorder(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

// more says whether anything comes after the cursor. An error here will show
// when the page is asked for.
func (h *History) more(ctx context.Context, c cursor) bool {
	list, err := h.store.Page(ctx, c.Session, c.From, !c.Newer, 1, 1)
	return err != nil || len(list) > 0
}
