package server

import (
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

// For tests: the longest line is too long to try out.
var (
	ReadLine       = readLine
	ErrLineTooLong = errLineTooLong
)

// MCP is the library's server, to be mounted on the library's transports.
func (s *Server) MCP() *server.MCPServer { return s.mcp }

// Subscribers counts who hears of something, and the sessions that could.
func (s *Server) Subscribers() (hearing, sessions int) {
	s.subscriptions.mu.Lock()
	defer s.subscriptions.mu.Unlock()
	for sub := range s.subscriptions.all {
		if len(sub.heard) > 0 {
			hearing++
		}
	}
	return hearing, len(s.subscriptions.sessions)
}

// NewEvents is a store of events as Network makes it.
func NewEvents() server.EventStore { return newEvents() }

// Lively keeps streams of the handler alive at another interval than Network does.
func Lively(next http.Handler, every time.Duration) http.Handler { return lively(next, every) }
