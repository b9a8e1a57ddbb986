package recall_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/recall"
)

func TestSearchRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.say("s1", "word")
	tests := []struct {
		name string
		req  recall.Request
	}{
		{"unknown match", recall.Request{Query: "word", Match: "fuzzy"}},
		{"cursor of a read", recall.Request{Query: "word", Cursor: "eyJzIjoieCJ9"}},
		{"negative cursor", recall.Request{Query: "word", Cursor: "hits--1"}},
		{"cursor past the last page", recall.Request{Query: "word", Cursor: "hits-1001"}},
	}
	for _, tt := range tests {
		if _, err := w.recall.Search(t.Context(), tt.req); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%s: Search = %v, want ErrInvalid", tt.name, err)
		}
	}
	if _, err := recall.New(recall.Config{}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("New without a store = %v, want ErrInvalid", err)
	}
}

// TestPartsOfWords: in hot history parts come after whole words.
func TestPartsOfWords(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		messages []string
		query    string
		whole    string // ids that come first, in any order
		parts    string // ids that follow
		some     string // ids of messages with some of the words, last
	}{
		{"after whole words", []string{"redeployed it", "deploy now", "undeployable", "nothing"}, "deploy", "m2", "m1 m3", ""},
		{"none is whole", []string{"the deployment", "employment", "unemployed", "ploy"}, "ployment", "", "m1 m2", ""},
		{"only with the letters", []string{"deployed twice", "deploys", "deployment"}, "ployment", "", "m3", ""},
		{"a single letter", []string{"see n1", "n2 and x", "nothing to see", "sky"}, "n", "", "m1 m2 m3", ""},
		{"each word", []string{"deployment of databases", "deployment", "databases"}, "ploy base", "", "m1", ""},
		{"of an identifier", []string{"call getUserName()", "user"}, "username", "", "m1", ""},
		{"of a number", []string{"port 8765", "port 87"}, "876", "", "m1", ""},
		{"of a Russian word", []string{"переразвёртывание", "ничего"}, "развертыв", "", "m1", ""},
		{"beside a Chinese pair", []string{"部署 of the deployment", "a deployment", "部署"}, "ploym 部署", "", "m1", "m3"},
		{"beside a Chinese character", []string{"部署 of the deployment", "a deployment"}, "ploym 部", "", "m1", ""},
		{"beside an emoji", []string{"deployment 🎉", "a deployment"}, "ploym 🎉", "", "m1", ""},
		{"beside a name with signs", []string{"C++ deployment", "a deployment", "C deployment"}, "ploym C++", "", "m1", ""},
		{"beside a phrase", []string{"blue green deployment", "green and blue deployment"}, `ploym "blue green"`, "", "m1", "m2"},
		{"beside a quoted word", []string{"green deployment", "greenish deployment"}, `ploym "green"`, "", "m1", ""},
		{"a quoted word is whole", []string{"green", "greenish"}, `"green"`, "m1", "", ""},
		{"a quoted character", []string{"部署 deployment", "deployment"}, `ploym "部"`, "", "m1", ""},
	}
	w := newWorld(t, 0)
	for _, tt := range tests {
		drafts := make([]memory.Draft, len(tt.messages))
		for i, content := range tt.messages {
			drafts[i] = memory.Draft{Role: memory.RoleUser, Content: content, ClientID: fmt.Sprint("m", i+1)}
		}
		w.record(tt.name, drafts...)
		found := w.search(recall.Request{Query: tt.query, Match: recall.Keyword, Filter: memory.Filter{Session: tt.name}})
		got := ids(found)
		for _, stage := range []struct{ want, signal string }{{tt.whole, "words"}, {tt.parts, "part_of_word"}, {tt.some, "some_words"}} {
			want := strings.Fields(stage.want)
			n := min(len(want), len(got))
			if !slices.Equal(sorted(got[:n]), want) {
				t.Errorf("%s: Search(%q) = %q, want %q, then %q, then %q", tt.name, tt.query, ids(found), tt.whole, tt.parts, tt.some)
			}
			for _, h := range found.Hits[len(found.Hits)-len(got):][:n] {
				if !slices.Equal(h.Signals, []string{stage.signal}) {
					t.Errorf("%s: signals of %s = %q, want %q", tt.name, h.Message.ClientID, h.Signals, stage.signal)
				}
			}
			got = got[n:]
		}
		if len(got) > 0 || found.Relaxed != (tt.some != "") {
			t.Errorf("%s: Search(%q) has %q more, relaxed %v; want relaxed %v", tt.name, tt.query, got, found.Relaxed, tt.some != "")
		}
	}
}

// TestPartsInTheArchive: parts count in hot history; everywhere only when no
// message has all the words.
func TestPartsInTheArchive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 40)
	w.say("s1", "old redeployment", "an old deploy")
	w.say("s1", "new redeployment", "filler")
	if got, want := ids(w.keyword("deploy")), []string{"m2", "m3"}; !slices.Equal(got, want) {
		t.Errorf("Search(deploy) = %q, want %q: the whole word in the archive, then the part in hot history", got, want)
	}
	if got := ids(w.keyword("ployment")); !slices.Equal(sorted(got), []string{"m1", "m3"}) {
		t.Errorf("Search(ployment) = %q, want m1 and m3: no message has the whole word, so the archive counts too", got)
	}
}

