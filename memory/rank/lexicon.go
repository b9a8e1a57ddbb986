package rank

// What the form of a text is told by: words of English, expressions of Chinese
// (in both scripts) and Japanese. Everything here is data; form.go and
// unspaced.go say how it is used.

// lexeme is what the lexicon knows of an English word.
type lexeme struct {
	kind  kind
	value int
}

// kind says what a word does in an expression of time or number.
type kind uint8

const (
	unknown   kind = iota
	self           // I, my: the sender
	moment         // recently: says when on its own
	nearDay        // yesterday: value is the number of days from the day sent
	direction      // last -1, this 0, next 1
	numeral        // two, dozen: a number that counts as one
	amount         // a, few: a number before "weeks ago" only
	unit           // week: value is its span
	weekday        // Friday: value from Monday 0
	partOfDay      // morning
	season         // summer
	duration       // for
	since          // since, in: before a year
	month          // January: says when on its own, unless it is a common word too (value 1)
	just           // just: before what one has done
	other          // the other day
)

// english holds the words that the form of a text is told by, in lower case.
var english = map[string]lexeme{
	"i": {self, 0}, "me": {self, 0}, "my": {self, 0}, "mine": {self, 0},
	"we": {self, 0}, "us": {self, 0}, "our": {self, 0}, "ours": {self, 0},

	"yesterday": {nearDay, -1}, "today": {nearDay, 0}, "tonight": {nearDay, 0}, "tomorrow": {nearDay, 1},
	"recently": {moment, 0}, "lately": {moment, 0}, "pm": {moment, 0},

	"last": {direction, -1}, "past": {direction, -1}, "previous": {direction, -1},
	"this": {direction, 0}, "next": {direction, 1}, "coming": {direction, 1},

	"a": {amount, 1}, "an": {amount, 1}, "one": {amount, 1}, "few": {amount, 3},
	"couple": {numeral, 2}, "two": {numeral, 2}, "three": {numeral, 3}, "four": {numeral, 4},
	"five": {numeral, 5}, "six": {numeral, 6}, "seven": {numeral, 7}, "eight": {numeral, 8},
	"nine": {numeral, 9}, "ten": {numeral, 10}, "eleven": {numeral, 11}, "twelve": {numeral, 12},
	"fifteen": {numeral, 15}, "twenty": {numeral, 20}, "thirty": {numeral, 30}, "forty": {numeral, 40},
	"fifty": {numeral, 50}, "hundred": {numeral, 100}, "hundreds": {numeral, 100},
	"thousand": {numeral, 1000}, "thousands": {numeral, 1000}, "million": {numeral, 1_000_000},
	"once": {numeral, 1}, "twice": {numeral, 2}, "several": {numeral, several}, "dozen": {numeral, 12},

	"day": {unit, int(days)}, "days": {unit, int(days)},
	"week": {unit, int(weeks)}, "weeks": {unit, int(weeks)},
	"weekend": {unit, int(weekends)}, "weekends": {unit, int(weekends)},
	"month": {unit, int(months)}, "months": {unit, int(months)},
	"year": {unit, int(years)}, "years": {unit, int(years)},

	"monday": {weekday, 0}, "tuesday": {weekday, 1}, "wednesday": {weekday, 2}, "thursday": {weekday, 3},
	"friday": {weekday, 4}, "saturday": {weekday, 5}, "sunday": {weekday, 6},
	"mon": {weekday, 0}, "tue": {weekday, 1}, "tues": {weekday, 1}, "wed": {weekday, 2},
	"thu": {weekday, 3}, "thur": {weekday, 3}, "thurs": {weekday, 3}, "fri": {weekday, 4}, "sat": {weekday, 5}, "sun": {weekday, 6},

	"january": {month, 0}, "february": {month, 0}, "march": {month, 1}, "april": {month, 0}, "may": {month, 1}, "june": {month, 0},
	"july": {month, 0}, "august": {month, 0}, "september": {month, 0}, "october": {month, 0}, "november": {month, 0}, "december": {month, 0},

	"morning": {partOfDay, 0}, "afternoon": {partOfDay, 0}, "evening": {partOfDay, 0}, "night": {partOfDay, 0},
	"spring": {season, 0}, "summer": {season, 0}, "autumn": {season, 0}, "fall": {season, 0}, "winter": {season, 0},

	"for": {duration, 0}, "since": {since, 0}, "in": {since, 0}, "just": {just, 0}, "other": {other, 0},
}

