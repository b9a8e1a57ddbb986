// Package site is the server on the network: one port, a guard before
// everything, and behind it the protocol (/mcp, and /sse with /message), REST
// (/v1), /metrics and /healthz. Who comes in sees the memory of his namespace
// and nothing of any other: each namespace has a Tenant of its own, opened when
// it is first asked for.
package site

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"mcp-memory/server"
	"mcp-memory/server/guard"
	"mcp-memory/server/rest"
)

// HealthPath answers everybody who may come near, with a token or not.
const HealthPath = "/healthz"

// Face is what somebody sees of a memory.
type Face struct {
	MCP  *server.Network // required
	REST http.Handler    // everything below rest.Prefix; required
}

// Tenant is the memory of one namespace.
type Tenant struct {
	Full     Face         // for tokens that may write
	ReadOnly Face         // for those that may not; the zero Face = there are none
	Metrics  http.Handler // required
	Close    func() error // required; called once, when nobody asks any more
}

// Config configures a Site.
type Config struct {
	Guard *guard.Guard // required
	// Open opens the memory of a namespace. It is called once for each, and again
	// only after it has failed.
	Open func(ctx context.Context, namespace string) (*Tenant, error)
	Log  *slog.Logger // required; Requests makes its lines carry the request
}

// Site serves the memories over HTTP. Close it when it is not served any more.
type Site struct {
	Config
	tenants tenants
	handler http.Handler
}

// New puts a site together. Nothing is opened yet.
func New(c Config) (*Site, error) {
	if c.Guard == nil || c.Open == nil || c.Log == nil {
		return nil, errors.New("site: the Config is not complete")
	}
	s := &Site{Config: c, tenants: tenants{open: c.Open, rooms: map[string]*room{}}}
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", endable(s.show(func(f faces) http.Handler { return f.streamable })))
	mux.HandleFunc(server.StreamPath, endable(s.show(func(f faces) http.Handler { return f.sse })))
	mux.HandleFunc(server.MessagePath, s.show(func(f faces) http.Handler { return f.sse }))
	mux.HandleFunc(rest.Prefix+"/", s.show(func(f faces) http.Handler { return f.rest }))
	mux.HandleFunc("GET /metrics", s.show(func(f faces) http.Handler { return f.metrics }))
	mux.HandleFunc("GET "+HealthPath, healthy)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		guard.Refuse(w, http.StatusNotFound, "there is nothing at this path: /mcp, /sse, /v1, /metrics and /healthz are served")
	})
	s.handler = s.record(c.Guard.Handler(named(mux)))
	return s, nil
}

// Handler is everything that is served, behind the guard.
func (s *Site) Handler() http.Handler { return s.handler }

// Prepare opens a namespace before anybody asks, so that what is wrong with it
// shows at once.
func (s *Site) Prepare(ctx context.Context, namespace string) error {
	_, err := s.tenants.of(ctx, namespace)
	return err
}

// Close closes all namespaces that were opened.
func (s *Site) Close(ctx context.Context) error { return s.tenants.close(ctx) }

func healthy(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte("{\"status\":\"ok\"}\n")) // who asked may be gone
}

// show hands a request on to a part of the memory that it is about.
func (s *Site) show(part func(faces) http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who := guard.IdentityOf(r.Context())
		room, err := s.tenants.of(r.Context(), who.Namespace)
		if err != nil {
			s.Log.ErrorContext(r.Context(), "memory cannot be opened", "namespace", who.Namespace, "err", err)
			guard.Refuse(w, http.StatusInternalServerError, "this memory cannot be opened: see the server's log")
			return
		}
		seen := room.full
		if who.ReadOnly {
			seen = room.readOnly
		}
		if seen == (faces{}) {
			guard.Refuse(w, http.StatusForbidden, "there is nothing here for a token that is read-only")
			return
		}
		part(seen).ServeHTTP(w, r)
	}
}
