package extract

// What tells a standing rule, as data: no logic is here. reading.go says how it
// is used.
//
// English cues are words. "^" stands for the beginning of a clause, courtesies
// apart; a|b for either word; *ing for a word with that ending; ~past for a verb
// in the past; "..." for up to six words. Cues of Chinese (in both scripts) and Japanese are characters;
// "^" is the beginning of a clause there too, and "$" the end of the sentence.

// strength says how much a cue needs to make a rule.
type strength uint8

const (
	strong strength = iota // makes a rule
	plain                  // makes a rule unless something says that it is for once
	faint                  // makes a rule if something says that it is general
	spared                 // no cue, nor is any that begins inside it
)

// polarity says what a cue asks for.
type polarity uint8

const (
	neutral polarity = iota // the words behind it tell
	does
	forbids
)

// cueList is a list of cues of one kind.
type cueList struct {
	strength strength
	polarity polarity
	phrases  []string
}

// language is what rules are told by in one language.
type language struct {
	cues      []cueList
	does      []string // behind a neutral cue: something is to be done
	forbids   []string // behind a neutral cue: something is not to be done
	once      []string // it is meant for once
	general   []string // it is meant always
	stories   []string // somebody tells, asks or supposes: nothing is a rule
	questions []string // beginnings (English) or endings of a question without its mark
	courtesy  []string // what may stand before the beginning of a clause
	instead   []string // something takes the place of something
}

