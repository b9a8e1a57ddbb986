package text

// IsStop reports whether t is a stop word: a function word of English, or a
// grammatical particle of Chinese or Japanese standing alone. The index keeps
// them, because phrases need them; queries and ranking drop them unless nothing
// else remains.
func IsStop(t Token) bool {
	switch t.Kind {
	case Word:
		return stopWords[t.Word]
	case Single:
		return particles[t.Text]
	}
	return false
}

// stopWords holds folded, unstemmed words. The parts that apostrophes leave
// ("don't" is don and t) are among them.
var stopWords = set(
	// articles, pronouns and determiners
	"a", "an", "the", "i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves",
	"you", "your", "yours", "yourself", "yourselves", "he", "him", "his", "himself",
	"she", "her", "hers", "herself", "it", "its", "itself",
	"they", "them", "their", "theirs", "themselves",
	"this", "that", "these", "those", "there", "here",
	"some", "any", "each", "both", "either", "such", "own", "same", "other",
	// questions
	"what", "which", "who", "whom", "whose", "when", "where", "why", "how",
	// forms of be, have, do and the modal verbs
	"am", "is", "are", "was", "were", "be", "been", "being",
	"have", "has", "had", "having", "do", "does", "did", "doing", "done",
	"can", "could", "will", "would", "shall", "should", "might", "must", "ought",
	// conjunctions and prepositions
	"and", "or", "nor", "but", "if", "then", "than", "else", "because", "as", "until", "while",
	"of", "at", "by", "for", "with", "about", "against", "between", "into", "through", "during",
	"to", "from", "in", "on", "onto", "upon", "off", "over", "under", "out", "up", "down",
	// adverbs and particles
	"not", "no", "so", "too", "very", "just", "only", "also", "again", "further", "once",
	"more", "most", "all", "few", "ever", "yet", "let",
	// what an apostrophe leaves
	"s", "t", "d", "m", "o", "y", "ll", "re", "ve", "don", "didn", "doesn", "isn", "aren",
	"wasn", "weren", "hasn", "haven", "hadn", "couldn", "shouldn", "wouldn", "mustn",
	"mightn", "needn", "shan", "ain",
)

// particles holds single characters that only carry grammar.
var particles = set(
	"的", "了", "吗", "嗎", "呢", "吧", "啊", "呀", "着", "过", "過", "得", "地", "和", "与", "與", "在", "是", "就", "也",
	"は", "が", "を", "に", "で", "と", "も", "の", "へ", "や", "か", "ね", "よ", "な",
)

// set makes a set of words.
func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
