package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
)

var summarising = theme{
	"reads what arrived after":             readsArrivals,
	"reads no more than asked":             limitsArrivals,
	"saves summary and cursor together":    savesSummary,
	"saves one of two":                     savesOneOfTwo,
	"an equal summary is no new version":   keepsEqualVersion,
	"keeps an empty local summary":         keepsEmptyLocalSummary,
	"keeps the last versions":              keepsLastVersions,
	"sessions that are due":                listsDue,
	"a failed session waits":               putsOffFailed,
	"a summary from elsewhere":             importsSummary,
	"a draft is apart until it is whole":   keepsDraftApart,
	"a draft goes on from where it stands": continuesDraft,
	"nothing without its session":          summarisesKnownOnly,
}

func decided(list ...string) memory.Summary {
	return memory.Summary{KeyDecisions: list, PastDiscussions: []memory.PastDiscussion{}, CurrentDiscussion: memory.CurrentDiscussion{Topic: "部署 \"now\""}}
}

func summaryState(t *testing.T, s Store, session string) memory.SummaryState {
	t.Helper()
	st, err := s.SummaryState(t.Context(), session)
	if err != nil {
		t.Fatalf("SummaryState(%s): %v", session, err)
	}
	return st
}

// summarise saves a summary over the state that the session is in.
func summarise(t *testing.T, s Store, session string, sum memory.Summary, cursor int64) memory.SummaryVersion {
	t.Helper()
	v, err := s.SaveSummary(t.Context(), session, summaryState(t, s, session).Mark, sum, "m", memory.SummaryCursor{Seq: cursor})
	if err != nil {
		t.Fatalf("SaveSummary(%s): %v", session, err)
	}
	return v
}

func due(t *testing.T, s Store, now time.Time, relearn bool) []string {
	t.Helper()
	list, err := s.DueSummaries(t.Context(), now, relearn)
	if err != nil {
		t.Fatalf("DueSummaries(): %v", err)
	}
	return list
}

func arrivals(t *testing.T, s Store, after, upTo int64, n, maxBytes int) []string {
	t.Helper()
	list, err := s.MessagesAfter(t.Context(), "s", after, upTo, n, maxBytes)
	if err != nil {
		t.Fatalf("MessagesAfter(%d, %d): %v", after, upTo, err)
	}
	return contents(list)
}

func readsArrivals(t *testing.T, s Store) {
	add(t, s, "other", said("not this", at(1)))
	add(t, s, "s", said("late", at(90)), said("early", at(1)))
	add(t, s, "s", said("same second", at(1)), of(memory.RoleTool, said("result", at(2))))
	archive(t, s, "s", memory.Position{SentAt: at(50).UnixNano()})
	if got, want := arrivals(t, s, 0, math.MaxInt64, 10, all), []string{"late", "early", "same second", "result"}; !slices.Equal(got, want) {
		t.Errorf("MessagesAfter(0) = %q, want all in order of arrival, the archive too, %q", got, want)
	}
	if got, want := arrivals(t, s, 1, 3, 10, all), []string{"early", "same second"}; !slices.Equal(got, want) {
		t.Errorf("MessagesAfter(1, up to 3) = %q, want %q", got, want)
	}
	if got := arrivals(t, s, 4, math.MaxInt64, 10, all); len(got) != 0 {
		t.Errorf("MessagesAfter(the last) = %q, want none", got)
	}
	if st := summaryState(t, s, "s"); st.LastSeq != 4 || st.Mark != (memory.SummaryMark{}) || st.Current.Version != 0 {
		t.Errorf("SummaryState() = %+v, want nothing summarised of 4 messages", st)
	}
}

func limitsArrivals(t *testing.T, s Store) {
	long := strings.Repeat("長", 2000)
	add(t, s, "s", said(long, at(1)), said(long, at(2)), said("short", at(3)))
	for _, c := range []struct{ n, maxBytes, want int }{{10, 1, 1}, {10, 6000, 2}, {10, all, 3}, {2, all, 2}} {
		got := arrivals(t, s, 0, math.MaxInt64, c.n, c.maxBytes)
		if len(got) != c.want || got[0] != long {
			t.Errorf("MessagesAfter(n %d, bytes %d) = %d messages, want %d, whole", c.n, c.maxBytes, len(got), c.want)
		}
	}
}

