package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A client cuts or refuses answers that are too long (case N06).
func TestSearchAnswersStaySmall(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	long := strings.Repeat("the tide tables of the harbour, ", 60) + "lighthouse " + strings.Repeat("more words that fill the page, ", 60)
	wide := strings.Repeat("港口的潮汐表每天都要更新。", 100) + " lighthouse " + strings.Repeat("燈塔的燈要換新的。", 100)
	for batch := range 10 {
		var messages []string
		for i := range 30 {
			content := long
			if i%3 == 0 {
				content = wide
			}
			messages = append(messages, message("user", fmt.Sprintf("%d-%d %s", batch, i, content), fmt.Sprintf(`"id":"client-%d-%d","sender":"Ada Lovelace"`, batch, i)))
		}
		d.add(fmt.Sprintf("session %d", batch), messages...)
	}
	for _, match := range []string{"keyword", "semantic"} {
		usual := d.must("chat_history", `{"query":"lighthouse","match":"`+match+`"}`)
		if len(usual.text) >= 8_000 {
			t.Errorf("%s: text of the usual answer has %d bytes, want under 8,000", match, len(usual.text))
		}
		if !strings.Contains(usual.text, "mode read") {
			t.Errorf("%s: the answer does not say how to get the rest: %q", match, usual.text)
		}
		if n := strings.Count(usual.text, "<- hit "); n != 8 {
			t.Errorf("%s: the text shows %d hits, want 8", match, n)
		}
		for _, limit := range []int{20, 50} {
			a := d.must("chat_history", fmt.Sprintf(`{"query":"lighthouse","match":%q,"limit":%d}`, match, limit))
			if a.size > 80_000 {
				t.Errorf("%s: answer with %d hits has %d bytes, want at most 80,000", match, limit, a.size)
			}
			if n := strings.Count(a.text, "<- hit "); n != limit {
				t.Errorf("%s: the text shows %d hits, want %d", match, n, limit)
			}
			if !strings.Contains(a.text, "call again with cursor") {
				t.Errorf("%s: the answer does not say how to get more hits", match)
			}
		}
	}
}

func TestSearchShowsLongMessagesAroundTheMatch(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("home", message("user", strings.Repeat("ballast ", 2000)+"the spare key hangs behind the clock "+strings.Repeat("ballast ", 2000)))
	a := d.must("chat_history", `{"query":"spare key","match":"keyword"}`)
	content := a.strings("segments.messages.content")
	if len(content) != 1 || !strings.Contains(content[0], "the spare key hangs behind the clock") || len(content[0]) > 1000 {
		t.Errorf("content = %.200q…, want a short stretch with the match", content)
	}
	if got := a.strings("segments.messages.size"); !slices.Equal(got, []string{"32037"}) {
		t.Errorf("size = %v, want that of the whole message", got)
	}
}

func TestSearchScopes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("home", message("user", "the heron stands in the pond", `"id":"home-1"`))
	d.add("work", message("assistant", "a heron on the roof", `"id":"work-1"`))
	for arguments, want := range map[string][]string{
		`{"query":"heron"}`:                                       {"home-1", "work-1"},
		`{"query":"heron","session_id":"work"}`:                   {"work-1"},
		`{"query":"heron","scope":"session"}`:                     {"home-1"},
		`{"query":"heron","scope":"session","session_id":"work"}`: {"work-1"},
		`{"query":"heron","scope":"all","session_id":"work"}`:     {"home-1", "work-1"},
		`{"query":"heron","role":"assistant"}`:                    {"work-1"},
		`{"query":"heron","session_id":"nowhere"}`:                {},
	} {
		got := d.must("chat_history", strings.Replace(arguments, "{", `{"match":"keyword",`, 1)).strings("hits.client_id")
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("chat_history(%s) = %v, want %v", arguments, got, want)
		}
	}
}

func TestSearchResultHasItsFields(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("home", message("user", "before"), message("user", "the heron", `"id":"h"`), message("assistant", "after"), message("user", "far away"))
	a := d.must("chat_history", `{"query":"heron","match":"keyword"}`)
	for path, want := range map[string][]string{
		"hits.client_id":            {"h"},
		"hits.session_id":           {"home"},
		"hits.tier":                 {"recent"},
		"hits.segment":              {"0"},
		"segments.messages.content": {"before", "the heron", "after"},
		"segments.messages.hit":     {"false", "true", "false"},
		"segments.messages.source":  {"mcp", "mcp", "mcp"},
		"total":                     {"1"},
	} {
		if got := a.strings(path); !slices.Equal(got, want) {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	if none := d.must("chat_history", `{"query":"zebra","match":"keyword"}`); len(none.strings("hits")) != 0 || !strings.HasPrefix(none.text, "Nothing found") {
		t.Errorf("answer without hits = %q %v, want empty lists and words for it", none.text, none.value)
	}
}

func TestSearchPages(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var messages []string
	for i := range 25 {
		messages = append(messages, message("user", fmt.Sprintf("heron number %d", i)))
	}
	d.add("home", messages...)
	seen := map[string]bool{}
	cursor := ""
	for page := 0; page == 0 || cursor != ""; page++ {
		a := d.must("chat_history", fmt.Sprintf(`{"query":"heron","match":"keyword","limit":10,"cursor":%q}`, cursor))
		for _, id := range a.strings("hits.message_id") {
			if seen[id] {
				t.Fatalf("hit %s came twice", id)
			}
			seen[id] = true
		}
		cursor = strings.Join(a.strings("next_cursor"), "")
		if page > 5 {
			t.Fatal("pages do not end")
		}
	}
	if len(seen) != 25 {
		t.Errorf("pages gave %d hits, want 25", len(seen))
	}
}

// Each hit says what found it, also one that only fills the page.
func TestHitsSayWhatFoundThem(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("home", message("user", "the harbour is closed"), message("user", "nothing of the kind"))
	for match, want := range map[string][]string{"keyword": {"words"}, "semantic": {"words", "meaning"}} {
		got := d.must("chat_history", `{"query":"harbour","match":"`+match+`"}`).strings("hits.signals")
		for _, signal := range want {
			if !slices.Contains(got, signal) {
				t.Errorf("%s: signals = %q, want %s among them", match, got, signal)
			}
		}
		if len(got) == 0 || slices.Contains(got, "") {
			t.Errorf("%s: signals = %q, want some for each hit", match, got)
		}
	}
}
