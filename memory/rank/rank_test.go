package rank_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/rank"
	"mcp-memory/memory/text"
)

// day is when all messages of these tests were sent: with it each has three more
// words to be found by (march, 1, 2026).
var day = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// message makes message id, at place id of its session.
func message(id int64, session, content string) memory.Neighbour {
	f := rank.Describe(content, day)
	return memory.Neighbour{
		MessageID: id, Session: session, Position: memory.Position{SentAt: day.UnixNano(), Seq: id},
		Role: memory.RoleUser, SentAt: day, Features: f.Encode(),
	}
}

// talk makes messages 1, 2, … of one session.
func talk(contents ...string) []memory.Neighbour {
	list := make([]memory.Neighbour, len(contents))
	for i, c := range contents {
		list[i] = message(int64(i+1), "s", c)
	}
	return list
}

// frequencies are those of a store of ten messages.
func frequencies(byWord map[string]int) memory.Frequencies {
	f := memory.Frequencies{Documents: 10, MeanTerms: 4, ByToken: map[string]int{}}
	for word, n := range byWord {
		for _, t := range text.Terms(word) {
			f.ByToken[t] = n
		}
	}
	return f
}

// input finds every message, so that all are candidates.
func input(query string, freq memory.Frequencies, messages ...memory.Neighbour) rank.Input {
	in := rank.Input{
		Question: rank.NewQuestion(query, senders(messages), freq), Neighbours: messages,
		MeanTerms: freq.MeanTerms, Weights: rank.DefaultWeights(),
	}
	for _, m := range messages {
		in.Found = append(in.Found, memory.Hit{MessageID: m.MessageID})
	}
	return in
}

func senders(messages []memory.Neighbour) []string {
	var names []string
	for _, m := range messages {
		if !slices.Contains(names, m.Sender) {
			names = append(names, m.Sender)
		}
	}
	return names
}

// evidence gives the signal of each message, by id from 1.
func evidence(in rank.Input, s rank.Signal) []float64 {
	list := make([]float64, len(in.Neighbours))
	for _, r := range rank.Rank(in) {
		list[r.MessageID-1] = r.Evidence[s]
	}
	return list
}

// check compares a signal with values computed by hand.
func check(t *testing.T, name string, in rank.Input, s rank.Signal, want ...float64) {
	t.Helper()
	got := evidence(in, s)
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-5 }
	if !slices.EqualFunc(got, want, near) {
		t.Errorf("%s: %v = %.6f, want %.6f", name, s, got, want)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	fox := frequencies(map[string]int{"fox": 2, "cat": 7})
	// BM25 of one word: 2.2·n ÷ (n + 1.2·(.25 + .75·length÷mean)), where date
	// adds 3 to length and to the mean of 4, relative to the best message.
	// "fox den": n 1, length 5: 1.132353; "fox fox cub": n 2, length 6: 1.432558.
	check(t, "count and length", input("fox", fox, talk("fox den", "fox fox cub", "den")...), rank.Words, .790441, 1, 0)
	// idf: ln(1 + (10-2+.5)÷2.5) = 1.481605 and ln(1 + (10-7+.5)÷7.5) = .382992.
	check(t, "rarity", input("fox cat", fox, talk("fox den", "cat den")...), rank.Words, 1, .258498)
	check(t, "both words", input("fox cat", fox, talk("fox cat", "cat den")...), rank.Words, 1, .382992/(1.481605+.382992))
	check(t, "the date", input("March", frequencies(map[string]int{"march": 2}), talk("fox", "fox den hole")...), rank.Words, 1, .875862)
	check(t, "an unknown word", input("fox unheard", fox, talk("fox", "den")...), rank.Words, 1, 0)
	ann := talk("fox den", "fox den")
	ann[1].Sender = "Ann"
	in := input("Ann", frequencies(map[string]int{"ann": 1}), ann...)
	check(t, "the sender", in, rank.Words, 0, 1)
}

// TestWordsOfParts: a long message scores as its best part.
func TestWordsOfParts(t *testing.T) {
	t.Parallel()
	long := message(1, "s", strings.Repeat("den ", 500)+"fox cub")
	part := rank.Describe("fox cub", day)
	other := rank.Describe("den den", day)
	long.Parts = map[int][]byte{1: other.Encode(), 2: part.Encode()}
	short := message(2, "s", "fox cub")
	check(t, "as its best part", input("fox", frequencies(map[string]int{"fox": 2}), long, short), rank.Words, 1, 1)
}

func TestMeaning(t *testing.T) {
	t.Parallel()
	list := talk("a1", "b2", "c3", "d4")
	list[3].Parts = map[int][]byte{2: nil}
	in := input("fox", frequencies(nil), list...)
	in.Cosine = map[rank.Passage]float64{{MessageID: 1}: .4, {MessageID: 2}: -.9, {MessageID: 4, Ord: 2}: .8, {MessageID: 4}: .1}
	check(t, "of the nearest passage", in, rank.Meaning, .5, 0, 0, 1)
}

