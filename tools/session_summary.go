package tools

import (
	"context"
	"fmt"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
)

// SessionSummaryArgs are the arguments of session_summary.
type SessionSummaryArgs struct {
	SessionID string `json:"session_id,omitempty" doc:"The conversation; default: the configured one."`
}

// CurrentSummary gives the current summary of a session, the zero version when
// it has none.
type CurrentSummary interface {
	Current(ctx context.Context, session string) (memory.SummaryVersion, error)
}

// SessionSummary gives the rolling summary alone. It is made like a tool and is
// none: agents get the summary from get_context, hosts ask for it over REST.
type SessionSummary struct {
	Summaries CurrentSummary
	History   Archive
	Session   string // used when a call names none
}

// Tool describes it as if it were a tool.
func (t *SessionSummary) Tool() (Tool, error) {
	return newTool(about{
		name: "session_summary", title: "Summary of a session", description: "The rolling summary of a conversation; the empty one before the first.",
		readOnly: true, idempotent: true,
	}, t.Call)
}

// Call reads the summary. A session with neither a summary nor messages does not
// exist, but for the configured one.
func (t *SessionSummary) Call(ctx context.Context, args SessionSummaryArgs) (memory.Summary, string, error) {
	session, err := chooseSession(args.SessionID, t.Session)
	if err != nil {
		return memory.Summary{}, "", err
	}
	v, err := t.Summaries.Current(ctx, session)
	if err != nil {
		return memory.Summary{}, "", fmt.Errorf("read summary: %w", err)
	}
	if v.Version == 0 && session != t.Session {
		if _, err := t.History.Read(ctx, history.ReadRequest{Session: session, Limit: 1}); err != nil {
			return memory.Summary{}, "", fmt.Errorf("look for the session: %w", err)
		}
	}
	return ShowSummary(v.Summary), "", nil
}
