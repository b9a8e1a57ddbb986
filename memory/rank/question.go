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
	q := Question{toYou: asksAssistant(query)}
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

// aboutWhom finds the senders that a question names. One: it is about him or
// her. Several: about the first one that is not a possessive ("Ann's"), or no
// one when they are joined by "and" or the question says "both". names are the
// tokens that name someone.
func aboutWhom(query string, senders []string) (about string, names map[string]bool) {
	byName := nameTable(senders)
	names = map[string]bool{}
	if len(byName) == 0 {
		return "", names
	}
	seen := map[string]bool{}
	ws := words(query)
	joined, lastAt := false, -2
	for i, w := range ws {
		who, name := senderNamed(w, byName)
		if who == "" {
			continue
		}
		for _, t := range text.Terms(name) {
			names[t] = true
		}
		joined = joined || (lastAt >= 0 && i == lastAt+2 && ws[i-1] == "and")
		lastAt = i
		seen[who] = true
		if possessive := i+1 < len(ws) && ws[i+1] == "s"; about == "" && !possessive {
			about = who
		}
	}
	switch {
	case len(seen) == 1:
		for who := range seen {
			about = who
		}
	case joined || slices.ContainsFunc(ws, func(w string) bool { return slices.Contains(togetherWords, w) }):
		about = ""
	}
	return about, names
}

// nameTable maps full and first names, folded, to the folded full name.
func nameTable(senders []string) map[string]string {
	table := map[string]string{}
	for _, s := range senders {
		full := text.Fold(s)
		if slices.Contains(roleNames, full) {
			continue
		}
		table[full] = full
		if parts := words(full); len(parts) > 0 {
			table[parts[0]] = full
		}
	}
	return table
}

// senderNamed returns whom a word of the question names, and the part of the
// word that does: a full or first name, the beginning of one, or, in scripts
// without spaces, a name anywhere inside.
func senderNamed(word string, byName map[string]string) (who, name string) {
	if who := byName[word]; who != "" {
		return who, word
	}
	unspaced := isUnspaced(word)
	for name, who := range byName {
		switch {
		case unspaced:
			if utf8.RuneCountInString(name) > 1 && strings.Contains(word, name) {
				return who, name
			}
		case len(word) >= minNickname && strings.HasPrefix(name, word) && !text.IsStop(text.Token{Word: word}):
			return who, word
		}
	}
	return "", ""
}

// isUnspaced says whether the word begins in a script written without spaces.
func isUnspaced(word string) bool {
	for t := range text.Tokens(word) {
		return t.Kind == text.Pair || t.Kind == text.Single
	}
	return false
}
