package extract

// Words that say nothing of what a conversation is about, and words that say
// where it is heading, as data.

// generic are English words, stemmed as the index stems them, that occur in
// every conversation.
var generic = words(
	"pleas", "thank", "need", "want", "use", "make", "get", "go", "come", "take", "give", "put", "let", "see", "look", "know", "think", "say", "tell", "like",
	"good", "great", "nice", "ok", "okay", "yes", "well", "right", "sure", "now", "then", "new", "one", "two", "thing", "way", "lot", "bit", "also", "still", "back",
	"alway", "never", "first", "last", "next", "time", "today", "tomorrow", "yesterday", "work", "tri", "help", "seem", "ask", "question", "answer", "got", "would", "could",
	"much", "mani", "everi", "anyth", "someth", "noth", "everyth", "start", "keep", "set", "show", "mean", "realli", "alreadi", "soon", "later", "instead", "without",
	"januari", "februari", "march", "april", "june", "juli", "august", "septemb", "octob", "novemb", "decemb", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
	"rule", "sound", "done", "fine", "long", "old", "day", "week", "add", "chang", "happen", "befor", "after", "read", "write", "call", "rather", "prefer", "decid",
)

// genericPairs are pairs of characters that occur in every Chinese or Japanese
// conversation, in both scripts.
var genericPairs = words(
	"我們", "我们", "你們", "你们", "他們", "他们", "可以", "可能", "什么", "什麼", "怎麼", "怎么", "這個", "这个", "那個", "那个", "這樣", "这样", "那樣", "那样", "一個", "一个", "一下", "一些",
	"沒有", "没有", "不是", "就是", "還是", "还是", "因為", "因为", "所以", "如果", "但是", "現在", "现在", "已經", "已经", "需要", "應該", "应该", "知道", "覺得", "觉得", "問題", "问题", "時候", "时候",
	"以後", "以后", "今後", "今后", "不要", "記住", "记住", "一律", "決定", "决定", "必須", "必须", "今天", "明天", "昨天", "之後", "之后", "之前", "以前", "都要", "然後", "然后", "請問", "请问", "謝謝", "谢谢", "幫我", "帮我",
	"場合", "今日", "明日", "昨日", "何か", "必要", "今は", "問題", "確認", "時間", "使用", "方が", "使っ", "使い", "使わ", "思い", "思っ", "言っ",
)

// particles are characters that carry grammar: a pair with one of them says
// nothing.
const particles = "的了嗎吗呢吧啊呀也都就很把被讓让給给請请您你我他她它"

// smallTalk are the words that greetings, thanks and nods consist of.
var smallTalk = words(
	"hi", "hello", "hey", "dear", "good", "morning", "afternoon", "evening", "night", "thanks", "thank", "thx", "cheers", "great", "ok", "okay", "yes", "yep", "yeah", "no", "nope",
	"perfect", "nice", "cool", "fine", "sure", "right", "awesome", "excellent", "wonderful", "lovely", "understood", "welcome", "sorry", "please", "bye", "goodbye", "there", "so", "much",
	"very", "a", "lot", "again", "all", "everyone", "team", "got", "it", "that", "is", "that's", "it's", "this", "you", "you're", "i", "see", "later", "well", "for", "the", "your", "my", "help", "works", "worked",
	"problem", "worries", "done", "and", "to", "too", "of", "course", "exactly", "agreed", "now", "how", "are", "hope", "am", "i'm",
)

// greetings are words and pieces that tell greetings and thanks from nods: what
// an assistant answers to them is no matter either. A name may follow them.
var greetings = words(
	"hi", "hello", "hey", "dear", "morning", "afternoon", "evening", "night", "thanks", "thank", "thx", "cheers", "bye", "goodbye", "welcome",
	"おはようございます", "ありがとうございました", "ありがとうございます", "お疲れさまです", "お疲れ様です", "お世話になっております", "いつもお世話になっています",
	"助かりました", "こんにちは", "こんばんは", "ありがとう", "おやすみなさい", "さようなら", "おはよう", "どういたしまして",
	"不客氣", "不客气", "早上好", "晚上好", "下午好", "辛苦了", "謝謝", "谢谢", "感謝", "感谢", "多謝", "多谢", "你好", "您好", "大家好", "早安", "午安", "晚安", "再見", "再见", "嗨",
)

// smallTalkPieces are what Chinese and Japanese greetings, thanks and nods are
// composed of, the longer ones first.
var smallTalkPieces = []string{
	"おはようございます", "ありがとうございました", "ありがとうございます", "よろしくお願いします", "お疲れさまです", "お疲れ様です", "お世話になっております", "いつもお世話になっています",
	"了解しました", "承知しました", "わかりました", "分かりました", "助かりました", "どういたしまして", "すみません", "お願いします", "こんにちは", "こんばんは", "ありがとう", "おやすみなさい", "さようなら", "おはよう", "了解です",
	"いいですね", "いいです", "なるほど", "いつも", "どうも", "はい", "です", "では", "ね",
	"沒問題", "没问题", "不客氣", "不客气", "早上好", "晚上好", "下午好", "辛苦了", "太好了", "太棒了", "好的", "好啊", "謝謝", "谢谢", "感謝", "感谢", "多謝", "多谢", "你好", "您好", "大家好", "早安", "午安", "晚安", "再見", "再见",
	"收到", "了解", "明白", "知道", "非常", "可以", "幫忙", "帮忙", "不錯", "不错", "抱歉", "麻煩", "麻烦", "不好意思", "嗨", "嗯", "好", "對", "对", "是", "你", "您", "的", "了", "啊", "喔", "哦", "很",
}

// nextSteps are what a sentence about work still to be done is told by, in
// lower case.
var nextSteps = []string{
	"next step", "next, ", "next i", "next we", "next up", "i'll ", "i will ", "we'll ", "we will ", "remaining", "remains to", "still need", "still to ", "still open", "left to do", "to do:", "todo", "tomorrow", "afterwards",
	"waiting for", "once you", "let me know", "shall i", "should i", "do you want", "would you like", "plan to", "going to ",
	"接下來", "接下来", "下一步", "稍後", "稍后", "之後會", "之后会", "我會", "我会", "我再", "等你", "等您", "待確認", "待确认", "還需要", "还需要", "還要", "还要", "還沒", "还没", "剩下", "明天", "下週", "下周", "要不要", "需要我",
	"次に", "次は", "次の", "あとで", "後で", "後ほど", "これから", "予定", "ますか", "ましょうか", "残り", "残って", "まだ", "明日", "来週", "お待ち", "つもり",
}
