// Package prompts holds the texts that the program says to models, each in a
// file of its own, so that they can be read and changed as texts.
package prompts

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed instructions.md
var instructions string

//go:embed rules.md
var rules string

//go:embed recall.md
var recall string

//go:embed compact.md
var compact string

//go:embed reset.md
var reset string

// Instructions tells an agent how to work with this server. Clients put it into
// the system prompt. Rules that name a tool which is missing are left out, and
// the others counted anew.
func Instructions(missing ...string) string {
	var kept []string
	rules := 0
	for line := range strings.Lines(strings.TrimSpace(instructions)) {
		rule := ruleNumber.FindString(line)
		if rule == "" {
			kept = append(kept, line)
			continue
		}
		text := strings.TrimPrefix(line, rule)
		words := strings.FieldsFunc(text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') })
		if slices.ContainsFunc(words, func(word string) bool { return slices.Contains(missing, word) }) {
			continue
		}
		rules++
		kept = append(kept, strconv.Itoa(rules)+". "+text)
	}
	return strings.Join(kept, "")
}

// ruleNumber is how a rule of the instructions begins.
var ruleNumber = regexp.MustCompile(`^\d+\. `)

// Rules tells an agent how to treat what get_context returns.
func Rules() string { return strings.TrimSpace(rules) }

// Recall is what the prompt recall says in the user's name: the context that
// get_context gave as text, and what the user wants to know, if that is given.
func Recall(context, query string) string {
	text := strings.TrimSpace(recall) + "\n\n" + strings.TrimSpace(context)
	if query = strings.TrimSpace(query); query == "" {
		return text
	}
	return text + "\n\nWhat I want to know now: " + query
}

// Compact is what the prompt compact says in the user's name about a session; ""
// = the one that the server is configured for.
func Compact(session string) string { return about(compact, session) }

// Reset is what the prompt reset says in the user's name about a session, as
// Compact; with a mode, that one is to be done.
func Reset(session, mode string) string {
	text := about(reset, session)
	if mode = strings.TrimSpace(mode); mode != "" {
		text += "\n\nWhat I want to clear: " + mode
	}
	return text
}

// about adds the session that a text is about.
func about(text, session string) string {
	text = strings.TrimSpace(text)
	if session = strings.TrimSpace(session); session != "" {
		text += "\n\nsession_id: " + session
	}
	return text
}