func savesSummary(t *testing.T, s Store) {
	add(t, s, "s", numbered(5, 0, "message %d")...)
	cursor := memory.SummaryCursor{Seq: 3, Part: 4, Offset: 2}
	v, err := s.SaveSummary(t.Context(), "s", memory.SummaryMark{}, decided("Do: a"), "gpt", cursor)
	if err != nil || v.Version != 1 || v.Cursor != 3 || v.Model != "gpt" || v.Session != "s" || time.Since(v.SavedAt) > time.Minute {
		t.Fatalf("SaveSummary() = %+v, %v, want version 1 at 3", v, err)
	}
	st := summaryState(t, s, "s")
	if st.Mark != (memory.SummaryMark{Version: 1, Cursor: cursor}) || fmt.Sprint(st.Current) != fmt.Sprint(v) {
		t.Errorf("SummaryState() = %+v, want what was saved, %+v", st, v)
	}
	if v := summarise(t, s, "s", memory.Summary{}, 5); v.Version != 2 {
		t.Errorf("SaveSummary(empty, after another) = version %d, want 2", v.Version)
	}
}

func savesOneOfTwo(t *testing.T, s Store) {
	add(t, s, "s", numbered(5, 0, "message %d")...)
	mark := memory.SummaryMark{}
	if _, err := s.SaveSummary(t.Context(), "s", mark, decided("Do: a"), "m", memory.SummaryCursor{Seq: 3}); err != nil {
		t.Fatalf("SaveSummary(): %v", err)
	}
	for name, mark := range map[string]memory.SummaryMark{
		"before":             mark,
		"another cursor":     {Version: 1, Cursor: memory.SummaryCursor{Seq: 2}},
		"another part":       {Version: 1, Cursor: memory.SummaryCursor{Seq: 3, Part: 4, Offset: 1}},
		"another version":    {Version: 2, Cursor: memory.SummaryCursor{Seq: 3}},
		"another generation": {Generation: 1, Version: 1, Cursor: memory.SummaryCursor{Seq: 3}},
	} {
		if _, err := s.SaveSummary(t.Context(), "s", mark, decided("Do: b"), "m", memory.SummaryCursor{Seq: 5}); !errors.Is(err, memory.ErrConflict) {
			t.Errorf("SaveSummary(over the state of %s) = %v, want ErrConflict", name, err)
		}
	}
	if st := summaryState(t, s, "s"); st.Mark.Cursor.Seq != 3 || st.Current.Summary.KeyDecisions[0] != "Do: a" {
		t.Errorf("SummaryState() after refused saves = %+v, want the first one", st)
	}
}

func keepsEqualVersion(t *testing.T, s Store) {
	add(t, s, "s", numbered(5, 0, "message %d")...)
	if v := summarise(t, s, "s", memory.Summary{}, 1); v.Version != 0 {
		t.Errorf("SaveSummary(empty, the first) = version %d, want none", v.Version)
	}
	first := summarise(t, s, "s", decided("Do: a"), 2)
	again := summarise(t, s, "s", decided("Do: a"), 4)
	if again.Version != first.Version || again.Cursor != 4 || !again.SavedAt.Equal(first.SavedAt) {
		t.Errorf("SaveSummary(equal) = %+v, want version %d with the cursor moved", again, first.Version)
	}
	if st := summaryState(t, s, "s"); st.Mark.Cursor.Seq != 4 || st.Current.Cursor != 4 {
		t.Errorf("SummaryState() = %+v, want the cursor at 4", st)
	}
}

// An empty summary that no model wrote is kept, so that a model has its turn.
func keepsEmptyLocalSummary(t *testing.T, s Store) {
	add(t, s, "s", numbered(2, 0, "message %d")...)
	st := summaryState(t, s, "s")
	v, err := s.SaveSummary(t.Context(), "s", st.Mark, memory.Summary{}, memory.LocalModel, memory.SummaryCursor{Seq: 2})
	if err != nil || v.Version != 1 {
		t.Errorf("SaveSummary(empty, local) = %+v, %v, want version 1", v, err)
	}
	for relearn, want := range map[bool]int{false: 0, true: 1} {
		if due, err := s.DueSummaries(t.Context(), time.Now(), relearn); err != nil || len(due) != want {
			t.Errorf("DueSummaries(relearn %v) = %q, %v, want %d", relearn, due, err, want)
		}
	}
}

func keepsLastVersions(t *testing.T, s Store) {
	add(t, s, "s", numbered(30, 0, "message %d")...)
	add(t, s, "t", said("other", at(1)))
	summarise(t, s, "t", decided("Do: other"), 1)
	for i := range 13 {
		summarise(t, s, "s", decided(fmt.Sprintf("Do: %d", i)), int64(i+1))
	}
	list, err := s.SummaryVersions(t.Context(), "s")
	if err != nil || len(list) != memory.KeptSummaries {
		t.Fatalf("SummaryVersions() = %d versions, %v, want %d", len(list), err, memory.KeptSummaries)
	}
	for i, v := range list {
		if v.Version != int64(13-i) || v.Cursor != v.Version || v.Summary.KeyDecisions[0] != fmt.Sprintf("Do: %d", v.Version-1) {
			t.Errorf("SummaryVersions()[%d] = %+v, want version %d", i, v, 13-i)
		}
	}
	if list, err := s.SummaryVersions(t.Context(), "t"); err != nil || len(list) != 1 {
		t.Errorf("SummaryVersions(another session) = %d, %v, want its own one", len(list), err)
	}
}

