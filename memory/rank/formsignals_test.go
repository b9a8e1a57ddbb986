package rank_test

import (
	"math"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/rank"
)

// TestAskedForm: a signal of form counts when the question asks for it and the
// message has it, in three languages.
func TestAskedForm(t *testing.T) {
	t.Parallel()
	tests := []struct {
		signal    rank.Signal
		questions []string
		with      []string  // messages that have it, and
		want      []float64 // how much
		others    []string  // questions that do not ask for it
	}{
		{
			rank.When,
			[]string{"When did the fox come?", "what year was it", "How long did it stay?", "how old is the fox", "how many weeks was that",
				"狐狸什么时候来的？", "狐狸何時來", "几点出发", "在哪一年", "哪年", "住了多久", "狐はいつ来た？", "何時に来た", "何年", "どのくらい"},
			[]string{"it came yesterday", "two weeks ago", "昨天", "三点", "先週", "８時", "a fox"},
			[]float64{1, 1, 1, 1, 1, 1, 0},
			[]string{"Where is the fox?", "how many foxes", "whenever", "狐狸在哪里", "狐はいつも来る", "どこ"},
		},
		{
			rank.HowMany,
			[]string{"How many foxes came?", "how often", "How much is it?", "how old", "有多少狐狸", "几个人", "幾次", "有多大", "多長", "狐はいくつ", "何人", "何回来た", "いくら", "どれくらい"},
			[]string{"two of them", "3 foxes", "三只狐狸", "两次", "狐が三匹", "数人", "a fox"},
			[]float64{1, 1, 1, 1, 1, 1, 0},
			[]string{"how is the fox", "many foxes", "什么狐狸", "どの狐"},
		},
		{
			rank.Where,
			[]string{"Where is the fox?", "which city is it", "what country", "狐狸在哪里", "狐狸在哪儿", "什么地方", "哪个城市", "哪個國家", "狐はどこ", "どの国"},
			[]string{"the fox of Boston", "the fox of New York", "we saw Rome, New York, London", "在北京市", "京都府で見た", "a fox"},
			[]float64{1. / 3, 2. / 3, 1, 1. / 3, 1. / 3, 0},
			[]string{"when was the fox", "the whereabouts", "什么时候", "いつ"},
		},
		{
			rank.Name,
			[]string{"Which book is it?", "the name of the song", "what film", "which band", "狐狸叫什么名字", "哪本书", "什么电影", "哪部電影", "どの本", "どんな映画"},
			[]string{"it is Reynard", `they read "the old fox"`, "看了《老狐狸》", "『老いた狐』", "a fox"},
			[]float64{1. / 3, 1, 1, 1, 0},
			[]string{"what was it", "日本はどんな国", "秘书在哪里"},
		},
		{
			rank.Name,
			[]string{"Who saw the fox?", "whose fox is it", "谁看见了狐狸", "誰看見了", "狐をだれが見た", "犬の名前"},
			[]string{"it is Reynard", `they read "the old fox"`, "看了《老狐狸》"},
			[]float64{1. / 3, 0, 0},
			[]string{"how is the fox"},
		},
	}
	for _, tt := range tests {
		for _, q := range tt.questions {
			check(t, q, input(q, frequencies(nil), talk(tt.with...)...), tt.signal, tt.want...)
		}
		for _, q := range tt.others {
			check(t, q, input(q, frequencies(nil), talk(tt.with...)...), tt.signal, make([]float64, len(tt.with))...)
		}
	}
}

// sent makes messages of one session that were sent on the given days.
func sent(content string, days ...string) []memory.Neighbour {
	list := make([]memory.Neighbour, len(days))
	for i, d := range days {
		at, err := time.Parse(time.DateOnly, d)
		if err != nil {
			panic(err)
		}
		f := rank.Describe(content, at)
		list[i] = message(int64(i+1), "s", content)
		list[i].SentAt, list[i].Position.SentAt, list[i].Features = at, at.UnixNano(), f.Encode()
	}
	return list
}

func TestDate(t *testing.T) {
	t.Parallel()
	list := sent("a fox", "2022-05-08", "2023-04-30", "2023-05-01", "2023-05-08", "2023-05-31", "2023-06-01")
	tests := []struct {
		question string
		want     []float64
	}{
		{"who saw a fox", []float64{0, 0, 0, 0, 0, 0}},
		{"the fox of 8 May 2023", []float64{0, 0, 0, 1, 0, 0}},
		{"the fox of 8 May", []float64{0, 0, 0, 1, 0, 0}}, // of the newest message's year
		{"the fox of May 8, 2022", []float64{1, 0, 0, 0, 0, 0}},
		{"in May 2023", []float64{0, 0, 1, 1, 1, 0}},
		{"on 1 June and in April", []float64{0, 1, 0, 0, 0, 1}},
		{"on 31 April 2023", []float64{0, 0, 0, 0, 0, 0}},
		{"2023年5月8日的狐狸", []float64{0, 0, 0, 1, 0, 0}},
		{"5月8日の狐", []float64{0, 0, 0, 1, 0, 0}},
		{"2023年5月", []float64{0, 0, 1, 1, 1, 0}},
	}
	for _, tt := range tests {
		check(t, tt.question, input(tt.question, frequencies(nil), list...), rank.Date, tt.want...)
	}
}

