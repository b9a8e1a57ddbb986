package server

import (
	"maps"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// unseen is the version of a resource that could not be looked up. No version is
// like it, so that the subscriber is told as soon as there is one.
const unseen = "unseen"

// subscriptions is who hears of changes of which resources. The library
// acknowledges subscriptions and forgets them. It is safe for concurrent use and
// never waits for a subscriber.
type subscriptions struct {
	mu       sync.Mutex
	round    int                      // how many looks have begun
	sessions map[string]*subscriber   // by id, while the connection lasts
	streams  map[*subscriber]struct{} // open requests of subscriptions/listen
}

// subscriber is a session of a protocol before 2026-07-28, which subscribes to
// one resource at a time, or a stream of a later one, which names all when it
// begins.
type subscriber struct {
	session server.ClientSession
	stream  any // id of the request that opened the stream; nil for a session
	heard   map[string]hearing
}

// hearing is what a subscriber knows of a resource.
type hearing struct {
	version string
	since   int // the round in which it subscribed: only later ones know more
}

func newSubscriptions() *subscriptions {
	return &subscriptions{sessions: map[string]*subscriber{}, streams: map[*subscriber]struct{}{}}
}

// connect makes room for the subscriptions of a session.
func (s *subscriptions) connect(session server.ClientSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[session.SessionID()] = &subscriber{session: session, heard: map[string]hearing{}}
}

// connected says whether a session can be written to when nobody asks.
func (s *subscriptions) connected(session server.ClientSession) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return session != nil && s.sessions[session.SessionID()] != nil
}

// disconnect forgets a session with all that it subscribed to, and returns the
// ids of the streams that it had open.
func (s *subscriptions) disconnect(session server.ClientSession) []any {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, session.SessionID())
	var open []any
	for sub := range s.streams {
		if sub.session == session {
			open = append(open, sub.stream)
			delete(s.streams, sub)
		}
	}
	return open
}

// subscribe adds a resource, which has the given version now, to those that a
// session hears of. A session that is not connected is left out.
func (s *subscriptions) subscribe(session server.ClientSession, uri, version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sub := s.sessions[session.SessionID()]; sub != nil {
		sub.heard[uri] = hearing{version, s.round}
	}
}

// unsubscribe takes a resource away from a session.
func (s *subscriptions) unsubscribe(session server.ClientSession, uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sub := s.sessions[session.SessionID()]; sub != nil {
		delete(sub.heard, uri)
	}
}

// open adds a stream that hears of the resources in versions, until the function
// that it returns is called.
func (s *subscriptions) open(session server.ClientSession, stream any, versions map[string]string) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sub := &subscriber{session: session, stream: stream, heard: map[string]hearing{}}
	for uri, version := range versions {
		sub.heard[uri] = hearing{version, s.round}
	}
	s.streams[sub] = struct{}{}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.streams, sub)
	}
}

// begin starts a round of looking: it names the resources to look up.
func (s *subscriptions) begin() (uris []string, round int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.round++
	wanted := map[string]struct{}{}
	for sub := range s.all {
		for uri := range sub.heard {
			wanted[uri] = struct{}{}
		}
	}
	return slices.Sorted(maps.Keys(wanted)), s.round
}

// tell tells all who know another version of the resource that it has changed.
// Who subscribed while the version was looked up may know a newer one and waits
// for the next round. It returns false when somebody could not be told because
// too much waits for him already.
func (s *subscriptions) tell(uri, version string, round int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := true
	for sub := range s.all {
		known, ok := sub.heard[uri]
		if !ok || known.version == version || known.since >= round {
			continue
		}
		if !sub.notify(uri) {
			all = false
			continue
		}
		sub.heard[uri] = hearing{version, known.since}
	}
	return all
}

// all goes through the subscribers; the caller holds the lock.
func (s *subscriptions) all(yield func(*subscriber) bool) {
	for _, sub := range s.sessions {
		if !yield(sub) {
			return
		}
	}
	for sub := range s.streams {
		if !yield(sub) {
			return
		}
	}
}

// notify queues the notification, false when the queue is full.
func (s *subscriber) notify(uri string) bool {
	n := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{
		Method: mcp.MethodNotificationResourceUpdated,
		Params: mcp.NotificationParams{AdditionalFields: map[string]any{"uri": uri}},
	}}
	if s.stream != nil {
		n.Params.Meta = map[string]any{mcp.MetaKeySubscriptionID: s.stream}
	}
	select {
	case s.session.NotificationChannel() <- n:
		return true
	default:
		return false
	}
}
