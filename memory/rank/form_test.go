package rank_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory/rank"
)

// form describes a text that was sent on no known day.
func form(s string) rank.Form { return rank.Describe(s, time.Time{}).Form }

func TestForm(t *testing.T) {
	t.Parallel()
	tests := []struct {
		want  rank.Form
		texts []string
	}{
		{rank.Form{}, []string{"", "the fox sees a cat", "one day", "at last", "this time", "for the fox", "in there", "a few cats",
			"just so", "the other cat", "what may come", "he sat in the sun", `say "x"`,
			"狐狸很好", "一个朋友", "千万小心", "十分好", "万一下雨", "数学很难", "几乎没有", "狐はとても速い"}},
		{rank.Form{Time: true}, []string{"it came yesterday", "TONIGHT", "it came recently", "last night", "this morning", "this past weekend",
			"last summer", "a week ago", "a year later", "a few days before", "for years", "for many years", "one year old",
			"it just started", "the other day", "in may", "on friday",
			"昨天来了", "最近很忙", "星期五来", "上个月", "下午很忙", "昨日来た", "先週の金曜日", "午後に来る", "最近は忙しい"}},
		{rank.Form{Number: true}, []string{"two cats", "3 cats", "a dozen", "twice", "several foxes", "a couple of foxes", "1st", "３ cats", `a 5" disk`,
			"两只猫", "三次", "十二", "三百", "几个人", "好几次", "猫が三匹", "数人が来た", "三つ"}},
		{rank.Form{Time: true, Number: true}, []string{"two weeks ago", "3 days later", "5 years old", "since 2019", "in 2019", "for two years",
			"三天前", "2023年", "三点", "5号", "八岁", "三年前", "８時", "二十歳", "３ヶ月前"}},
		{rank.Form{Quoted: true}, []string{`the book "the old fox"`, "the book “the old fox”", "看了《三体》", "「坊っちゃん」という本", "『吾輩』を見た"}},
		{rank.Form{Place: true}, []string{"住在北京市", "去了京都", "在东京都", "美国很大", "新宿駅だ", "香港島へ行く"}},
		{rank.Form{}, []string{"都很好", "国家很大", "政府网站", "市场很大", "市民と会う", "站在这里"}},
		{rank.Form{FirstPerson: true}, []string{"I see", "my fox", "我们", "私は狐だ"}},
		{rank.Form{Capitals: 1}, []string{"the fox of Boston", "a fox named Rex.", "The fox. The other, Rex - The fox", "so Boston? The fox! Fox"}},
		{rank.Form{Capitals: 2}, []string{"the fox of New York"}},
		{rank.Form{Capitals: 3}, []string{"the fox of Salt Lake City Utah"}},
		{rank.Form{}, []string{"The fox", "Boston", "Fox. Fox! Fox? Fox: Fox\nFox", "狐狸。Fox", "plan B"}},
		{rank.Form{Time: true, Capitals: 1}, []string{"next Friday", "in May", "last December", "since March"}},
	}
	for _, tt := range tests {
		for _, s := range tt.texts {
			if got := form(s); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("form of %q = %+v, want %+v", s, got, tt.want)
			}
		}
	}
}

// TestFormOfLongText: a long text holds everything, so that its form says nothing.
func TestFormOfLongText(t *testing.T) {
	t.Parallel()
	s := `yesterday I saw two cats in Boston, "the cats" 北京市`
	long := s + strings.Repeat(" ", 1000-len(s)-1)
	if got := form(long + "x"); !got.Time || !got.Number || !got.Quoted || !got.Place || !got.FirstPerson || got.Capitals != 1 {
		t.Errorf("form of 1,000 bytes = %+v, want everything", got)
	}
	if got := form(long + "xx"); !reflect.DeepEqual(got, rank.Form{}) {
		t.Errorf("form of 1,001 bytes = %+v, want nothing", got)
	}
	if got := form("the fox [yesterday I saw two cats]"); !reflect.DeepEqual(got, rank.Form{}) {
		t.Errorf("form of a note = %+v, want nothing", got)
	}
}

