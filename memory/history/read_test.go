package history_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
)

// follow reads page after page and returns them in the order they came.
func follow(t *testing.T, h *history.History, r history.ReadRequest) []history.Page {
	t.Helper()
	var pages []history.Page
	for {
		page, err := h.Read(t.Context(), r)
		if err != nil {
			t.Fatalf("Read(%+v): %v", r, err)
		}
		pages = append(pages, page)
		if page.NextCursor == "" {
			return pages
		}
		if len(pages) > 10_000 {
			t.Fatalf("Read(%+v) does not end", r)
		}
		r.Cursor = page.NextCursor
	}
}

func TestReadNewestPage(t *testing.T) {
	t.Parallel()
	h := open(t, history.Config{})
	record(t, h, "s", talk(30)...)
	page, err := h.Read(t.Context(), history.ReadRequest{Session: "s"})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(page.Messages); n != history.DefaultLimit || page.Messages[0].Content != "message 10" || page.Messages[n-1].Content != "message 29" {
		t.Errorf("Read = %q, want messages 10 to 29, oldest first", contents(page.Messages))
	}
	if page.NextCursor == "" {
		t.Error("Read gives no cursor, want one: there are older messages")
	}
}

func TestReadBackwardsHasNoGapAndNoRepeat(t *testing.T) {
	t.Parallel()
	const n = 47
	h := open(t, history.Config{})
	drafts := talk(n)
	for i := range drafts { // some at the same time: arrival decides
		drafts[i].SentAt = noon.Add(drafts[i].SentAt.Sub(noon) / 3 / 1e9 * 1e9)
	}
	record(t, h, "s", drafts...)
	record(t, h, "other", talk(9)...)
	want := contents(everything(t, h, "s"))
	for _, limit := range []int{1, 2, 3, 7, 46, 47, 48, 200} {
		var got []string
		for _, page := range follow(t, h, history.ReadRequest{Session: "s", Limit: limit}) {
			if len(page.Messages) > limit {
				t.Errorf("Read(limit %d) has %d messages", limit, len(page.Messages))
			}
			got = append(contents(page.Messages), got...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("Read(limit %d) from the end = %q, want %q", limit, got, want)
		}
	}
}

func TestReadLimits(t *testing.T) {
	t.Parallel()
	h := open(t, history.Config{})
	record(t, h, "s", talk(history.MaxLimit+5)...)
	for limit, want := range map[int]int{0: history.DefaultLimit, -3: history.DefaultLimit, 5: 5, history.MaxLimit: history.MaxLimit, 5000: history.MaxLimit} {
		page, err := h.Read(t.Context(), history.ReadRequest{Session: "s", Limit: limit, MaxBytes: 1 << 20})
		if err != nil || len(page.Messages) != want {
			t.Errorf("Read(limit %d) = %d messages, %v; want %d", limit, len(page.Messages), err, want)
		}
	}
}

func TestReadBeforeAndAfter(t *testing.T) {
	t.Parallel()
	h := open(t, history.Config{})
	record(t, h, "s", talk(20)...)
	all := everything(t, h, "s")
	tests := []struct {
		name string
		r    history.ReadRequest
		want []string
		more bool
	}{
		{"before", history.ReadRequest{Session: "s", Before: all[10].ID, Limit: 3}, []string{"message 7", "message 8", "message 9"}, true},
		{"after", history.ReadRequest{Session: "s", After: all[10].ID, Limit: 3}, []string{"message 11", "message 12", "message 13"}, true},
		{"no session named", history.ReadRequest{After: all[17].ID, Limit: 3}, []string{"message 18", "message 19"}, false},
		{"before the first", history.ReadRequest{Session: "s", Before: all[0].ID}, nil, false},
		{"after the last", history.ReadRequest{Session: "s", After: all[19].ID}, nil, false},
		{"one message", history.ReadRequest{MessageID: all[4].ID}, []string{"message 4"}, false},
	}
	for _, tt := range tests {
		page, err := h.Read(t.Context(), tt.r)
		if err != nil || !slices.Equal(contents(page.Messages), tt.want) || (page.NextCursor != "") != tt.more {
			t.Errorf("%s: Read = %q, more %v, %v; want %q, more %v", tt.name, contents(page.Messages), page.NextCursor != "", err, tt.want, tt.more)
		}
	}
	var got []string
	for _, page := range follow(t, h, history.ReadRequest{Session: "s", After: all[2].ID, Limit: 4}) {
		got = append(got, contents(page.Messages)...)
	}
	if want := contents(all[3:]); !slices.Equal(got, want) {
		t.Errorf("Read(after) page by page = %q, want %q", got, want)
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	h := open(t, history.Config{})
	added := record(t, h, "s", said(memory.RoleUser, "日本"))
	for i := range 3 {
		record(t, h, fmt.Sprint("t", i), said(memory.RoleUser, "x"))
	}
	_, list, err := h.Sessions(t.Context(), "", 1)
	if err != nil || list == "" {
		t.Fatalf("Sessions = cursor %q, %v; want one", list, err)
	}
	cursor := func(json string) string { return base64.RawURLEncoding.EncodeToString([]byte(json)) }
	tests := []struct {
		name string
		r    history.ReadRequest
		want error
	}{
		{"unknown session", history.ReadRequest{Session: "nobody"}, memory.ErrNotFound},
		{"unknown message", history.ReadRequest{MessageID: 999}, memory.ErrNotFound},
		{"message of another session", history.ReadRequest{Session: "t1", MessageID: added.FirstID}, memory.ErrNotFound},
		{"before a message of another session", history.ReadRequest{Session: "t1", Before: added.FirstID}, memory.ErrNotFound},
		{"after an unknown message", history.ReadRequest{Session: "s", After: 999}, memory.ErrNotFound},
		{"before a negative id", history.ReadRequest{Session: "s", Before: -1}, memory.ErrNotFound},
		{"before and after", history.ReadRequest{Session: "s", Before: 1, After: 1}, memory.ErrInvalid},
		{"nothing", history.ReadRequest{}, memory.ErrInvalid},
		{"bad session", history.ReadRequest{Session: "a/b"}, memory.ErrInvalid},
		{"cursor of a search", history.ReadRequest{Session: "s", Cursor: "hits-8"}, memory.ErrInvalid},
		{"cursor of a list", history.ReadRequest{Session: "s", Cursor: list}, memory.ErrInvalid},
		{"no cursor at all", history.ReadRequest{Session: "s", Cursor: "%%%"}, memory.ErrInvalid},
		{"empty cursor", history.ReadRequest{Session: "s", Cursor: cursor(`{}`)}, memory.ErrInvalid},
		{"null cursor", history.ReadRequest{Session: "s", Cursor: cursor(`null`)}, memory.ErrInvalid},
		{"negative offset", history.ReadRequest{Cursor: cursor(fmt.Sprintf(`{"m":%d,"o":-1}`, added.FirstID))}, memory.ErrInvalid},
		{"offset past the end", history.ReadRequest{Cursor: cursor(fmt.Sprintf(`{"m":%d,"o":7}`, added.FirstID))}, memory.ErrInvalid},
		{"offset inside a character", history.ReadRequest{Cursor: cursor(fmt.Sprintf(`{"m":%d,"o":4}`, added.FirstID))}, memory.ErrInvalid},
	}
	for _, tt := range tests {
		if page, err := h.Read(t.Context(), tt.r); !errors.Is(err, tt.want) {
			t.Errorf("%s: Read = %d messages, %v; want %v", tt.name, len(page.Messages), err, tt.want)
		}
	}
}

// TestReadInParts reads messages that are larger than a page, at random sizes:
// the parts are cut between characters and together give the original.
func TestReadInParts(t *testing.T) {
	t.Parallel()
	h := open(t, history.Config{})
	long := strings.Repeat("aé日本😀 ", 200_000/17)
	added := record(t, h, "s", said(memory.RoleUser, long))
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	for _, size := range []int{1 + random.IntN(60_000), 1000 + random.IntN(60_000), history.DefaultPageBytes, len(long) - 1, len(long)} {
		var whole strings.Builder
		pages := follow(t, h, history.ReadRequest{MessageID: added.FirstID, MaxBytes: max(size, 97)})
		for i, page := range pages {
			m := page.Messages[0]
			switch {
			case len(page.Messages) != 1 || !utf8.ValidString(m.Content) || m.Size != len(long):
				t.Fatalf("seed %d: part %d of %d bytes is no part of the message", seed, i, size)
			case page.Offset != whole.Len():
				t.Fatalf("seed %d: part %d has offset %d, want %d", seed, i, page.Offset, whole.Len())
			case len(m.Content) > max(size, 97):
				t.Fatalf("seed %d: part %d has %d bytes, want at most %d", seed, i, len(m.Content), size)
			}
			whole.WriteString(m.Content)
		}
		if whole.String() != long {
			t.Errorf("seed %d: the %d parts of %d bytes do not give the message", seed, len(pages), size)
		}
	}
}

// TestReadTinyParts: a part has at least one character, however little may go on
// a page, so that reading always ends.
func TestReadTinyParts(t *testing.T) {
	t.Parallel()
	h := open(t, history.Config{})
	added := record(t, h, "s", said(memory.RoleUser, "é😀日"))
	for size := 1; size <= 4; size++ {
		var got []string
		for _, page := range follow(t, h, history.ReadRequest{MessageID: added.FirstID, MaxBytes: size}) {
			got = append(got, page.Messages[0].Content)
		}
		if want := []string{"é", "😀", "日"}; !slices.Equal(got, want) {
			t.Errorf("Read(%d bytes a page) = %q, want %q", size, got, want)
		}
	}
}

// TestReadMixedSizes pages through sessions of short and long messages in both
// directions: every byte comes once, no page holds more than it may.
func TestReadMixedSizes(t *testing.T) {
	t.Parallel()
	h := open(t, history.Config{})
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	for round := range 4 {
		session := fmt.Sprint("s", round)
		drafts := talk(25)
		for i := range drafts {
			if random.IntN(3) == 0 {
				drafts[i].Content = strings.Repeat(string(rune('ａ'+i)), random.IntN(4000))
			}
			if random.IntN(4) == 0 {
				drafts[i].ToolCalls = json.RawMessage(`[{"id":"` + strings.Repeat("c", random.IntN(300)) + `"}]`)
			}
		}
		record(t, h, session, drafts...)
		all := everything(t, h, session)
		for range 4 {
			r := history.ReadRequest{Session: session, Limit: 1 + random.IntN(30), MaxBytes: 600 + random.IntN(6000)}
			forward := random.IntN(2) == 0
			want := all
			if forward {
				r.After, want = all[0].ID, all[1:]
			}
			pages := follow(t, h, r)
			for i, page := range pages {
				if size := pageBytes(page); size > r.MaxBytes+400 || len(page.Messages) > r.Limit || len(page.Messages) == 0 {
					t.Fatalf("seed %d: page %d has %d messages of %d bytes, want 1 to %d of at most %d", seed, i, len(page.Messages), size, r.Limit, r.MaxBytes)
				}
			}
			if got := assemble(t, pages, forward); !slices.EqualFunc(got, want, sameMessage) {
				t.Fatalf("seed %d: Read(%+v) gives %d messages page by page, want the %d recorded", seed, r, len(got), len(want))
			}
		}
	}
}

func sameMessage(a, b memory.Message) bool {
	return a.ID == b.ID && a.Content == b.Content && string(a.ToolCalls) == string(b.ToolCalls)
}

func pageBytes(p history.Page) int {
	n := 0
	for _, m := range p.Messages {
		n += len(m.Content) + len(m.ToolCalls)
	}
	return n
}

// assemble puts messages together that came in pages and parts, oldest first.
func assemble(t *testing.T, pages []history.Page, forward bool) []memory.Message {
	t.Helper()
	var got []memory.Message
	for _, page := range pages {
		if page.Offset > 0 {
			last := &got[len(got)-1]
			if !forward {
				last = &got[0]
			}
			if part := page.Messages[0]; last.ID != part.ID || len(last.Content) != page.Offset || part.ToolCalls != nil {
				t.Fatalf("a part of message %d at %d follows %d bytes of message %d", part.ID, page.Offset, len(last.Content), last.ID)
			}
			last.Content += page.Messages[0].Content
			continue
		}
		if forward {
			got = append(got, page.Messages...)
		} else {
			got = append(slices.Clone(page.Messages), got...)
		}
	}
	return got
}

// TestReadGoesOnWhileMessagesArrive: what is appended between two pages neither
// shifts nor repeats anything.
func TestReadGoesOnWhileMessagesArrive(t *testing.T) {
	t.Parallel()
	h := open(t, history.Config{})
	drafts := talk(12)
	record(t, h, "s", drafts[:10]...)
	page, err := h.Read(t.Context(), history.ReadRequest{Session: "s", Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	record(t, h, "s", drafts[10:]...)
	page, err = h.Read(t.Context(), history.ReadRequest{Cursor: page.NextCursor, Limit: 5})
	if want := []string{"message 0", "message 1", "message 2", "message 3", "message 4"}; err != nil || !slices.Equal(contents(page.Messages), want) || page.NextCursor != "" {
		t.Errorf("Read(second page) = %q, cursor %q, %v; want %q and no cursor", contents(page.Messages), page.NextCursor, err, want)
	}
}
