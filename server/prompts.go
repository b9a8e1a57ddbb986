package server

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

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
		mcp.WithArgument("session", mcp.ArgumentDescription("The conversation; default: the configured one.")),
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

// say is a prompt of one message, said by the user.
func say(description, text string) *mcp.GetPromptResult {
	return mcp.NewGetPromptResult(description, []mcp.PromptMessage{
		mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text)),
	})
}
