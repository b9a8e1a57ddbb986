package tools

import (
	"context"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
	"mcp-memory/memory/recall"
)

// ChatHistoryArgs are the arguments of chat_history. Which of them count
// depends on the mode; the others are ignored.
type ChatHistoryArgs struct {
	Mode      string `json:"mode,omitempty" enum:"search,list,read" doc:"search: find messages; list: the sessions, newest first; read: messages of a session, whole. Default: search with a query, read with message_id, before or after, else list."`
	Query     string `json:"query,omitempty" doc:"search: what to look for, as words or as a question; \"quoted words\" are a phrase."`
	Keyword   string `json:"keyword,omitempty" doc:"Another name for query."`
	Match     string `json:"match,omitempty" enum:"semantic,keyword" doc:"search: by meaning (default) or by exact words."`
	SessionID string `json:"session_id,omitempty" doc:"The conversation. Default: search all of them, read the configured one."`
	Scope     string `json:"scope,omitempty" enum:"session,all" doc:"search: one session or all."`
	TimeRange string `json:"time_range,omitempty" doc:"search: only this recent, such as 1d, 7d, 1m, 1y; default: all."`
	Since     Moment `json:"since,omitempty" doc:"search: sent at or after this time."`
	Until     Moment `json:"until,omitempty" doc:"search: sent before this time."`
	Role      string `json:"role,omitempty" enum:"user,assistant,system,tool" doc:"search: only what this role said."`
	MessageID ID     `json:"message_id,omitempty" doc:"read: this message alone, whole."`
	Before    ID     `json:"before,omitempty" doc:"read: the messages before this id."`
	After     ID     `json:"after,omitempty" doc:"read: the messages after this id."`
	Limit     *int   `json:"limit,omitempty" doc:"search: hits, 8 by default, at most 50; list and read: 20 by default, at most 200."`
	Cursor    string `json:"cursor,omitempty" doc:"next_cursor of the page before, with the same other arguments."`
}

// ChatHistoryResult is the result of chat_history. Each mode fills its own
// part: search hits, segments and total; list sessions; read messages.
type ChatHistoryResult struct {
	Hits       []Hit     `json:"hits,omitzero" doc:"search: what was found, best first."`
	Segments   []Segment `json:"segments,omitzero" doc:"search: the hits with the messages around them, each message once."`
	Total      *int      `json:"total,omitempty" doc:"search: hits in all, counted up to 1,000."`
	Relaxed    bool      `json:"relaxed,omitempty" doc:"search: no message has all the words; these have some."`
	Degraded   string    `json:"degraded,omitempty" doc:"search: why meaning was not, or not fully, taken into account."`
	Sessions   []Session `json:"sessions,omitzero" doc:"list: most recently used first."`
	Messages   []Message `json:"messages,omitzero" doc:"read: oldest first."`
	NextCursor string    `json:"next_cursor,omitempty" doc:"Give it as cursor for the next page; absent on the last one."`
}

// Archive gives recorded conversations back.
type Archive interface {
	Read(ctx context.Context, req history.ReadRequest) (history.Page, error)
	Sessions(ctx context.Context, cursor string, limit int) (sessions []memory.Session, next string, err error)
}

// Searcher finds messages.
type Searcher interface {
	Search(ctx context.Context, req recall.Request) (*recall.Result, error)
}

// ChatHistory is the tool chat_history.
type ChatHistory struct {
	History Archive
	Recall  Searcher
	Session string           // read when a call names none
	Zone    *time.Location   // of times written without one
	Now     func() time.Time // what time_range counts back from
}

// The limits of list and read. Those of search are recall's.
const (
	defaultPage = 20
	maxPage     = 200
)

// Tool describes the tool to clients.
func (t *ChatHistory) Tool() (Tool, error) {
	return newTool(about{
		name:  "chat_history",
		title: "Chat history",
		description: "Search, list and read the recorded conversations of all sessions. " +
			"Use it before you say that you do not know or do not remember something. " +
			"Long messages come shortened from a search; mode read gives them whole.",
		readOnly:   true,
		idempotent: true,
	}, t.Call)
}

// Call answers in the mode that the arguments ask for.
func (t *ChatHistory) Call(ctx context.Context, args ChatHistoryArgs) (ChatHistoryResult, string, error) {
	if args.Query == "" {
		args.Query = args.Keyword
	}
	if args.SessionID != "" {
		if err := memory.CheckSessionID(args.SessionID); err != nil {
			return ChatHistoryResult{}, "", err
		}
	}
	if args.Limit != nil && *args.Limit <= 0 {
		return ChatHistoryResult{}, "", memory.Invalidf("limit must be 1 or more, got %d", *args.Limit)
	}
	switch args.mode() {
	case "search":
		return t.search(ctx, args)
	case "read":
		return t.read(ctx, args)
	}
	return t.list(ctx, args)
}

// mode is the one that was named, or the one that the other arguments mean.
func (a ChatHistoryArgs) mode() string {
	switch {
	case a.Mode != "":
		return a.Mode
	case a.Query != "":
		return "search"
	case a.MessageID != 0 || a.Before != 0 || a.After != 0:
		return "read"
	}
	return "list"
}

// limit is the number that was asked for, at most max.
func (a ChatHistoryArgs) limit(standard, max int) int {
	if a.Limit == nil {
		return standard
	}
	return min(*a.Limit, max)
}
