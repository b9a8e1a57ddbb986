package storetest

import (
	"errors"
	"slices"
	"testing"

	"mcp-memory/memory"
)

var resetting = theme{
	"the messages go, the summary stays":      resetsSummary,
	"everything goes":                         resetsAll,
	"the session goes":                        resetsRemove,
	"its parts of daily notes are forgotten":  resetsSections,
	"single messages go":                      resetsMessages,
	"nothing goes with an unknown message":    resetsKnownMessages,
	"refuses an unknown session":              resetsKnownSession,
	"only when the summary has everything":    resetsSummarised,
	"other sessions stay":                     resetsOneSession,
	"words and senders go with the last":      resetsWords,
	"vectors and their queue go":              resetsVectors,
	"what a learnt model was taught goes":     resetsLearntWords,
	"an append in flight brings nothing back": resetsBeforeAppend,
	"a summary in flight brings nothing back": resetsBeforeSummary,
	"no number is given again":                resetsNoNumbers,
	"work on the session goes":                resetsWork,
	"a wipe is left to do":                    resetsLeaveWipe,
	"a compaction before it is forgotten":     resetsDropped,
	"counts the messages":                     countsMessages,
}

func reset(t *testing.T, s Store, session string, mode memory.ResetMode, messages ...int64) int {
	t.Helper()
	n, err := s.Reset(t.Context(), session, memory.Reset{Mode: mode, Messages: messages})
	if err != nil {
		t.Fatalf("Reset(%s, %s): %v", session, mode, err)
	}
	return n
}

// wipe expects that nobody is in the way.
func wipe(t *testing.T, s Store) {
	t.Helper()
	if wiped, err := s.Wipe(t.Context()); err != nil || !wiped {
		t.Errorf("Wipe() = %v, %v, want true", wiped, err)
	}
}

// wantEmpty checks that nothing of session s is to be found.
func wantEmpty(t *testing.T, s Store) {
	t.Helper()
	if got := transcript(t, s, "s"); len(got) != 0 {
		t.Errorf("the session still has %q", contents(got))
	}
	if got := match(t, s, memory.TextQuery{Any: tokens("lantern message")}, memory.Filter{}, 10); len(got) != 0 {
		t.Errorf("Match() still finds %q", got)
	}
	list, err := s.Sessions(t.Context(), nil, 10)
	if err != nil || len(list) != 0 {
		t.Errorf("Sessions() = %+v, %v, want none with messages", list, err)
	}
	if n, err := s.Documents(t.Context()); err != nil || n != 0 {
		t.Errorf("Documents() = %d, %v, want 0", n, err)
	}
}

// A session that is made later under the name of a removed one counts from 1 again:
// its sections are others.
func resetsSections(t *testing.T, s Store) {
	add(t, s, "s", numbered(3, 0, "message %d")...)
	section := memory.DailySection{Day: "2026-03-01", Session: "s", From: 1, To: 3}
	if err := s.AddDailySection(t.Context(), section); err != nil {
		t.Fatalf("AddDailySection() = %v", err)
	}
	for _, c := range []struct {
		mode memory.ResetMode
		want bool
	}{{memory.ResetAll, true}, {memory.ResetRemove, false}} {
		if _, err := s.Reset(t.Context(), "s", memory.Reset{Mode: c.mode}); err != nil {
			t.Fatalf("Reset(%s) = %v", c.mode, err)
		}
		if has, err := s.HasDailySection(t.Context(), section); err != nil || has != c.want {
			t.Errorf("HasDailySection() after reset %s = %v, %v, want %v", c.mode, has, err, c.want)
		}
	}
}

