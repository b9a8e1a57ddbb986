package limits

import "regexp"

// All expressions of this file see a text as plain leaves it.

// elsewhere is what no context error says: rates, quotas and money, a server
// that is busy, batches of texts.
var elsewhere = regexp.MustCompile(`tokens? ?(?:per|/|a) ?(?:sec|min|hour|day|month)|\b(?:i?tpm|tpd|rpm|rpd)\b` +
	`|rate[ _-]?limit|too[ _]many[ _]requests|throttl|quota|daily|monthly|credits|afford|balance|billing` +
	`|please wait|try again (?:later|in )|retry (?:later|after|in )|overloaded|(?:at|over|no) capacity|service[ _]?unavailable` +
	`|(?:^|"message": ?)\W*(?:429|503|529)\b|\b(?:http|status|code|error)[ "':=]*(?:code)?[ "':=]*(?:429|503|529)\b` +
	`|\bthis (?:minute|hour|day|week|month)\b` +
	`|'[^']*\b(?:id|name|description|title|user|role|stop|metadata|\w+_(?:id|key|identifier))(?:\[\d+\]|\.[^']*)?': string too long` +
	`|batch size (?:is|must|should|too|\d+ ?>)|(?:allowed|maximum) batch size|too many (?:inputs|texts|items|documents)|array (?:is )?too long` +
	`|频繁|頻繁|限流|限速|速率|每分|配额|配額|额度|額度|余额|餘額|レート|속도 제한|요청 한도`)

// answer is how the length of the answer is spoken of; when the text has no word
// of prompt, it is about that alone.
var (
	answer = regexp.MustCompile(`\bmax_?(?:completion_?|output_?|new_?)?tokens?\b|\b(?:output|completion|new|generated) tokens?\b` +
		`|maximum tokens (?:you requested|value)`)
	prompt = regexp.MustCompile(`context|\binput|prompt|上下文|输入|輸入|提示|コンテキスト|入力|プロンプト|컨텍스트|입력|프롬프트`)
)

// overflow has the forms that are enough by themselves.
var overflow = []*regexp.Regexp{
	// Codes: Anthropic, OpenAI, llama.cpp, GitHub, LiteLLM, Z.ai.
	regexp.MustCompile(`(?:request|prompt|input|string)_too_(?:large|long)|string_above_max_length|context_?(?:length|window|size)_?exceed` +
		`|exceed_context|tokens_limit_reached|prompt_tokens_exceeded|context[ _-]?overflow`),
	// "prompt is too long", "Request Entity Too Large", "string too long".
	regexp.MustCompile(`\b(?:prompt|inputs?|request|messages?|conversation|query|texts?|sequence|string|content|payload|history)'?` +
		` (?:(?:is|was|are|were|body|entity|text|length|tokens?|count|size|\(\d+ tokens\)) )*too (?:long|large|big)\b`),
	// "Request exceeds the maximum size", "Prompt exceeds max length".
	regexp.MustCompile(`\b(?:request|prompt|inputs?|body)\b[^."]{0,40}\bexceed\w*[^."]{0,40}\b(?:size|length)\b`),
	// "Request payload size exceeds the limit".
	regexp.MustCompile(`\b(?:request|prompt|inputs?|body) (?:payload |body )?size exceed`),
	regexp.MustCompile(`range of input length|maximum context length is \d|too many (?:input |prompt |total )?tokens`),
	// "Please reduce the length of the messages or completion".
	regexp.MustCompile(`reduce (?:the |your )?(?:(?:length|size|number) of )?(?:the |your )?(?:messages?|prompt|inputs?|context|conversation|request)\b`),
	regexp.MustCompile(`context[^."]{0,30}\breached|\breached[^."]{0,20}\bcontext`),
	// Chinese, Japanese and Korean.
	regexp.MustCompile(`(?:上下文|输入|輸入|提示|prompt|tokens?|消息|对话|對話|文本)[^。]{0,24}(?:超|过长|過長|过大|太长|太長)` +
		`|超(?:过|過|出)[^。]{0,16}(?:上下文|最大长度|最大長度|token)` +
		`|(?:コンテキスト|入力|プロンプト|トークン)[^。]{0,24}(?:超|長すぎ)` +
		`|最大上下文(?:长度|長度|窗口)[^。]{0,6}\d+[^。]{0,20}(?:请求|請求|输入|輸入|prompt)` +
		`|(?:컨텍스트|입력|프롬프트|토큰)[^.]{0,24}(?:초과|깁니다|너무 (?:길|깁|많))`),
}

