package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
)

// ResetArgs are the arguments of reset.
type ResetArgs struct {
	SessionID  string `json:"session_id,omitempty" doc:"The conversation; default: the configured one."`
	Mode       string `json:"mode" enum:"summary,all,remove,messages" doc:"summary: delete all messages, keep the rolling summary, which is brought up to date first; all: delete the summary and its older versions too; remove: delete the session; messages: delete the messages of message_ids only."`
	MessageIDs []ID   `json:"message_ids,omitempty" doc:"messages: their ids, as chat_history gives them."`
	Confirm    bool   `json:"confirm,omitempty" doc:"The user has agreed. Needed where the client cannot ask the user itself."`
}

// ResetResult is the result of reset.
type ResetResult struct {
	SessionID string   `json:"session_id"`
	Mode      string   `json:"mode"`
	Removed   int      `json:"removed" doc:"Messages that were deleted."`
	Wiped     bool     `json:"wiped" doc:"Nothing of them is left on the disk. false: another process is reading the database; it is finished as soon as that ends."`
	Notes     []string `json:"notes" doc:"Notes that name the session: the person's own files, which stay."`
}

// Resetter deletes for good.
type Resetter interface {
	Messages(ctx context.Context, session string) (int, error)
	Reset(ctx context.Context, r history.ResetRequest) (history.WasReset, error)
}

// Reset is the tool reset.
type Reset struct {
	History Resetter
	Session string        // used when a call names none
	Wait    time.Duration // for the summary to be brought up to date; 0 = 25 s
}

// Tool describes the tool to clients.
func (t *Reset) Tool() (Tool, error) {
	tool, err := newTool(about{
		name:  "reset",
		title: "Reset",
		description: "Delete what is recorded of a conversation, for good: all of it or single messages, with their index, their vectors and every copy on the disk. " +
			"The user must agree first: the server asks where the client can, else ask yourself and pass confirm: true.",
		destructive: true,
	}, t.Call)
	tool.question = t.question
	return tool, err
}

// Call deletes, once the person has agreed.
func (t *Reset) Call(ctx context.Context, args ResetArgs) (ResetResult, string, error) {
	r, err := t.request(args)
	if err != nil {
		return ResetResult{}, "", err
	}
	if !args.Confirm && !hasConsent(ctx) {
		what, err := t.describe(ctx, r)
		if err != nil {
			return ResetResult{}, "", err
		}
		return ResetResult{}, "", memory.Invalidf("nothing was deleted yet: this deletes %s, for good; ask the user, and after a yes call reset again with confirm: true", what)
	}
	done, err := t.History.Reset(ctx, r)
	if err != nil {
		return ResetResult{}, "", fmt.Errorf("reset the session: %w", err)
	}
	result := ResetResult{SessionID: r.Session, Mode: args.Mode, Removed: done.Removed, Wiped: done.Wiped, Notes: append([]string{}, done.Notes...)}
	return result, result.text(), nil
}

// request reads the arguments.
func (t *Reset) request(args ResetArgs) (history.ResetRequest, error) {
	session, err := chooseSession(args.SessionID, t.Session)
	if err != nil {
		return history.ResetRequest{}, err
	}
	r := history.ResetRequest{Session: session, Mode: memory.ResetMode(args.Mode), Wait: cmp.Or(t.Wait, defaultWait)}
	for _, id := range args.MessageIDs {
		r.Messages = append(r.Messages, int64(id))
	}
	return r, r.Check()
}

// question is what the person is asked.
func (t *Reset) question(ctx context.Context, raw json.RawMessage) (string, error) {
	args, err := decodeArguments[ResetArgs]("reset", raw)
	if err != nil {
		return "", err
	}
	r, err := t.request(args)
	if err != nil {
		return "", err
	}
	what, err := t.describe(ctx, r)
	return fmt.Sprintf("Delete %s? This cannot be undone.", what), err
}

// describe says what a reset deletes.
func (t *Reset) describe(ctx context.Context, r history.ResetRequest) (string, error) {
	all, err := t.History.Messages(ctx, r.Session)
	if err != nil {
		return "", fmt.Errorf("look at the session: %w", err)
	}
	session := oneLine(r.Session, 800)
	switch r.Mode {
	case memory.ResetMessages:
		return fmt.Sprintf("%s of session %s", count(len(r.Messages), "message"), session), nil
	case memory.ResetRemove:
		return fmt.Sprintf("the whole session %s with %s and its summary", session, count(all, "message")), nil
	case memory.ResetAll:
		return fmt.Sprintf("%s of session %s and its rolling summary", count(all, "message"), session), nil
	}
	return fmt.Sprintf("%s of session %s (its rolling summary stays)", count(all, "message"), session), nil
}

// text says what became of it.
func (r *ResetResult) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of session %s deleted", count(r.Removed, "message"), oneLine(r.SessionID, 800))
	switch memory.ResetMode(r.Mode) {
	case memory.ResetAll:
		b.WriteString(", with its rolling summary.\n")
	case memory.ResetRemove:
		b.WriteString("; the session is gone.\n")
	case memory.ResetMessages:
		b.WriteString(". The rolling summary stays and may speak of them: compact with the action summary makes it again.\n")
	default:
		b.WriteString(". The rolling summary stays, and may quote them.\n")
	}
	if !r.Wiped {
		b.WriteString("Another process is reading the database: copies in its log go as soon as that ends.\n")
	}
	if len(r.Notes) > 0 {
		fmt.Fprintf(&b, "Notes that name the session stay: %s\n", oneLine(strings.Join(r.Notes, ", "), 2000))
	}
	return b.String()
}
