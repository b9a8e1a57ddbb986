package history_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
	"mcp-memory/memory/recall"
	"mcp-memory/memory/sqlite"
)

func TestCutOff(t *testing.T) {
	t.Parallel()
	tests := []struct {
		outline string // role letter and bytes of each message
		keep    int64
		start   int64 // number of the first hot message, from 1; 0 = nothing can go
	}{
		{"", 100, 0},
		{"u10", 5, 0},                      // the newest exchange stays
		{"u10 a10", 5, 0},                  // … whole
		{"u10 a10 u10 a10", 20, 3},         // exactly what may remain
		{"u10 a10 u10 a10", 39, 3},         // the older exchange does not fit whole
		{"u10 a10 u10 a10", 40, 0},         // everything fits
		{"u10 a10 u10 a10 u10 a10", 40, 3}, // two exchanges fit
		{"u10 a10 u10 a10 u10 a10", 59, 3}, // never inside an exchange
		{"u10 a10 u99 a99", 50, 3},         // the newest exchange is larger than all that may remain
		{"u99 a99 u10 a10", 50, 3},
		{"u10 a10 t30 a10 u10 t30 a10", 55, 5}, // results belong to the exchange
		{"u10 u10 u10", 25, 2},                 // a user message alone is an exchange
		{"a10 t10 a10", 5, 0},                  // no user at all: one exchange
		{"a10 a10 u10 a10", 20, 3},             // what comes before the first user message goes first
		{"a10 a10 u10 a10", 39, 3},             // … together
		{"s10 u10 a10 u10", 30, 2},
		{"u0 u0 u10", 10, 0}, // empty messages cost nothing
		{"u5 u0 u10", 10, 2},
	}
	for _, tt := range tests {
		var outline []memory.Outline
		for i, field := range strings.Fields(tt.outline) {
			o := memory.Outline{Position: memory.Position{SentAt: 7, Seq: int64(i + 1)}, Role: memory.RoleAssistant}
			if field[0] == 'u' {
				o.Role = memory.RoleUser
			}
			if _, err := fmt.Sscan(field[1:], &o.Bytes); err != nil {
				t.Fatal(err)
			}
			outline = append(outline, o)
		}
		start, ok := history.CutOff(outline, tt.keep)
		want := memory.Position{SentAt: 7, Seq: tt.start}
		if tt.start == 0 {
			want = memory.Position{}
		}
		if start != want || ok != (tt.start > 0) {
			t.Errorf("cutOff(%q, %d) = %v, %v; want message %d", tt.outline, tt.keep, start, ok, tt.start)
		}
	}
}

// hot returns the bytes and the first message of hot history.
func hot(t *testing.T, db *sqlite.DB, session string) (int, memory.Outline) {
	t.Helper()
	outline, err := db.HotOutline(t.Context(), session)
	if err != nil || len(outline) == 0 {
		t.Fatalf("HotOutline = %d messages, %v", len(outline), err)
	}
	size := 0
	for _, o := range outline {
		size += o.Bytes
	}
	return size, outline[0]
}

func TestCompactionAtTheLimit(t *testing.T) {
	t.Parallel()
	db := openStore(t)
	h := open(t, history.Config{Store: db, MaxHotBytes: 1000})
	exchange := func(i, size int) []memory.Draft {
		at := noon.Add(time.Duration(i) * time.Minute)
		return []memory.Draft{
			{Role: memory.RoleUser, Content: strings.Repeat("q", size/2), SentAt: at},
			{Role: memory.RoleAssistant, Content: strings.Repeat("a", size/2), SentAt: at.Add(time.Second)},
		}
	}
	for i := range 5 {
		if added := record(t, h, "s", exchange(i, 200)...); added.Archived != 0 {
			t.Fatalf("Append archived %d messages at %d bytes, want none up to the limit of 1000", added.Archived, (i+1)*200)
		}
	}
	added := record(t, h, "s", exchange(5, 2)...)
	if size, first := hot(t, db, "s"); added.Archived != 4 || size != 602 || first.Role != memory.RoleUser {
		t.Errorf("one exchange over the limit: %d archived, %d bytes hot from a message of %s; want 4, 602 (at most 800), user", added.Archived, size, first.Role)
	}
	for i, m := range everything(t, h, "s") {
		if m.Archived != (i < 4) {
			t.Errorf("message %d: archived %v, want %v", i, m.Archived, i < 4)
		}
	}
	if again := record(t, h, "s", exchange(5, 2)...); again.Archived != 0 || again.Duplicates != 2 {
		t.Errorf("Append of what is known = %+v, want no compaction", again)
	}
	late := record(t, h, "s", memory.Draft{Role: memory.RoleUser, Content: "late", SentAt: noon.Add(-time.Hour)})
	if size, _ := hot(t, db, "s"); late.Added != 1 || size != 602 {
		t.Errorf("a message from before the cut-off leaves %d bytes hot, want 602: it goes to the archive", size)
	}
}