// TestTiers: compaction moves messages to the archive, both are found in one
// list, each says where it is.
func TestTiers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 100)
	for i := range 10 {
		w.say("s1", fmt.Sprintf("needle number %d ..........", i))
	}
	found := w.search(recall.Request{Query: "needle", Match: recall.Keyword, Limit: 50})
	archived := map[bool]int{}
	for _, h := range found.Hits {
		archived[h.Message.Archived]++
	}
	if len(found.Hits) != 10 || found.Total != 10 || archived[true] == 0 || archived[false] == 0 {
		t.Errorf("Search = %d hits of %d, archived %v; want all 10 of 10, of both kinds", len(found.Hits), found.Total, archived)
	}
	hot := w.search(recall.Request{Query: "needle", Match: recall.Keyword, Limit: 50, Filter: memory.Filter{HotOnly: true}})
	if len(hot.Hits) != archived[false] {
		t.Errorf("Search(hot only) = %d hits, want %d", len(hot.Hits), archived[false])
	}
}

// TestRelaxed: when no message has all the words, those with some come, most
// and rarest first.
func TestRelaxed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.say("s1", "alpha common one", "common two here", "common alpha beta", "zeta zzz thing", "alpha four here", "nothing of it")
	found := w.keyword("alpha beta common zeta")
	if got, want := ids(found), []string{"m3", "m1", "m4"}; !found.Relaxed || len(got) != 5 || !slices.Equal(got[:3], want) && !slices.Equal(got[:3], []string{"m3", "m4", "m1"}) {
		t.Errorf("Search = %q (relaxed %v), want %q and the two with one common word, relaxed", got, found.Relaxed, want)
	}
	for _, h := range found.Hits {
		if !slices.Equal(h.Signals, []string{"some_words"}) {
			t.Errorf("signals of %s = %q, want some_words", h.Message.ClientID, h.Signals)
		}
	}
	if found := w.keyword("alpha common"); found.Relaxed || !slices.Equal(sorted(ids(found)), []string{"m1", "m3"}) {
		t.Errorf("Search(alpha common) = %q (relaxed %v), want those with both words", ids(found), found.Relaxed)
	}
	if found := w.keyword("What is the alpha of the zeta?"); !found.Relaxed || len(found.Hits) != 4 {
		t.Errorf("Search(question) = %q (relaxed %v), want the four with alpha or zeta", ids(found), found.Relaxed)
	}
}

func TestQuotedPhrase(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.say("s1", "the staging host is down", "the host of the staging area", "staging", "数据库备份", "备份数据库")
	tests := []struct {
		query, want string
		relaxed     bool
	}{
		{`"staging host"`, "m1", false},
		{`“staging host”`, "m1", false},
		{`staging host`, "m1 m2", false},
		{`"host of the staging" area`, "m2", false},
		{`"is down" staging`, "m1", false},
		{`"数据库备份"`, "m4", false},
		{`备份 数据库`, "m4 m5", false},
		{`"staging area" host broken`, "m1 m2 m3", true},
	}
	for _, tt := range tests {
		found := w.keyword(tt.query)
		if got := sorted(ids(found)); !slices.Equal(got, strings.Fields(tt.want)) || found.Relaxed != tt.relaxed {
			t.Errorf("Search(%s) = %q (relaxed %v), want %s (%v)", tt.query, got, found.Relaxed, tt.want, tt.relaxed)
		}
	}
}

// TestLongQuery: 10 KB of text find the message they came from, also when only
// some of their words are there.
func TestLongQuery(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "word%d 词%d ", i%700, i)
	}
	w.say("s1", b.String(), "word1 alone", "something else")
	for _, match := range []recall.Match{recall.Keyword, recall.Semantic} {
		found := w.search(recall.Request{Query: b.String(), Match: match})
		if len(found.Hits) == 0 || found.Hits[0].Message.ClientID != "m1" {
			t.Errorf("Search(%s, 10 KB) = %q, want m1 first", match, ids(found))
		}
	}
	if got := ids(w.keyword("word1 " + strings.Repeat("unknown ", 1500))); !slices.Contains(got, "m2") {
		t.Errorf("Search(12 KB of one unknown word after word1) = %q, want m2 among them", got)
	}
}

