package tools

import (
	"context"
	"fmt"
	"strings"

	"mcp-memory/memory/history"
)

// maxReadReply is the most that an answer to read may have, in bytes: text and
// structured content together, as they travel.
const maxReadReply = 60_000

// readTextBytes is the first guess of how much message text fits into that,
// since each message is there twice.
const readTextBytes = 26_000

func (t *ChatHistory) read(ctx context.Context, args ChatHistoryArgs) (ChatHistoryResult, string, error) {
	session, err := t.sessionToRead(args)
	if err != nil {
		return ChatHistoryResult{}, "", err
	}
	req := history.ReadRequest{
		Session: session, MessageID: int64(args.MessageID), Before: int64(args.Before), After: int64(args.After),
		Limit: args.limit(defaultPage, maxPage), Cursor: args.Cursor, MaxBytes: readTextBytes,
	}
	// What escaping and the frames of many short messages add shows only once
	// the page is written; then a page that is too large is read again, smaller.
	for {
		page, err := t.History.Read(ctx, req)
		if err != nil {
			return ChatHistoryResult{}, "", fmt.Errorf("read messages: %w", err)
		}
		result := ChatHistoryResult{Messages: make([]Message, len(page.Messages)), NextCursor: page.NextCursor}
		for i, m := range page.Messages {
			result.Messages[i] = wholeMessage(m)
		}
		text := readText(result, page)
		size := replySize(result, text)
		if size <= maxReadReply || req.Limit == 1 && req.MaxBytes < 1000 {
			return result, text, nil
		}
		req.MaxBytes = max(500, req.MaxBytes*maxReadReply/size*9/10)
		req.Limit = max(1, min(req.Limit, len(page.Messages))*maxReadReply/size)
	}
}

// partNote says which part of a long message a page holds.
func partNote(i int, page history.Page) string {
	m := page.Messages[i]
	if m.Size <= len(m.Content) {
		return ""
	}
	start := 0
	if i == 0 {
		start = page.Offset
	}
	return fmt.Sprintf(" bytes %d to %d of %d", start, start+len(m.Content), m.Size)
}

// sessionToRead is the session that is named, else the configured one; a
// message id alone names its session.
func (t *ChatHistory) sessionToRead(args ChatHistoryArgs) (string, error) {
	if args.SessionID == "" && (args.MessageID != 0 || args.Before != 0 || args.After != 0) {
		return "", nil
	}
	return chooseSession(args.SessionID, t.Session)
}

func readText(result ChatHistoryResult, page history.Page) string {
	if len(result.Messages) == 0 {
		return "There are no such messages."
	}
	var b strings.Builder
	b.WriteString(quoteNotice + "\n")
	for i, m := range result.Messages {
		quote(&b, m, page.Messages[i].Session, partNote(i, page))
	}
	writeNext(&b, result.NextCursor, "the next page")
	return b.String()
}
