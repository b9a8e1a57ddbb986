package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/memory"
	"mcp-memory/tools"
)

// hooks are the places where the library lets in what it does not do itself.
func (s *Server) hooks(subscribable bool) *server.Hooks {
	h := &server.Hooks{}
	h.AddBeforeReadResource(s.resources.refuseMissing)
	if !subscribable {
		return h
	}
	h.AddOnRegisterSession(func(_ context.Context, session server.ClientSession) { s.subscriptions.connect(session) })
	h.AddOnUnregisterSession(s.disconnect)
	h.AddOnRequestInitialization(s.refuseSubscription)
	h.AddAfterSubscribe(s.subscribe)
	h.AddAfterUnsubscribe(func(ctx context.Context, _ any, req *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
		s.subscriptions.unsubscribe(server.ClientSessionFromContext(ctx), req.Params.URI)
	})
	h.AddBeforeSubscriptionsListen(s.listen)
	return h
}

// disconnect forgets a session that has ended, and ends the streams that it had
// open: over SSE the library would keep them for good.
func (s *Server) disconnect(ctx context.Context, session server.ClientSession) {
	for _, id := range s.subscriptions.disconnect(session) {
		cancel, err := json.Marshal(map[string]any{
			"jsonrpc": mcp.JSONRPC_VERSION,
			"method":  mcp.MethodNotificationCancelled,
			"params":  map[string]any{"requestId": id},
		})
		if err != nil {
			s.log.Error("encode the end of a stream", "err", err)
			continue
		}
		s.mcp.HandleMessage(s.mcp.WithContext(ctx, session), cancel)
	}
}

// refuseSubscription refuses resources/subscribe for what nobody can hear of.
// It sees every request before the library reads it.
func (s *Server) refuseSubscription(ctx context.Context, _ any, message any) error {
	raw, ok := message.(json.RawMessage)
	if !ok || !bytes.Contains(raw, []byte(mcp.MethodResourcesSubscribe)) {
		return nil // nearly every request, and some are large
	}
	var req struct {
		Method mcp.MCPMethod
		Params struct{ URI string }
	}
	if json.Unmarshal(raw, &req) != nil || req.Method != mcp.MethodResourcesSubscribe || req.Params.URI == "" {
		return nil
	}
	if _, err := s.resources.version(ctx, req.Params.URI); errors.Is(err, memory.ErrNotFound) {
		return fmt.Errorf("cannot subscribe to %s: %s", req.Params.URI, tools.FailureText(s.log, "subscribe", err))
	}
	if !s.subscriptions.connected(server.ClientSessionFromContext(ctx)) {
		return errors.New("cannot subscribe: this connection has no session, so that changes could not be told")
	}
	return nil
}

// subscribe notes that a session wants to hear of a resource. A change between
// the look at its version and the note is found by the look that follows.
func (s *Server) subscribe(ctx context.Context, _ any, req *mcp.SubscribeRequest, _ *mcp.EmptyResult) {
	s.subscriptions.subscribe(server.ClientSessionFromContext(ctx), req.Params.URI, s.versionNow(ctx, req.Params.URI))
	s.Changed()
}

// listen notes what a stream wants to hear of, and takes out of the request what
// nobody can hear of: the library acknowledges the rest.
func (s *Server) listen(ctx context.Context, id any, req *mcp.SubscriptionsListenRequest) {
	session := server.ClientSessionFromContext(ctx)
	if session == nil || id == nil {
		return // the library refuses it
	}
	versions := map[string]string{}
	var known []string
	for _, uri := range req.Params.Notifications.ResourceSubscriptions {
		if _, err := s.resources.version(ctx, uri); errors.Is(err, memory.ErrNotFound) {
			continue
		}
		known = append(known, uri)
		versions[uri] = s.versionNow(ctx, uri)
	}
	req.Params.Notifications.ResourceSubscriptions = known
	if len(known) == 0 {
		return
	}
	context.AfterFunc(ctx, s.subscriptions.open(session, id, versions))
	s.Changed()
}

// versionNow is the version of a resource, or unseen.
func (s *Server) versionNow(ctx context.Context, uri string) string {
	version, err := s.resources.version(ctx, uri)
	if err != nil {
		return unseen
	}
	return version
}
