package tools

import (
	"encoding/json"
	"strings"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// writeSummary writes a summary as JSON, the form in which it goes into a prompt;
// nothing without one.
func writeSummary(b *strings.Builder, s *memory.Summary) {
	if s == nil {
		return
	}
	raw, err := json.Marshal(s)
	if err != nil { // strings always encode
		return
	}
	b.WriteString("\nPrior summary:\n")
	b.Write(raw)
	b.WriteString("\n")
}

// visibleSummary makes control and bidi characters visible, and lists that are not
// there empty.
func visibleSummary(s memory.Summary) memory.Summary {
	shown := memory.Summary{KeyDecisions: []string{}, PastDiscussions: []memory.PastDiscussion{}}
	for _, d := range s.KeyDecisions {
		shown.KeyDecisions = append(shown.KeyDecisions, text.Visible(d))
	}
	for _, d := range s.PastDiscussions {
		shown.PastDiscussions = append(shown.PastDiscussions, memory.PastDiscussion{
			Topic: text.Visible(d.Topic), Description: text.Visible(d.Description),
			Direction: text.Visible(d.Direction), LastDiscussed: text.Visible(d.LastDiscussed),
		})
	}
	c := s.CurrentDiscussion
	shown.CurrentDiscussion = memory.CurrentDiscussion{
		Topic: text.Visible(c.Topic), Description: text.Visible(c.Description),
		Perspectives: text.Visible(c.Perspectives), Direction: text.Visible(c.Direction),
	}
	return shown
}
