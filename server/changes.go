package server

import (
	"context"
	"time"
)

const (
	// quiet is how long a change rests before it is told. Changes that come
	// together are told as one, and the answer to the call that made the change
	// goes first: over Streamable HTTP the library loses a notification that
	// comes at the very end of a call.
	quiet = 20 * time.Millisecond
	// again is when it is tried again to look, or to tell somebody for whom too
	// much was waiting.
	again = time.Second
)

// Changed says that something may have changed: a summary, messages, or
// anything else in the file. It returns at once.
func (s *Server) Changed() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Run tells subscribers of changes until ctx ends. After each call of Changed it
// looks up what is subscribed to; who knows another version is told once, and
// reads the newest then. One Run at a time.
func (s *Server) Run(ctx context.Context) {
	var retry <-chan time.Time
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
		case <-retry:
		}
		wait(ctx, quiet)
		told, err := s.tellChanges(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			s.log.Warn("cannot look for changes", "err", err)
		}
		failing = err != nil
		retry = nil
		if failing || !told {
			retry = time.After(again)
		}
	}
}

// tellChanges looks once. told is false when somebody could not be told now; err
// is the last thing that kept it from looking something up.
func (s *Server) tellChanges(ctx context.Context) (told bool, err error) {
	told = true
	uris, round := s.subscriptions.begin()
	for _, uri := range uris {
		version, failed := s.resources.version(ctx, uri)
		if failed != nil {
			err = failed
			continue
		}
		told = s.subscriptions.tell(uri, version, round) && told
	}
	return told, err
}
