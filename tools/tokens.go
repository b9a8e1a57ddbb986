package tools

import "mcp-memory/memory/tokens"

// messageTokens adds the few tokens that frame a message.
func messageTokens(m Message) int {
	return tokens.Estimate(m.Content) + tokens.Estimate(string(m.ToolCalls)) + 4
}
