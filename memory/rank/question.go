package rank

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// Question is a search text as ranking sees it.
type Question struct {
	terms []questionTerm
	about string // the sender it asks about, folded; "" = no one in particular
	toYou bool   // it asks what the assistant said
	asked asked
	dates []calendarDate // that it names
}

type questionTerm struct {
	token string
	hash  uint32
	idf   float64
	name  bool // it names a sender: no evidence for the text around it
}

// NewQuestion prepares a search text. senders are the names of all who speak in
// the store; freq counts the terms of the question in it.
func NewQuestion(query string, senders []string, freq memory.Frequencies) Question {
	q := Question{toYou: asksAssistant(query), asked: askedBy(query), dates: datesIn(query)}
	var names map[string]bool
	q.about, names = aboutWhom(query, senders)
	for _, t := range text.ParseQuery(query).Terms() {
		q.terms = append(q.terms, questionTerm{
			token: t,
			hash:  Hash(t),
			idf:   idf(freq.Documents, freq.ByToken[t]),
			name:  names[t],
		})
	}
	return q
}

// The words by which a question asks for what the assistant said.
var assistantWords = []string{"you", "your", "yours", "suggest", "suggested", "recommend", "recommended", "advise", "advised"}

func asksAssistant(query string) bool {
	for _, w := range words(query) {
		if slices.Contains(assistantWords, w) {
			return true
		}
	}
	return strings.ContainsAny(query, "你您") || strings.Contains(query, "あなた")
}

// words are the folded Latin (and other spaced) words of s, in order.
func words(s string) []string {
	return strings.FieldsFunc(text.Fold(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// roleNames are senders that name no person.
var roleNames = []string{"", "user", "assistant", "system", "tool", "bot", "human", "ai"}

// The words of a question that is about several people together.
var togetherWords = []string{"both", "together", "share", "common", "each"}

// minNickname is the length in letters from which the beginning of a first name
// counts as a short form ("Mel" for Melanie).
const minNickname = 3

// mention is a place in a question that names a sender.
type mention struct {
	who        string // the sender, folded; "" = several share the name
	name       string // the words that name him or her
	at, end    int    // the words of the question from at up to end
	possessive bool   // "Ann's"
}

// aboutWhom finds the senders that a question names. One: it is about him or
// her. Several: about the first one that is not a possessive, or no one when
// they are joined by "and" or the question says "both". names are the tokens
// that name someone.
func aboutWhom(query string, senders []string) (about string, names map[string]bool) {
	names = map[string]bool{}
	ws := words(query)
	mentions := mentioned(ws, query, people(senders))
	seen := map[string]bool{}
	joined := slices.ContainsFunc(ws, func(w string) bool { return slices.Contains(togetherWords, w) })
	for i, m := range mentions {
		for _, t := range text.Terms(m.name) {
			names[t] = true
		}
		seen[m.who] = true
		if about == "" && !m.possessive {
			about = m.who
		}
		if i > 0 {
			between := ws[mentions[i-1].end:max(m.at, mentions[i-1].end)]
			joined = joined || m.at < mentions[i-1].end || len(between) == 1 && between[0] == "and"
		}
	}
	switch {
	case len(seen) == 1:
		return mentions[0].who, names
	case joined:
		return "", names
	}
	return about, names
}

// person is a sender by the words of the name, folded.
type person struct {
	full  string
	words []string
}

// people are the senders that are persons, in a fixed order.
func people(senders []string) []person {
	var list []person
	for _, s := range senders {
		full := text.Fold(s)
		if slices.Contains(roleNames, full) {
			continue
		}
		if ws := words(full); len(ws) > 0 {
			list = append(list, person{full, ws})
		}
	}
	return list
}

// mentioned finds who is named, in the order of the words. A name of several
// words counts before one of them does.
func mentioned(ws []string, query string, list []person) []mention {
	var found []mention
	for i := 0; i < len(ws); {
		m, ok := fullName(ws, i, list)
		switch {
		case ok:
			found = append(found, m)
		case isUnspaced(ws[i]):
			found = append(found, namesInside(ws[i], i, list)...)
		default:
			if m, ok := oneWord(ws, i, query, list); ok {
				found = append(found, m)
			}
		}
		i = max(i+1, m.end)
	}
	return found
}

// fullName finds the longest name that stands at word i with all its words.
func fullName(ws []string, i int, list []person) (m mention, ok bool) {
	for _, p := range list {
		n := len(p.words)
		if n > 1 && n > m.end-m.at && i+n <= len(ws) && slices.Equal(ws[i:i+n], p.words) {
			m = mention{who: p.full, name: p.full, at: i, end: i + n, possessive: isPossessive(ws, i+n)}
		}
	}
	return m, m.who != ""
}

func isPossessive(ws []string, next int) bool { return next < len(ws) && ws[next] == "s" }

// oneWord finds whom word i names: by one of the words of the name, else by the
// beginning of a first name. When several people answer to it, it names none of
// them. A word that is also a common one ("Will", "May") must be written as a
// name: with a capital, and not first in the question.
func oneWord(ws []string, i int, query string, list []person) (mention, bool) {
	word := ws[i]
	common := text.IsStop(text.Token{Word: word}) || slices.Contains(commonNames, word)
	var who []string
	for _, p := range list {
		if slices.Contains(p.words, word) {
			who = append(who, p.full)
		}
	}
	if len(who) == 0 && len(word) >= minNickname && !common {
		for _, p := range list {
			if strings.HasPrefix(p.words[0], word) {
				who = append(who, p.full)
			}
		}
	}
	who = slices.Compact(who)
	if len(who) == 0 || common && (i == 0 || !isCapitalised(word, query)) {
		return mention{}, false
	}
	m := mention{name: word, at: i, end: i + 1, possessive: isPossessive(ws, i+1)}
	if len(who) == 1 {
		m.who = who[0]
	}
	return m, true
}

// commonNames are names that are also common words and no stop words.
var commonNames = []string{"may", "mark", "rose", "grace", "hope", "joy", "faith", "bill", "art", "frank", "june", "april", "august", "sky", "summer"}

// isCapitalised says whether the query has the word with a capital somewhere
// behind its beginning.
func isCapitalised(word, query string) bool {
	first, size := utf8.DecodeRuneInString(word)
	capital := string(unicode.ToUpper(first)) + word[size:]
	return strings.Index(query, capital) > 0
}

// namesInside finds all names in a word of a script without spaces.
func namesInside(word string, at int, list []person) []mention {
	var found []mention
	for _, p := range list {
		if utf8.RuneCountInString(p.full) > 1 && strings.Contains(word, p.full) {
			found = append(found, mention{who: p.full, name: p.full, at: at, end: at + 1})
		}
	}
	slices.SortStableFunc(found, func(a, b mention) int {
		return strings.Index(word, a.name) - strings.Index(word, b.name)
	})
	return found
}

// isUnspaced says whether the word begins in a script written without spaces.
func isUnspaced(word string) bool {
	for t := range text.Tokens(word) {
		return t.Kind == text.Pair || t.Kind == text.Single
	}
	return false
}