func resetsSummary(t *testing.T, s Store) {
	add(t, s, "s", numbered(5, 0, "message %d")...)
	archive(t, s, "s", memory.Position{SentAt: at(3).UnixNano()})
	kept := summarise(t, s, "s", decided("Do: a"), 5)
	before := summaryState(t, s, "s")
	if n := reset(t, s, "s", memory.ResetSummary); n != 5 {
		t.Errorf("Reset(summary) = %d, want 5", n)
	}
	wantEmpty(t, s)
	st := summaryState(t, s, "s")
	if st.Mark.Generation <= before.Mark.Generation || st.Current.Version != kept.Version || st.Base.KeyDecisions[0] != "Do: a" || st.LastSeq != 5 {
		t.Errorf("SummaryState() = %+v, want the summary kept, as the base too, in a new generation", st)
	}
	if done := add(t, s, "s", said("an older message", at(1))); done.HotBytes != 16 {
		t.Errorf("Append() = %+v, want it hot: the cut-off is gone", done)
	}
	if st := summaryState(t, s, "s"); st.LastSeq != 6 || st.Mark.Cursor.Seq != 5 {
		t.Errorf("SummaryState() = %+v, want message 6 after the cursor 5", st)
	}
}

func resetsAll(t *testing.T, s Store) {
	add(t, s, "s", numbered(5, 0, "message %d")...)
	for _, d := range []string{"Do: a", "Do: b", "Do: c"} {
		summarise(t, s, "s", decided(d), 5)
	}
	if err := s.SaveSummaryDraft(t.Context(), "s", summaryState(t, s, "s").Mark.Generation, memory.SummaryCursor{}, memory.SummaryDraft{Summary: decided("Do: d")}); err != nil {
		t.Fatalf("SaveSummaryDraft(): %v", err)
	}
	if n := reset(t, s, "s", memory.ResetAll); n != 5 {
		t.Errorf("Reset(all) = %d, want 5", n)
	}
	wantEmpty(t, s)
	list, err := s.SummaryVersions(t.Context(), "s")
	st := summaryState(t, s, "s")
	if err != nil || len(list) != 0 || st.Current.Version != 0 || !st.Base.Empty() || st.Draft != nil {
		t.Errorf("SummaryState() = %+v with %d versions, %v, want nothing", st, len(list), err)
	}
	add(t, s, "s", said("new", at(9)))
	if v := summarise(t, s, "s", decided("Do: e"), 6); v.Version != 4 {
		t.Errorf("SaveSummary() after Reset(all) = version %d, want 4: no number comes again", v.Version)
	}
}

func resetsRemove(t *testing.T, s Store) {
	add(t, s, "s", numbered(5, 0, "message %d")...)
	summarise(t, s, "s", decided("Do: a"), 5)
	if n := reset(t, s, "s", memory.ResetRemove); n != 5 {
		t.Errorf("Reset(remove) = %d, want 5", n)
	}
	wantEmpty(t, s)
	if _, err := s.SummaryState(t.Context(), "s"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("SummaryState() = %v, want ErrNotFound", err)
	}
	if m := mark(t, s, "s"); m != "" {
		t.Errorf("Mark() = %q, want that of no session", m)
	}
	if _, err := s.Reset(t.Context(), "s", memory.Reset{Mode: memory.ResetRemove}); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Reset(again) = %v, want ErrNotFound", err)
	}
}

func resetsMessages(t *testing.T, s Store) {
	add(t, s, "s", said("the first lantern", at(1)), said("the second lantern", at(5)), said("the third lantern", at(3)), said("the last lantern", at(9)))
	archive(t, s, "s", memory.Position{SentAt: at(2).UnixNano()})
	drop(t, s, "s", false, "the third lantern")
	summarise(t, s, "s", decided("Do: a"), 4)
	list := transcript(t, s, "s")
	if n := reset(t, s, "s", memory.ResetMessages, list[0].ID, list[3].ID); n != 2 {
		t.Errorf("Reset(messages) = %d, want 2", n)
	}
	if got, want := contents(transcript(t, s, "s")), []string{"the third lantern", "the second lantern"}; !slices.Equal(got, want) {
		t.Errorf("left are %q, want %q", got, want)
	}
	wantHot(t, s, "after Reset", "the second lantern")
	sessions, err := s.Sessions(t.Context(), nil, 10)
	if err != nil || len(sessions) != 1 || sessions[0].Messages != 2 || sessions[0].Title != "the second lantern" || !sessions[0].FirstAt.Equal(at(3)) || !sessions[0].LastAt.Equal(at(5)) {
		t.Errorf("Sessions() = %+v, %v, want 2 messages from 3 to 5, named after the first that is left", sessions, err)
	}
	if st := summaryState(t, s, "s"); st.Current.Version != 1 {
		t.Errorf("SummaryState() = %+v, want the summary kept", st)
	}
	if done := add(t, s, "s", said("x", at(20))); done.HotBytes != int64(len("the second lanternx")) {
		t.Errorf("Append() = %+v, want what is hot counted", done)
	}
}

