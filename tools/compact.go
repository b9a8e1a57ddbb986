package tools

import (
	"context"
	"fmt"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/summary"
)

// CompactArgs are the arguments of compact.
type CompactArgs struct {
	SessionID string `json:"session_id,omitempty" doc:"The conversation; default: the configured one."`
	Action    string `json:"action" enum:"summary,restore" doc:"summary: make the rolling summary again from all messages, the archive included; restore: bring an older version of it back."`
	Version   *int64 `json:"version,omitempty" doc:"restore: which version; default: the one before the current one."`
}

// CompactResult is the result of compact.
type CompactResult struct {
	SessionID string `json:"session_id"`
	Count     *int   `json:"count,omitempty" doc:"summary: messages that are in the summary, so far or in all."`
	Running   bool   `json:"running,omitempty" doc:"It goes on in the background; the same call again waits for it."`
	Version   *int64 `json:"version,omitempty" doc:"restore: number of the new version, which has the old text."`
}

// Summariser makes summaries again and brings old ones back.
type Summariser interface {
	RebuildWithin(ctx context.Context, session string, limit time.Duration) (summary.Rebuilt, error)
	Versions(ctx context.Context, session string) ([]memory.SummaryVersion, error)
	Restore(ctx context.Context, session string, version int64) (memory.SummaryVersion, error)
}

// Compact is the tool compact.
type Compact struct {
	Summaries Summariser
	Session   string        // used when a call names none
	Wait      time.Duration // for a rebuild, before the call answers that it is running; 0 = 25 s, which clients wait for
}

const defaultWait = 25 * time.Second

// Tool describes the tool to clients.
func (t *Compact) Tool() (Tool, error) {
	return newTool(about{
		name:  "compact",
		title: "Compact",
		description: "Tidy up the rolling summary of a conversation. summary makes it again from all messages, " +
			"for when it is wrong or incomplete; restore brings an older version back. No message is lost.",
		idempotent: true,
	}, t.Call)
}

// Call does what action says. A cancelled call ends a rebuild that nobody else
// waits for.
func (t *Compact) Call(ctx context.Context, args CompactArgs) (CompactResult, string, error) {
	session, err := chooseSession(args.SessionID, t.Session)
	if err != nil {
		return CompactResult{}, "", err
	}
	if args.Action == "restore" {
		return t.restore(ctx, session, args.Version)
	}
	if args.Version != nil {
		return CompactResult{}, "", memory.Invalidf("version goes with the action restore, not with %s", args.Action)
	}
	return t.rebuild(ctx, session)
}

func (t *Compact) rebuild(ctx context.Context, session string) (CompactResult, string, error) {
	wait := t.Wait
	if wait <= 0 {
		wait = defaultWait
	}
	done, err := t.Summaries.RebuildWithin(ctx, session, wait)
	if err != nil {
		return CompactResult{}, "", fmt.Errorf("rebuild the summary: %w", err)
	}
	result := CompactResult{SessionID: session, Count: &done.Count, Running: done.Running}
	if done.Running {
		return result, fmt.Sprintf("The summary of session %s is being made again: %s so far. The old one stays until it is complete; call again to wait for it.\n",
			oneLine(session, 800), count(done.Count, "message")), nil
	}
	return result, fmt.Sprintf("The summary of session %s was made again from %s.\n", oneLine(session, 800), count(done.Count, "message")), nil
}

func (t *Compact) restore(ctx context.Context, session string, version *int64) (CompactResult, string, error) {
	if version == nil {
		before, err := t.before(ctx, session)
		if err != nil {
			return CompactResult{}, "", err
		}
		version = &before
	}
	restored, err := t.Summaries.Restore(ctx, session, *version)
	if err != nil {
		return CompactResult{}, "", fmt.Errorf("restore the summary: %w", err)
	}
	return CompactResult{SessionID: session, Version: &restored.Version},
		fmt.Sprintf("Version %d of the summary of session %s is back, as version %d.\n", *version, oneLine(session, 800), restored.Version), nil
}

// before is the number of the version before the current one.
func (t *Compact) before(ctx context.Context, session string) (int64, error) {
	kept, err := t.Summaries.Versions(ctx, session)
	if err != nil {
		return 0, fmt.Errorf("list the versions of the summary: %w", err)
	}
	if len(kept) < 2 {
		return 0, memory.NotFoundf("session %s has no older version of its summary", session)
	}
	return kept[1].Version, nil
}