func TestCompactionCanBeOff(t *testing.T) {
	t.Parallel()
	db := openStore(t)
	h := open(t, history.Config{Store: db, MaxHotBytes: -1})
	added := record(t, h, "s", said(memory.RoleUser, "a"), said(memory.RoleUser, strings.Repeat(" ", history.DefaultMaxHotBytes+1)))
	if _, first := hot(t, db, "s"); added.Archived != 0 || first.Bytes != 1 {
		t.Errorf("Append without a limit archived %d messages, want none", added.Archived)
	}
}

// TestCompactionOfALargeSession is the acceptance of SPEC §1.8: 9 MB that come
// in small batches, then one exchange of 6 MB.
func TestCompactionOfALargeSession(t *testing.T) {
	t.Parallel()
	const exchanges, size = 150, 60_000
	db := openStore(t)
	h := open(t, history.Config{Store: db})
	filler := strings.Repeat("x", 1500) + strings.Repeat(" ", size/2-1520) // bytes that cost little to index
	archived := 0
	for i := range exchanges {
		added := record(t, h, "s",
			memory.Draft{Role: memory.RoleUser, Content: fmt.Sprintf("question%d %s", i, filler), SentAt: noon.Add(time.Duration(i) * time.Minute)},
			memory.Draft{Role: memory.RoleAssistant, Content: fmt.Sprintf("answer%d %s", i, filler), SentAt: noon.Add(time.Duration(i)*time.Minute + 1)},
		)
		archived += added.Archived
		if added.Archived > 0 {
			checkHot(t, db, history.DefaultMaxHotBytes*8/10)
		}
	}
	checkHot(t, db, history.DefaultMaxHotBytes)
	if archived == 0 {
		t.Fatal("nothing was archived of 9 MB")
	}
	large := strings.Repeat(" ", 3<<20)
	late := noon.AddDate(0, 0, 1)
	added := record(t, h, "s",
		memory.Draft{Role: memory.RoleUser, Content: "hugequestion " + large, SentAt: late},
		memory.Draft{Role: memory.RoleAssistant, Content: "hugeanswer " + large, SentAt: late.Add(time.Second)},
	)
	if bytes, first := hot(t, db, "s"); bytes < 6<<20 || first.Position.SentAt != late.UnixNano() || archived+added.Archived != 2*exchanges {
		t.Errorf("after an exchange of 6 MB %d bytes are hot, %d messages archived; want that exchange whole and alone", bytes, archived+added.Archived)
	}
	checkFound(t, db, exchanges)
}

// checkHot checks the size of hot history and that it begins an exchange.
func checkHot(t *testing.T, db *sqlite.DB, most int) {
	t.Helper()
	if bytes, first := hot(t, db, "s"); bytes > most || first.Role != memory.RoleUser {
		t.Errorf("%d bytes are hot from a message of %s, want at most %d from one of the user", bytes, first.Role, most)
	}
}

// checkFound looks for messages from all over the session by keyword.
func checkFound(t *testing.T, db *sqlite.DB, exchanges int) {
	t.Helper()
	r, err := recall.New(recall.Config{Store: db, Location: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{"hugequestion": false, "hugeanswer": false} // and whether it is archived
	for i := 0; i < exchanges; i += 13 {
		words[fmt.Sprint("question", i)], words[fmt.Sprint("answer", i)] = true, true
	}
	for word, archived := range words {
		found, err := r.Search(t.Context(), recall.Request{Query: word, Match: recall.Keyword, Filter: memory.Filter{Session: "s"}})
		if err != nil || len(found.Hits) == 0 || !strings.HasPrefix(found.Hits[0].Message.Content, word+" ") || found.Hits[0].Message.Archived != archived {
			t.Errorf("Search(%s) does not find its message with archived %v (%v)", word, archived, err)
		}
	}
}
