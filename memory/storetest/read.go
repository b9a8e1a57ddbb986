package storetest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-memory/memory"
)

var reading = theme{
	"orders by time, then arrival":       ordersByTime,
	"newest":                             readsNewest,
	"pages in both directions":           pagesBothWays,
	"cuts long contents":                 cutsContents,
	"around":                             readsAround,
	"outlines hot history":               outlinesHot,
	"unknown session and message":        readsUnknown,
	"lists sessions":                     listsSessions,
	"pages sessions with the same time":  pagesEqualSessions,
	"neighbours":                         readsNeighbours,
	"neighbours of several sessions":     readsNeighboursOfSessions,
	"neighbours with features":           readsFeatures,
	"neighbours leave out what is gone":  leavesOutUnknown,
	"features of a message without text": readsTextless,
}

// mixed is a session whose messages came in another order than they were sent,
// two of them with one time. Its contents are in reading order "1".."6".
func mixed(t *testing.T, s Store, session string) {
	t.Helper()
	add(t, s, session, said("2", at(20)), said("5", at(50)))
	add(t, s, session, said("3", at(30)), said("1", at(10)))
	add(t, s, session, said("4", at(30)), said("6", at(50)))
}

func ordersByTime(t *testing.T, s Store) {
	mixed(t, s, "s")
	list := transcript(t, s, "s")
	if got, want := contents(list), []string{"1", "2", "3", "4", "5", "6"}; !slices.Equal(got, want) {
		t.Fatalf("Page(from the start) = %q, want %q", got, want)
	}
	for i := 1; i < len(list); i++ {
		if !list[i-1].Position().Before(list[i].Position()) {
			t.Errorf("position of message %d is not before that of message %d", i-1, i)
		}
	}
}

func readsNewest(t *testing.T, s Store) {
	mixed(t, s, "s")
	add(t, s, "other", said("later", at(99)))
	for n, want := range map[int][]string{1: {"6"}, 3: {"4", "5", "6"}, 50: {"1", "2", "3", "4", "5", "6"}} {
		list, err := s.Newest(t.Context(), "s", n)
		if err != nil || !slices.Equal(contents(list), want) {
			t.Errorf("Newest(s, %d) = %q, %v, want %q", n, contents(list), err, want)
		}
	}
	long := strings.Repeat("部", 50000)
	add(t, s, "s", said(long, at(60)))
	if list, err := s.Newest(t.Context(), "s", 1); err != nil || len(list) != 1 || list[0].Content != long {
		t.Errorf("Newest(s, 1) of a long message = %d messages, %v, want it whole", len(list), err)
	}
}

func pagesBothWays(t *testing.T, s Store) {
	mixed(t, s, "s")
	archive(t, s, "s", transcript(t, s, "s")[3].Position())
	for _, older := range []bool{true, false} {
		from := memory.Position{SentAt: math.MinInt64}
		if older {
			from = memory.Position{SentAt: math.MaxInt64, Seq: math.MaxInt64}
		}
		var pages [][]string
		for len(pages) < 10 {
			page, err := s.Page(t.Context(), "s", from, older, 4, all)
			if err != nil {
				t.Fatalf("Page(older %t): %v", older, err)
			}
			if len(page) == 0 {
				break
			}
			pages = append(pages, contents(page))
			from = page[len(page)-1].Position()
			if older {
				from = page[0].Position()
			}
		}
		want := [][]string{{"1", "2", "3", "4"}, {"5", "6"}}
		if older {
			want = [][]string{{"3", "4", "5", "6"}, {"1", "2"}}
		}
		if fmt.Sprint(pages) != fmt.Sprint(want) {
			t.Errorf("pages (older %t) = %q, want %q, the archive included", older, pages, want)
		}
	}
}

