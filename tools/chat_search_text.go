package tools

import (
	"fmt"
	"strings"

	"mcp-memory/memory/recall"
)

// searchText is the readable form of a search result.
func searchText(result ChatHistoryResult, req recall.Request, r room) string {
	if len(result.Hits) == 0 {
		return nothingFound(result, req)
	}
	var b strings.Builder
	b.WriteString(quoteNotice + "\n")
	fmt.Fprintf(&b, "%s of %d, in %s.", count(len(result.Hits), "hit"), *result.Total, count(len(result.Segments), "segment"))
	if result.Relaxed {
		b.WriteString(" No message has all the words; these have some of them.")
	}
	writeDegraded(&b, result.Degraded)
	b.WriteString("\n")
	ranks := make(map[string]int, len(result.Hits))
	for i, h := range result.Hits {
		ranks[h.MessageID] = i
	}
	cut := false
	for _, s := range result.Segments {
		b.WriteString("\n")
		for _, m := range s.Messages {
			cut = cut || m.Size > 0
			if m.Hit || !r.terse {
				quote(&b, m.message(), s.SessionID, hitNote(result.Hits, ranks, m))
			}
		}
	}
	b.WriteString("\n")
	if cut {
		b.WriteString("Parts are shown of some messages; chat_history with mode read, session_id and message_id gives one whole, with before or after what surrounds it.\n")
	}
	writeNext(&b, result.NextCursor, "more hits")
	return b.String()
}

func nothingFound(result ChatHistoryResult, req recall.Request) string {
	var b strings.Builder
	b.WriteString("Nothing found")
	if req.Filter.Session != "" {
		b.WriteString(" in session " + oneLine(req.Filter.Session, 800))
	}
	b.WriteString(".")
	writeDegraded(&b, result.Degraded)
	if req.Filter != (recall.Request{}).Filter {
		b.WriteString(" Try it without session, time or role.")
	} else {
		b.WriteString(" Try other or fewer words.")
	}
	return b.String()
}

func writeDegraded(b *strings.Builder, why string) {
	if why != "" {
		b.WriteString(" Note: " + oneLine(why, 300) + ".")
	}
}

// hitNote marks a hit with its place in the ranking.
func hitNote(hits []Hit, ranks map[string]int, m SegmentMessage) string {
	rank, ok := ranks[m.ID]
	if !ok || !m.Hit {
		return ""
	}
	note := fmt.Sprintf(" <- hit %d, score %.2f", rank+1, hits[rank].Score)
	if hits[rank].Tier == "archive" {
		note += ", archive"
	}
	return note
}

// message is m as the quotation shows it.
func (m SegmentMessage) message() Message {
	return Message{ID: m.ID, Role: m.Role, Sender: m.Sender, SentAt: m.SentAt, Content: m.Content, Size: m.Size}
}
