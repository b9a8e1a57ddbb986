// Package server is the MCP server: it registers the tools and resources,
// speaks the protocol, and keeps the promise that whatever happens inside a
// call, the caller gets a clean answer and the server lives on.
package server

import (
	"errors"
	"io"
	"log/slog"

	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/prompts"
	"mcp-memory/tools"
)

// Config configures a Server.
type Config struct {
	Version string             // shown to clients; "" = "dev"
	Tools   []tools.Tool       // what agents can call
	History *tools.ChatHistory // lists and reads what the resources show; required
	Log     *slog.Logger       // nil = discarded
}

// Server is an MCP server that is ready to be served on a transport.
type Server struct {
	mcp *server.MCPServer
	log *slog.Logger
}

// New builds a server from its parts.
func New(c Config) (*Server, error) {
	if c.History == nil {
		return nil, errors.New("server: Config.History is missing")
	}
	if c.Version == "" {
		c.Version = "dev"
	}
	if c.Log == nil {
		c.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	s := &Server{log: c.Log, mcp: server.NewMCPServer("mcp-memory", c.Version,
		server.WithTitle("MCP Memory"),
		server.WithDescription("Lasting memory for agents: records conversations and finds them again."),
		server.WithInstructions(prompts.Instructions()),
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(false, false),
		server.WithToolHandlerMiddleware(guardTool(c.Log)),
		server.WithResourceHandlerMiddleware(guardResource(c.Log)),
	)}
	for _, t := range c.Tools {
		s.mcp.AddTool(t.Definition, t.Handler(c.Log))
	}
	s.addResources(c.History)
	return s, nil
}
