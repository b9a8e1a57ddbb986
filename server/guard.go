package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/memory"
	"mcp-memory/tools"
)

// settle is how long a call with a progress token waits before it returns: the
// transport sends notifications on a path of their own, and the last one would
// come after the answer and be dropped.
const settle = 5 * time.Millisecond

// guardTool stands around every call of a tool. It notes how long the call took
// and how it ended, never what it was about, and turns a panic into an answer.
func (s *Server) guardTool(log *slog.Logger, observe Observer) server.ToolHandlerMiddleware {
	return func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
		return func(ctx context.Context, req mcp.CallToolRequest) (result *mcp.CallToolResult, err error) {
			start := time.Now()
			s.calls.begin()
			defer s.calls.end()
			defer func() {
				if p := recover(); p != nil {
					result, err = tools.Failure(log, req.Params.Name, panicked(p)), nil
				}
				failed := err != nil || result != nil && result.IsError
				took := time.Since(start)
				log.DebugContext(ctx, "tool call", "tool", req.Params.Name, "took", took, "failed", failed)
				observe(req.Params.Name, took, failed)
			}()
			result, err = next(ctx, req)
			if m := req.Params.Meta; m != nil && m.ProgressToken != nil {
				wait(ctx, settle)
			}
			return result, err
		}
	}
}

// guardResource does the same for reading a resource.
func guardResource(log *slog.Logger) server.ResourceHandlerMiddleware {
	return func(next server.ResourceHandlerFunc) server.ResourceHandlerFunc {
		return func(ctx context.Context, req mcp.ReadResourceRequest) (contents []mcp.ResourceContents, err error) {
			start := time.Now()
			defer func() {
				if p := recover(); p != nil {
					err = panicked(p)
				}
				err = resourceError(log, err)
				log.DebugContext(ctx, "resource read", "took", time.Since(start), "failed", err != nil)
			}()
			return next(ctx, req)
		}
	}
}

// guardPrompt does the same for a prompt.
func guardPrompt(log *slog.Logger) server.PromptHandlerMiddleware {
	return func(next server.PromptHandlerFunc) server.PromptHandlerFunc {
		return func(ctx context.Context, req mcp.GetPromptRequest) (result *mcp.GetPromptResult, err error) {
			start := time.Now()
			defer func() {
				if p := recover(); p != nil {
					err = panicked(p)
				}
				if err != nil {
					err = errors.New(tools.FailureText(log, req.Params.Name, err))
				}
				log.DebugContext(ctx, "prompt", "prompt", req.Params.Name, "took", time.Since(start), "failed", err != nil)
			}()
			return next(ctx, req)
		}
	}
}

// resourceError keeps what a reader of a resource may know of an error.
func resourceError(log *slog.Logger, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, memory.ErrNotFound):
		return fmt.Errorf("%s: %w", tools.FailureText(log, "resource", err), server.ErrResourceNotFound)
	}
	return errors.New(tools.FailureText(log, "resource", err))
}

func panicked(p any) error {
	return fmt.Errorf("panic: %v\n%s", p, debug.Stack())
}

// wait sleeps for d or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
