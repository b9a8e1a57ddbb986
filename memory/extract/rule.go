package extract

import (
	"regexp"
	"strings"

	"mcp-memory/memory"
)

// Rule is a standing rule or a lasting fact that a person stated: something that
// still applies later.
type Rule struct {
	Text    string // the sentence as written, without a lead-in such as "One rule:"; one line of at most 200 characters
	Forbids bool   // it says what is not to be done
}

// The prefixes of a key decision.
const (
	doPrefix   = "Do: "
	dontPrefix = "Don't: "
)

const (
	maxRule     = 200 // characters of a rule
	maxSentence = 240 // columns of a sentence; a longer one is no rule but a story
)

// Decision returns the rule as a key decision of a summary: "Do: …" or
// "Don't: …".
func (r Rule) Decision() string {
	if r.Forbids {
		return dontPrefix + r.Text
	}
	return doPrefix + r.Text
}

// leadIn is what announces a rule and adds nothing to it.
var leadIn = regexp.MustCompile(`(?i)^(?:(?:a|an|the|one|another|my|our|new|general|standing|house) )*(?:rules?|reminder|note|important)\s*: *` +
	`|^(?:一[条條个個])?(?:规则|規則|规矩|規矩|注意|提醒)\s*[:：]\s*|^(?:ルール|お願い|注意)(?:です)?\s*[:：]\s*`)

// Rules returns the standing rules that a message states, in order. Only what a
// user wrote can be a rule: no quotation, no code, no log, no question, no
// request for once.
func Rules(m memory.Message) []Rule {
	if m.Role != memory.RoleUser {
		return nil
	}
	var rules []Rule
	for s := range sentences(prose(m.Content)) {
		if s = oneLine(s); cut(s, maxSentence) != s {
			continue
		}
		if r := read(s); r.rule {
			rules = append(rules, Rule{clip(leadIn.ReplaceAllString(s, ""), maxRule), r.forbids})
		}
	}
	return rules
}

// oldPrefixes begin key decisions of other systems and of models that write
// them in their own language.
var oldPrefixes = []struct {
	text    string
	forbids bool
}{
	{"Don't:", true}, {"Don’t:", true}, {"Dont:", true}, {"Do not:", true}, {"不要：", true}, {"不要:", true}, {"しない：", true}, {"しない:", true},
	{"Do:", false}, {"要：", false}, {"要:", false}, {"する：", false}, {"する:", false},
}

// parseDecision reads a key decision. Without a prefix, the text tells.
func parseDecision(s string) Rule {
	s = strings.TrimSpace(s)
	for _, prefix := range oldPrefixes {
		if len(s) >= len(prefix.text) && strings.EqualFold(s[:len(prefix.text)], prefix.text) {
			return Rule{strings.TrimSpace(s[len(prefix.text):]), prefix.forbids}
		}
	}
	return Rule{s, read(s).forbids}
}
