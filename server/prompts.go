package server

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/memory"
	"mcp-memory/prompts"
	"mcp-memory/tools"
)

// recallPrompt is the prompt recall: what get_context gives, for a client whose
// user asks for it by hand.
func recallPrompt(get *tools.GetContext) (mcp.Prompt, server.PromptHandlerFunc) {
	const description = "Take up a conversation again: what the memory holds of it, and how to use it."
	prompt := mcp.NewPrompt("recall",
		mcp.WithPromptTitle("Recall"),
		mcp.WithPromptDescription(description),
		mcp.WithArgument("query", mcp.ArgumentDescription("What you want to know or go on with.")),
		sessionArgument(),
	)
	return prompt, func(ctx context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		query, session := req.Params.Arguments["query"], req.Params.Arguments["session"]
		_, held, err := get.Call(ctx, tools.GetContextArgs{SessionID: session, Query: query})
		if err != nil {
			return nil, err
		}
		return say(description, prompts.Recall(held, query)), nil
	}
}

// sessionArgument is the argument of a prompt that names a conversation.
func sessionArgument() mcp.PromptOption {
	return mcp.WithArgument("session", mcp.ArgumentDescription("The conversation; default: the configured one."))
}

// compactPrompt is the prompt compact: it has the agent tidy up the live history.
func compactPrompt() (mcp.Prompt, server.PromptHandlerFunc) {
	const description = "Tidy up the live history of a conversation; nothing is lost."
	prompt := mcp.NewPrompt("compact", mcp.WithPromptTitle("Compact"), mcp.WithPromptDescription(description), sessionArgument())
	return prompt, func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		session := req.Params.Arguments["session"]
		return say(description, prompts.Compact(session)), checkSession(session)
	}
}

// resetPrompt is the prompt reset: it has the agent delete, after a yes.
func resetPrompt() (mcp.Prompt, server.PromptHandlerFunc) {
	const description = "Delete what is recorded of a conversation, for good."
	prompt := mcp.NewPrompt("reset", mcp.WithPromptTitle("Reset"), mcp.WithPromptDescription(description),
		mcp.WithArgument("mode", mcp.ArgumentDescription("What to delete: summary, all, remove or messages.")), sessionArgument())
	return prompt, func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		session, mode := req.Params.Arguments["session"], req.Params.Arguments["mode"]
		if mode != "" {
			if _, err := memory.ParseResetMode(mode); err != nil {
				return nil, err
			}
		}
		return say(description, prompts.Reset(session, mode)), checkSession(session)
	}
}

// checkSession refuses an impossible session; "" is the configured one.
func checkSession(session string) error {
	if session == "" {
		return nil
	}
	return memory.CheckSessionID(session)
}

// onboardPrompt is the prompt onboard: the questions of a first run.
func onboardPrompt(notes Notes) (mcp.Prompt, server.PromptHandlerFunc) {
	const description = "Get to know each other: answer a few questions, and the memory keeps who you are and how you like to work."
	prompt := mcp.NewPrompt("onboard", mcp.WithPromptTitle("Onboard"), mcp.WithPromptDescription(description))
	return prompt, func(ctx context.Context, _ mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		questions, err := notes.Onboarding(ctx)
		if err != nil {
			return nil, err
		}
		return say(description, prompts.Onboard(questions)), nil
	}
}

// say is a prompt of one message, said by the user.
func say(description, text string) *mcp.GetPromptResult {
	return mcp.NewGetPromptResult(description, []mcp.PromptMessage{
		mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text)),
	})
}
