package tools

import (
	"context"
	"fmt"
	"strings"

	"mcp-memory/memory"
	"mcp-memory/prompts"
)

// GetContextArgs are the arguments of get_context.
type GetContextArgs struct {
	SessionID string `json:"session_id,omitempty" doc:"The conversation to go on with; default: the configured one."`
	Query     string `json:"query,omitempty" doc:"What the user is about to ask; only what bears on it stays."`
	MaxTokens *int   `json:"max_tokens,omitempty" doc:"How much room the context may take; default: 8000."`
}

// GetContextResult is the result of get_context.
type GetContextResult struct {
	PriorSummary *memory.Summary `json:"prior_summary,omitempty" doc:"What was agreed and discussed before; absent while there is no summary. Put it as JSON, named Prior summary, into one user message right before the user's input."`
	Messages     []Message       `json:"messages" doc:"The last messages of the conversation, oldest first."`
	Daily        []Daily         `json:"daily" doc:"Notes of today and yesterday."`
	Onboarding   []string        `json:"onboarding" doc:"Questions to ask the user when there is an opportunity."`
	Rules        string          `json:"rules" doc:"How to use this context; belongs into the system prompt."`
	Tokens       int             `json:"tokens" doc:"Size of all this, estimated."`
	LeftOut      []string        `json:"left_out" doc:"What did not fit, in words."`
}

// Daily is the note of one day.
type Daily struct {
	Date    string `json:"date" doc:"YYYY-MM-DD."`
	Content string `json:"content"`
}

// Window gives the last messages of a session, oldest first.
type Window interface {
	Window(ctx context.Context, session string) ([]memory.Message, error)
}

// Summaries gives what is to be known of a conversation before its window.
type Summaries interface {
	// Prior returns the current summary of the session. With a query it may
	// hold only what bears on it.
	Prior(ctx context.Context, session, query string) (memory.Summary, error)
}

// GetContext is the tool get_context.
type GetContext struct {
	History   Window
	Summaries Summaries // nil = none
	Session   string    // used when a call names none
}

// defaultContextTokens is how much a context may take when a call does not say.
const defaultContextTokens = 8_000

// maxLastMessage is how much is shown of the last user message, in bytes. It is
// never left out, but one of many megabytes would fill any model's window.
const maxLastMessage = 28_000

// Tool describes the tool to clients.
func (t *GetContext) Tool() (Tool, error) {
	return newTool(about{
		name:  "get_context",
		title: "Get context",
		description: "Get what you should know before you answer: the latest messages of this conversation and how to use them. " +
			"Call it first, at the start of a conversation and after its beginning has fallen out of your window.",
		readOnly:   true,
		idempotent: true,
	}, t.Call)
}

// Call collects the context and fits it into max_tokens.
func (t *GetContext) Call(ctx context.Context, args GetContextArgs) (GetContextResult, string, error) {
	session, err := chooseSession(args.SessionID, t.Session)
	if err != nil {
		return GetContextResult{}, "", err
	}
	limit := defaultContextTokens
	if args.MaxTokens != nil {
		limit = *args.MaxTokens
	}
	if limit <= 0 {
		return GetContextResult{}, "", memory.Invalidf("max_tokens must be 1 or more, got %d", limit)
	}
	result := GetContextResult{Daily: []Daily{}, Onboarding: []string{}, Rules: prompts.Rules(), LeftOut: []string{}}
	window, err := t.History.Window(ctx, session)
	if err != nil {
		return GetContextResult{}, "", fmt.Errorf("read window: %w", err)
	}
	result.Messages = showWindow(window)
	if result.PriorSummary, err = t.prior(ctx, session, args.Query); err != nil {
		return GetContextResult{}, "", err
	}
	result.fit(limit)
	return result, contextText(result, session), nil
}

// prior is the summary of the session, nil when there is nothing in it.
func (t *GetContext) prior(ctx context.Context, session, query string) (*memory.Summary, error) {
	if t.Summaries == nil {
		return nil, nil
	}
	summary, err := t.Summaries.Prior(ctx, session, query)
	if err != nil {
		return nil, fmt.Errorf("read the summary: %w", err)
	}
	if summary.Empty() {
		return nil, nil
	}
	summary = ShowSummary(summary)
	return &summary, nil
}

// showWindow makes the messages ready to show, the last user message within
// bounds.
func showWindow(window []memory.Message) []Message {
	shown := make([]Message, len(window))
	for i, m := range window {
		shown[i] = wholeMessage(m)
	}
	if i := lastUser(shown); i >= 0 && len(window[i].Content) > maxLastMessage {
		shown[i] = messageOf(window[i], shorten(window[i].Content, maxLastMessage), true)
	}
	return shown
}

// lastUser is the index of the last user message, -1 without one.
func lastUser(messages []Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == string(memory.RoleUser) {
			return i
		}
	}
	return -1
}

func contextText(r GetContextResult, session string) string {
	var b strings.Builder
	b.WriteString(r.Rules + "\n\n")
	if len(r.Messages) == 0 && r.PriorSummary == nil && len(r.LeftOut) == 0 {
		fmt.Fprintf(&b, "Nothing is recorded in session %s yet.\n", oneLine(session, 800))
		return b.String()
	}
	b.WriteString(quoteNotice + "\n")
	for _, m := range r.Messages {
		quote(&b, m, session, "")
	}
	writeSummary(&b, r.PriorSummary)
	if len(r.LeftOut) > 0 {
		fmt.Fprintf(&b, "Left out: %s. chat_history gives it, with mode read and this session_id.\n", strings.Join(r.LeftOut, "; "))
	}
	return b.String()
}
