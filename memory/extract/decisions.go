package extract

import (
	"slices"
	"strings"
	"unicode"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// decision is a rule in force.
type decision struct {
	Rule
	key     string // equal keys are the same rule
	core    bag    // what it is about: the terms of its main clause, cues apart
	all     bag    // the terms of the whole
	instead bool   // it names what it takes the place of
}

// decisionOf prepares a rule for comparison.
func decisionOf(r Rule) decision {
	d := decision{Rule: r, core: coreOf(r.Text), all: bagOf(r.Text)}
	d.key = strings.TrimRightFunc(text.Fold(r.Text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	for _, reader := range readersOf(r.Text) {
		d.instead = d.instead || reader.sign(r.Text, replacing) >= 0
	}
	return d
}

// coreOf returns the terms of the first clause, from the one with the first cue
// on, that has any besides cues.
func coreOf(s string) bag {
	cues := read(s).cues
	from, plain := 0, []byte(s)
	for i, c := range cues {
		if i == 0 {
			from = c.start
		}
		for j := c.start; j < c.end; j++ {
			plain[j] = ' '
		}
	}
	if i := strings.LastIndexFunc(s[:from], isClauseMark); i >= 0 {
		from = i
	} else {
		from = 0
	}
	for clause := range strings.FieldsFuncSeq(string(plain[from:]), isClauseMark) {
		if core := bagOf(clause); len(core) > 0 {
			return core
		}
	}
	return bagOf(s)
}

// The share of terms from which two rules are about the same thing.
const minSame = .5

// replaces says whether the later rule d leaves nothing of the rule old: it is
// the same, or the opposite, or names old's matter as what it replaces.
func (d *decision) replaces(old *decision) bool {
	if d.key == old.key {
		return true
	}
	common, inAll := 0, 0
	for t := range old.core {
		if d.core[t] > 0 {
			common++
		}
		if d.all[t] > 0 {
			inAll++
		}
	}
	if d.Forbids != old.Forbids {
		return common > 0 && float64(common) >= minSame*float64(len(d.core)+len(old.core)-common)
	}
	return d.instead && inAll > 0 && float64(inAll) >= minSame*float64(len(old.core))
}

// decisions are the rules in force, oldest first.
type decisions []decision

// add puts a rule at the end and drops what it replaces and what is too old.
// The limit counts at every step, so it makes no difference whether rules come
// at once or in parts.
func (list decisions) add(r Rule) decisions {
	d := decisionOf(r)
	list = append(slices.DeleteFunc(list, func(old decision) bool { return d.replaces(&old) }), d)
	return list[max(0, len(list)-memory.MaxKeyDecisions):]
}

// texts returns the rules as key decisions.
func (list decisions) texts() []string {
	texts := make([]string, len(list))
	for i, d := range list {
		texts[i] = d.Decision()
	}
	return texts
}