func cutsContents(t *testing.T, s Store) {
	content := "a" + strings.Repeat("é部😀", 10)
	add(t, s, "s", said(content, at(0)))
	for limit := range 25 {
		page, err := s.Page(t.Context(), "s", memory.Position{SentAt: math.MinInt64}, false, 1, limit)
		if err != nil || len(page) != 1 {
			t.Fatalf("Page(limit %d) = %d messages, %v, want 1", limit, len(page), err)
		}
		got := page[0].Content
		if !strings.HasPrefix(content, got) || !utf8.ValidString(got) || len(got) > limit || limit-len(got) >= utf8.UTFMax {
			t.Errorf("Page(limit %d) cut to %q, want the longest beginning of whole characters", limit, got)
		}
		if page[0].Size != len(content) {
			t.Errorf("Page(limit %d) has Size %d, want %d, that of the whole", limit, page[0].Size, len(content))
		}
	}
	page, err := s.Page(t.Context(), "s", memory.Position{SentAt: math.MinInt64}, false, 1, len(content))
	if err != nil || page[0].Content != content {
		t.Errorf("Page(limit = size) = %q, %v, want the whole", page[0].Content, err)
	}
}

func readsAround(t *testing.T, s Store) {
	list := make([]memory.Entry, 6)
	for i := range list {
		list[i] = said(strings.Repeat(string(rune('a'+i)), 10), at(i))
	}
	add(t, s, "s", list...)
	add(t, s, "other", said("zzzz", at(2)))
	ids := transcript(t, s, "s")
	for _, c := range []struct {
		message, before, after int
		want                   []string
	}{
		{2, 1, 2, []string{"bbb", "cccccccccc", "ddd", "eee"}},
		{0, 2, 1, []string{"aaaaaaaaaa", "bbb"}},
		{5, 1, 9, []string{"eee", "ffffffffff"}},
		{3, 0, 0, []string{"dddddddddd"}},
	} {
		got, err := s.Around(t.Context(), ids[c.message].ID, c.before, c.after, 3)
		if err != nil || !slices.Equal(contents(got), c.want) {
			t.Errorf("Around(message %d, %d, %d) = %q, %v, want %q", c.message, c.before, c.after, contents(got), err, c.want)
		}
	}
}

func outlinesHot(t *testing.T, s Store) {
	mixed(t, s, "s")
	add(t, s, "s", of(memory.RoleTool, said("部署", at(70))))
	list := transcript(t, s, "s")
	archive(t, s, "s", list[2].Position())
	outline, err := s.HotOutline(t.Context(), "s")
	if err != nil || len(outline) != 5 {
		t.Fatalf("HotOutline(s) = %+v, %v, want 5 messages", outline, err)
	}
	for i, o := range outline {
		m := list[i+2]
		if want := (memory.Outline{Position: m.Position(), Role: m.Role, Bytes: len(m.Content)}); o != want {
			t.Errorf("HotOutline(s)[%d] = %+v, want %+v", i, o, want)
		}
	}
}

func readsUnknown(t *testing.T, s Store) {
	add(t, s, "s", said("one", at(0)))
	if _, err := s.Message(t.Context(), 1<<40); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Message(unknown) = %v, want ErrNotFound", err)
	}
	if _, err := s.Around(t.Context(), 1<<40, 1, 1, all); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Around(unknown) = %v, want ErrNotFound", err)
	}
	if list, err := s.Newest(t.Context(), "t", 5); err != nil || len(list) != 0 {
		t.Errorf("Newest(unknown) = %d messages, %v, want none", len(list), err)
	}
	if list, err := s.Page(t.Context(), "t", memory.Position{}, false, 5, all); err != nil || len(list) != 0 {
		t.Errorf("Page(unknown) = %d messages, %v, want none", len(list), err)
	}
	if list, err := s.HotOutline(t.Context(), "t"); err != nil || len(list) != 0 {
		t.Errorf("HotOutline(unknown) = %d messages, %v, want none", len(list), err)
	}
}

