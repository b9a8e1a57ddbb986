package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// quickly waits for vectors without patience.
var quickly = waiting{timeout: 20 * time.Millisecond, poll: time.Millisecond}

// fakeServer starts a fake server on a new file.
func fakeServer(t *testing.T) *server {
	t.Helper()
	s, err := startServer(t.Context(), fakeBinary(t), filepath.Join(t.TempDir(), "memory.db"))
	if err != nil {
		t.Fatalf("startServer() = %v", err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil && t.Context().Err() == nil {
			t.Errorf("close() = %v", err)
		}
	})
	return s
}

func note(id, content string) message {
	return message{Role: "user", Content: content, ID: id, SentAt: "2024-01-01T00:00:00Z"}
}

func TestServerAddAndSearch(t *testing.T) {
	t.Parallel()
	s := fakeServer(t)
	elapsed, err := s.add(t.Context(), "one", []message{note("a", "red house"), note("b", "a red red boat")})
	if err != nil || elapsed <= 0 {
		t.Fatalf("add() = %v, %v, want a time and nil", elapsed, err)
	}
	found, err := s.search(t.Context(), question{Query: "red boat", Match: "semantic", Limit: 5})
	if err != nil || !slices.Equal(found.clientIDs, []string{"b", "a"}) {
		t.Errorf("search(red boat) = %v, %v, want b, a", found.clientIDs, err)
	}
	if found.degraded == "" || found.bytes < 20 || found.elapsed <= 0 {
		t.Errorf("search(red boat) = %+v, want degraded, bytes and a time", found)
	}
	found, err = s.search(t.Context(), question{Query: "red boat", Match: "keyword", Limit: 1})
	if err != nil || !slices.Equal(found.clientIDs, []string{"b"}) || found.degraded != "" {
		t.Errorf("search(red boat, keyword) = %+v, %v, want b, not degraded", found, err)
	}
	if s.startup <= 0 {
		t.Errorf("startup = %v, want a time", s.startup)
	}
}

func TestServerAddRefused(t *testing.T) {
	t.Parallel()
	s := fakeServer(t)
	for content, want := range map[string]string{
		textRefused:  "this message is refused",
		textUnstored: "stored 1 of 2 messages",
	} {
		_, err := s.add(t.Context(), "one", []message{note("a", content), note("b", "well")})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("add(%q) = %v, want an error with %q", content, err, want)
		}
	}
}

func TestServerWaitIndexed(t *testing.T) {
	t.Parallel()
	s := fakeServer(t)
	if _, err := s.add(t.Context(), "one", []message{note("a", "red house")}); err != nil {
		t.Fatalf("add() = %v", err)
	}
	patient := waiting{timeout: time.Minute, poll: time.Millisecond, settle: 5 * time.Millisecond}
	if _, err := s.waitIndexed(t.Context(), "red", patient); err != nil {
		t.Fatalf("waitIndexed() = %v", err)
	}
	if found, err := s.search(t.Context(), question{Query: "red", Match: "semantic"}); err != nil || found.degraded != "" {
		t.Errorf("search() after waitIndexed() = %+v, %v, want it not degraded", found, err)
	}
	if _, err := s.add(t.Context(), "one", []message{note("b", textUnready)}); err != nil {
		t.Fatalf("add() = %v", err)
	}
	if _, err := s.waitIndexed(t.Context(), "red", quickly); err == nil || !strings.Contains(err.Error(), "vectors are missing") {
		t.Errorf("waitIndexed() without vectors = %v, want an error with the reason", err)
	}
}

func TestStartServerFails(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "memory.db")
	if _, err := startServer(t.Context(), db+"-absent", db); err == nil {
		t.Error("startServer(absent binary) = nil, want an error")
	}
	_, err := startServer(t.Context(), fakeBinary(t), db, "MCP_MEMORY_SYNC=bad")
	if err == nil || !strings.Contains(err.Error(), "sync must be full or normal") {
		t.Errorf("startServer(bad sync) = %v, want an error with what the server said", err)
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	var end tail
	for range 3 {
		if n, err := end.Write([]byte(strings.Repeat("x", tailBytes-1) + "\n")); n != tailBytes || err != nil {
			t.Fatalf("Write() = %d, %v, want %d, nil", n, err, tailBytes)
		}
	}
	if _, err := end.Write([]byte("last\n")); err != nil {
		t.Fatal(err)
	}
	if got := end.String(); len(got) > tailBytes || !strings.HasSuffix(got, "\nlast") {
		t.Errorf("String() has %d bytes, ends %q, want at most %d and the last line", len(got), got[max(0, len(got)-5):], tailBytes)
	}
}