// length and excess belong together: what is limited, and that it is passed.
var (
	length = regexp.MustCompile(`context[ _-]?(?:length|size|window|limit|budget)|max_(?:model|seq)_len|(?:model|prompt|input) length|token limit|\bn_ctx\b`)
	excess = regexp.MustCompile(`exceed|too (?:long|large|big|many)|(?:greater|longer|larger|bigger|more) than|overflow|surpass|beyond` +
		`|(?:must|should) be (?:less|smaller|shorter|fewer|at most|<)|> ?\d|\bbut\b|however|not enough|(?:does not|doesn't|cannot|can't) fit|超`)
)

// amount is a count of tokens that is passed. A word in quotes is the name of a
// field, not what is counted.
var amount = regexp.MustCompile(`\b(?:prompt|inputs?|requests?|requested|messages?|conversation|texts?|total|(?:input|prompt|total)_tokens)[^"\w][^"]{0,100}` +
	`(?:exceed|(?:longer|greater|larger|more|less) than|must be (?:<|at most|under|below)|\bover the\b|only supports?|\bup to\b)`)

// What may stand between the words of a limit and its number.
const (
	gap  = `(?:[ '":=(]|is|of|at|only|to|limit|limited|allowed|set|for|this|the|model|was|<)*`
	size = `(\d+k?)`
	of   = `(?:(?:number|of|allowed|input|prompt|tokens?|seq|sequence|model|context|request|combined)[ _]?)*`
	past = `(?:(?:the|a|its|of|this|that|model|model's|configured|allowed|maximum|max|number|tokens?|total|context|window|length|size|limit|input|prompt|supported|for|is)[ :]*)*`
)

// sizeForm is a way to name a window, and its name.
type sizeForm struct {
	kind string
	*regexp.Regexp
}

// sizes are the ways to name a window, the surest first.
var sizes = []sizeForm{
	// "208310 tokens > 200000 maximum", "178959 + 64000 > 200000".
	{"comparison", regexp.MustCompile(`\b\d+\)? ?(?:tokens? )?>=? ?` + size)},
	// "Range of input length should be [1, 204800]".
	{"range", regexp.MustCompile(`input length should be \[\d+, ?` + size)},
	// "maximum context length is 4097", "maximum number of tokens allowed (1048576)", "max_seq_len 8192".
	{"maximum", regexp.MustCompile(`\bmax(?:imum)?[ _]` + of + `(?:length|len|size|window|limit|tokens)s?(?: of \S+ is)?` + gap + size)},
	// "available context size (123904", "model token limit: 262144".
	{"available", regexp.MustCompile(`\b(?:available|configured|supported|model|model's) ` + of + `(?:length|size|window|limit)s?` + gap + size)},
	// "exceeds the limit of 128000", "supports up to 32768", "only supports 32768", "must be <= 4096".
	{"exceeds", regexp.MustCompile(`(?:exceed\w*|(?:longer|greater|larger|more|less) than|\bup to|\bonly supports?|\bat most|<=?) ` + past + gap + size)},
	// "n_ctx":4096.
	{"n_ctx", regexp.MustCompile(`\bn_ctx"? ?[:=] ?` + size)},
	// "The limit for this model is 128000", "while limit is 8192".
	{"limit", regexp.MustCompile(`\b(?:limit|limited|maximum|max) ?(?:(?:for|of|is|this|the|model|tokens?|allowed) )*[:(=]* ?` + size)},
	// "131072 maximum context length", "8192-token context window".
	{"size first", regexp.MustCompile(size + `[ -](?:tokens?[ -])?(?:max|context|limit|window)`)},
	// "loaded with context length of only 4096 tokens".
	{"context", regexp.MustCompile(`context[ _-]?(?:length|size|window|limit)s?` + gap + size)},
	{"chinese", regexp.MustCompile(`(?:最大|上限|限制|超过|超過|超出)[^\d。]{0,16}` + size)},
}

// otherUnit begins what follows a number that counts no tokens.
var otherUnit = regexp.MustCompile(`^ ?(?:bytes?|characters?|chars?|[kmg]i?b|b|messages?|images?|pixels?)\b`)