var english = language{
	cues: []cueList{
		{strong, neutral, []string{
			"from now|here on", "from this point on", "^ going|moving forward", "^ in future", "^ in the future", "^ as a rule",
			"^ remember|note that", "^ don't forget that", "^ keep in mind that", "^ bear in mind that", "^ in general", "^ every time", "at all times",
		}},
		{strong, does, []string{
			"^ always", "^ i always want|prefer|use|need", "you should|must always", "must|should|shall always",
			"^ i'd prefer", "^ i would prefer", "^ i'd rather have|use|see|get|keep", "^ i would rather have|use|see|get|keep", "^ i prefer", "^ i strongly prefer", "^ my preference is",
			"^ we decided to", "^ we have decided|agreed to|on|that", "^ we've decided|agreed to|on|that", "^ we agreed to|on|that",
			"^ we decided that|on", "^ our convention|rule|policy is", "^ i want you to always", "^ as of now", "^ you must only|use|ask|keep|write|run|check|answer|reply", "^ we only use",
		}},
		{strong, forbids, []string{
			"^ never", "^ i never want", "you should|must never", "must|should|shall never", "must|shall not", "mustn't", "not ever",
			"^ we decided|agreed not to", "^ we have decided|agreed not to", "^ we've decided|agreed not to", "^ i prefer not to", "^ i'd rather not", "^ i would rather not",
			"^ under no circumstances", "^ we don't use|deploy|commit|push|want", "^ we do not use|deploy|commit|push|want", "is|are not allowed", "is|are forbidden|prohibited", "^ no one should",
		}},
		{plain, neutral, []string{"^ make sure", "^ be sure to", "^ ensure that|all|every|each", "^ see to it that"}},
		{plain, does, []string{
			"^ please use|prefer|stick|keep", "^ prefer|favour|favor", "^ let's use|prefer|adopt|standardise|standardize", "^ let's go|stick with", "^ let's stick|switch|move to",
			"^ let us use", "^ only use|write|answer|reply", "^ we'll use", "^ we will use", "^ we are going with", "^ we're going with", "^ all|every|each|any ... must", "^ stick to", "^ i like short|long|simple|concise",
			"^ call me|it", "^ address me", "^ all|every|each ... should", "^ all|every|each ... have|has|need|needs to",
		}},
		{plain, forbids, []string{
			"^ don't|dont", "^ do not", "^ avoid", "^ no more", "^ stop *ing", "^ refrain from", "^ let's not use|add|put|have", "^ let's avoid",
		}},
		{faint, does, []string{
			"^ use", "^ keep", "^ write", "^ answer|reply|respond", "^ format", "^ name", "^ put", "^ quote|cite", "^ ask", "^ end|begin|start", "^ explain", "^ we use", "^ we always", "must", "^ i want",
		}},
		{spared, neutral, []string{
			"never mind", "don't|dont worry|know|mind|care|think|bother|panic|see|get|understand|remember|recall|have|be|let|hesitate|feel|you|we|they|i", "do not worry|know|hesitate",
			"no more questions|errors|issues|problems|warnings|complaints|time|news", "prefer not to say|answer",
			"never|always ~past", "we never|always ~past", "never|don't give|quit|stop|say|forget|lose", "always here|nice|good|great|fun|there|happy", "don't forget", "keep *ing", "keep up|on|it|me|calm",
			"a must", "must visit|see|read", "must be *ing|~past|so|really|nice|hard|great|awesome|amazing|good", "always|never a|an|the|been|thought", "^ always forget|wondered|fails|crashes|works",
			"i must", "it|this|that|there|they|he|she must", "must have|be a|an|because|due|admit|say|confess", "stop it", "must|have to go|run|leave", "always welcome", "never again!",
			"call it a|quits",
		}},
	},
	does:    []string{"use", "using", "always", "prefer", "only", "must be"},
	forbids: []string{"never", "don't", "dont", "do not", "not", "avoid", "no", "no more", "stop", "without", "nobody", "nothing", "mustn't"},
	once: []string{
		"yet", "for now", "right now", "at the moment", "today", "tonight", "tomorrow", "this time", "this once", "once more", "this week", "this morning", "now",
		"the first|second|third|last|attached|same|other|following", "this one", "that one", "this screenshot|image|picture|link", "until i", "until we", "until tomorrow",
		"next week|time", "still", "anymore today", "first", "on monday", "i will fix|do|send", "i'll",
	},
	general: []string{
		"every", "all", "each", "any", "whenever", "everywhere", "instead", "not", "only", "by default", "throughout", "in general", "everything", "rather than", "at all times",
		"when you", "when i", "when we", "every time", "for new", "in tests", "in code", "per",
	},
	stories: []string{
		"yesterday", "last week|month|year|night|time", "ago", "used to", "back then", "at the time", "he|she|they|docs|doc|manual|log|logs|error|linter|compiler|readme|article|book|guide|someone|message says|said|say|told|wrote|claims|claimed|mentions|warns",
		"told|asked me|us", "according to", "i read that", "i heard", "for example", "e g", "imagine", "what if", "suppose", "i wonder", "if only", "i thought", "i think we",
	},
	questions: []string{
		"why", "what", "how", "who", "which", "where", "should i|we|you|it|they", "can", "could", "would", "do i|we|you|they", "does", "did", "is", "are", "was", "were",
		"have you|we|they|i", "has", "don't you", "isn't", "aren't", "shall", "will", "may i", "am i", "when do|does|should|will|did|can|is",
	},
	courtesy: []string{
		"please", "pls", "and", "but", "so", "then", "also", "ok", "okay", "well", "just", "kindly", "again", "yes", "no", "oh", "right", "good", "thanks", "actually", "hey",
		"important", "otherwise", "plus", "or", "therefore", "because", "that", "rule", "note", "instead",
	},
	instead: []string{"instead", "rather than", "no longer", "switch to", "move to", "replace", "replaces", "not"},
}

