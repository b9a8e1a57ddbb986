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
	Messages   []Message `json:"messages" doc:"The last messages of the conversation, oldest first."`
	Daily      []Daily   `json:"daily" doc:"Notes of today and yesterday."`
	Onboarding []string  `json:"onboarding" doc:"Questions to ask the user when there is an opportunity."`
	Rules      string    `json:"rules" doc:"How to use this context; belongs into the system prompt."`
	Tokens     int       `json:"tokens" doc:"Size of all this, estimated."`
	LeftOut    []string  `json:"left_out" doc:"What did not fit, in words."`
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

// GetContext is the tool get_context.
type GetContext struct {
	History Window
	Session string // used when a call names none
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
	window, err := t.History.Window(ctx, session)
	if err != nil {
		return GetContextResult{}, "", fmt.Errorf("read window: %w", err)
	}
	result := GetContextResult{Daily: []Daily{}, Onboarding: []string{}, Rules: prompts.Rules(), LeftOut: []string{}}
	result.fit(showWindow(window), limit)
	return result, contextText(result, session), nil
}

// showWindow makes the messages ready to show, the last user message within
// bounds.
func showWindow(window []memory.Message) []Message {
	shown := make([]Message, len(window))
	for i, m := range window {
		if i == lastUser(window) && len(m.Content) > maxLastMessage {
			shown[i] = messageOf(m, shorten(m.Content, maxLastMessage), true)
			continue
		}
		shown[i] = wholeMessage(m)
	}
	return shown
}

// lastUser is the index of the last user message, -1 without one.
func lastUser(window []memory.Message) int {
	for i := len(window) - 1; i >= 0; i-- {
		if window[i].Role == memory.RoleUser {
			return i
		}
	}
	return -1
}

// fit takes in as many messages as the limit has room for. The oldest go first;
// the last user message always stays.
func (r *GetContextResult) fit(messages []Message, limit int) {
	r.Tokens = estimateTokens(r.Rules)
	last := -1
	for i, m := range messages {
		r.Tokens += messageTokens(m)
		if m.Role == string(memory.RoleUser) {
			last = i
		}
	}
	r.Messages = []Message{}
	dropped := 0
	for i, m := range messages {
		if r.Tokens > limit && i != last {
			r.Tokens -= messageTokens(m)
			dropped++
			continue
		}
		r.Messages = append(r.Messages, m)
	}
	if dropped > 0 {
		r.LeftOut = append(r.LeftOut, count(dropped, "message")+" of the window")
	}
	if last >= 0 && messages[last].Size > 0 {
		r.LeftOut = append(r.LeftOut, fmt.Sprintf("the rest of the last user message, %d bytes in all", messages[last].Size))
	}
}

func contextText(r GetContextResult, session string) string {
	var b strings.Builder
	b.WriteString(r.Rules + "\n\n")
	if len(r.Messages) == 0 && len(r.LeftOut) == 0 {
		fmt.Fprintf(&b, "Nothing is recorded in session %s yet.\n", oneLine(session, 800))
		return b.String()
	}
	b.WriteString(quoteNotice + "\n")
	for _, m := range r.Messages {
		quote(&b, m, session, "")
	}
	if len(r.LeftOut) > 0 {
		fmt.Fprintf(&b, "Left out: %s. chat_history gives it, with mode read and this session_id.\n", strings.Join(r.LeftOut, "; "))
	}
	return b.String()
}
