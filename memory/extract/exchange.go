package extract

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// maxEnds is how many sentences at the beginning and at the end of a message
// tell what it is about.
const maxEnds = 40

// turn is what one message says in words.
type turn struct {
	role      memory.Role
	name      string   // the sender's, else the role
	greets    bool     // it has a greeting or thanks
	sentences []string // each on one line; small talk left out
}

// exchange is a user message and what follows it, as far as it is in words.
type exchange struct {
	turns  []turn    // of users and assistants, none without a sentence
	terms  bag       // of all turns
	asked  bag       // of those of the user
	greets bool      // the user greets or thanks
	at     time.Time // when its last message was sent
}

// exchangeOf reads an exchange.
func exchangeOf(messages []memory.Message) exchange {
	e := exchange{terms: bag{}, asked: bag{}}
	for _, m := range messages {
		if m.Role == memory.RoleUser || m.Role == memory.RoleAssistant {
			e.add(m)
		}
	}
	return e
}

// add reads one more message of the exchange.
func (e *exchange) add(m memory.Message) {
	if m.SentAt.After(e.at) {
		e.at = m.SentAt
	}
	t := turnOf(m)
	e.greets = e.greets || t.greets && m.Role == memory.RoleUser
	if len(t.sentences) == 0 {
		return
	}
	e.turns = append(e.turns, t)
	for _, s := range t.sentences {
		e.terms.add(s)
		if m.Role == memory.RoleUser {
			e.asked.add(s)
		}
	}
}

// turnOf reads a message.
func turnOf(m memory.Message) turn {
	t := turn{role: m.Role, name: oneLine(text.Visible(m.Sender))}
	if t.name == "" {
		t.name = string(m.Role)
	}
	for s := range sentences(prose(m.Content)) {
		s, greets := gist(s)
		if t.greets = t.greets || greets; s != "" {
			t.sentences = append(t.sentences, s)
		}
	}
	if n := len(t.sentences); n > 2*maxEnds {
		t.sentences = slices.Delete(t.sentences, maxEnds, n-maxEnds)
	}
	return t
}

// address is a URL.
var address = regexp.MustCompile(`(?i)\b(?:https?|ftp|file|ssh)://[^\s<>"'、。，；！？（）「」『』]+`)

// gist returns a sentence on one line, without addresses and without the small
// talk that it opens with, "" when there is nothing else, and whether it greets
// or thanks.
func gist(s string) (rest string, greets bool) {
	s = oneLine(address.ReplaceAllString(s, " "))
	if i := strings.IndexAny(s, ",，、!！"); i > 0 {
		opening, greets := smallTalkIn(s[:i])
		rest := strings.TrimLeftFunc(s[i:], func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) })
		if opening && greets && isName(rest) {
			return "", true
		}
		if opening {
			s = rest
		}
	}
	if nothing, greets := smallTalkIn(s); nothing {
		return "", greets
	}
	return s, false
}

// maxContinued is the size of what a user says up to which it is too little to
// be about something new: "yes", "SQLite, please".
const maxContinued = 3

// continues says whether the exchange only goes on with what was talked about.
func (e *exchange) continues() bool { return e.asked.size() <= maxContinued }

// isIdle says whether the exchange is about nothing: greeting or thanks, and
// the answer to it.
func (e *exchange) isIdle() bool { return len(e.turns) == 0 || e.greets && len(e.asked) == 0 }

// maxNod is the width in columns of an answer that only says yes.
const maxNod = 60

// onlyRules says whether the user states rules and gets a nod: the rules are
// kept, and there is nothing to discuss.
func (e *exchange) onlyRules() bool {
	answer := ""
	for _, t := range e.turns {
		if t.role != memory.RoleUser {
			answer += strings.Join(t.sentences, "")
		} else if slices.ContainsFunc(t.sentences, func(s string) bool { return !read(s).rule }) {
			return false
		}
	}
	return len(e.asked) > 0 && cut(answer, maxNod) == answer
}

// opening returns the first sentence of the user, else of anybody.
func (e *exchange) opening() string {
	i := max(0, slices.IndexFunc(e.turns, func(t turn) bool { return t.role == memory.RoleUser }))
	return e.turns[i].sentences[0]
}

// maxTopic is the width of a topic in columns.
const maxTopic = 60

// topicOf makes a topic of a sentence.
func topicOf(sentence string) string {
	return cut(strings.TrimRight(sentence, ".。．｡ "), maxTopic)
}
