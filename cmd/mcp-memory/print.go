package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"mcp-memory/memory"
	"mcp-memory/tools"
)

// printSearch writes a search result for a person: the hits marked, in the
// conversation around them.
func printSearch(out io.Writer, r tools.ChatHistoryResult, zone *time.Location) {
	if len(r.Hits) == 0 {
		fmt.Fprintln(out, "Nothing found.")
	}
	for i, s := range r.Segments {
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "session %s\n", s.SessionID)
		for _, m := range s.Messages {
			mark := "  "
			if m.Hit {
				mark = "> "
			}
			printMessage(out, mark, speaker(m.Role, m.Sender), m.SentAt.In(zone), m.Content)
		}
	}
	if r.Relaxed {
		fmt.Fprintln(out, "\nNo message has all the words; these have some of them.")
	}
	if r.Degraded != "" {
		fmt.Fprintf(out, "\n%s.\n", r.Degraded)
	}
}

// printMessage writes one message, its lines set in.
func printMessage(out io.Writer, mark, who string, at time.Time, content string) {
	fmt.Fprintf(out, "%s%s  %s\n", mark, at.Format(time.DateTime), who)
	for line := range strings.Lines(content) {
		fmt.Fprintf(out, "%s  %s\n", mark, strings.TrimRight(line, "\r\n"))
	}
}

// speaker names who said something.
func speaker(role, sender string) string {
	if sender == "" {
		return role
	}
	return sender + " (" + role + ")"
}

// printSummary prints a rolling summary for a person.
func printSummary(out io.Writer, s memory.Summary) {
	for _, d := range s.KeyDecisions {
		fmt.Fprintf(out, "  %s\n", d)
	}
	for _, d := range s.PastDiscussions {
		fmt.Fprintf(out, "  %s  %s\n", d.LastDiscussed, d.Topic)
		printPoint(out, "", d.Description)
		printPoint(out, "left at: ", d.Direction)
	}
	c := s.CurrentDiscussion
	if c == (memory.CurrentDiscussion{}) {
		return
	}
	fmt.Fprintf(out, "  now  %s\n", c.Topic)
	printPoint(out, "", c.Description)
	printPoint(out, "who says what: ", c.Perspectives)
	printPoint(out, "heading for: ", c.Direction)
}

func printPoint(out io.Writer, name, point string) {
	if point != "" {
		fmt.Fprintf(out, "      %s%s\n", name, point)
	}
}
