package tools

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
	"mcp-memory/memory/summary"
)

// CompactArgs are the arguments of compact.
type CompactArgs struct {
	SessionID string `json:"session_id,omitempty" doc:"The conversation; default: the configured one."`
	Action    string `json:"action,omitempty" enum:"compact,unarchive,summary,restore" doc:"compact (default): take older messages that are no longer useful out of the live history; unarchive: bring the last compaction back; summary: make the rolling summary again from all messages, the archive included; restore: bring an older version of it back."`
	Version   *int64 `json:"version,omitempty" doc:"restore: which version; default: the one before the current one."`
}

// CompactResult is the result of compact.
type CompactResult struct {
	SessionID string `json:"session_id"`
	Removed   *int   `json:"removed,omitempty" doc:"compact: messages that left the live history; they stay in the archive."`
	Count     *int   `json:"count,omitempty" doc:"summary: messages that are in the summary, so far or in all; unarchive: messages that are live again."`
	Running   bool   `json:"running,omitempty" doc:"It goes on in the background; the same call again waits for it."`
	Version   *int64 `json:"version,omitempty" doc:"restore: number of the new version, which has the old text."`
}

// Compacter takes messages out of hot history and brings them back.
type Compacter interface {
	Compact(ctx context.Context, session string, limit time.Duration) (history.Compacted, error)
	Unarchive(ctx context.Context, session string) (int, error)
}

// Summariser makes summaries again and brings old ones back.
type Summariser interface {
	RebuildWithin(ctx context.Context, session string, limit time.Duration) (summary.Rebuilt, error)
	Versions(ctx context.Context, session string) ([]memory.SummaryVersion, error)
	Restore(ctx context.Context, session string, version int64) (memory.SummaryVersion, error)
}

// Compact is the tool compact.
type Compact struct {
	History   Compacter
	Summaries Summariser
	Session   string        // used when a call names none
	Wait      time.Duration // for work, before the call answers that it is running; 0 = 25 s, which clients wait for
}

// defaultWait is how long a call may take before it answers that its work is not
// done yet.
const defaultWait = 25 * time.Second

// Tool describes the tool to clients.
func (t *Compact) Tool() (Tool, error) {
	return newTool(about{
		name:  "compact",
		title: "Compact",
		description: "Tidy up what is kept live of a conversation. compact takes older messages out of the live history, unarchive brings them back; " +
			"summary makes the rolling summary again from all messages, for when it is wrong or incomplete, restore brings an older version back. " +
			"No message is lost: all stay in the archive.",
	}, t.Call)
}

// Call does what action says. A cancelled call ends work that nobody else waits
// for.
func (t *Compact) Call(ctx context.Context, args CompactArgs) (CompactResult, string, error) {
	session, err := chooseSession(args.SessionID, t.Session)
	if err != nil {
		return CompactResult{}, "", err
	}
	if args.Version != nil && args.Action != "restore" {
		return CompactResult{}, "", memory.Invalidf("version goes with the action restore, not with %s", cmp.Or(args.Action, "compact"))
	}
	switch args.Action {
	case "unarchive":
		return t.unarchive(ctx, session)
	case "summary":
		return t.rebuild(ctx, session)
	case "restore":
		return t.restore(ctx, session, args.Version)
	}
	return t.compact(ctx, session)
}

func (t *Compact) compact(ctx context.Context, session string) (CompactResult, string, error) {
	done, err := t.History.Compact(ctx, session, cmp.Or(t.Wait, defaultWait))
	if err != nil {
		return CompactResult{}, "", fmt.Errorf("compact the session: %w", err)
	}
	named := oneLine(session, 800)
	result := CompactResult{SessionID: session, Running: done.Running}
	if done.Running {
		return result, fmt.Sprintf("Session %s is being compacted; call again to wait for it.\n", named), nil
	}
	result.Removed = &done.Removed
	if done.Removed == 0 {
		return result, fmt.Sprintf("Nothing in the live history of session %s is old enough or useless: it stays as it is.\n", named), nil
	}
	return result, fmt.Sprintf("%s left the live history of session %s and can be searched in the archive; the action unarchive brings them back.\n",
		count(done.Removed, "message"), named), nil
}

func (t *Compact) unarchive(ctx context.Context, session string) (CompactResult, string, error) {
	back, err := t.History.Unarchive(ctx, session)
	if err != nil {
		return CompactResult{}, "", fmt.Errorf("bring the compaction back: %w", err)
	}
	return CompactResult{SessionID: session, Count: &back},
		fmt.Sprintf("The last compaction of session %s was taken back: %s are live again.\n", oneLine(session, 800), count(back, "message")), nil
}

func (t *Compact) rebuild(ctx context.Context, session string) (CompactResult, string, error) {
	done, err := t.Summaries.RebuildWithin(ctx, session, cmp.Or(t.Wait, defaultWait))
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
