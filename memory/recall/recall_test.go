package recall_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/embed"
	"mcp-memory/memory/history"
	"mcp-memory/memory/index"
	"mcp-memory/memory/recall"
	"mcp-memory/memory/sqlite"
)

// noon is when the conversations of these tests begin.
var noon = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// world is a memory with the engines that fill it.
type world struct {
	tb       testing.TB
	path     string
	db       *sqlite.DB
	history  *history.History
	index    *index.Loop
	embedder memory.Embedder
	recall   *recall.Recall
	sent     int // messages so far: each is a second later than the one before
}

// newWorld opens a new file. maxHot is history's limit; 0 = its default.
func newWorld(tb testing.TB, maxHot int64) *world {
	tb.Helper()
	w := &world{tb: tb, path: tb.TempDir() + "/memory.db", embedder: embed.NewHashed(0)}
	db, err := sqlite.Open(tb.Context(), sqlite.Options{Path: w.path, Sync: "normal"})
	w.must(err)
	tb.Cleanup(func() { w.must(db.Close()) })
	w.db = db
	w.history, err = history.New(history.Config{Store: db, Location: time.UTC, MaxHotBytes: maxHot})
	w.must(err)
	w.index, err = index.New(index.Config{Store: db, Source: embed.NewFixed(db, w.embedder, nil)})
	w.must(err)
	w.recall = w.engine(recall.Config{Store: db, Embedder: w.embedder})
	return w
}

// engine returns a Recall in UTC.
func (w *world) engine(c recall.Config) *recall.Recall {
	w.tb.Helper()
	c.Location = time.UTC
	r, err := recall.New(c)
	w.must(err)
	return r
}

func (w *world) must(err error) {
	w.tb.Helper()
	if err != nil {
		w.tb.Fatal(err)
	}
}

// record appends drafts in one batch; those without a time follow each other by
// a second.
func (w *world) record(session string, drafts ...memory.Draft) history.Added {
	w.tb.Helper()
	for i := range drafts {
		w.sent++
		if drafts[i].SentAt.IsZero() {
			drafts[i].SentAt = noon.Add(time.Duration(w.sent) * time.Second)
		}
	}
	added, err := w.history.Append(w.tb.Context(), session, "test", drafts)
	w.must(err)
	return added
}

// say records messages of the user with the ids m1, m2, …, counted from the
// first message of this world.
func (w *world) say(session string, contents ...string) history.Added {
	w.tb.Helper()
	drafts := make([]memory.Draft, len(contents))
	for i, c := range contents {
		drafts[i] = memory.Draft{Role: memory.RoleUser, Content: c, ClientID: fmt.Sprint("m", w.sent+i+1)}
	}
	return w.record(session, drafts...)
}

// embed gives everything its vector.
func (w *world) embed() {
	w.tb.Helper()
	w.must(w.index.Drain(w.tb.Context()))
}

// search runs a search that must not fail.
func (w *world) search(req recall.Request) *recall.Result {
	w.tb.Helper()
	return searchWith(w.tb, w.recall, req)
}

func searchWith(tb testing.TB, r *recall.Recall, req recall.Request) *recall.Result {
	tb.Helper()
	found, err := r.Search(tb.Context(), req)
	if err != nil {
		tb.Fatalf("Search(%.100q): %v", req.Query, err)
	}
	checkResult(tb, req, found)
	return found
}

// keyword searches session s1 by keyword.
func (w *world) keyword(query string) *recall.Result {
	w.tb.Helper()
	return w.search(recall.Request{Query: query, Match: recall.Keyword, Filter: memory.Filter{Session: "s1"}})
}

// ids are the client ids of the hits, best first.
func ids(found *recall.Result) []string {
	list := []string{}
	for _, h := range found.Hits {
		list = append(list, h.Message.ClientID)
	}
	return list
}

// sorted returns a sorted copy, for results whose order does not matter.
func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

