package server

import (
	"context"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

// The bounds of serving over HTTP.
const (
	// DefaultKeepAlive is how often something goes over a stream on which nothing
	// happens, so that nobody in between takes it for dead.
	DefaultKeepAlive = 20 * time.Second
	// idle is how long a session of a protocol before 2026-07-28 is kept of which
	// nothing is heard. An agent may well think over night.
	idle = 12 * time.Hour
	// flush is how long the streams stay open once the last call is answered:
	// over SSE an answer goes out on a path of its own.
	flush = 50 * time.Millisecond
)

// Network is the server behind HTTP, in two transports: Streamable HTTP, which
// serves all versions of the protocol, and the HTTP with SSE of 2024-11-05. It
// has nothing that keeps strangers out: put a guard before it.
type Network struct {
	server     *Server
	every      time.Duration
	streamable *server.StreamableHTTPServer
	sse        *server.SSEServer
}

// The paths of HTTP with SSE. The first answer on StreamPath names MessagePath.
const (
	StreamPath  = "/sse"
	MessagePath = "/message"
)

// Network makes the transports over HTTP; keepAlive is how often a quiet stream
// is kept alive, 0 = DefaultKeepAlive. Close ends them.
func (s *Server) Network(keepAlive time.Duration) *Network {
	if keepAlive == 0 {
		keepAlive = DefaultKeepAlive
	}
	return &Network{
		server: s,
		every:  keepAlive,
		streamable: server.NewStreamableHTTPServer(s.mcp,
			server.WithStateful(true),
			server.WithSessionIdleTTL(idle),
			server.WithHeartbeatInterval(keepAlive),
			server.WithEventStore(newEvents()),
			server.WithStreamableHTTPLogger(s.log),
			server.WithDisableLocalhostProtection(true), // the guard does it, and knows more names
		),
		sse: server.NewSSEServer(s.mcp,
			server.WithSSEEndpoint(StreamPath),
			server.WithMessageEndpoint(MessagePath),
			server.WithKeepAlive(true),
			server.WithKeepAliveInterval(keepAlive),
			server.WithSSEDisableLocalhostProtection(true),
			// Without any origin the library lets all of them read. The guard
			// says which may, so that here it is one that cannot exist.
			server.WithSSECORS(server.WithCORSAllowedOrigins("https://nobody.invalid")),
		),
	}
}

// Streamable serves Streamable HTTP.
func (n *Network) Streamable() http.Handler { return screen(lively(n.streamable, n.every)) }

// SSE serves HTTP with SSE, on StreamPath and MessagePath.
func (n *Network) SSE() http.Handler { return n.sse }

// Wait returns when no call is running any more, or when ctx ends. New calls
// should have been kept away before.
func (n *Network) Wait(ctx context.Context) {
	n.server.calls.wait(ctx)
	wait(ctx, flush)
}

// Close ends the sessions and what the transports do in the background. Streams
// that are open end when their requests do.
func (n *Network) Close(ctx context.Context) error {
	n.sse.CloseSessions()
	return n.streamable.Shutdown(ctx)
}