var chinese = language{
	cues: []cueList{
		{strong, neutral, []string{
			"^以後", "^以后", "從今以後", "从今以后", "從現在開始", "从现在开始", "從現在起", "从现在起", "^今後", "^今后", "^往後", "^往后", "從今天起", "从今天起", "從今天開始", "从今天开始",
			"^記住", "^记住", "一律", "^總是", "^总是", "^永遠", "^永远", "^原則上", "^原则上", "^我希望你以後", "^我希望你以后",
		}},
		{strong, does, []string{
			"我偏好", "我比較喜歡", "我比较喜欢", "我更喜歡", "我更喜欢", "我習慣用", "我习惯用", "務必", "务必",
		}},
		{plain, does, []string{
			"我們決定", "我们决定", "我們說好", "我们说好", "決定用", "决定用", "決定採用", "决定采用", "決定改用", "决定改用", "^我喜歡", "^我喜欢", "^改用", "我們改用", "我们改用",
			"請用", "请用", "請使用", "请使用", "請改用", "请改用", "請一直用", "请一直用", "必須", "必须", "^就用", "^統一用", "^统一用", "統一使用", "统一使用", "^只用", "^優先用", "^优先用", "^優先使用", "^优先使用", "叫我",
		}},
		{strong, forbids, []string{
			"嚴禁", "严禁", "絕對不要", "绝对不要", "絕不要", "绝不要", "千萬不要", "千万不要", "千萬別", "千万别", "絕對不能", "绝对不能", "絕對不可", "绝对不可",
			"永遠不要", "永远不要", "永遠別", "永远别", "別再", "别再", "不要再",
		}},
		{plain, forbids, []string{"不要", "不准", "不得", "不許", "不许", "^別", "^别", "請別", "请别", "請勿", "请勿", "禁止", "切勿", "不允許", "不允许", "^避免", "請避免", "请避免", "我不喜歡", "我不喜欢", "我們決定不", "我们决定不"}},
		{faint, does, []string{"都用", "都要", "^用", "應該", "应该", "要有", "要先"}},
		{spared, neutral, []string{
			"要不要", "不要緊", "不要紧", "不要擔心", "不要担心", "不要客氣", "不要客气", "我不要", "不要了", "不要急", "不要說", "不要说", "還不要", "还不要",
			"別擔心", "别担心", "別怕", "别怕", "別急", "别急", "別客氣", "别客气", "別人", "别人", "別的", "别的", "別名", "别名", "別忘", "别忘", "別說", "别说", "別處", "别处", "別管", "别管", "別鬧", "别闹", "別介意", "别介意",
			"我必須", "我必须", "不必須", "不必须", "必須說", "必须说", "以後再", "以后再", "以後會", "以后会", "以後可能", "以后可能", "被禁止", "禁止訪問", "禁止访问", "禁止存取", "記住密碼", "记住密码", "記住我", "记住我的登",
			"別號", "别号", "別稱", "别称", "別墅", "别墅", "特別", "特别", "分別", "分别", "不得而知", "不得已", "捨不得", "舍不得", "只准", "總是能", "总是能", "總是在", "总是在",
			"永遠不會", "永远不会", "永遠都", "永远都", "永遠是", "永远是", "總是會", "总是会", "不得不", "不得了", "請問", "请问", "請教", "请教", "必須的", "必须的", "只用了",
		}},
	},
	does:    []string{"用", "必須", "必须", "務必", "务必", "都要"},
	forbids: []string{"不要", "別", "别", "不准", "不得", "禁止", "不可", "不能", "不許", "不许", "勿", "避免", "不用", "不再", "不使用", "不採用", "不采用"},
	once: []string{
		"今天", "明天", "後天", "后天", "今晚", "這次", "这次", "這個", "这个", "暫時", "暂时", "先不", "下週", "下周", "當天", "当天", "剛才", "刚才", "剛剛", "刚刚", "目前", "這張", "这张", "那個", "那个",
		"這份", "这份", "此次", "本次", "等一下", "等下", "待會", "待会", "下個月", "下个月", "這邊先", "这边先", "這裡先", "这里先", "我來", "我来",
	},
	general: []string{"每次", "每個", "每个", "所有", "一律", "全部", "任何", "每天", "每週", "每周", "平時", "平时", "凡是", "通常", "預設", "默认"},
	stories: []string{
		"昨天", "前天", "上週", "上周", "上次", "上個月", "上个月", "去年", "當時", "当时", "那時", "那时", "曾經", "曾经", "他說", "她說", "他说", "她说", "們說", "们说", "說過", "说过", "告訴我", "告诉我",
		"文件說", "文档说", "文件寫", "文档写", "據說", "据说", "聽說", "听说", "例如", "比如", "譬如", "為什麼", "为什么", "不知道", "是不是", "能不能", "可不可以", "是否", "有沒有", "有没有", "還沒", "还没", "我以為", "我以为",
	},
	questions: []string{"嗎", "吗", "呢", "麼", "么"},
	courtesy:  []string{"請", "请", "也", "就", "那麼", "那么", "那", "另外", "還有", "还有", "所以", "但是", "但", "而且", "你", "我們", "我们", "大家", "千萬", "千万", "好", "對了", "对了", "麻煩", "麻烦", "拜託", "拜托", "規則", "规则", "還是", "还是"},
	instead:   []string{"改用", "改成", "改為", "改为", "而不是", "代替", "取代", "換成", "换成", "不再"},
}