// follow searches page after page and returns the ids of all hits in order.
func follow(tb testing.TB, r *recall.Recall, req recall.Request) []string {
	tb.Helper()
	var all []string
	for range 1100 {
		found := searchWith(tb, r, req)
		all = append(all, ids(found)...)
		if found.NextCursor == "" {
			return all
		}
		req.Cursor = found.NextCursor
	}
	tb.Fatalf("Search(%q) page by page does not end", req.Query)
	return nil
}

// checkResult checks what is true of every result: no message twice, scores that
// fall, hits that pass the filter, segments that hold each hit once, in order,
// whole.
func checkResult(tb testing.TB, req recall.Request, found *recall.Result) {
	tb.Helper()
	limit := req.Limit
	if limit <= 0 {
		limit = recall.DefaultLimit
	}
	if len(found.Hits) > min(limit, recall.MaxLimit) {
		tb.Errorf("Search(%.100q) has %d hits, want at most %d", req.Query, len(found.Hits), limit)
	}
	if found.Total < len(found.Hits) || found.Total > 1000 {
		tb.Errorf("Search(%.100q) has %d hits of %d in all", req.Query, len(found.Hits), found.Total)
	}
	for i, h := range found.Hits {
		if h.Score < 0 || h.Score > 1 || h.Score != h.Score || (i > 0 && h.Score > found.Hits[i-1].Score) {
			tb.Errorf("Search(%.100q): hit %d has the score %v after %v, want 0 to 1, falling", req.Query, i, h.Score, found.Hits[max(0, i-1)].Score)
		}
		if m := h.Message; !req.Filter.Lets(m.Session, m.Role, m.SentAt, m.Archived) {
			tb.Errorf("Search(%.100q): hit %s does not pass the filter %+v", req.Query, m.ClientID, req.Filter)
		}
		if len(h.Message.Content) != h.Message.Size {
			tb.Errorf("Search(%.100q): hit %s is cut", req.Query, h.Message.ClientID)
		}
	}
	checkSegments(tb, found)
}

func checkSegments(tb testing.TB, found *recall.Result) {
	tb.Helper()
	at := map[int64]int{} // message → segment
	hits := map[int64]bool{}
	next := 0 // segments are in the order of their best hit
	for _, h := range found.Hits {
		hits[h.Message.ID] = true
		if h.Segment > next {
			tb.Errorf("hit %s is in segment %d, want at most %d", h.Message.ClientID, h.Segment, next)
		}
		next = max(next, h.Segment+1)
	}
	if len(hits) != len(found.Hits) || next != len(found.Segments) {
		tb.Errorf("%d hits are %d messages in %d of %d segments", len(found.Hits), len(hits), next, len(found.Segments))
	}
	for i, s := range found.Segments {
		if len(s.Hit) != len(s.Messages) {
			tb.Fatalf("segment %d has %d messages and %d marks", i, len(s.Messages), len(s.Hit))
		}
		for j, m := range s.Messages {
			if _, twice := at[m.ID]; twice {
				tb.Errorf("message %s is in the segments twice", m.ClientID)
			}
			at[m.ID] = i
			if s.Hit[j] != hits[m.ID] || (s.Hit[j] && len(m.Content) != m.Size) {
				tb.Errorf("segment %d: message %s has mark %v, want %v, and the whole text of a hit", i, m.ClientID, s.Hit[j], hits[m.ID])
			}
			if m.Session != s.Session || (j > 0 && !s.Messages[j-1].Position().Before(m.Position())) {
				tb.Errorf("segment %d of session %s: message %s of %s is out of place", i, s.Session, m.ClientID, m.Session)
			}
		}
	}
	for _, h := range found.Hits {
		if segment, ok := at[h.Message.ID]; !ok || segment != h.Segment {
			tb.Errorf("hit %s says segment %d, it is in %d (%v)", h.Message.ClientID, h.Segment, segment, ok)
		}
	}
}

// failing is an embedder that does not answer.
type failing struct{ memory.Embedder }

func (failing) Embed(context.Context, []string) ([][]float32, error) {
	return nil, fmt.Errorf("no answer: %w", memory.ErrUnavailable)
}
