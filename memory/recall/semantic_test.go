package recall_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/embed"
	"mcp-memory/memory/recall"
)

// TestSemanticFindsInThreeLanguages asks a small conversation as a person would.
func TestSemanticFindsInThreeLanguages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.say("s1",
		"The release waits for the review of the billing service.", // m1
		"We keep the backups of the database for thirty days.",     // m2
		"昨晚我们确认了部署步骤和数据库备份。",                                       // m3
		"请把报告发到团队频道。",                                              // m4
		"検証サーバーの設定を見直しました。",                                        // m5
		"来週の旅行は京都に決めました。",                                          // m6
		"My sister lives in Lisbon since last spring.",             // m7
	)
	w.embed()
	for query, want := range map[string]string{
		"What does the release wait for?":  "m1",
		"How long do we keep backups?":     "m2",
		"部署步骤是什么时候确认的？":                    "m3",
		"报告发到哪里？":                          "m4",
		"サーバーの設定はどうなりましたか":                 "m5",
		"旅行はどこに行きますか":                      "m6",
		"where does my sister live":        "m7",
		"what was said on 1 March in 2026": "", // the date is a word of every message
	} {
		found := w.search(recall.Request{Query: query})
		if want != "" && ids(found)[0] != want {
			t.Errorf("Search(%q) = %q, want %s first", query, ids(found), want)
		}
		if len(found.Hits) != 7 || found.Degraded != "" || found.Relaxed {
			t.Errorf("Search(%q) = %d hits, degraded %q, relaxed %v; want all 7, neither", query, len(found.Hits), found.Degraded, found.Relaxed)
		}
	}
}

// TestSemanticFillsTheLimit: there is no floor. Also a word that nothing knows
// gives as many messages as were asked for, while the filter leaves enough.
func TestSemanticFillsTheLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	for i := range 30 {
		w.say(fmt.Sprint("s", i%2), fmt.Sprintf("message number%d", i))
	}
	w.say("s0", "") // has no text to be found by
	w.embed()
	for _, query := range []string{"unheardof", "number3", "unheardof number3", "未知", "部", "🎉", "the", "C++"} {
		for limit, want := range map[int]int{1: 1, 5: 5, 15: 15, 50: 15} {
			found := w.search(recall.Request{Query: query, Limit: limit, Filter: memory.Filter{Session: "s0"}})
			if len(found.Hits) != want {
				t.Errorf("Search(%q, limit %d) = %d hits, want %d", query, limit, len(found.Hits), want)
			}
		}
	}
	for _, query := range []string{"", "  ", "?!", `""`} {
		if found := w.search(recall.Request{Query: query}); len(found.Hits) > 0 || found.Total > 0 {
			t.Errorf("Search(%q) = %q, want nothing: it asks for nothing", query, ids(found))
		}
	}
}

// TestCrowdedStore searches one small session beside a large one.
func TestCrowdedStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, -1)
	w.say("s1", "x and apples", "x and pears", "x and plums", "nothing near", "far away")
	many := make([]memory.Draft, 4500)
	for i := range many {
		many[i] = memory.Draft{Role: memory.RoleUser, Content: "x"}
	}
	many[7].Content = "scarce"
	w.record("s2", many...)
	w.embed()
	t.Run("vectors", w.manyVectors)
	t.Run("common word", w.commonWord)
}

// manyVectors are cases H05 and Q05: thousands of nearer vectors of another
// session take no place of the few in this one, and no k is too large.
func (w *world) manyVectors(t *testing.T) {
	for _, limit := range []int{3, 5} {
		found := searchWith(t, w.recall, recall.Request{Query: "x", Limit: limit, Filter: memory.Filter{Session: "s1"}})
		if len(found.Hits) != limit || found.Degraded != "" {
			t.Errorf("Search(x, limit %d) in s1 = %q, degraded %q; want %d hits", limit, ids(found), found.Degraded, limit)
		}
		if got := sorted(ids(found)[:3]); !slices.Equal(got, []string{"m1", "m2", "m3"}) {
			t.Errorf("Search(x, limit %d) in s1 = %q, want those with x first", limit, ids(found))
		}
	}
	if got := len(follow(t, w.recall, recall.Request{Query: "x", Limit: 50})); got != 1000 {
		t.Errorf("Search(x) page by page gives %d hits, want it to end at 1000", got)
	}
}

// commonWord: a word that is everywhere in the store, and so is left to the last,
// may be all that a session has of the query.
func (w *world) commonWord(t *testing.T) {
	req := recall.Request{Query: "x scarce", Match: recall.Keyword, Filter: memory.Filter{Session: "s1"}}
	found := searchWith(t, w.recall, req)
	if got, want := ids(found), []string{"m3", "m2", "m1"}; !slices.Equal(got, want) || !found.Relaxed {
		t.Errorf("Search(x scarce) in s1 = %q (relaxed %v), want %q, relaxed", got, found.Relaxed, want)
	}
	req.Filter, req.Limit = memory.Filter{}, 3
	everywhere := searchWith(t, w.recall, req)
	if got := everywhere.Hits[0].Message.Content; got != "scarce" || len(everywhere.Hits) != 3 {
		t.Errorf("Search(x scarce) everywhere = %d hits, %q first; want 3 with the rarest first", len(everywhere.Hits), got)
	}
}

