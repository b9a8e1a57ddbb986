package tools

import (
	"context"
	"errors"
	"log/slog"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/memory"
)

// Failure turns an error into the answer of a tool. What the caller can act on
// comes back as its text; everything else is logged under the tool's name and
// answered "internal error", so that no path or SQL leaves the program.
func Failure(log *slog.Logger, tool string, err error) *mcp.CallToolResult {
	return mcp.NewToolResultError(FailureText(log, tool, err))
}

// FailureText is the text of Failure, for faces that are not tools.
func FailureText(log *slog.Logger, name string, err error) string {
	var public *memory.PublicError
	switch {
	case errors.As(err, &public):
		return public.Error()
	case errors.Is(err, context.Canceled):
		return "the call was cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		return "the call took too long and was given up"
	}
	log.Error("call failed", "name", name, "err", err)
	return "internal error: see the server's log"
}