func listsSessions(t *testing.T, s Store) {
	add(t, s, "old", said("first of old", at(1)), said("last of old", at(5)))
	add(t, s, "new", said("of new", at(9)))
	add(t, s, "mid", said("of mid", at(7)), said("of mid, sent before", at(3)))
	list, err := s.Sessions(t.Context(), nil, 10)
	if err != nil {
		t.Fatalf("Sessions(): %v", err)
	}
	want := []memory.Session{
		{ID: "new", Title: "of new", Messages: 1, FirstAt: at(9), LastAt: at(9)},
		{ID: "mid", Title: "of mid", Messages: 2, FirstAt: at(3), LastAt: at(7)},
		{ID: "old", Title: "first of old", Messages: 2, FirstAt: at(1), LastAt: at(5)},
	}
	if !slices.Equal(list, want) {
		t.Errorf("Sessions() = %+v, want %+v", list, want)
	}
	add(t, s, "old", said("back again", at(20)))
	if list, err = s.Sessions(t.Context(), nil, 1); err != nil || len(list) != 1 || list[0].ID != "old" || list[0].Messages != 3 {
		t.Errorf("Sessions(1) after a message to old = %+v, %v, want old with 3 messages", list, err)
	}
}

func pagesEqualSessions(t *testing.T, s Store) {
	var want []string
	for i := range 9 {
		id := fmt.Sprintf("s%d", (i*5)%9)
		want = append(want, id)
		add(t, s, id, said("x", at(i/7)))
	}
	var got []string
	var mark *memory.SessionMark
	for len(got) < 100 {
		page, err := s.Sessions(t.Context(), mark, 2)
		if err != nil {
			t.Fatalf("Sessions(%+v): %v", mark, err)
		}
		if len(page) == 0 {
			break
		}
		for _, one := range page {
			got = append(got, one.ID)
		}
		last := page[len(page)-1]
		mark = &memory.SessionMark{LastAt: last.LastAt.UnixNano(), ID: last.ID}
	}
	if !sameSet(got, want) {
		t.Errorf("sessions over all pages = %q, want each of %q once", got, want)
	}
	if len(got) == 9 && !sameSet(got[:2], want[7:]) {
		t.Errorf("the first page = %q, want the two used last, %q", got[:2], want[7:])
	}
}

// neighbours asks for the neighbours of messages, named by their contents.
func neighbours(t *testing.T, s Store, span int, hits ...memory.Hit) []string {
	t.Helper()
	list, err := s.Neighbours(t.Context(), hits, span)
	if err != nil {
		t.Fatalf("Neighbours(%+v, %d): %v", hits, span, err)
	}
	texts := make([]string, len(list))
	for i, n := range list {
		m, err := s.Message(t.Context(), n.MessageID)
		if err != nil {
			t.Fatalf("Message(%d) of a neighbour: %v", n.MessageID, err)
		}
		texts[i] = m.Content
	}
	return texts
}

func readsNeighbours(t *testing.T, s Store) {
	mixed(t, s, "s")
	mixed(t, s, "other")
	ids := idsByContent(transcript(t, s, "s"))
	for _, c := range []struct {
		hits string
		span int
		want string
	}{
		{"3", 0, "3"},
		{"3", 1, "5 3 1"}, // they arrived as 2 5 3 1 4 6
		{"3", 2, "2 5 3 1 4"},
		{"1", 2, "5 3 1 4 6"},
		{"6", 2, "1 4 6"},
		{"6 1", 1, "3 1 4 6"},
		{"4 2 4", 1, "2 5 1 4 6"},
		{"5", 50, "2 5 3 1 4 6"},
		{"", 2, ""},
	} {
		var hits []memory.Hit
		for name := range strings.FieldsSeq(c.hits) {
			hits = append(hits, memory.Hit{MessageID: ids[name]})
		}
		if got := neighbours(t, s, c.span, hits...); strings.Join(got, " ") != c.want {
			t.Errorf("Neighbours(%s, span %d) = %q, want %q", c.hits, c.span, got, c.want)
		}
	}
}