func resetsKnownMessages(t *testing.T, s Store) {
	add(t, s, "s", said("a", at(1)), said("b", at(2)))
	add(t, s, "other", said("c", at(1)))
	id, foreign := transcript(t, s, "s")[0].ID, transcript(t, s, "other")[0].ID
	for _, list := range [][]int64{{id, 99}, {foreign}, {id, foreign}} {
		_, err := s.Reset(t.Context(), "s", memory.Reset{Mode: memory.ResetMessages, Messages: list})
		if !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("Reset(messages %d) = %v, want ErrNotFound", list, err)
		}
	}
	if n, err := s.Deletions(t.Context()); err != nil || n != 0 {
		t.Errorf("Deletions() = %d, %v, want none", n, err)
	}
}

func resetsKnownSession(t *testing.T, s Store) {
	for _, mode := range []memory.ResetMode{memory.ResetSummary, memory.ResetAll, memory.ResetRemove, memory.ResetMessages} {
		if _, err := s.Reset(t.Context(), "nobody", memory.Reset{Mode: mode}); !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("Reset(unknown session, %s) = %v, want ErrNotFound", mode, err)
		}
	}
}

func resetsSummarised(t *testing.T, s Store) {
	add(t, s, "s", numbered(3, 0, "message %d")...)
	r := memory.Reset{Mode: memory.ResetSummary, Summarised: true}
	for _, upTo := range []int64{0, 2} {
		if upTo > 0 {
			summarise(t, s, "s", decided("Do: a"), upTo)
		}
		if _, err := s.Reset(t.Context(), "s", r); !errors.Is(err, memory.ErrConflict) {
			t.Errorf("Reset(summarised up to %d of 3) = %v, want ErrConflict", upTo, err)
		}
	}
	if got := len(transcript(t, s, "s")); got != 3 {
		t.Errorf("%d messages are left, want all", got)
	}
	summarise(t, s, "s", decided("Do: b"), 3)
	if n, err := s.Reset(t.Context(), "s", r); err != nil || n != 3 {
		t.Errorf("Reset(summarised) = %d, %v, want 3", n, err)
	}
}

func resetsOneSession(t *testing.T, s Store) {
	add(t, s, "s", numbered(10, 0, "message %d")...)
	add(t, s, "other", numbered(5, 0, "message %d")...)
	summarise(t, s, "other", decided("Do: a"), 5)
	embed(t, s, spoken)
	reset(t, s, "s", memory.ResetAll)
	for _, f := range []memory.Filter{{}, {Session: "other"}} {
		if got := match(t, s, memory.TextQuery{All: tokens("message")}, f, 10); len(got) != 5 {
			t.Errorf("Match(message, %+v) = %q, want the five of the other session", f, got)
		}
	}
	if st := summaryState(t, s, "other"); st.Current.Version != 1 {
		t.Errorf("SummaryState(other) = %+v, want it untouched", st)
	}
	f, err := s.Frequencies(t.Context(), tokens("message"))
	if err != nil || f.Documents != 5 || f.MeanTerms <= 0 {
		t.Errorf("Frequencies() = %+v, %v, want 5 documents", f, err)
	}
}