func listsDue(t *testing.T, s Store) {
	for _, name := range []string{"b", "temp-x", "a", "temporary", "Temp-y"} {
		add(t, s, name, numbered(2, 0, "message %d")...)
	}
	if got, want := due(t, s, at(0), false), []string{"b", "a", "temporary", "Temp-y"}; !slices.Equal(got, want) {
		t.Errorf("DueSummaries() = %q, want %q", got, want)
	}
	summarise(t, s, "a", decided("Do: a"), 2)
	summarise(t, s, "b", decided("Do: b"), 1)
	mark := summaryState(t, s, "temporary").Mark
	if _, err := s.SaveSummary(t.Context(), "temporary", mark, decided("Do: t"), memory.LocalModel, memory.SummaryCursor{Seq: 2}); err != nil {
		t.Fatalf("SaveSummary(): %v", err)
	}
	if got, want := due(t, s, at(0), false), []string{"b", "Temp-y"}; !slices.Equal(got, want) {
		t.Errorf("DueSummaries() after two summaries = %q, want %q", got, want)
	}
	if got, want := due(t, s, at(0), true), []string{"b", "temporary", "Temp-y"}; !slices.Equal(got, want) {
		t.Errorf("DueSummaries(relearn) = %q, want the local one too, %q", got, want)
	}
	add(t, s, "a", said("one more", at(-900)))
	if got, want := due(t, s, at(0), false), []string{"b", "a", "Temp-y"}; !slices.Equal(got, want) {
		t.Errorf("DueSummaries() after a message from long ago = %q, want %q", got, want)
	}
}

func putsOffFailed(t *testing.T, s Store) {
	add(t, s, "s", numbered(2, 0, "message %d")...)
	fail := func(generation int64, until time.Time) {
		t.Helper()
		if err := s.FailSummary(t.Context(), "s", generation, until, "no JSON"); err != nil {
			t.Fatalf("FailSummary(): %v", err)
		}
	}
	fail(7, at(50)) // of a session that was reset since
	if st := summaryState(t, s, "s"); st.Failures != 0 {
		t.Errorf("a failure of another generation counts: %+v", st)
	}
	fail(0, at(5))
	fail(0, at(9))
	if st := summaryState(t, s, "s"); st.Failures != 2 || !st.NotBefore.Equal(at(9)) {
		t.Errorf("SummaryState() after two failures = %+v, want 2 until second 9", st)
	}
	if got := due(t, s, at(8), false); len(got) != 0 {
		t.Errorf("DueSummaries(before the time) = %q, want none", got)
	}
	if got := due(t, s, at(9), false); len(got) != 1 {
		t.Errorf("DueSummaries(at the time) = %q, want the session", got)
	}
	list, err := s.SummaryFailures(t.Context())
	want := memory.SummaryFailure{Session: "s", Failures: 2, NotBefore: at(9), Reason: "no JSON"}
	if err != nil || len(list) != 1 || list[0] != want {
		t.Errorf("SummaryFailures() = %+v, %v, want %+v", list, err, want)
	}
	summarise(t, s, "s", decided("Do: a"), 1)
	if list, err := s.SummaryFailures(t.Context()); err != nil || len(list) != 0 || len(due(t, s, at(0), false)) != 1 {
		t.Errorf("SummaryFailures() after a success = %+v, %v, want none, and the session due", list, err)
	}
}

func importsSummary(t *testing.T, s Store) {
	for _, want := range []bool{true, false} {
		if got, err := s.ImportSummary(t.Context(), "new", decided("Do: imported"), "agenvoy"); err != nil || got != want {
			t.Errorf("ImportSummary() = %v, %v, want %v", got, err, want)
		}
	}
	add(t, s, "new", numbered(3, 0, "message %d")...)
	st := summaryState(t, s, "new")
	if st.Mark.Version != 1 || st.Mark.Cursor != (memory.SummaryCursor{}) || st.LastSeq != 3 || st.Current.Model != "agenvoy" {
		t.Errorf("SummaryState() = %+v, want version 1 without a cursor", st)
	}
	if got := due(t, s, at(0), false); len(got) != 1 {
		t.Errorf("DueSummaries() = %q, want the session", got)
	}
}

func draft(cursor int64, messages int, list ...string) memory.SummaryDraft {
	return memory.SummaryDraft{Summary: decided(list...), Model: "m", Cursor: memory.SummaryCursor{Seq: cursor}, Messages: messages}
}

