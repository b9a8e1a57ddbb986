package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-memory/server"
)

// replay reads what came after an event of a session.
func replay(t *testing.T, store mcpserver.EventStore, session, id string) (stream, messages string, err error) {
	t.Helper()
	stream, err = store.ReplayEventsAfter(t.Context(), session, id, func(_ string, message json.RawMessage) error {
		messages += string(message)
		return nil
	})
	return stream, messages, err
}

func TestEventsOfASession(t *testing.T) {
	t.Parallel()
	store := server.NewEvents()
	keep := func(session, stream, message string) string {
		id, err := store.StoreEvent(t.Context(), session, stream, json.RawMessage(message))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	first := keep("s", "a", "1")
	keep("s", "b", "2")
	keep("s", "a", "3")
	keep("other", "a", "4")
	if stream, got, err := replay(t, store, "s", first); stream != "a" || got != "3" || err != nil {
		t.Errorf("after the first = %q %q, %v, want what else came on its stream", stream, got, err)
	}
	for session, id := range map[string]string{"other": first, "s": "99", "none": first} {
		if _, got, err := replay(t, store, session, id); !errors.Is(err, mcpserver.ErrUnknownEventID) || got != "" {
			t.Errorf("after %s of session %s = %q, %v, want unknown", id, session, got, err)
		}
	}
	if err := store.PurgeSession(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := replay(t, store, "s", first); !errors.Is(err, mcpserver.ErrUnknownEventID) {
		t.Errorf("after purging = %v, want unknown", err)
	}
}

// A session keeps its newest events only, by number and by size.
func TestEventsAreBounded(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]int{1: 199, 100 << 10: 9, 2 << 20: 0} {
		store := server.NewEvents()
		message := json.RawMessage(strings.Repeat("x", size))
		var ids []string
		for range 500 {
			id, err := store.StoreEvent(context.Background(), "s", "a", message)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		kept := 0
		for _, id := range ids {
			if _, _, err := replay(t, store, "s", id); err == nil {
				kept++
			}
		}
		if kept != want+1 {
			t.Errorf("of events of %d bytes %d are kept, want %d", size, kept, want+1)
		}
		if _, _, err := replay(t, store, "s", ids[len(ids)-1]); err != nil {
			t.Errorf("the newest event of %d bytes is gone: %v", size, err)
		}
	}
}
