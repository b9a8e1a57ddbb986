package extract

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"mcp-memory/memory"
)

const (
	maxDescription = 240 // characters
	maxTelling     = 3   // sentences of a description
	maxDescribed   = 20  // exchanges that a description is made of, the newest ones
	maxDirection   = 160 // characters
	maxVoice       = 80  // columns of what one person said
	maxVoices      = 4
	// enough is the share of the best sentence's score that another one needs.
	enough = .4
	// maxRepeats is how often a term counts in a discussion.
	maxRepeats = 3
)

// scored is a sentence with its place in the discussion.
type scored struct {
	text  string
	place int
	score float64
}

// describe returns the sentences of the discussion that tell most, in order.
func (d *discussion) describe(w weights) string {
	candidates := d.scored(w)
	if len(candidates) == 0 {
		return d.before.Description
	}
	slices.SortFunc(candidates, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.place, b.place))
	})
	best := candidates[0]
	if utf8.RuneCountInString(best.text) > maxDescription {
		return clip(best.text, maxDescription)
	}
	chosen, length := []scored{best}, utf8.RuneCountInString(best.text)
	for _, s := range candidates[1:] {
		n := utf8.RuneCountInString(s.text) + 1
		if len(chosen) < maxTelling && length+n <= maxDescription && s.score >= enough*best.score {
			chosen, length = append(chosen, s), length+n
		}
	}
	slices.SortFunc(chosen, func(a, b scored) int { return cmp.Compare(a.place, b.place) })
	var b strings.Builder
	for _, s := range chosen {
		join(&b, s.text)
	}
	return b.String()
}

// join appends a sentence, with a blank before it where the script has blanks.
func join(b *strings.Builder, s string) {
	last, _ := utf8.DecodeLastRuneInString(b.String())
	if b.Len() > 0 && last < 0x3000 {
		b.WriteByte(' ')
	}
	b.WriteString(s)
}

// scored returns the sentences of the discussion that could describe it: each
// once, the earlier description first. The one that the topic quotes and those
// too long are left out unless there are no others.
func (d *discussion) scored(w weights) []scored {
	var list, long, quoted []scored
	seen := map[string]bool{}
	consider := func(s string) {
		if seen[s] {
			return
		}
		seen[s] = true
		c := scored{s, len(seen), d.score(s, w)}
		switch {
		case topicOf(s) == d.topic && !strings.HasSuffix(d.topic, "…"):
			quoted = append(quoted, c)
		case utf8.RuneCountInString(s) > maxDescription:
			long = append(long, c)
		default:
			list = append(list, c)
		}
	}
	for s := range sentences(d.before.Description) {
		consider(s)
	}
	for _, e := range d.exchanges[max(0, len(d.exchanges)-maxDescribed):] {
		for _, t := range e.turns {
			for _, s := range t.sentences {
				consider(s)
			}
		}
	}
	for _, candidates := range [][]scored{list, long} {
		if len(candidates) > 0 {
			return candidates
		}
	}
	return quoted
}

// score says how much a sentence tells of the discussion: the weight of its
// terms, each as often as the discussion has it, over the root of their number
// so that length alone gains little. A question tells half.
func (d *discussion) score(s string, w weights) float64 {
	terms := bagOf(s)
	total := 0
	for t := range terms {
		total += w.of(t) * min(d.terms[t], maxRepeats)
	}
	score := float64(total) / math.Sqrt(float64(len(terms)+4))
	if isQuestion(s) {
		score /= 2
	}
	return score
}

// heading returns what was left to do: the assistant's last sentence about a
// next step, else a question of the user that nobody answered.
func (d *discussion) heading() string {
	e := d.exchanges[len(d.exchanges)-1]
	last := e.turns[len(e.turns)-1]
	for _, s := range slices.Backward(last.sentences) {
		open := isQuestion(s)
		if last.role == memory.RoleAssistant && hasNextStep(s) || last.role == memory.RoleUser && open {
			return clip(s, maxDirection)
		}
	}
	return ""
}

// hasNextStep says whether a sentence speaks of work still to be done.
func hasNextStep(s string) bool {
	s = strings.ToLower(s) + " "
	return isQuestion(s) || slices.ContainsFunc(nextSteps, func(step string) bool { return strings.Contains(s, step) })
}

// perspectives returns who said what, in the order in which they last spoke.
func (d *discussion) perspectives(w weights) string {
	var names, said []string
	for _, e := range d.exchanges {
		for _, t := range e.turns {
			if i := slices.Index(names, t.name); i >= 0 {
				names, said = slices.Delete(names, i, i+1), slices.Delete(said, i, i+1)
			}
			names, said = append(names, t.name), append(said, d.mostTelling(t.sentences, w))
		}
	}
	var parts []string
	for i := max(0, len(names)-maxVoices); i < len(names); i++ {
		parts = append(parts, names[i]+": "+cut(strings.TrimRight(said[i], ".。 "), maxVoice))
	}
	return strings.Join(parts, "; ")
}

// mostTelling returns all sentences if they are short enough, else the one with
// the highest score, the first of equals.
func (d *discussion) mostTelling(sentences []string, w weights) string {
	var b strings.Builder
	for _, s := range sentences {
		join(&b, s)
	}
	if cut(b.String(), maxVoice) == b.String() {
		return b.String()
	}
	return slices.MaxFunc(sentences, func(a, b string) int { return cmp.Compare(d.score(a, w), d.score(b, w)) })
}