func TestDegraded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.say("s1", "needle one", "hay", "needle two")
	tests := []struct {
		name     string
		embedder memory.Embedder
		prepare  func()
		want     string // a part of Degraded; "" = none
	}{
		{"no embedder", nil, nil, "no embedder is configured"},
		{"nothing indexed yet", w.embedder, nil, "no message has a vector yet"},
		{"the embedder fails", failing{w.embedder}, nil, "does not answer"},
		{"all indexed", w.embedder, w.embed, ""},
		{"partly indexed", w.embedder, func() { w.say("s1", "needle three") }, "3 of 4 passages have a vector"},
		{"no embedder for an indexed file", nil, nil, "no embedder is configured"},
		{"another model", embed.NewHashed(8), nil, "no message has a vector yet"},
		{"vector table dropped", w.embedder, w.dropVectors, "the vector index does not work"},
	}
	for _, tt := range tests { // in order: each goes on from the state of the one before
		if tt.prepare != nil {
			tt.prepare()
		}
		r := w.engine(recall.Config{Store: w.db, Embedder: tt.embedder})
		found := searchWith(t, r, recall.Request{Query: "needle", Filter: memory.Filter{Session: "s1"}})
		if tt.want == "" && found.Degraded != "" || !strings.Contains(found.Degraded, tt.want) {
			t.Errorf("%s: Degraded = %q, want %q in it", tt.name, found.Degraded, tt.want)
		}
		if got := sorted(ids(found)); len(got) < 2 || !slices.Contains(got, "m1") || !slices.Contains(got, "m3") {
			t.Errorf("%s: Search = %q, want the messages found by words in spite of it", tt.name, got)
		}
		keyword := searchWith(t, r, recall.Request{Query: "needle", Match: recall.Keyword})
		if keyword.Degraded != "" || len(keyword.Hits) < 2 {
			t.Errorf("%s: Search(keyword) = %q, degraded %q; want it untouched by vectors", tt.name, ids(keyword), keyword.Degraded)
		}
	}
}

// dropVectors removes the vector tables behind the store's back.
func (w *world) dropVectors() {
	w.tb.Helper()
	w.embed()
	raw, err := sql.Open("sqlite", w.path)
	w.must(err)
	defer raw.Close()
	var table string
	w.must(raw.QueryRow(`SELECT name FROM sqlite_schema WHERE name LIKE 'vec_message_%' AND sql LIKE '%vec0%'`).Scan(&table))
	_, err = raw.Exec(`DROP TABLE ` + table)
	w.must(err)
}

// TestSettleBeforeVectors: a search by meaning first waits for the vectors that
// are being made, one by keyword does not.
func TestSettleBeforeVectors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.say("s1", "needle")
	settled := 0
	r := w.engine(recall.Config{Store: w.db, Embedder: w.embedder, Settle: func(context.Context) {
		settled++
		w.embed()
	}})
	searchWith(t, r, recall.Request{Query: "needle", Match: recall.Keyword})
	if settled != 0 {
		t.Errorf("Settle was called %d times by a keyword search, want never", settled)
	}
	if found := searchWith(t, r, recall.Request{Query: "needle"}); settled != 1 || found.Degraded != "" {
		t.Errorf("Settle was called %d times, then Degraded = %q; want once and none", settled, found.Degraded)
	}
}

// TestSemanticByDate: the day a message was sent, in the configured zone, is
// among its words.
func TestSemanticByDate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	for i := range 20 {
		w.record("s1", memory.Draft{
			Role: memory.RoleUser, Content: "lunch with the team", ClientID: fmt.Sprint("d", i+1),
			SentAt: time.Date(2023, time.May, i+1, 12, 0, 0, 0, time.UTC),
		})
	}
	w.embed()
	found := w.search(recall.Request{Query: "Where was the lunch on 8 May 2023?"})
	if ids(found)[0] != "d8" {
		t.Errorf("Search = %q, want the message of 8 May first", ids(found))
	}
}

// TestSignals: a semantic hit says what found it.
func TestSignals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.say("s1", "needle in the hay", "hay only")
	w.embed()
	found := w.search(recall.Request{Query: "needle"})
	if got := found.Hits[0].Signals; !slices.Contains(got, "words") || !slices.Contains(got, "meaning") {
		t.Errorf("signals of the best hit = %q, want words and meaning among them", got)
	}
}