func TestDays(t *testing.T) {
	t.Parallel()
	wednesday := time.Date(2024, time.March, 13, 23, 0, 0, 0, time.FixedZone("east", 8*3600))
	tests := []struct {
		text string
		want []rank.DayRange
	}{
		{"nothing", nil},
		{"yesterday", []rank.DayRange{{-1, -1}}},
		{"today and tonight", []rank.DayRange{{0, 0}}},
		{"tomorrow", []rank.DayRange{{1, 1}}},
		{"last night", []rank.DayRange{{-1, -1}}},
		{"this morning", []rank.DayRange{{0, 0}}},
		{"last Tuesday", []rank.DayRange{{-1, -1}}},
		{"last Wednesday", []rank.DayRange{{-7, -7}}},
		{"last Friday", []rank.DayRange{{-5, -5}}},
		{"this past Sunday", []rank.DayRange{{-3, -3}}},
		{"next Wednesday", []rank.DayRange{{7, 7}}},
		{"next Friday", []rank.DayRange{{2, 2}}},
		{"this Friday", []rank.DayRange{{2, 2}}},
		{"last week", []rank.DayRange{{-9, -3}}},
		{"this week", []rank.DayRange{{-2, 4}}},
		{"next week", []rank.DayRange{{5, 11}}},
		{"last weekend", []rank.DayRange{{-4, -3}}},
		{"last month", []rank.DayRange{{-41, -13}}}, // February of a leap year
		{"next month", []rank.DayRange{{19, 48}}},
		{"last year", []rank.DayRange{{-437, -73}}},
		{"two days ago", []rank.DayRange{{-2, -2}}},
		{"a couple of days ago", []rank.DayRange{{-2, -2}}},
		{"2 weeks ago", []rank.DayRange{{-17, -11}}},
		{"a month ago", []rank.DayRange{{-45, -15}}},
		{"three years ago", []rank.DayRange{{-1275, -915}}},
		{"999999999999 years ago", nil}, // beyond what is kept
		{"yesterday, today, tomorrow, two days ago, three days ago", []rank.DayRange{{-1, -1}, {0, 0}, {1, 1}, {-2, -2}}},

		{"昨天", []rank.DayRange{{-1, -1}}},
		{"前天晚上", []rank.DayRange{{-2, -2}}},
		{"大前天", []rank.DayRange{{-3, -3}}},
		{"明天", []rank.DayRange{{1, 1}}},
		{"上周", []rank.DayRange{{-9, -3}}},
		{"上週五", []rank.DayRange{{-5, -5}}},
		{"上个星期天", []rank.DayRange{{-3, -3}}},
		{"下周一", []rank.DayRange{{5, 5}}},
		{"上周一直很忙", []rank.DayRange{{-9, -3}}},
		{"上周末", []rank.DayRange{{-4, -3}}},
		{"上個月", []rank.DayRange{{-41, -13}}},
		{"去年", []rank.DayRange{{-437, -73}}},
		{"三天前", []rank.DayRange{{-3, -3}}},
		{"两个星期以前", []rank.DayRange{{-17, -11}}},
		{"3个月前", []rank.DayRange{{-105, -75}}},

		{"昨日", []rank.DayRange{{-1, -1}}},
		{"一昨日", []rank.DayRange{{-2, -2}}},
		{"おととい", []rank.DayRange{{-2, -2}}},
		{"明後日", []rank.DayRange{{2, 2}}},
		{"先週", []rank.DayRange{{-9, -3}}},
		{"先週の金曜日", []rank.DayRange{{-5, -5}}},
		{"先週日本で", []rank.DayRange{{-9, -3}}},
		{"来週の月曜", []rank.DayRange{{5, 5}}},
		{"先月", []rank.DayRange{{-41, -13}}},
		{"２週間前", []rank.DayRange{{-17, -11}}},
		{"三年前", []rank.DayRange{{-1275, -915}}},
		{"3月前半", nil},
	}
	for _, tt := range tests {
		if got := rank.Describe(tt.text, wednesday).Days; !slices.Equal(got, tt.want) {
			t.Errorf("days of %q = %v, want %v", tt.text, got, tt.want)
		}
		if got := form(tt.text).Days; got != nil {
			t.Errorf("days of %q sent at no known time = %v, want none", tt.text, got)
		}
	}
}

// TestDaysAtTheEndOfMonths: the month before a 31st is not the same month, and
// the year before a leap day has 365 days.
func TestDaysAtTheEndOfMonths(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text, sent, from, to string
	}{
		{"last month", "2023-03-31", "2023-02-01", "2023-02-28"},
		{"last month", "2024-03-31", "2024-02-01", "2024-02-29"},
		{"last month", "2024-01-01", "2023-12-01", "2023-12-31"},
		{"next month", "2024-01-31", "2024-02-01", "2024-02-29"},
		{"next month", "2023-12-31", "2024-01-01", "2024-01-31"},
		{"last year", "2024-02-29", "2023-01-01", "2023-12-31"},
		{"last week", "2024-01-07", "2023-12-25", "2023-12-31"}, // a Sunday
		{"last week", "2024-01-08", "2024-01-01", "2024-01-07"}, // a Monday
		{"yesterday", "1969-12-31", "1969-12-30", "1969-12-30"},
		{"last Sunday", "1969-12-31", "1969-12-28", "1969-12-28"},
	}
	for _, tt := range tests {
		sent, err := time.Parse(time.DateOnly, tt.sent)
		if err != nil {
			t.Fatal(err)
		}
		days := rank.Describe(tt.text, sent).Days
		if len(days) != 1 {
			t.Fatalf("days of %q on %s = %v, want one range", tt.text, tt.sent, days)
		}
		from, to := sent.AddDate(0, 0, days[0].From).Format(time.DateOnly), sent.AddDate(0, 0, days[0].To).Format(time.DateOnly)
		if from != tt.from || to != tt.to {
			t.Errorf("%q on %s is %s to %s, want %s to %s", tt.text, tt.sent, from, to, tt.from, tt.to)
		}
	}
}

// FuzzForm: any text has a form, which survives being stored.
func FuzzForm(f *testing.F) {
	for _, s := range []string{"", "last week, 2 days ago", "上周五我去了北京市", "先週の金曜日、三年前", "“x", "\xff昨\xe6", "九億億億年前"} {
		f.Add(s, int64(0))
	}
	f.Fuzz(func(t *testing.T, s string, sentAt int64) {
		features := rank.Describe(s, time.Unix(sentAt%1e11, 0).UTC())
		got := rank.Decode(features.Encode())
		if !reflect.DeepEqual(got, features) {
			t.Errorf("Decode(Encode(Describe(%q))) = %+v, want %+v", s, got, features)
		}
	})
}
