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
	from, plain := 0, []byte(s)
	for i, c := range read(s).cues {
		if i == 0 {
			from = max(0, strings.LastIndexFunc(s[:c.start], isClauseMark))
		}
		copy(plain[c.start:c.end], strings.Repeat(" ", c.end-c.start))
	}
	for clause := range strings.FieldsFuncSeq(string(plain[from:]), isClauseMark) {
		if core := bagOf(clause); len(core) > 0 {
			return core
		}
	}
	return bagOf(s)
}

const (
	// minSame is the share of the size of all their terms that two opposite
	// rules have in common when they are about the same thing.
	minSame = .6
	// minNamed is the share of an old rule that a new one names when that says
	// what it takes the place of.
	minNamed = .5
)

// replaces says whether the later rule d leaves nothing of the rule old: it is
// the same, or the opposite, or names old's matter as what it replaces.
func (d *decision) replaces(old *decision) bool {
	if d.key == old.key {
		return true
	}
	size := float64(old.core.size())
	if d.Forbids != old.Forbids {
		common := float64(d.core.common(old.core))
		return common > 0 && common >= minSame*(float64(d.core.size())+size-common)
	}
	named := float64(d.all.common(old.core))
	return d.instead && named > 0 && named >= minNamed*size
}

// decisions are the rules in force, oldest first.
type decisions []decision

// add puts a rule at the end and drops what it replaces and what is too old.
// The limit counts at every step, so it makes no difference whether rules come
// at once or in parts.
func (list decisions) add(r Rule) decisions {
	d := decisionOf(r)
	list = append(slices.DeleteFunc(list, func(old decision) bool { return d.replaces(&old) }), d)
	return list.newest()
}

// newest returns as many of the newest rules as a summary keeps.
func (list decisions) newest() decisions {
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