// several is what a number counts that is not said: several, 几, 数.
const several = 3

// justDone are the verbs that make "just" an expression of time.
var justDone = []string{"got", "finished", "started", "came", "had", "went", "joined", "signed"}

// selfCharacters are those by which a text speaks of its sender.
const selfCharacters = "我私僕俺"

// phrase is a time expression of Chinese or Japanese: the unit that lies shift
// units away from the day sent; noSpan names no day.
type phrase struct {
	text  string
	unit  span
	shift int
}

// phrases are the time expressions.
var phrases = []phrase{
	{"今天", days, 0}, {"今日", days, 0}, {"今早", days, 0}, {"今晨", days, 0}, {"今晚", days, 0}, {"今朝", days, 0}, {"今夜", days, 0},
	{"きょう", days, 0}, {"けさ", days, 0},
	{"昨天", days, -1}, {"昨日", days, -1}, {"昨晚", days, -1}, {"昨夜", days, -1}, {"昨晩", days, -1}, {"きのう", days, -1}, {"ゆうべ", days, -1},
	{"大前天", days, -3}, {"前天", days, -2}, {"前日", days, -2}, {"一昨日", days, -2}, {"おととい", days, -2},
	{"明天", days, 1}, {"明日", days, 1}, {"明晚", days, 1}, {"明晩", days, 1}, {"あした", days, 1},
	{"大后天", days, 3}, {"大後天", days, 3}, {"后天", days, 2}, {"後天", days, 2}, {"明後日", days, 2}, {"あさって", days, 2},

	{"上上周", weeks, -2}, {"上上週", weeks, -2}, {"先々週", weeks, -2}, {"先先週", weeks, -2},
	{"上周", weeks, -1}, {"上週", weeks, -1}, {"上个星期", weeks, -1}, {"上個星期", weeks, -1}, {"上星期", weeks, -1},
	{"上个礼拜", weeks, -1}, {"上個禮拜", weeks, -1}, {"上礼拜", weeks, -1}, {"上禮拜", weeks, -1}, {"先週", weeks, -1},
	{"本周", weeks, 0}, {"本週", weeks, 0}, {"这周", weeks, 0}, {"這週", weeks, 0}, {"这个星期", weeks, 0}, {"這個星期", weeks, 0},
	{"这星期", weeks, 0}, {"這星期", weeks, 0}, {"今週", weeks, 0},
	{"下周", weeks, 1}, {"下週", weeks, 1}, {"下个星期", weeks, 1}, {"下個星期", weeks, 1}, {"下星期", weeks, 1},
	{"下个礼拜", weeks, 1}, {"下個禮拜", weeks, 1}, {"下礼拜", weeks, 1}, {"下禮拜", weeks, 1}, {"来週", weeks, 1}, {"再来週", weeks, 2},

	{"上上个月", months, -2}, {"上上個月", months, -2}, {"先々月", months, -2},
	{"上个月", months, -1}, {"上個月", months, -1}, {"上月", months, -1}, {"先月", months, -1},
	{"这个月", months, 0}, {"這個月", months, 0}, {"本月", months, 0}, {"今月", months, 0},
	{"下个月", months, 1}, {"下個月", months, 1}, {"下月", months, 1}, {"来月", months, 1}, {"再来月", months, 2},

	{"前年", years, -2}, {"一昨年", years, -2}, {"おととし", years, -2}, {"去年", years, -1}, {"昨年", years, -1},
	{"今年", years, 0}, {"ことし", years, 0}, {"明年", years, 1}, {"来年", years, 1}, {"來年", years, 1}, {"再来年", years, 2},

	{"最近", noSpan, 0}, {"近日", noSpan, 0}, {"刚刚", noSpan, 0}, {"剛剛", noSpan, 0}, {"刚才", noSpan, 0}, {"剛才", noSpan, 0},
	{"前几天", noSpan, 0}, {"前幾天", noSpan, 0}, {"先日", noSpan, 0}, {"この間", noSpan, 0}, {"この前", noSpan, 0}, {"さっき", noSpan, 0},
	{"星期", noSpan, 0}, {"礼拜", noSpan, 0}, {"禮拜", noSpan, 0}, {"周末", noSpan, 0}, {"週末", noSpan, 0}, {"曜日", noSpan, 0},
	{"早上", noSpan, 0}, {"上午", noSpan, 0}, {"中午", noSpan, 0}, {"下午", noSpan, 0}, {"晚上", noSpan, 0},
	{"午前", noSpan, 0}, {"午後", noSpan, 0}, {"世纪", noSpan, 0}, {"世紀", noSpan, 0},
}