// TestDateInTheZoneOfTheMessage: the day is the one where the time is read.
func TestDateInTheZoneOfTheMessage(t *testing.T) {
	t.Parallel()
	list := sent("a fox", "2023-05-08")
	check(t, "at midnight", input("8 May 2023", frequencies(nil), list...), rank.Date, 1)
	list[0].SentAt = list[0].SentAt.In(time.FixedZone("west", -3600))
	check(t, "an hour further west", input("8 May 2023", frequencies(nil), list...), rank.Date, 0)
	check(t, "an hour further west", input("7 May 2023", frequencies(nil), list...), rank.Date, 1)
}

func TestRelativeDate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		content, question string
		want              []float64 // of messages of 9 and 15 May 2023, a Tuesday and a Monday
	}{
		{"yesterday", "on 8 May 2023", []float64{1, 0}},
		{"last Monday", "on 8 May", []float64{1, 1}},
		{"last week", "on 8 May", []float64{0, 1 / math.Sqrt(7)}},
		{"last week and yesterday", "on 8 May", []float64{1, 1 / math.Sqrt(7)}},
		{"last month", "in April 2023", []float64{1 / math.Sqrt(30), 1 / math.Sqrt(30)}},
		{"a week ago", "on 8 May", []float64{0, 1 / math.Sqrt(7)}},
		{"yesterday", "in May", []float64{1, 1}},
		{"yesterday", "when was that", []float64{0, 0}},
		{"today", "on 10 May", []float64{0, 0}},
		{"昨天", "2023年5月8日", []float64{1, 0}},
		{"上周一", "5月8日", []float64{0, 1}},
		{"昨日", "5月8日に", []float64{1, 0}},
		{"先週の月曜日", "5月8日に", []float64{0, 1}},
	}
	for _, tt := range tests {
		list := sent(tt.content, "2023-05-09", "2023-05-15")
		check(t, tt.content+"; "+tt.question, input(tt.question, frequencies(nil), list...), rank.RelativeDate, tt.want...)
	}
}

func TestSimilar(t *testing.T) {
	t.Parallel()
	list := talk("fox", "wolf", "owl", "den")
	freq := frequencies(map[string]int{"fox": 2, "bird": 2})
	in := input("fox bird", freq, list...)
	check(t, "no likeness known", in, rank.Similar, 0, 0, 0, 0)
	likeness := map[[2]uint32]float64{
		{rank.Hash("fox"), rank.Hash("wolf")}: .6, {rank.Hash("bird"), rank.Hash("owl")}: .49, {rank.Hash("fox"), rank.Hash("den")}: -1,
	}
	in.Likeness = func(a, b uint32) float64 { return likeness[[2]uint32{a, b}] }
	check(t, "of the nearest word", in, rank.Similar, 1, .6, 0, 0) // itself 1, under .5 nothing

	long := "wolf"
	for range 239 {
		long += " den"
	}
	in = input("fox bird", freq, talk("fox", long)...)
	in.Likeness = func(a, b uint32) float64 { return likeness[[2]uint32{a, b}] }
	check(t, "of a long text", in, rank.Similar, 1, .6*math.Sqrt(60./240))

	named := talk("Ann", "fox")
	named[0].Sender = "Ann"
	in = input("Ann fox", frequencies(map[string]int{"ann": 1, "fox": 1}), named...)
	in.Likeness = func(a, b uint32) float64 { return 0 }
	check(t, "names do not count", in, rank.Similar, 0, 1)
}

// TestMeanOfWhatIsAsked: a signal that a question does not ask for is no part of
// the mean.
func TestMeanOfWhatIsAsked(t *testing.T) {
	t.Parallel()
	weights := rank.Weights{rank.Words: 1, rank.When: 1, rank.Date: 1, rank.RelativeDate: 1, rank.Similar: 1, rank.Where: 1, rank.Name: 1, rank.HowMany: 1}
	for question, want := range map[string]float64{
		"fox":                            1,      // words
		"when fox":                       1. / 2, // words of words and when
		"when fox 2 May 2026":            1. / 4, // and the two of dates
		"where fox":                      1. / 2, //
		"who fox, where fox, how many":   1. / 4, //
		"who fox, which book of the fox": 1. / 2, //
	} {
		in := input(question, frequencies(map[string]int{"fox": 2}), talk("a fox")...)
		in.Weights = weights
		if got := rank.Rank(in)[0].Score; math.Abs(got-want) > 1e-9 {
			t.Errorf("score for %q = %.4f, want %.4f", question, got, want)
		}
	}
}
