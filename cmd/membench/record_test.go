package main

import (
	"fmt"
	"strings"
	"testing"
)

// numbers is a corpus of n messages in two sessions.
func numbers(n int) *corpus {
	c := &corpus{Dataset: "numbers"}
	for i := range n {
		c.Docs = append(c.Docs, doc{ID: fmt.Sprint(i), Session: sessionID(fmt.Sprint(i % 2)), Text: fmt.Sprintf("number %d", i)})
	}
	return c
}

// TestRecord looks whether the vectors are there afterwards: the fake makes
// them when it is asked often enough.
func TestRecord(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		trickle  bool
		messages int
		waited   bool
	}{
		{false, trickleStep, false},
		{true, trickleStep, true},
		{true, trickleStep + 1, false},
		{true, 2 * trickleStep, true},
	} {
		s := fakeServer(t)
		how := setting{Trickle: tc.trickle}
		if err := how.record(t.Context(), s, numbers(tc.messages), waiting{timeout: quickly.timeout, poll: quickly.poll, settle: indexTimeout}); err != nil {
			t.Fatalf("record(%d, trickle %t) = %v", tc.messages, tc.trickle, err)
		}
		found, err := s.search(t.Context(), question{Query: "number", Match: "semantic", Limit: largestK})
		if err != nil || len(found.clientIDs) != tc.messages || (found.degraded == "") != tc.waited {
			t.Errorf("search() after record(%d, trickle %t) = %d hits, degraded %q, %v, want all, vectors there: %t",
				tc.messages, tc.trickle, len(found.clientIDs), found.degraded, err, tc.waited)
		}
	}
}

func TestRecordFails(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		trickle bool
		text    string
		want    string
	}{
		{false, textUnstored, "stored 9 of 10 messages"},
		{true, textUnstored, "stored 0 of 1 messages"},
		{true, textUnready, "vectors are missing"},
	} {
		c := numbers(trickleStep)
		c.Docs[2].Text = tc.text
		how := setting{Trickle: tc.trickle}
		err := how.record(t.Context(), fakeServer(t), c, quickly)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("record(%q, trickle %t) = %v, want an error with %q", tc.text, tc.trickle, err, tc.want)
		}
	}
}

func TestLoadNameless(t *testing.T) {
	t.Parallel()
	for _, nameless := range []bool{false, true} {
		command := retrievalCommand{Files: []string{corpusFile(t, colours)}, Half: "all", setting: setting{Nameless: nameless}}
		corpora, skipped, err := command.load()
		if err != nil || len(corpora) != 1 || skipped != 1 || len(corpora[0].Queries) != 3 {
			t.Fatalf("load() = %+v, %d, %v, want one corpus, one question without gold", corpora, skipped, err)
		}
		batches, err := corpora[0].batches(batchSize)
		if err != nil {
			t.Fatalf("batches() = %v", err)
		}
		for _, b := range batches {
			for _, m := range b.messages {
				if (m.Sender == "") != nameless || m.Role != "user" {
					t.Errorf("message %+v with nameless %t, want role user, a sender unless nameless", m, nameless)
				}
			}
		}
	}
}
