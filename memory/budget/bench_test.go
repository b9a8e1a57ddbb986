package budget_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mcp-memory/memory/budget"
	"mcp-memory/memory/tokens"
)

// prose is about so many bytes of text, of which half is made of words that
// occur once, so that what is remembered of words helps no more than in a real run.
func (g *generator) prose(size int) string {
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, "%s %x.\n%d: ", g.words(4), g.Uint64(), g.IntN(100_000))
	}
	return b.String()
}

// large is a run of 2 MB: 100 exchanges, each with a tool step.
func large(b *testing.B) []json.RawMessage {
	b.Helper()
	g := newGenerator(b, 1)
	g.add(system("You work for the harbour office."))
	for range 100 {
		g.add(user(g.prose(2_000)))
		g.add(calls(`{"path":"/srv/log"}`, "c1 read_file"))
		g.add(result("c1", g.prose(16_000)))
		g.add(assistant(g.prose(2_500)))
	}
	return g.list
}

// BenchmarkFit fits 2 MB into a window of 128,000 tokens without a model: with
// the counts of the run not known yet, and known from the call before.
func BenchmarkFit(b *testing.B) {
	messages := large(b)
	size := 0
	for _, m := range messages {
		size += len(m)
	}
	for _, c := range []struct{ name, model string }{{"estimate", "claude"}, {"cl100k", "gpt-4"}, {"o200k", "gpt-4o"}} {
		warm := new(tokens.Counters)
		warm.For(c.model).Count("x")
		b.Run(c.name+"/first", func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				e := budget.New(budget.Config{})
				must(b, e, budget.Request{Model: c.model, Messages: messages})
			}
		})
		b.Run(c.name+"/again", func(b *testing.B) {
			b.SetBytes(int64(size))
			e := budget.New(budget.Config{Tokens: warm})
			must(b, e, budget.Request{Model: c.model, Messages: messages})
			for b.Loop() {
				must(b, e, budget.Request{Model: c.model, Messages: messages})
			}
		})
	}
}