// TestPaging: every hit comes once, whatever the size of the pages and however
// it was found.
func TestPaging(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	for i := range 40 {
		text := fmt.Sprintf("filler%d %s", i, strings.Repeat("x ", i%7))
		switch {
		case i%3 == 0:
			text += "needle"
		case i%3 == 1:
			text += "needlework"
		case i%5 == 0:
			text += "haystack"
		}
		w.say("s1", text)
	}
	w.embed()
	for _, query := range []string{"needle", "needle haystack", "eedl", "filler7 needle haystack", "x"} {
		for _, match := range []recall.Match{recall.Keyword, recall.Semantic} {
			req := recall.Request{Query: query, Match: match, Limit: 50}
			want := follow(t, w.recall, req)
			if unique := slices.Compact(sorted(want)); len(unique) != len(want) {
				t.Errorf("Search(%q, %s) gives a message twice: %q", query, match, want)
			}
			if match == recall.Semantic && len(want) != 40 {
				t.Errorf("Search(%q, semantic) gives %d messages, want all 40", query, len(want))
			}
			for _, limit := range []int{1, 7, 39} {
				req.Limit = limit
				if got := follow(t, w.recall, req); !slices.Equal(got, want) {
					t.Errorf("Search(%q, %s, %d a page) = %q, want %q", query, match, limit, got, want)
				}
			}
		}
	}
}

// TestTotal: the first page already says how many hits there are.
func TestTotal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	for i := range 30 {
		w.say("s1", fmt.Sprintf("needle %d", i))
	}
	w.say("s1", "other", strings.Repeat("needle in a long text. ", 200))
	for limit := range 40 {
		found := w.search(recall.Request{Query: "needle", Match: recall.Keyword, Limit: limit})
		if found.Total != 31 {
			t.Errorf("Search(limit %d) has a total of %d, want 31", limit, found.Total)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	for i := range recall.MaxLimit + 5 {
		w.say("s1", fmt.Sprintf("needle %d", i))
	}
	for limit, want := range map[int]int{0: recall.DefaultLimit, -1: recall.DefaultLimit, 3: 3, recall.MaxLimit: recall.MaxLimit, 900: recall.MaxLimit} {
		if got := len(w.search(recall.Request{Query: "needle", Match: recall.Keyword, Limit: limit}).Hits); got != want {
			t.Errorf("Search(limit %d) = %d hits, want %d", limit, got, want)
		}
	}
}

// TestFilters: a filter is part of the search. A thousand better messages that
// do not pass take no place of the few that do.
func TestFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t, -1)
	day := func(n int) time.Time { return noon.AddDate(0, 0, n) }
	few := func(id string, d memory.Draft) {
		d.ClientID, d.Content = id, "among many other words there is also one needle "+id
		w.record("rare", d)
	}
	few("r1", memory.Draft{Role: memory.RoleTool, SentAt: day(1)})
	few("r2", memory.Draft{Role: memory.RoleUser, SentAt: day(2)})
	few("r3", memory.Draft{Role: memory.RoleUser, SentAt: day(3)})
	many := make([]memory.Draft, 1000)
	for i := range many {
		many[i] = memory.Draft{Role: memory.RoleAssistant, Content: "needle needle", SentAt: day(5).Add(time.Duration(i) * time.Second)}
	}
	w.record("common", many...)
	w.embed()
	tests := []struct {
		name   string
		filter memory.Filter
		want   string
	}{
		{"session", memory.Filter{Session: "rare"}, "r1 r2 r3"},
		{"role", memory.Filter{Role: memory.RoleUser}, "r2 r3"},
		{"until", memory.Filter{Until: day(4)}, "r1 r2 r3"},
		{"until leaves out its moment", memory.Filter{Until: day(3)}, "r1 r2"},
		{"since holds its moment", memory.Filter{Session: "rare", Since: day(2)}, "r2 r3"},
		{"since and until", memory.Filter{Since: day(2), Until: day(3)}, "r2"},
		{"role and session", memory.Filter{Session: "rare", Role: memory.RoleTool}, "r1"},
		{"nothing passes", memory.Filter{Session: "rare", Role: memory.RoleSystem}, ""},
	}
	for _, tt := range tests {
		for _, match := range []recall.Match{recall.Keyword, recall.Semantic} {
			for _, query := range []string{"needle", "eedl", "needle absent"} {
				found := w.search(recall.Request{Query: query, Match: match, Filter: tt.filter})
				if got, want := sorted(ids(found)), strings.Fields(tt.want); !slices.Equal(got, want) {
					t.Errorf("%s: Search(%q, %s) = %q, want %q", tt.name, query, match, got, want)
				}
			}
		}
	}
}

// TestScoresFallFromStageToStage: a part of a word never scores above a whole
// word, however long the message of the latter is.
func TestScoresFallFromStageToStage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.say("s1", "needle", "a needle in "+strings.Repeat("hay straw ", 500), "needlework", "needles needlework")
	found := w.keyword("needle") // the search checks that scores fall
	if got := ids(found); len(got) != 4 || got[3] != "m3" {
		t.Errorf("Search(needle) = %q, want the part of a word last", got)
	}
}

// In a query of many words those that the index knows stand as they are, and the
// one it does not know may be a part of a word.
func TestPartsInALongQuery(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.say("s", "the redeployment of our billing service failed again", "the service bill came again, all failed")
	found := searchWith(t, w.recall, recall.Request{Query: "deployment billing service failed", Match: recall.Keyword})
	if len(found.Hits) == 0 || found.Hits[0].Signals[0] != "part_of_word" || !strings.HasPrefix(found.Hits[0].Message.Content, "the redeployment") {
		t.Errorf("Search = %+v, want the redeployment first, by a part of a word", found.Hits)
	}
}