func readsNeighboursOfSessions(t *testing.T, s Store) {
	add(t, s, "a", by("Ann", said("a1", at(1))), said("a2", at(3)))
	add(t, s, "b", said("b1", at(2)), of(memory.RoleTool, said("b2", at(4))))
	add(t, s, "a", said("a3", at(5)))
	archive(t, s, "a", transcript(t, s, "a")[1].Position())
	a, b := idsByContent(transcript(t, s, "a")), idsByContent(transcript(t, s, "b"))
	list, err := s.Neighbours(t.Context(), []memory.Hit{{MessageID: b["b2"]}, {MessageID: a["a2"]}}, 1)
	if err != nil {
		t.Fatalf("Neighbours(): %v", err)
	}
	bySession := map[string][]int64{}
	for i, n := range list {
		m, err := s.Message(t.Context(), n.MessageID)
		if err != nil {
			t.Fatalf("Message(%d): %v", n.MessageID, err)
		}
		if n.Session != m.Session || n.Position != m.Position() || n.Role != m.Role || n.Sender != m.Sender || !n.SentAt.Equal(m.SentAt) || n.Archived != m.Archived {
			t.Errorf("neighbour = %+v, want the fields of %+v", n, m)
		}
		if i > 0 && n.Session != list[i-1].Session && bySession[n.Session] != nil {
			t.Errorf("session %s comes in two stretches", n.Session)
		}
		bySession[n.Session] = append(bySession[n.Session], n.MessageID)
	}
	if got, want := bySession["a"], []int64{a["a1"], a["a2"], a["a3"]}; !slices.Equal(got, want) {
		t.Errorf("neighbours in a = %v, want %v", got, want)
	}
	if got, want := bySession["b"], []int64{b["b1"], b["b2"]}; !slices.Equal(got, want) {
		t.Errorf("neighbours in b = %v, want %v", got, want)
	}
}

func readsFeatures(t *testing.T, s Store) {
	short, parted := said("Where is the key?", at(0)), said(long(6), at(1))
	done := add(t, s, "s", short, parted)
	list, err := s.Neighbours(t.Context(), []memory.Hit{{MessageID: done.LastID, Ord: 2}, {MessageID: done.LastID}, {MessageID: done.LastID, Ord: 1}}, 1)
	if err != nil || len(list) != 2 {
		t.Fatalf("Neighbours(a long message) = %d, %v, want 2", len(list), err)
	}
	if got, want := list[0].Features, short.Passages[0].Features; !slices.Equal(got, want) {
		t.Errorf("features of the short message = %x, want %x", got, want)
	}
	if len(list[0].Parts) != 0 {
		t.Errorf("the short message has parts %v, want none", list[0].Parts)
	}
	if got, want := list[1].Features, parted.Passages[0].Features; !slices.Equal(got, want) {
		t.Errorf("features of the long message = %x, want %x", got, want)
	}
	if len(list[1].Parts) != 2 {
		t.Fatalf("the long message has %d parts, want the 2 that were asked for", len(list[1].Parts))
	}
	for _, ord := range []int{1, 2} {
		if got, want := list[1].Parts[ord], parted.Passages[ord].Features; !slices.Equal(got, want) {
			t.Errorf("features of part %d = %x, want %x", ord, got, want)
		}
	}
}

func leavesOutUnknown(t *testing.T, s Store) {
	done := add(t, s, "s", said("one", at(0)))
	hits := []memory.Hit{{MessageID: 1 << 40}, {MessageID: done.FirstID}, {MessageID: 1 << 40, Ord: 3}, {MessageID: done.FirstID, Ord: 9}}
	if got := neighbours(t, s, 2, hits...); !slices.Equal(got, []string{"one"}) {
		t.Errorf("Neighbours(a known and an unknown message) = %q, want the known one", got)
	}
}

func readsTextless(t *testing.T, s Store) {
	done := add(t, s, "s", said("", at(0)), said("...", at(1)))
	list, err := s.Neighbours(t.Context(), []memory.Hit{{MessageID: done.FirstID}}, 1)
	if err != nil || len(list) != 2 || list[0].Features != nil || list[1].Features != nil {
		t.Errorf("Neighbours(no words) = %+v, %v, want 2 without features", list, err)
	}
}