func TestWindow(t *testing.T) {
	t.Parallel()
	freq := frequencies(map[string]int{"fox": 2})
	freq.MeanTerms = 1
	// One fox in a window of 3, 4 or 5 words, where 5 is the mean: 1.195652,
	// 1.089109, 1; relative to the best.
	check(t, "reach", input("fox", freq, talk("fox", "cat", "cat", "cat", "cat")...), rank.Window, 1, .910891, .836364, 0, 0)
	apart := talk("fox", "cat", "cat")
	apart[1].Session, apart[2].Session = "t", "t"
	check(t, "not over the end of a session", input("fox", freq, apart...), rank.Window, 1, 0, 0)
	long := strings.Repeat("den ", 61)
	check(t, "a long neighbour is left out", input("fox", freq, talk("fox "+long, "cat")...), rank.Window, 1, 0)
	named := talk("fox", "Ann")
	named[0].Sender = "Ann"
	check(t, "names do not count", input("Ann", frequencies(map[string]int{"ann": 2}), named...), rank.Window, 0, 0)
}

func TestSession(t *testing.T) {
	t.Parallel()
	list := talk("fox", "den", "fox", "cat")
	list[2].Session, list[3].Session = "t", "t"
	in := input("fox cat", frequencies(map[string]int{"fox": 2, "cat": 7}), list...)
	check(t, "share of idf", in, rank.Session, .794598, .794598, 1, 1)
	check(t, "nothing but names", input("", frequencies(nil), list...), rank.Session, 0, 0, 0, 0)
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	ask := func() []memory.Neighbour {
		list := talk("Where is the fox?", "at home", "fine")
		list[0].Sender, list[1].Sender, list[2].Sender = "Ann", "Bob", "Ann"
		return list
	}
	freq := frequencies(map[string]int{"fox": 2})
	in := input("where is the fox", freq, ask()...)
	check(t, "half its words", in, rank.Answer, 0, .5, 0)
	in.Cosine = map[rank.Passage]float64{{MessageID: 1}: .6, {MessageID: 3}: .8}
	check(t, "words and meaning", in, rank.Answer, 0, (1+.75)/2, 0)
	same := ask()
	same[1].Sender = "ANN"
	check(t, "of the same sender", input("where is the fox", freq, same...), rank.Answer, 0, 0, 0)
	assistant := ask()
	assistant[1].Role = memory.RoleAssistant
	check(t, "of an assistant", input("where is the fox", freq, assistant...), rank.Answer, 0, 0, 0)
	apart := ask()
	apart[1].Session, apart[2].Session = "t", "t"
	check(t, "of another session", input("where is the fox", freq, apart...), rank.Answer, 0, 0, 0)
	statement := ask()
	statement[0] = message(1, "s", "There is the fox.")
	check(t, "to no question", input("where is the fox", freq, statement...), rank.Answer, 0, 0, 0)
}

func TestFormSignals(t *testing.T) {
	t.Parallel()
	list := talk("I saw the fox", "the fox was seen", "my fox")
	list[2].Role = memory.RoleAssistant
	fox := frequencies(map[string]int{"fox": 2})
	check(t, "speaks of itself", input("fox", fox, list...), rank.First, 1, 0, 1)
	check(t, "an assistant", input("fox", fox, list...), rank.Assistant, 0, 0, 1)
	for _, query := range []string{"what did you say of the fox", "which fox was recommended", "你说的狐狸", "あなたの狐"} {
		check(t, "asked what the assistant said: "+query, input(query, fox, list...), rank.Assistant, 0, 0, 0)
	}
}

func TestScore(t *testing.T) {
	t.Parallel()
	list := talk("fox fox cub", "fox den", "den")
	list[1].Role = memory.RoleAssistant
	in := input("fox", frequencies(map[string]int{"fox": 2}), list...)
	in.Cosine = map[rank.Passage]float64{{MessageID: 2}: .8, {MessageID: 3}: .2}
	in.Weights = rank.Weights{rank.Words: 1, rank.Meaning: 3, rank.Assistant: -.4}
	want := map[int64]float64{ // (1·words + 3·meaning − .4·assistant) ÷ 4
		1: .25, 2: (.790441 + 3 - .4) / 4, 3: .75 / 4,
	}
	var order []int64
	for _, r := range rank.Rank(in) {
		order = append(order, r.MessageID)
		if math.Abs(r.Score-want[r.MessageID]) > 1e-5 {
			t.Errorf("score of %d = %.6f, want %.6f", r.MessageID, r.Score, want[r.MessageID])
		}
	}
	if !slices.Equal(order, []int64{2, 1, 3}) {
		t.Errorf("Rank = %v, want [2 1 3]", order)
	}
	best := rank.Rank(in)[0]
	if got := best.Signals(in.Weights); !slices.Equal(got, []string{"meaning", "words"}) {
		t.Errorf("Signals = %q, want meaning (3 × 1) before words (1 × .79), and no evidence against", got)
	}
}

