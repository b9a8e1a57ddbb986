package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
)

// AddMessagesArgs are the arguments of add_messages.
type AddMessagesArgs struct {
	SessionID string       `json:"session_id,omitempty" doc:"The conversation to add to; default: the configured one."`
	Messages  []NewMessage `json:"messages" doc:"The messages in the order they were said."`
}

// NewMessage is a message to record.
type NewMessage struct {
	Role       string  `json:"role" enum:"user,assistant,system,tool" doc:"Who speaks."`
	Content    *string `json:"content" doc:"The text, complete and unchanged; may be empty."`
	ID         string  `json:"id,omitempty" doc:"Your own id of the message. Sending it again changes nothing, so a retry is safe."`
	SentAt     Moment  `json:"sent_at,omitempty" doc:"RFC 3339, YYYY-MM-DD HH:MM:SS, or Unix seconds to nanoseconds; default: now."`
	Sender     string  `json:"sender,omitempty" doc:"Name of the person or agent."`
	ToolName   string  `json:"tool_name,omitempty" doc:"Of a tool result: the tool."`
	ToolCalls  Objects `json:"tool_calls,omitempty" doc:"Of an assistant message: the calls it made."`
	ToolCallID string  `json:"tool_call_id,omitempty" doc:"Of a tool result: the call it answers."`
}

// AddMessagesResult is the result of add_messages.
type AddMessagesResult struct {
	SessionID  string     `json:"session_id"`
	Added      int        `json:"added"`
	Duplicates int        `json:"duplicates" doc:"Messages that were recorded before; they changed nothing."`
	FirstID    string     `json:"first_id" doc:"Id of the first message of this call, new or known."`
	LastID     string     `json:"last_id"`
	Compacted  *Compacted `json:"compacted,omitempty" doc:"Present when old messages moved to the archive; they stay searchable."`
}

// Compacted says what automatic compaction did.
type Compacted struct {
	Removed int `json:"removed" doc:"Messages that left hot history."`
}

// Appender records messages. It stores all of a call or nothing.
type Appender interface {
	Append(ctx context.Context, session, source string, drafts []memory.Draft) (history.Added, error)
}

// AddMessages is the tool add_messages.
type AddMessages struct {
	History Appender
	Session string         // used when a call names none
	Zone    *time.Location // of times written without one
}

// Tool describes the tool to clients.
func (t *AddMessages) Tool() (Tool, error) {
	return newTool(about{
		name:  "add_messages",
		title: "Add messages",
		description: "Record messages of a conversation so that they can be found again later. " +
			"Call it after each answer with what the user said and what you answered, in order and unshortened.",
	}, t.Call)
}

// Call records the messages. Once it has begun it is not cut short by a
// cancelled request: what is written is written whole.
func (t *AddMessages) Call(ctx context.Context, args AddMessagesArgs) (AddMessagesResult, string, error) {
	if err := ctx.Err(); err != nil {
		return AddMessagesResult{}, "", err
	}
	session, err := chooseSession(args.SessionID, t.Session)
	if err != nil {
		return AddMessagesResult{}, "", err
	}
	drafts, err := t.drafts(args.Messages)
	if err != nil {
		return AddMessagesResult{}, "", err
	}
	added, err := t.History.Append(context.WithoutCancel(ctx), session, "mcp", drafts)
	if err != nil {
		return AddMessagesResult{}, "", fmt.Errorf("add messages: %w", err)
	}
	result := AddMessagesResult{
		SessionID:  session,
		Added:      added.Added,
		Duplicates: added.Duplicates,
		FirstID:    formatID(added.FirstID),
		LastID:     formatID(added.LastID),
	}
	if added.Archived > 0 {
		result.Compacted = &Compacted{Removed: added.Archived}
	}
	return result, addedText(session, added), nil
}

// drafts checks the messages and makes them ready for the engine.
func (t *AddMessages) drafts(messages []NewMessage) ([]memory.Draft, error) {
	if len(messages) == 0 {
		return nil, memory.Invalidf("messages is empty: give at least one message")
	}
	drafts := make([]memory.Draft, len(messages))
	for i, m := range messages {
		at := func(name string) string { return fmt.Sprintf("messages[%d].%s", i, name) }
		role, err := memory.ParseRole(m.Role)
		if err != nil {
			return nil, memory.Invalidf("messages[%d]: %v", i, err)
		}
		sentAt, err := m.SentAt.in(at("sent_at"), t.Zone)
		if err != nil {
			return nil, err
		}
		content := ""
		switch {
		case m.Content != nil:
			content = *m.Content
		case m.ToolCalls == nil: // only a message that calls tools may say nothing
			return nil, memory.Invalidf("%s is missing", at("content"))
		}
		drafts[i] = memory.Draft{
			ClientID: m.ID, Role: role, Sender: m.Sender, Content: content, SentAt: sentAt,
			ToolName: m.ToolName, ToolCallID: m.ToolCallID, ToolCalls: json.RawMessage(m.ToolCalls),
		}
	}
	return drafts, nil
}

// addedText is the readable form of the result.
func addedText(session string, added history.Added) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Recorded %s in session %s.", count(added.Added, "message"), oneLine(session, 800))
	if added.Duplicates > 0 {
		fmt.Fprintf(&b, " Recorded before, so unchanged: %s.", count(added.Duplicates, "message"))
	}
	if added.Redacted > 0 {
		fmt.Fprintf(&b, " Masked before storing: %s.", count(added.Redacted, "secret"))
	}
	if added.Replaced > 0 {
		fmt.Fprintf(&b, " Replaced because they were no valid text: %s.", count(added.Replaced, "byte"))
	}
	if added.Archived > 0 {
		fmt.Fprintf(&b, " The session passed its limit, so its oldest part moved to the archive, where search still finds it: %s.", count(added.Archived, "message"))
	}
	return b.String()
}