// weekdayCharacters are the days of the week behind 上周 or 先週の, from Monday 0.
var weekdayCharacters = map[rune]int{
	'一': 0, '二': 1, '三': 2, '四': 3, '五': 4, '六': 5, '日': 6, '天': 6,
	'月': 0, '火': 1, '水': 2, '木': 3, '金': 4, '土': 5,
}

// noWeekdays are words that begin like a day of the week and are none.
var noWeekdays = []string{"日本", "天气", "天氣", "一直", "一起", "一个", "一個", "一次", "一共", "三个", "三個", "三次", "二人", "三人", "二回", "三回", "水泳", "水族", "火事", "土地"}

// timeCounter is a unit of time behind a number. One with a span makes, with 前
// behind it, an expression like "two weeks ago".
type timeCounter struct {
	text string
	unit span
}

var timeCounters = []timeCounter{
	{"天", days}, {"日", days},
	{"周", weeks}, {"週間", weeks}, {"週", weeks}, {"个星期", weeks}, {"個星期", weeks}, {"星期", weeks},
	{"个礼拜", weeks}, {"個禮拜", weeks}, {"礼拜", weeks}, {"禮拜", weeks},
	{"个月", months}, {"個月", months}, {"ヶ月", months}, {"か月", months}, {"カ月", months}, {"ケ月", months}, {"ヵ月", months}, {"箇月", months},
	{"年代", noSpan}, {"年", years}, {"月", noSpan}, {"号", noSpan}, {"號", noSpan}, {"世纪", noSpan}, {"世紀", noSpan},
	{"点", noSpan}, {"點", noSpan}, {"時", noSpan}, {"时", noSpan}, {"小时", noSpan}, {"小時", noSpan}, {"分钟", noSpan}, {"分鐘", noSpan},
	{"岁", noSpan}, {"歲", noSpan}, {"歳", noSpan}, {"才", noSpan},
}

// agoWords make a number of days, weeks, … an expression of the past.
var agoWords = []string{"前", "以前", "之前"}

// someCharacters stand for a number that is not said.
const someCharacters = "几幾数數"

// counters are the words behind a number in characters that make it one: alone,
// 三 may be part of a name.
var counters = []string{
	"个", "個", "つ", "次", "回", "人", "名", "位", "岁", "歲", "歳", "才", "年", "月", "日", "天", "周", "週", "星期", "礼拜", "禮拜",
	"小时", "小時", "時間", "时", "時", "点", "點", "分", "秒", "号", "號", "元", "块", "塊", "円", "圓", "美元", "ドル",
	"本", "冊", "册", "枚", "台", "臺", "匹", "只", "隻", "头", "頭", "件", "条", "條", "张", "張", "杯", "瓶", "篇", "部", "座", "栋", "棟",
	"间", "間", "层", "層", "階", "度", "倍", "公里", "米", "公斤", "キロ", "メートル", "ヶ月", "か月", "カ月", "ヶ国", "か国", "カ国",
	"種", "种", "家", "所", "艘", "架", "支", "首", "集", "届", "屆", "代", "世紀", "世纪", "万", "萬", "千", "百", "億", "亿",
}

// placeEndings are the last characters of names of places.
const placeEndings = "市省县縣区區国國州街路站駅県都府町村镇鎮乡鄉岛島"

// noPlaces are words with such a character that name none.
var noPlaces = []string{
	"市场", "市場", "市民", "国家", "國家", "国际", "國際", "国際", "国民", "國民", "国内", "國內", "国会", "國會",
	"区别", "區別", "区分", "區分", "政府", "网站", "網站", "站在", "站起", "站着", "站著", "一路", "走路", "思路", "路上", "路过", "路過",
	"镇静", "鎮靜", "街上", "全国", "全國", "各国", "各國", "外国", "外國",
}
