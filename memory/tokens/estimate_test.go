package tokens_test

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"

	"mcp-memory/memory/tokens"
)

// sample is a text of one kind, and how far the estimate may be below the one of
// the two tokenizers that counts more, and above the one that counts fewer, in
// percent: what is stated of it.
type sample struct {
	kind         string
	below, above int
	text         string
}

var samples = []sample{
	{"English", 5, 5, "The harbour office closes early on Fridays, so whoever wants a mooring for the weekend should call before noon. We talked about the new timetable for a while and decided that nothing would change before the summer; after that, the ferry is going to leave twenty minutes later, because the train from the capital is hardly ever on time."},
	{"German", 20, 5, "Das Hafenamt schließt freitags früher, deshalb sollte jeder, der am Wochenende einen Liegeplatz braucht, vor Mittag anrufen. Über den neuen Fahrplan haben wir lange gesprochen und beschlossen, dass sich vor dem Sommer nichts ändert."},
	{"Chinese", 15, 35, "港口办公室星期五提前关门，所以周末想要泊位的人应该在中午以前打电话。我们谈了很久新的时间表，决定夏天以前什么都不改变；以后渡船会晚二十分钟出发，因为从首都来的火车很少准点。"},
	{"Chinese, traditional", 35, 35, "港口辦公室星期五提前關門，所以週末想要泊位的人應該在中午以前打電話。我們談了很久新的時間表，決定夏天以前什麼都不改變；以後渡船會晚二十分鐘出發，因為從首都來的火車很少準點。"},
	{"Japanese", 10, 35, "港の事務所は金曜日は早く閉まるので、週末に係留場所がほしい人は昼までに電話してください。新しい時刻表についてしばらく話し合い、夏までは何も変えないことに決めました。その後は、首都からの列車がほとんど時間どおりに来ないため、フェリーの出発を二十分遅らせます。"},
	{"Korean", 20, 40, "항구 사무실은 금요일에 일찍 문을 닫으니 주말에 정박할 자리가 필요한 사람은 정오 전에 전화해야 합니다. 우리는 새로운 시간표에 대해 한참 이야기했고 여름 전에는 아무것도 바꾸지 않기로 했습니다. 그 뒤에는 수도에서 오는 기차가 제시간에 오는 일이 거의 없어서 배가 이십 분 늦게 떠납니다."},
	{"Cyrillic", 15, 55, "Портовая контора по пятницам закрывается раньше, поэтому тем, кому нужно место у причала на выходные, следует позвонить до полудня. Мы долго говорили о новом расписании и решили, что до лета ничего не изменится; потом паром будет отходить на двадцать минут позже, потому что поезд из столицы почти никогда не приходит вовремя."},
	{"Arabic", 20, 95, "يغلق مكتب الميناء أبوابه مبكرا يوم الجمعة، لذلك على من يريد مكانا لقاربه في نهاية الأسبوع أن يتصل قبل الظهر. تحدثنا طويلا عن الجدول الجديد وقررنا ألا يتغير شيء قبل الصيف، وبعد ذلك ستغادر العبارة متأخرة عشرين دقيقة لأن القطار القادم من العاصمة نادرا ما يصل في موعده."},
	{"code", 10, 10, `// cut keeps the beginning and the end of a text, about max characters of it.
func cut(s string, max int) (string, error) {
	n := utf8.RuneCountInString(s)
	if n <= max+max/4 { // what is left out must be worth the words
		return s, nil
	}
	for i := range parts {
		if parts[i].offset >= len(s) || !utf8.RuneStart(s[parts[i].offset]) {
			return "", fmt.Errorf("part %d begins at %d: %w", i, parts[i].offset, errNoBorder)
		}
	}
	return strings.Join(parts[:], "…"), nil
}
`},
	{"JSON", 10, 15, `{"id":"chatcmpl-4711","object":"chat.completion","created":1764560000,"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_a1B2","type":"function","function":{"name":"read_file","arguments":"{\"path\": \"/srv/log/harbour.txt\", \"lines\": 40}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":812,"completion_tokens":31,"total_tokens":843}}`},
	{"a log", 10, 10, strings.Repeat("2026/12/01 03:37:57 INFO request served method=GET path=/v1/sessions status=200 bytes=5120 took=3.2ms\n", 6)},
	{"base64", 20, 20, base64Sample()},
}

func base64Sample() string {
	var b []byte
	for i := range 40 {
		h := sha256.Sum256([]byte{byte(i)})
		b = append(b, h[:]...)
	}
	return base64.StdEncoding.EncodeToString(b)
}

// The estimate lies between what the two tokenizers count, or near them: how near
// is what this table states.
func TestEstimateIsAsGoodAsStated(t *testing.T) {
	t.Parallel()
	var c tokens.Counters
	for _, s := range samples {
		got := tokens.Estimate(s.text)
		if other := c.For("claude").Count(s.text); other != got {
			t.Errorf("%s: a model without a tokenizer counts %d, the estimate %d", s.kind, other, got)
		}
		more, fewer := c.For("gpt-4").Count(s.text), c.For("gpt-4o").Count(s.text)
		off := func(n int) int { return (got - n) * 100 / n }
		t.Logf("%-22s cl100k %5d %+4d %%   o200k %5d %+4d %%   estimate %5d", s.kind, more, off(more), fewer, off(fewer), got)
		if min(off(more), off(fewer)) < -s.below || max(off(more), off(fewer)) > s.above {
			t.Errorf("%s: Estimate = %d, which is %d %% off cl100k and %d %% off o200k, want from -%d to +%d %%",
				s.kind, got, off(more), off(fewer), s.below, s.above)
		}
	}
}

// Case J09: counting characters by four undercounts Chinese.
func TestEstimateOfPlainCases(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text        string
		least, most int
	}{
		{"", 0, 0},
		{"Hello world", 2, 3},
		{"你好世界", 4, 6},
		{strings.Repeat("字", 10_000), 7_000, 12_000},
		{strings.Repeat("word ", 2_000), 2_000, 4_000},
		{strings.Repeat(" ", 4_000), 1, 150},
		{strings.Repeat("-", 4_000), 50, 300},
		{"\xff\xfe", 1, 4},
		{"🚢", 1, 3},
	} {
		if got := tokens.Estimate(c.text); got < c.least || got > c.most {
			t.Errorf("Estimate(%.20q) = %d, want %d to %d", c.text, got, c.least, c.most)
		}
	}
}