func TestOrderOfEqualOnes(t *testing.T) {
	t.Parallel()
	list := talk("fox", "fox", "fox", "fox", "fox")
	for i := range list { // each in a session of its own: nothing tells them apart
		list[i].Session = fmt.Sprint(i)
	}
	list[1].Position.SentAt++
	var order []int64
	for _, r := range rank.Rank(input("fox", frequencies(map[string]int{"fox": 5}), list...)) {
		order = append(order, r.MessageID)
	}
	if want := []int64{2, 5, 4, 3, 1}; !slices.Equal(order, want) {
		t.Errorf("Rank of equal messages = %v, want %v: newest first", order, want)
	}
}

func TestCandidates(t *testing.T) {
	t.Parallel()
	list := talk("a1", "b2", "c3", "d4", "fox", "f6", "g7", "h8", "i9")
	list = append(list, message(10, "t", "j10"))
	list[5].Features = nil // a message without text
	in := input("fox", frequencies(map[string]int{"fox": 1}), list...)
	in.Found = []memory.Hit{{MessageID: 5}, {MessageID: 99}}
	ids := func() []int64 {
		var got []int64
		for _, r := range rank.Rank(in) {
			got = append(got, r.MessageID)
		}
		slices.Sort(got)
		return got
	}
	if got, want := ids(), []int64{3, 4, 5, 7}; !slices.Equal(got, want) {
		t.Errorf("candidates around 5 = %v, want %v", got, want)
	}
	in.Lets = func(n *memory.Neighbour) bool { return n.MessageID != 4 && n.MessageID != 5 }
	if got, want := ids(), []int64{3, 7}; !slices.Equal(got, want) {
		t.Errorf("candidates that pass = %v, want %v", got, want)
	}
	in.Found = nil
	if got := ids(); len(got) > 0 {
		t.Errorf("candidates of nothing found = %v, want none", got)
	}
}

// TestRankIsDeterministic: maps are everywhere in it, their order nowhere.
func TestRankIsDeterministic(t *testing.T) {
	t.Parallel()
	var list []memory.Neighbour
	for i := range int64(60) {
		m := message(i+1, fmt.Sprint("s", i/20), fmt.Sprintf("fox %d cat den%d, seen %d days ago in New York. Where is fox%d?", i%7, i%5, i%9, i%3))
		m.Sender = []string{"Ann", "Bob", "Melanie"}[i%3]
		m.Parts = map[int][]byte{}
		for p := range 6 {
			part := rank.Describe(fmt.Sprintf("fox %d den%d", p, i%int64(p+1)), day)
			m.Parts[p+1] = part.Encode()
		}
		list = append(list, m)
	}
	freq := frequencies(map[string]int{"fox": 3, "cat": 5, "den1": 2, "den2": 2, "mel": 1})
	run := func() []rank.Ranked {
		in := input("When and where did Mel and Bob see how many foxes, cat, den1, den2 by name on 28 February?", freq, list...)
		in.Likeness = func(a, b uint32) float64 { return float64((a^b)%16) / 16 }
		in.Cosine = map[rank.Passage]float64{{MessageID: 3, Ord: 1}: .3, {MessageID: 3, Ord: 4}: .5, {MessageID: 40}: .5}
		return rank.Rank(in)
	}
	want := run()
	for range 20 {
		if got := run(); !reflect.DeepEqual(got, want) {
			t.Fatal("Rank gives another result for the same input")
		}
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	at := time.Date(2023, time.May, 8, 1, 0, 0, 0, time.UTC)
	if got, want := rank.Head("Ann Lee", at), []string{"ann", "lee", "8", "2023"}; !containsAll(got, want) || len(got) != 5 {
		t.Errorf("Head = %q, want the names, the month, 8, 2023", got)
	}
	west := at.In(time.FixedZone("west", -2*3600))
	if got := rank.Head("", west); !slices.Contains(got, "7") || len(got) != 3 {
		t.Errorf("Head two hours further west = %q, want the 7th", got)
	}
}

func containsAll(list, parts []string) bool {
	return !slices.ContainsFunc(parts, func(p string) bool { return !slices.Contains(list, p) })
}

func TestSignalNames(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for s := rank.Words; s <= rank.Assistant; s++ {
		names[s.String()] = true
	}
	if len(names) != len(rank.Weights{}) || names[""] {
		t.Errorf("signals have the names %v, want a different one for each of %d", names, len(rank.Weights{}))
	}
}