var japanese = language{
	cues: []cueList{
		{strong, neutral, []string{"これからは", "今後は", "今後も", "^今後、", "^以後は", "^以後、", "これ以降は", "覚えておいて", "覚えていて", "おぼえておいて", "忘れないでおいて"}},
		{strong, does, []string{"の方が好き", "のほうが好き", "の方が好み", "が好みです", "に決めました", "に決めた", "と決めました", "に決まりました", "ことに決定"}},
		{plain, does, []string{
			"を使ってください", "を使って下さい", "使ってください", "使用してください", "を使って$", "を使いましょう", "で統一してください", "に統一してください", "を優先してください", "にしましょう", "でいきましょう",
			"で書いてください", "で答えてください", "で返事してください", "で出力してください",
			"くこと$", "すこと$", "ること$", "うこと$", "むこと$", "つこと$", "ことにします", "ことにしました", "ことにしよう", "することになりました", "と呼んでください", "が好きです",
		}},
		{strong, forbids, []string{"厳禁", "てはいけません", "てはいけない", "ではいけません", "ではいけない", "てはならない", "てはなりません", "ちゃだめ", "ちゃダメ", "てはだめ", "てはダメ", "ては駄目", "ないことにし"}},
		{plain, forbids, []string{
			"ないでください", "ないで下さい", "ないで$", "ないでね", "ないでほしい", "ないで欲しい", "ないようにしてください", "ないようにして", "ないこと$", "ないことに決め", "は禁止です", "は禁止$", "は禁止で", "は禁止に", "を禁止します", "禁止でお願い",
			"は避けてください", "は避けて", "を避けて", "はやめてください", "をやめてください", "はやめて", "は使わない$", "は嫌いです",
		}},
		{faint, does, []string{
			"てください", "て下さい", "でください", "で下さい", "しましょう", "してほしい", "して欲しい", "すべき", "べきです", "するように", "必要があります", "必要がある",
			"なければならない", "なければなりません", "お願いします", "が必要です",
		}},
		{spared, neutral, []string{
			"心配しないで", "気にしないで", "遠慮しないで", "無理しないで", "慌てないで", "あわてないで", "焦らないで", "忘れないで", "怒らないで", "休憩にしましょう", "終わりにしましょう", "昼食にしましょう", "使用禁止と",
			"お世話", "ありがとう", "これからも", "こととして", "今後ともよろしく", "よろしくお願い", "教えてください", "お待ちください",
		}},
	},
	does:    []string{"てください", "て下さい", "を使って", "を使う", "にして", "すること", "しましょう", "します", "を使用"},
	forbids: []string{"ないで", "ないこと", "ないように", "禁止", "避け", "やめ", "いけない", "いけません", "だめ", "ダメ", "駄目", "ません", "しない", "わない"},
	once: []string{
		"今日", "明日", "今回", "今は", "まだ", "来週", "今週", "来月", "このファイル", "このバグ", "このコード", "この画面", "この件", "この部分", "その件", "とりあえず", "一旦", "いったん", "さっき", "今夜", "後で", "あとで",
	},
	general: []string{"いつも", "必ず", "絶対に", "常に", "毎回", "どんな", "原則"},
	stories: []string{
		"昨日", "先週", "先月", "去年", "昨年", "前回", "以前は", "と言われ", "と言って", "と言いました", "と聞き", "と聞いた", "と書かれ", "と書いてあ", "と表示", "と出ました", "と出ます", "によると", "らしい", "そうです",
		"例えば", "たとえば", "と思います", "と思う", "予定", "必ずしも", "かもしれ", "わけでは", "わけじゃ", "はずです",
	},
	questions: []string{"か", "かな", "かしら", "でしょう"},
	courtesy:  []string{"また", "そして", "では", "じゃあ", "あと", "なお", "ただし", "ですから", "だから"},
	instead:   []string{"の代わりに", "ではなく", "じゃなく", "に変更", "に変え", "から切り替え"},
}

// pastVerbs are irregular forms of verbs that tell a story.
var pastVerbs = words(
	"got", "had", "was", "were", "saw", "seen", "knew", "known", "heard", "thought", "did", "done", "been", "understood", "found", "came", "went", "gone", "took",
	"made", "said", "told", "felt", "kept", "left", "met", "paid", "ran", "sent", "wrote", "written", "began", "broke", "could", "would", "gave", "given", "did",
)

// noPast are verbs that only look as if they were in the past.
var noPast = words("embed", "need", "feed", "seed", "speed", "exceed", "proceed", "shed", "succeed", "bleed")
