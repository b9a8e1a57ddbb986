package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Tool is one tool: what clients see of it, and the call behind it.
type Tool struct {
	Definition mcp.Tool
	call       func(ctx context.Context, arguments json.RawMessage) (result any, text string, err error)
	question   func(ctx context.Context, arguments json.RawMessage) (string, error) // what the person is asked first; nil = nothing
}

// about is what a client is told of a tool before it calls it.
type about struct {
	name        string
	title       string
	description string
	readOnly    bool // changes nothing
	destructive bool // may take away what was there
	idempotent  bool // the same call again changes nothing more
}

// newTool joins a description and a typed call. Both schemas come from the
// types, so that they cannot say anything else than the code does.
func newTool[A, R any](a about, call func(context.Context, A) (R, string, error)) (Tool, error) {
	input, err := json.Marshal(schemaOf(reflect.TypeFor[A]()))
	if err != nil {
		return Tool{}, fmt.Errorf("write input schema of %s: %w", a.name, err)
	}
	output, err := json.Marshal(schemaOf(reflect.TypeFor[R]()))
	if err != nil {
		return Tool{}, fmt.Errorf("write output schema of %s: %w", a.name, err)
	}
	def := mcp.NewToolWithRawSchema(a.name, a.description, input)
	def.Title = a.title
	def.RawOutputSchema = output
	def.Annotations = mcp.ToolAnnotation{
		Title:           a.title,
		ReadOnlyHint:    mcp.ToBoolPtr(a.readOnly),
		DestructiveHint: mcp.ToBoolPtr(a.destructive),
		IdempotentHint:  mcp.ToBoolPtr(a.idempotent),
		OpenWorldHint:   mcp.ToBoolPtr(false),
	}
	return Tool{Definition: def, call: func(ctx context.Context, raw json.RawMessage) (any, string, error) {
		args, err := decodeArguments[A](a.name, raw)
		if err != nil {
			return nil, "", err
		}
		return call(ctx, args)
	}}, nil
}

// Name is how the tool is called.
func (t Tool) Name() string { return t.Definition.Name }

// ReadOnly says whether the tool changes nothing.
func (t Tool) ReadOnly() bool { return *t.Definition.Annotations.ReadOnlyHint }

// Call is the tool as other faces than the protocol call it: the arguments are a
// JSON object, the result is what the protocol gives as structured content.
func (t Tool) Call(ctx context.Context, arguments json.RawMessage) (result any, err error) {
	result, _, err = t.call(ctx, arguments)
	return result, err
}

// Handler is the tool as the protocol calls it. Errors become answers; those
// that are not the caller's go to log.
func (t Tool) Handler(log *slog.Logger) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		raw, err := rawArguments(req)
		if err != nil {
			return Failure(log, t.Definition.Name, err), nil
		}
		if t.question != nil {
			asks, answered, err := t.ask(ctx, req, raw)
			if err != nil {
				return Failure(log, t.Definition.Name, err), nil
			}
			if asks != nil {
				return asks, nil
			}
			ctx = answered
		}
		result, text, err := t.call(ctx, raw)
		if err != nil {
			return Failure(log, t.Definition.Name, err), nil
		}
		return mcp.NewToolResultStructured(result, text), nil
	}
}

// rawArguments gives the arguments as they came over the wire, numbers and all.
func rawArguments(req mcp.CallToolRequest) (json.RawMessage, error) {
	if raw, ok := req.GetRawArguments().(json.RawMessage); ok {
		return raw, nil
	}
	raw, err := json.Marshal(req.Params.Arguments)
	if err != nil {
		return nil, fmt.Errorf("encode arguments: %w", err)
	}
	return raw, nil
}
