package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/extract"
)

// BenchmarkSummary measures one message of 1 MB, and a long conversation.
func BenchmarkSummary(b *testing.B) {
	chat := func(exchanges, sentences int) [][]memory.Message {
		var list [][]memory.Message
		for i := range exchanges {
			var text strings.Builder
			for j := range sentences {
				fmt.Fprintf(&text, "Please look at part %d of machine %d, never at the other ones. 請檢查第 %d 台機器的零件。\n", j, i, i)
			}
			list = append(list, []memory.Message{{Role: memory.RoleUser, Content: text.String()}, {Role: memory.RoleAssistant, Content: text.String()}})
		}
		return list
	}
	line := strings.Repeat("never say never. 一律不要 ", 32<<10)
	for name, exchanges := range map[string][][]memory.Message{
		"1MB":           chat(1, 10_000),
		"1MB-one-line":  {{{Role: memory.RoleUser, Content: line}}},
		"1MB-no-blanks": {{{Role: memory.RoleUser, Content: strings.Repeat("漢字", 170_000)}}},
		"1000x2x5KB":    chat(1000, 50),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				extract.Summary(memory.Summary{}, exchanges, extract.Options{})
			}
		})
	}
}
