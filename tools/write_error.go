package tools

import (
	"context"
	"fmt"

	"mcp-memory/memory/lessons"
)

// WriteErrorArgs are the arguments of write_error.
type WriteErrorArgs struct {
	SessionID string   `json:"session_id,omitempty" doc:"The conversation in which it was solved; default: the configured one. Every conversation can find it."`
	ToolName  string   `json:"tool_name" doc:"The tool that failed."`
	Keywords  []string `json:"keywords" doc:"Words to find it by: the name of the error, what it is about."`
	Symptom   string   `json:"symptom" doc:"The error as it was seen, without what surrounds it."`
	Cause     string   `json:"cause,omitempty" doc:"Why it came, if you know."`
	Action    string   `json:"action" doc:"What solved it, so that it can be done again."`
	Outcome   string   `json:"outcome" enum:"resolved,failed,abandoned" doc:"How it ended; only what was resolved is kept."`
}

// WriteErrorResult is the result of write_error.
type WriteErrorResult struct {
	Stored  bool   `json:"stored"`
	ID      string `json:"id,omitempty" doc:"Id of the lesson."`
	Updated bool   `json:"updated,omitempty" doc:"The same lesson was known; it was replaced by this one."`
	Reason  string `json:"reason,omitempty" doc:"Why it was not stored."`
}

// LessonWriter stores what solved an error.
type LessonWriter interface {
	Write(ctx context.Context, d lessons.Draft) (lessons.Written, error)
}

// WriteError is the tool write_error.
type WriteError struct {
	Lessons LessonWriter
	Session string // used when a call names none
}

// Tool describes the tool to clients.
func (t *WriteError) Tool() (Tool, error) {
	return newTool(about{
		name:  "write_error",
		title: "Write error",
		description: "Remember how an error of a tool was solved, for all conversations to come. " +
			"Call it when you have solved one that took more than one try.",
		idempotent: true,
	}, t.Call)
}

// Call stores the lesson, whole once it has begun.
func (t *WriteError) Call(ctx context.Context, args WriteErrorArgs) (WriteErrorResult, string, error) {
	if err := ctx.Err(); err != nil {
		return WriteErrorResult{}, "", err
	}
	session, err := chooseSession(args.SessionID, t.Session)
	if err != nil {
		return WriteErrorResult{}, "", err
	}
	written, err := t.Lessons.Write(context.WithoutCancel(ctx), lessons.Draft{
		Tool: args.ToolName, Keywords: args.Keywords, Symptom: args.Symptom, Cause: args.Cause, Action: args.Action,
		Outcome: lessons.Outcome(args.Outcome), Session: session, Source: "mcp",
	})
	if err != nil {
		return WriteErrorResult{}, "", fmt.Errorf("write error: %w", err)
	}
	if !written.Stored {
		return WriteErrorResult{Reason: written.Reason}, "Not stored: " + written.Reason + ".", nil
	}
	return WriteErrorResult{Stored: true, ID: formatID(written.ID), Updated: written.Updated}, writtenText(written), nil
}

// writtenText is the readable form of what was stored.
func writtenText(w lessons.Written) string {
	text := fmt.Sprintf("Stored as lesson %d.", w.ID)
	if w.Updated {
		text = fmt.Sprintf("Lesson %d was known; it is brought up to date.", w.ID)
	}
	if w.Masked > 0 {
		text += " Masked before storing: " + count(w.Masked, "secret") + "."
	}
	return text
}
