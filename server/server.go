// Package server is the MCP server: it registers the tools, resources and
// prompts, speaks the protocol, and keeps the promise that whatever happens
// inside a call, the caller gets a clean answer and the server lives on.
//
// Clients may subscribe to resources. Run tells them of changes; it looks for
// them whenever Changed is called, which costs nothing while nobody subscribes.
package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/memory"
	"mcp-memory/memory/notes"
	"mcp-memory/prompts"
	"mcp-memory/tools"
)

// Summaries gives the current summary of a session, the zero version when it has
// none.
type Summaries interface {
	Current(ctx context.Context, session string) (memory.SummaryVersion, error)
}

// Marks tells whether messages have changed: the mark of a session (of all of
// them, when session is "") is another text whenever its messages are others.
type Marks interface {
	Mark(ctx context.Context, session string) (string, error)
}

// Notes gives the notes that are shown whole.
type Notes interface {
	// Core is core memory, Daily the note of a day (YYYY-MM-DD); their content
	// is empty while there is none.
	Core(ctx context.Context) (notes.Document, error)
	Daily(ctx context.Context, day string) (notes.Document, error)
	// Mark is another text whenever the note of a path is another one.
	Mark(ctx context.Context, path string) (string, error)
	// Onboarding are the questions that the profile leaves open.
	Onboarding(ctx context.Context) ([]string, error)
}

// Observer is told of each call of a tool, when it has ended: its name, how long
// it took, and whether it failed.
type Observer func(tool string, took time.Duration, failed bool)

// Config configures a Server.
type Config struct {
	Version   string             // shown to clients; "" = "dev"
	Session   string             // the session of memory://summary; required with Summaries
	Tools     []tools.Tool       // what agents can call
	History   *tools.ChatHistory // lists and reads what the resources show; required
	Context   *tools.GetContext  // gives what the prompt recall says; nil = there is no such prompt
	Summaries Summaries          // nil = there are no summaries to read
	Lessons   *tools.FindErrors  // lists what memory://lessons shows; nil = there is no such resource
	Marks     Marks              // nil = nobody can subscribe to messages and to the list of sessions
	Notes     Notes              // nil = there are no notes to read, and no prompt onboard
	Observe   Observer           // nil = nobody
	Log       *slog.Logger       // nil = discarded
}

// Server is an MCP server that is ready to be served on a transport.
type Server struct {
	mcp           *server.MCPServer
	log           *slog.Logger
	resources     *resources
	subscriptions *subscriptions
	calls         calls
	changed       chan struct{} // one slot: something may have changed
}

// New builds a server from its parts.
func New(c Config) (*Server, error) {
	if c.History == nil {
		return nil, errors.New("server: Config.History is missing")
	}
	if c.Summaries != nil {
		if err := memory.CheckSessionID(c.Session); err != nil {
			return nil, fmt.Errorf("server: Config.Session: %w", err)
		}
	}
	if c.Version == "" {
		c.Version = "dev"
	}
	if c.Log == nil {
		c.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if c.Observe == nil {
		c.Observe = func(string, time.Duration, bool) {}
	}
	s := &Server{
		log:           c.Log,
		resources:     &resources{home: c.Session, history: c.History, summaries: c.Summaries, marks: c.Marks, lessons: c.Lessons, notes: c.Notes},
		subscriptions: newSubscriptions(),
		changed:       make(chan struct{}, 1),
	}
	subscribable := c.Summaries != nil || c.Marks != nil || c.Lessons != nil || c.Notes != nil
	s.mcp = server.NewMCPServer("mcp-memory", c.Version,
		server.WithTitle("MCP Memory"),
		server.WithDescription("Lasting memory for agents: records conversations and finds them again."),
		server.WithInstructions(prompts.Instructions(tools.Missing(c.Tools)...)),
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(subscribable, false),
		server.WithToolHandlerMiddleware(s.guardTool(c.Log, c.Observe)),
		server.WithResourceHandlerMiddleware(guardResource(c.Log)),
		server.WithPromptHandlerMiddleware(guardPrompt(c.Log)),
		server.WithHooks(s.hooks(subscribable)),
	)
	for _, t := range c.Tools {
		s.mcp.AddTool(t.Definition, t.Handler(c.Log))
	}
	s.resources.register(s.mcp)
	if c.Context != nil {
		s.mcp.AddPrompt(recallPrompt(c.Context))
	}
	for name, prompt := range map[string]func() (mcp.Prompt, server.PromptHandlerFunc){"compact": compactPrompt, "reset": resetPrompt} {
		if slices.ContainsFunc(c.Tools, func(t tools.Tool) bool { return t.Definition.Name == name }) {
			s.mcp.AddPrompt(prompt())
		}
	}
	if c.Notes != nil {
		s.mcp.AddPrompt(onboardPrompt(c.Notes))
	}
	return s, nil
}
