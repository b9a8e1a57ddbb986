package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// Session is a conversation in a list.
type Session struct {
	SessionID string    `json:"session_id"`
	Title     string    `json:"title" doc:"How its first user message begins."`
	Messages  int       `json:"messages"`
	FirstAt   time.Time `json:"first_at"`
	LastAt    time.Time `json:"last_at"`
}

// maxTitle is how much of a title a list shows, in bytes.
const maxTitle = 200

func (t *ChatHistory) list(ctx context.Context, args ChatHistoryArgs) (ChatHistoryResult, string, error) {
	sessions, next, err := t.History.Sessions(ctx, args.Cursor, args.limit(defaultPage, maxPage))
	if err != nil {
		return ChatHistoryResult{}, "", fmt.Errorf("list sessions: %w", err)
	}
	result := ChatHistoryResult{Sessions: make([]Session, len(sessions)), NextCursor: next}
	for i, s := range sessions {
		result.Sessions[i] = sessionOf(s)
	}
	return result, listText(result), nil
}

func sessionOf(s memory.Session) Session {
	return Session{
		SessionID: s.ID,
		Title:     shorten(text.Visible(s.Title), maxTitle),
		Messages:  s.Messages,
		FirstAt:   s.FirstAt.UTC(),
		LastAt:    s.LastAt.UTC(),
	}
}

func listText(result ChatHistoryResult) string {
	if len(result.Sessions) == 0 {
		return "No session is recorded yet."
	}
	var b strings.Builder
	b.WriteString(quoteNotice + "\n")
	for _, s := range result.Sessions {
		fmt.Fprintf(&b, "%s: %s, %s to %s\n| %s\n", oneLine(s.SessionID, 800), count(s.Messages, "message"),
			formatTime(s.FirstAt), formatTime(s.LastAt), oneLine(s.Title, maxTitle))
	}
	writeNext(&b, result.NextCursor, "more sessions")
	return b.String()
}

// writeNext tells how to go on, when there is more.
func writeNext(b *strings.Builder, cursor, what string) {
	if cursor != "" {
		fmt.Fprintf(b, "For %s call again with cursor %q.\n", what, cursor)
	}
}
