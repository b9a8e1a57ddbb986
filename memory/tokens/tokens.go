// Package tokens counts the tokens that a model makes of a text: with the
// model's own tokenizer where this program has it, else with an estimate that
// goes by script.
//
// A tokenizer is large and is loaded when a model that needs it is counted for
// the first time; until then it takes no memory of its own, only place in the file
// of the program. Its counts are remembered by
// content, since a run that is fitted again and again consists mostly of what it
// consisted of before.
package tokens

import "strings"

// The names of what counts.
const (
	Cl100k    = "cl100k_base"
	O200k     = "o200k_base"
	Estimated = "estimate"
)

// Counters gives the counter of each model. It is safe for concurrent use; the
// zero value is ready.
type Counters struct {
	cl100k, o200k vocabulary
}

// Counter counts for one kind of model. It is safe for concurrent use.
type Counter struct {
	name string
	with *vocabulary // nil = Estimate
}

// For returns the counter for a model, named as its vendor does, with or without
// the vendor before it ("openai/gpt-4o") or behind it ("gpt-4o@azure").
func (c *Counters) For(model string) Counter {
	switch name := encoding(model); name {
	case O200k:
		return Counter{name, &c.o200k}
	case Cl100k:
		return Counter{name, &c.cl100k}
	}
	return Counter{name: Estimated}
}

// Name says what counts: Cl100k, O200k or Estimated.
func (c Counter) Name() string { return c.name }

// Count returns the number of tokens of a text.
func (c Counter) Count(s string) int {
	if c.with == nil || s == "" {
		return Estimate(s)
	}
	return c.with.count(c.name, s)
}

// families are the beginnings of the names of models whose tokenizer is known,
// the longer before the shorter.
var families = []struct{ prefix, encoding string }{
	{"gpt-4o", O200k}, {"gpt-4.", O200k}, {"gpt-5", O200k}, {"gpt-oss", O200k}, {"chatgpt-4o", O200k},
	{"o1", O200k}, {"o3", O200k}, {"o4", O200k},
	{"gpt-4", Cl100k}, {"gpt-3.5", Cl100k}, {"gpt-35", Cl100k}, {"text-embedding-", Cl100k},
}

// encoding names the tokenizer of a model; "" = none is known.
func encoding(model string) string {
	name := strings.ToLower(strings.TrimSpace(model))
	name = name[strings.LastIndexByte(name, '/')+1:]
	if before, after, found := strings.Cut(name, "@"); found { // either side may be the vendor
		if e := encodingOf(before); e != "" {
			return e
		}
		name = after
	}
	return encodingOf(name)
}

func encodingOf(name string) string {
	name = strings.TrimPrefix(name, "ft:")
	for _, f := range families {
		rest, found := strings.CutPrefix(name, f.prefix)
		// o1 is a model, o1x is another one.
		if found && (len(f.prefix) > 2 || rest == "" || strings.ContainsAny(rest[:1], "-:")) {
			return f.encoding
		}
	}
	return ""
}