func keepsDraftApart(t *testing.T, s Store) {
	ctx := t.Context()
	add(t, s, "s", numbered(5, 0, "message %d")...)
	old := summarise(t, s, "s", decided("Do: old"), 5)
	if _, err := s.PublishSummaryDraft(ctx, "s", summaryState(t, s, "s").Mark); !errors.Is(err, memory.ErrConflict) {
		t.Errorf("PublishSummaryDraft(without one) = %v, want ErrConflict", err)
	}
	if err := s.SaveSummaryDraft(ctx, "s", 0, memory.SummaryCursor{}, draft(4, 4, "Do: new")); err != nil {
		t.Fatalf("SaveSummaryDraft(): %v", err)
	}
	st := summaryState(t, s, "s")
	if st.Current.Version != old.Version || st.Draft == nil || fmt.Sprint(*st.Draft) != fmt.Sprint(draft(4, 4, "Do: new")) {
		t.Errorf("SummaryState() with a draft = %+v, want it beside version %d", st, old.Version)
	}
	stale := st.Mark
	stale.Cursor.Seq = 2
	if _, err := s.PublishSummaryDraft(ctx, "s", stale); !errors.Is(err, memory.ErrConflict) {
		t.Errorf("PublishSummaryDraft(over another state) = %v, want ErrConflict", err)
	}
	v, err := s.PublishSummaryDraft(ctx, "s", st.Mark)
	if err != nil || v.Version != old.Version+1 || v.Cursor != 4 || v.Summary.KeyDecisions[0] != "Do: new" {
		t.Errorf("PublishSummaryDraft() = %+v, %v, want the draft as the next version", v, err)
	}
	if st := summaryState(t, s, "s"); st.Draft != nil || st.Mark.Cursor.Seq != 4 {
		t.Errorf("SummaryState() after publishing = %+v, want no draft and the cursor at 4", st)
	}
}

func continuesDraft(t *testing.T, s Store) {
	ctx := t.Context()
	add(t, s, "s", numbered(9, 0, "message %d")...)
	save := func(generation, from int64, d memory.SummaryDraft) error {
		return s.SaveSummaryDraft(ctx, "s", generation, memory.SummaryCursor{Seq: from}, d)
	}
	if err := save(0, 3, draft(5, 5, "Do: a")); !errors.Is(err, memory.ErrConflict) {
		t.Errorf("SaveSummaryDraft(from 3, without a draft) = %v, want ErrConflict", err)
	}
	if err := save(1, 0, draft(3, 3, "Do: a")); !errors.Is(err, memory.ErrConflict) {
		t.Errorf("SaveSummaryDraft(another generation) = %v, want ErrConflict", err)
	}
	for _, step := range []struct{ from, to int64 }{{0, 3}, {3, 6}, {0, 2}, {2, 9}} {
		if err := save(0, step.from, draft(step.to, int(step.to), "Do: a")); err != nil {
			t.Errorf("SaveSummaryDraft(%d to %d): %v", step.from, step.to, err)
		}
	}
	if err := save(0, 2, draft(9, 9, "Do: twice")); !errors.Is(err, memory.ErrConflict) {
		t.Errorf("SaveSummaryDraft(from where it was) = %v, want ErrConflict", err)
	}
	if st := summaryState(t, s, "s"); st.Draft == nil || st.Draft.Messages != 9 {
		t.Errorf("SummaryState() = %+v, want a draft of 9 messages", st)
	}
}

func summarisesKnownOnly(t *testing.T, s Store) {
	ctx := t.Context()
	if _, err := s.SummaryState(ctx, "none"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("SummaryState(unknown) = %v, want ErrNotFound", err)
	}
	for name, call := range map[string]func(context.Context) error{
		"SaveSummary": func(ctx context.Context) error {
			_, err := s.SaveSummary(ctx, "none", memory.SummaryMark{}, decided("Do: a"), "m", memory.SummaryCursor{Seq: 1})
			return err
		},
		"SaveSummaryDraft": func(ctx context.Context) error {
			return s.SaveSummaryDraft(ctx, "none", 0, memory.SummaryCursor{}, draft(1, 1, "Do: a"))
		},
		"PublishSummaryDraft": func(ctx context.Context) error {
			_, err := s.PublishSummaryDraft(ctx, "none", memory.SummaryMark{})
			return err
		},
	} {
		if err := call(ctx); !errors.Is(err, memory.ErrConflict) {
			t.Errorf("%s(unknown) = %v, want ErrConflict", name, err)
		}
	}
	if err := s.FailSummary(ctx, "none", 0, at(1), "x"); err != nil {
		t.Errorf("FailSummary(unknown): %v", err)
	}
	if list, err := s.SummaryFailures(ctx); err != nil || len(list) != 0 {
		t.Errorf("SummaryFailures() = %+v, %v, want none", list, err)
	}
}
