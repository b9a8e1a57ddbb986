package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/lessons"
	"mcp-memory/memory/text"
)

// FindErrorsArgs are the arguments of find_errors.
type FindErrorsArgs struct {
	SessionID string `json:"session_id,omitempty" doc:"Changes nothing here: lessons are those of all conversations."`
	ToolName  string `json:"tool_name,omitempty" doc:"The tool that failed; its lessons come first."`
	Query     string `json:"query,omitempty" doc:"The error, as the tool gave it or in your words. Without it the lessons are listed."`
	Limit     *int   `json:"limit,omitempty" doc:"How many; default 3, without a query 20, at most 50."`
}

// FindErrorsResult is the result of find_errors.
type FindErrorsResult struct {
	RelatedErrors []RelatedError `json:"related_errors" doc:"Those of the same tool first, each part best first; the most recent first without a query."`
}

// RelatedError is a lesson: an error and what solved it.
type RelatedError struct {
	ID        string    `json:"id"`
	ToolName  string    `json:"tool_name"`
	Symptom   string    `json:"symptom"`
	Cause     string    `json:"cause" doc:"Empty when it is not known."`
	Action    string    `json:"action" doc:"What solved it."`
	Keywords  []string  `json:"keywords"`
	Score     float64   `json:"score" doc:"0 to 1, how like the error; 0 when listed without a query."`
	ExpiresAt time.Time `json:"expires_at" doc:"RFC 3339, UTC; being found puts it off."`
}

// LessonFinder finds what solved an error before.
type LessonFinder interface {
	Related(ctx context.Context, tool, query string, limit int) ([]lessons.Found, error)
}

// FindErrors is the tool find_errors.
type FindErrors struct{ Lessons LessonFinder }

// Tool describes the tool to clients. To be found renews a lesson: that is no
// change that anybody could see in what is kept.
func (t *FindErrors) Tool() (Tool, error) {
	return newTool(about{
		name:  "find_errors",
		title: "Find errors",
		description: "Find out how an error like this one was solved before, in any conversation. " +
			"Call it when a tool fails, before you try again.",
		readOnly:   true,
		idempotent: true,
	}, t.Call)
}

// Call finds the lessons that bear on the error, or lists them.
func (t *FindErrors) Call(ctx context.Context, args FindErrorsArgs) (FindErrorsResult, string, error) {
	if args.SessionID != "" {
		if err := memory.CheckSessionID(args.SessionID); err != nil {
			return FindErrorsResult{}, "", err
		}
	}
	limit := 0
	if args.Limit != nil {
		if limit = *args.Limit; limit < 1 {
			return FindErrorsResult{}, "", memory.Invalidf("limit must be 1 or more, got %d", limit)
		}
	}
	found, err := t.Lessons.Related(ctx, args.ToolName, args.Query, limit)
	if err != nil {
		return FindErrorsResult{}, "", fmt.Errorf("find errors: %w", err)
	}
	result, shown := fitErrors(found, strings.TrimSpace(args.Query) != "")
	return result, shown, nil
}

// errorRooms are how many characters of each text of a lesson are shown, from all
// to few.
var errorRooms = [...]int{lessons.MaxText, 2000, 1000, 500, 250, 120, 60, 30}

// keywordsIn is how many keywords of a lesson are shown in such a room.
func keywordsIn(room int) int { return max(3, room/100) }

// fitErrors shows as much of each lesson as fits into the limits of an answer.
// Texts are shortened and keywords left out; no lesson is.
func fitErrors(found []lessons.Found, compared bool) (result FindErrorsResult, shown string) {
	for _, room := range errorRooms {
		result = FindErrorsResult{RelatedErrors: make([]RelatedError, len(found))}
		for i, f := range found {
			result.RelatedErrors[i] = relatedError(f, room)
		}
		shown = errorsText(result, compared)
		if replySize(result, shown) <= maxSearchReply {
			break
		}
	}
	return result, shown
}

func relatedError(f lessons.Found, room int) RelatedError {
	show := func(s string) string { return text.Visible(beginning(s, room)) }
	one := RelatedError{
		ID: formatID(f.ID), ToolName: show(f.Tool), Symptom: show(f.Symptom), Cause: show(f.Cause), Action: show(f.Action),
		Keywords: []string{}, Score: f.Score, ExpiresAt: f.ExpiresAt.UTC(),
	}
	for _, k := range f.Keywords[:min(len(f.Keywords), keywordsIn(room))] {
		one.Keywords = append(one.Keywords, show(k))
	}
	return one
}

// errorsText is the readable form of the result.
func errorsText(result FindErrorsResult, compared bool) string {
	switch {
	case len(result.RelatedErrors) > 0:
	case compared:
		return "No lesson bears on this error. When you have solved it, keep what helped with write_error."
	default:
		return "No lesson is kept."
	}
	var b strings.Builder
	b.WriteString(quoteNotice + "\n")
	for _, e := range result.RelatedErrors {
		fmt.Fprintf(&b, "[%s] %s", e.ID, oneLine(e.ToolName, 800))
		if compared {
			fmt.Fprintf(&b, " (%.2f)", e.Score)
		}
		b.WriteString("\n")
		for _, part := range []struct{ name, value string }{{"error", e.Symptom}, {"cause", e.Cause}, {"solved by", e.Action}} {
			if part.value != "" {
				b.WriteString("| " + part.name + ": " + lineBreaks.Replace(part.value) + "\n")
			}
		}
	}
	return b.String()
}
