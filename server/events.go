package server

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/server"
)

// What is kept of a session for a client that comes back: its newest events, up
// to both limits.
const (
	keptEvents = 200
	keptBytes  = 1 << 20
)

// events keeps what has gone over the streams of sessions, so that a client
// whose connection broke gets what it missed. The library's own store keeps
// everything for as long as the session lasts. It is safe for concurrent use.
type events struct {
	mu       sync.Mutex
	last     uint64
	sessions map[string]*eventLog
}

// eventLog is what is kept of one session, oldest first.
type eventLog struct {
	kept  []event
	bytes int
}

type event struct {
	id      string
	stream  string
	message json.RawMessage
}

func newEvents() *events { return &events{sessions: map[string]*eventLog{}} }

// StoreEvent implements server.EventStore.
func (e *events) StoreEvent(_ context.Context, session, stream string, message json.RawMessage) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	log := e.sessions[session]
	if log == nil {
		log = &eventLog{}
		e.sessions[session] = log
	}
	one := event{strconv.FormatUint(e.last, 10), stream, message}
	log.kept = append(log.kept, one)
	log.bytes += len(message)
	for len(log.kept) > 1 && (len(log.kept) > keptEvents || log.bytes > keptBytes) {
		log.bytes -= len(log.kept[0].message)
		log.kept[0] = event{} // the list may go on using its memory
		log.kept = log.kept[1:]
	}
	return one.id, nil
}

// ReplayEventsAfter implements server.EventStore.
func (e *events) ReplayEventsAfter(_ context.Context, session, id string, send func(string, json.RawMessage) error) (string, error) {
	e.mu.Lock()
	var after []event
	if log := e.sessions[session]; log != nil {
		after = slices.Clone(log.kept)
	}
	e.mu.Unlock()
	at := slices.IndexFunc(after, func(one event) bool { return one.id == id })
	if at < 0 {
		return "", fmt.Errorf("event %s: %w", id, server.ErrUnknownEventID)
	}
	stream := after[at].stream
	for _, one := range after[at+1:] {
		if one.stream != stream {
			continue
		}
		if err := send(one.id, one.message); err != nil {
			return stream, err
		}
	}
	return stream, nil
}

// PurgeSession implements server.EventStore.
func (e *events) PurgeSession(_ context.Context, session string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.sessions, session)
	return nil
}
