package tools

import (
	"encoding/json"
	"strings"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// ShowSummary makes a summary ready to show: its lists are never nil, so that
// the empty one has its shape in JSON too, and what is hidden in its texts
// becomes visible.
func ShowSummary(s memory.Summary) memory.Summary {
	shown := memory.Summary{
		KeyDecisions:    make([]string, len(s.KeyDecisions)),
		PastDiscussions: make([]memory.PastDiscussion, len(s.PastDiscussions)),
		CurrentDiscussion: memory.CurrentDiscussion{
			Topic:        text.Visible(s.CurrentDiscussion.Topic),
			Description:  text.Visible(s.CurrentDiscussion.Description),
			Perspectives: text.Visible(s.CurrentDiscussion.Perspectives),
			Direction:    text.Visible(s.CurrentDiscussion.Direction),
		},
	}
	for i, d := range s.KeyDecisions {
		shown.KeyDecisions[i] = text.Visible(d)
	}
	for i, d := range s.PastDiscussions {
		shown.PastDiscussions[i] = memory.PastDiscussion{
			Topic:         text.Visible(d.Topic),
			Description:   text.Visible(d.Description),
			Direction:     text.Visible(d.Direction),
			LastDiscussed: text.Visible(d.LastDiscussed),
		}
	}
	return shown
}

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