func resetsWords(t *testing.T, s Store) {
	add(t, s, "s", by("Ann", said("lanterns glowing", at(1))), by("Bob", said("running quietly", at(2))))
	add(t, s, "other", by("Bob", said("lantern runs", at(1))), by("Bob", said("they were running", at(2))))
	reset(t, s, "s", memory.ResetRemove)
	wipe(t, s)
	words, err := s.Words(t.Context(), "", 20)
	var got []string
	for _, w := range words {
		got = append(got, w.Text)
	}
	if want := []string{"lantern", "runs", "they", "were", "running"}; err != nil || !sameSet(got, want) {
		t.Errorf("Words() = %q, %v, want those of the other session, %q", got, err, want)
	}
	if senders, err := s.Senders(t.Context()); err != nil || !slices.Equal(senders, []string{"Bob"}) {
		t.Errorf("Senders() = %q, %v, want Bob", senders, err)
	}
}

func resetsVectors(t *testing.T, s Store) {
	add(t, s, "s", said("one", at(1)), said(long(3), at(2)), said("two", at(3)))
	add(t, s, "other", said("three", at(1)), said("four", at(2)))
	embedSome(t, s, "one", "three")
	reset(t, s, "s", memory.ResetAll)
	if got := nearest(t, s, plane, []float32{1, 0}, memory.Filter{}, 10); !slices.Equal(got, []string{"three"}) {
		t.Errorf("Nearest() = %q, want that of the other session", got)
	}
	if got := pendingTexts(waiting(t, s)); !slices.Equal(got, []string{"four"}) {
		t.Errorf("waiting = %q, want that of the other session", got)
	}
	wantProgress(t, s, plane, memory.Progress{Indexed: 1, Waiting: 1})
}

func resetsLearntWords(t *testing.T, s Store) {
	add(t, s, "s", said("one", at(1)))
	use(t, s, plane)
	addWords(t, s, plane, learntWord(9, "ab"))
	reset(t, s, "s", memory.ResetAll)
	wantWords(t, s, plane, 0)
	if n, err := s.Deletions(t.Context()); err != nil || n != 1 {
		t.Errorf("Deletions() = %d, %v, want 1: a model is due", n, err)
	}
}

func resetsBeforeAppend(t *testing.T, s Store) {
	for _, mode := range []memory.ResetMode{memory.ResetSummary, memory.ResetAll, memory.ResetRemove} {
		add(t, s, "s", said("a", at(1)))
		before, err := s.Generation(t.Context(), "s")
		if err != nil || before == memory.NoGeneration {
			t.Fatalf("Generation() = %d, %v, want one", before, err)
		}
		reset(t, s, "s", mode)
		if _, err := s.AppendSince(t.Context(), "s", before, []memory.Entry{said("b", at(2))}); !errors.Is(err, memory.ErrConflict) {
			t.Errorf("AppendSince(before Reset(%s)) = %v, want ErrConflict", mode, err)
		}
		wantEmpty(t, s)
		now, err := s.Generation(t.Context(), "s")
		if err != nil || (now == memory.NoGeneration) != (mode == memory.ResetRemove) || now == before {
			t.Errorf("Generation(after Reset(%s)) = %d, %v, want another than %d", mode, now, err, before)
		}
	}
	if done, err := s.AppendSince(t.Context(), "s", memory.NoGeneration, []memory.Entry{said("c", at(3))}); err != nil || done.Added != 1 {
		t.Errorf("AppendSince(to a removed session, as a new one) = %+v, %v, want it added", done, err)
	}
}

