package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/memory"
	"mcp-memory/tools"
)

const jsonType = "application/json"

// addResources registers what can be read without a call. Each shows what a
// tool shows too, since not every client has resources.
func (s *Server) addResources(history *tools.ChatHistory) {
	r := resources{history}
	s.mcp.AddResource(mcp.NewResource("memory://sessions", "sessions",
		mcp.WithResourceTitle("Sessions"),
		mcp.WithResourceDescription("The recorded conversations, most recently used first."),
		mcp.WithMIMEType(jsonType),
	), r.sessions)
	s.mcp.AddResourceTemplate(mcp.NewResourceTemplate("memory://sessions/{id}/messages", "messages",
		mcp.WithTemplateTitle("Messages of a session"),
		mcp.WithTemplateDescription("The newest messages of one conversation, oldest first."),
		mcp.WithTemplateMIMEType(jsonType),
	), r.messages)
}

// resources reads them through the tool that shows the same.
type resources struct{ history *tools.ChatHistory }

// listed is how many sessions the list of them shows.
const listed = 200

func (r resources) sessions(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	limit := listed
	result, _, err := r.history.Call(ctx, tools.ChatHistoryArgs{Mode: "list", Limit: &limit})
	if err != nil {
		return nil, err
	}
	return contentsOf(req.Params.URI, result)
}

func (r resources) messages(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	session, err := sessionOf(req.Params.URI)
	if err != nil {
		return nil, err
	}
	result, _, err := r.history.Call(ctx, tools.ChatHistoryArgs{Mode: "read", SessionID: session})
	if err != nil {
		return nil, err
	}
	return contentsOf(req.Params.URI, result)
}

// sessionOf reads the session id out of memory://sessions/{id}/…, where it is
// percent-encoded.
func sessionOf(uri string) (string, error) {
	rest := strings.TrimPrefix(uri, "memory://sessions/")
	encoded, _, _ := strings.Cut(rest, "/")
	id, err := url.PathUnescape(encoded)
	if err != nil {
		return "", memory.NotFoundf("the session id in %q is not percent-encoded as it should be", uri)
	}
	if err := memory.CheckSessionID(id); err != nil {
		return "", memory.NotFoundf("there is no such session: %v", err)
	}
	return id, nil
}

// contentsOf writes a result as the JSON of a resource.
func contentsOf(uri string, result any) ([]mcp.ResourceContents, error) {
	b, err := json.Marshal(result)
	if err != nil {
		return nil, fmt.Errorf("encode resource: %w", err)
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: jsonType, Text: string(b)}}, nil
}
