package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"mcp-memory/memory"
	"mcp-memory/memory/budget"
)

// FitContextArgs are the arguments of fit_context.
type FitContextArgs struct {
	SessionID     string   `json:"session_id,omitempty" doc:"The conversation whose summary takes in what is folded; default: the configured one."`
	Model         string   `json:"model" doc:"The model that the messages go to, as its vendor names it."`
	Messages      Objects  `json:"messages" doc:"All messages of the run, oldest first, as the model's interface takes them, with tool calls and results."`
	InputTokens   int      `json:"input_tokens,omitempty" doc:"Input tokens that the last call with these messages reported."`
	ProviderError string   `json:"provider_error,omitempty" doc:"What the provider said when it refused the messages, complete and unchanged."`
	PreviousModel string   `json:"previous_model,omitempty" doc:"The model that the run went to before, if that was another."`
	PriorStages   []string `json:"prior_stages,omitempty" doc:"The stages that the last answer for this run gave."`
	Query         string   `json:"query,omitempty" doc:"What matters now; default: the last user message."`
	MaxTokens     *int     `json:"max_tokens,omitempty" doc:"Lowers the budget, which is 80 % of the model's window."`
}

// FitContextResult is the result of fit_context.
type FitContextResult struct {
	Messages     Objects  `json:"messages" doc:"The messages to send in place of those given. What is not named in left_out is unchanged."`
	Stages       []string `json:"stages" doc:"What the run has been through; give it as prior_stages next time."`
	TokensBefore int      `json:"tokens_before"`
	TokensAfter  int      `json:"tokens_after"`
	Budget       int      `json:"budget" doc:"How many tokens the messages may have."`
	LearnedLimit int      `json:"learned_limit,omitempty" doc:"The window that provider_error named; it is remembered for this model."`
	LeftOut      []string `json:"left_out" doc:"What was taken out or shortened, in words."`
}

// Fitter fits a run into the window of its model.
type Fitter interface {
	Fit(ctx context.Context, q budget.Request) (budget.Result, error)
}

// FitContext is the tool fit_context.
type FitContext struct {
	Budget  Fitter
	Session string // used when a call names none
}

// Tool describes the tool to clients.
func (t *FitContext) Tool() (Tool, error) {
	return newTool(about{
		name:  "fit_context",
		title: "Fit context",
		description: "Fit the messages of a long run into a model's context window: older conversation goes into the summary, old tool steps become short text. " +
			"For programs that keep the messages themselves: call it before each request to the model, and when the provider says that the context is too long.",
	}, t.Call)
}

// Call fits the messages.
func (t *FitContext) Call(ctx context.Context, args FitContextArgs) (FitContextResult, string, error) {
	session, err := chooseSession(args.SessionID, t.Session)
	if err != nil {
		return FitContextResult{}, "", err
	}
	q := budget.Request{
		Session: session, Model: args.Model, InputTokens: args.InputTokens, ProviderError: args.ProviderError,
		PreviousModel: args.PreviousModel, PriorStages: args.PriorStages, Query: args.Query,
	}
	if args.MaxTokens != nil {
		if q.MaxTokens = *args.MaxTokens; q.MaxTokens <= 0 {
			return FitContextResult{}, "", memory.Invalidf("max_tokens must be 1 or more, got %d", q.MaxTokens)
		}
	}
	if args.Messages != nil {
		if err := json.Unmarshal(args.Messages, &q.Messages); err != nil {
			return FitContextResult{}, "", fmt.Errorf("read messages: %w", err)
		}
	}
	fitted, err := t.Budget.Fit(ctx, q)
	if err != nil {
		return FitContextResult{}, "", fmt.Errorf("fit context: %w", err)
	}
	messages, err := json.Marshal(fitted.Messages)
	if err != nil {
		return FitContextResult{}, "", fmt.Errorf("write messages: %w", err)
	}
	return FitContextResult{
		Messages:     messages,
		Stages:       append([]string{}, fitted.Stages...),
		TokensBefore: fitted.TokensBefore,
		TokensAfter:  fitted.TokensAfter,
		Budget:       fitted.Budget,
		LearnedLimit: fitted.LearnedLimit,
		LeftOut:      append([]string{}, fitted.LeftOut...),
	}, fittedText(q, fitted), nil
}

// fittedText says what was done; the messages are in the structured result alone,
// which is as large as the run.
func fittedText(q budget.Request, r budget.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in, %d out: %d tokens before, %d after, counted by %s. The budget is %d of a window of %d (%s).",
		count(len(q.Messages), "message"), len(r.Messages), r.TokensBefore, r.TokensAfter, r.Counted, r.Budget, r.Window, oneLine(r.Source, 100))
	switch {
	case r.LearnedLimit > 0:
		fmt.Fprintf(&b, " The provider's limit of %d is remembered for %s.", r.LearnedLimit, oneLine(q.Model, 100))
	case q.ProviderError != "" && len(r.LeftOut) == 0:
		b.WriteString(" The provider's error is not about the length of the context, so nothing was taken out: wait if it is a rate limit, and try again.")
	}
	if len(r.LeftOut) == 0 {
		b.WriteString(" Nothing was left out.")
	} else {
		fmt.Fprintf(&b, " Changed: %s.", strings.Join(r.LeftOut, "; "))
	}
	b.WriteString(" Send the messages of the structured result.")
	return b.String()
}