func resetsBeforeSummary(t *testing.T, s Store) {
	for _, mode := range []memory.ResetMode{memory.ResetAll, memory.ResetRemove} {
		add(t, s, "s", said("a", at(1)))
		before := summaryState(t, s, "s").Mark
		reset(t, s, "s", mode)
		add(t, s, "s", said("new", at(2))) // a session of the same name
		if _, err := s.SaveSummary(t.Context(), "s", before, decided("Do: a"), "m", memory.SummaryCursor{Seq: 1}); !errors.Is(err, memory.ErrConflict) {
			t.Errorf("SaveSummary(before Reset(%s)) = %v, want ErrConflict", mode, err)
		}
		err := s.SaveSummaryDraft(t.Context(), "s", before.Generation, memory.SummaryCursor{}, memory.SummaryDraft{Summary: decided("Do: a")})
		if !errors.Is(err, memory.ErrConflict) {
			t.Errorf("SaveSummaryDraft(before Reset(%s)) = %v, want ErrConflict", mode, err)
		}
		if err := s.FailSummary(t.Context(), "s", before.Generation, at(9), "down"); err != nil {
			t.Errorf("FailSummary(): %v", err)
		}
		if st := summaryState(t, s, "s"); st.Current.Version != 0 || st.Failures != 0 || st.Draft != nil {
			t.Errorf("SummaryState() = %+v, want nothing back", st)
		}
		reset(t, s, "s", memory.ResetRemove)
	}
}

func resetsNoNumbers(t *testing.T, s Store) {
	add(t, s, "s", said("a", at(1)), said("b", at(2)))
	last := transcript(t, s, "s")[1]
	reset(t, s, "s", memory.ResetAll)
	add(t, s, "s", said("c", at(3)))
	if m := transcript(t, s, "s")[0]; m.ID <= last.ID || m.Seq <= last.Seq {
		t.Errorf("the next message has id %d, arrival %d, want more than %d, %d", m.ID, m.Seq, last.ID, last.Seq)
	}
	if _, err := s.Message(t.Context(), last.ID); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Message(deleted) = %v, want ErrNotFound", err)
	}
}

func resetsWork(t *testing.T, s Store) {
	for _, session := range []string{"s", "other", ""} {
		add(t, s, "s", said("a", at(1)))
		if err := s.AddWork(t.Context(), memory.Work{Kind: "note", Key: "of " + session, Session: session}); err != nil {
			t.Fatalf("AddWork(): %v", err)
		}
	}
	reset(t, s, "s", memory.ResetSummary)
	wipe(t, s)
	wantBacklog(t, s, "note/of other/0", "note/of /0")
}

func resetsLeaveWipe(t *testing.T, s Store) {
	wipe(t, s) // with nothing to wipe
	add(t, s, "s", said("a", at(1)))
	reset(t, s, "s", memory.ResetAll)
	list, err := s.Backlog(t.Context())
	if err != nil || len(list) != 1 || list[0].Kind != memory.WipeKind {
		t.Fatalf("Backlog() = %+v, %v, want the wipe", list, err)
	}
	wipe(t, s)
	if list, err := s.Backlog(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("Backlog() = %+v, %v, want none after the wipe", list, err)
	}
}

func resetsDropped(t *testing.T, s Store) {
	mixed(t, s, "s")
	drop(t, s, "s", false, "1", "2")
	reset(t, s, "s", memory.ResetSummary)
	add(t, s, "s", said("a", at(1)))
	if _, err := s.Undrop(t.Context(), "s"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Undrop(after Reset) = %v, want ErrNotFound", err)
	}
	wantHot(t, s, "after Reset", "a")
}

func countsMessages(t *testing.T, s Store) {
	if _, err := s.Messages(t.Context(), "s"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Messages(unknown) = %v, want ErrNotFound", err)
	}
	mixed(t, s, "s")
	archive(t, s, "s", transcript(t, s, "s")[3].Position())
	if n, err := s.Messages(t.Context(), "s"); err != nil || n != 6 {
		t.Errorf("Messages() = %d, %v, want 6", n, err)
	}
	reset(t, s, "s", memory.ResetAll)
	if n, err := s.Messages(t.Context(), "s"); err != nil || n != 0 {
		t.Errorf("Messages(after Reset) = %d, %v, want 0", n, err)
	}
}
