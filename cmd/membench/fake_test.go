package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// The texts that make the fake server misbehave.
const (
	textRefused  = "refuse this" // an isError result
	textUnstored = "lose this"   // one message less is stored
	textUnready  = "never index" // semantic search stays degraded from then on
)

// pidFileVariable names a file into which the fake server writes its process id.
const pidFileVariable = "MEMBENCH_FAKE_PID_FILE"

// TestMain turns the test binary into the fake server when it is started as
// mcp-memory would be.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "job" {
		os.Exit(0) // there is nothing to learn
	}
	if len(os.Args) == 4 && os.Args[1] == "stdio" && os.Args[2] == "--db" {
		if err := serveFake(os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, "fake:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// A program built with -race waits a second before it exits, which each
	// stop of a fake server would cost.
	if err := os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0"); err != nil {
		fmt.Fprintln(os.Stderr, "fake:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// fakeBinary is the program to start as the server.
func fakeBinary(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatalf("Executable() = %v", err)
	}
	return path
}

// fake is an MCP server with the two tools that membench calls, as far as it
// calls them. It keeps messages in a file of JSON lines and ranks them by the
// number of query words that they hold.
type fake struct {
	mu       sync.Mutex
	file     *os.File
	messages []stored
	waiting  int // degraded answers before the vectors are there; < 0 = never
}

type stored struct {
	Session string  `json:"session"`
	Message message `json:"message"`
	words   map[string]bool
}

func serveFake(db string) error {
	if path := os.Getenv(pidFileVariable); path != "" {
		if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
			return err
		}
	}
	f, err := openFake(db)
	if err != nil {
		return err
	}
	s := mcpserver.NewMCPServer("fake", "1", mcpserver.WithToolCapabilities(false))
	s.AddTool(mcp.NewTool("add_messages"), f.addMessages)
	s.AddTool(mcp.NewTool("chat_history"), f.chatHistory)
	return mcpserver.ServeStdio(s)
}

func openFake(db string) (*fake, error) {
	if strings.Contains(os.Getenv("MCP_MEMORY_SYNC"), "bad") {
		return nil, fmt.Errorf("sync must be full or normal")
	}
	file, err := os.OpenFile(db, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	f := &fake{file: file}
	decoder := json.NewDecoder(file)
	for decoder.More() {
		var m stored
		if err := decoder.Decode(&m); err != nil {
			return nil, err
		}
		f.keep(m)
	}
	return f, nil
}

// keep makes a message searchable.
func (f *fake) keep(m stored) {
	m.words = make(map[string]bool)
	for word := range strings.FieldsSeq(strings.ToLower(m.Message.Content)) {
		m.words[word] = true
	}
	f.messages = append(f.messages, m)
}

func (f *fake) addMessages(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var args struct {
		Session  string    `json:"session_id"`
		Messages []message `json:"messages"`
	}
	if err := decodeStrictly(request, &args); err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	added := len(args.Messages)
	for _, m := range args.Messages {
		switch m.Content {
		case textRefused:
			return mcp.NewToolResultError("this message is refused"), nil
		case textUnstored:
			added--
			continue
		case textUnready:
			f.waiting = -1
		}
		line, err := json.Marshal(stored{Session: args.Session, Message: m})
		if err != nil {
			return nil, err
		}
		if _, err := f.file.Write(append(line, '\n')); err != nil {
			return nil, err
		}
		f.keep(stored{Session: args.Session, Message: m})
	}
	if f.waiting >= 0 {
		f.waiting = 2
	}
	return mcp.NewToolResultStructured(map[string]any{
		"session_id": args.Session, "added": added, "duplicates": len(args.Messages) - added,
	}, "added"), nil
}

func (f *fake) chatHistory(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var args struct {
		Mode, Scope, Query, Match string
		Session                   string `json:"session_id"`
		Limit                     int
	}
	if err := decodeStrictly(request, &args); err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	if args.Mode != "search" || args.Scope != map[bool]string{true: "all", false: "session"}[args.Session == ""] {
		return mcp.NewToolResultError("the fake searches one session by its id or all of them"), nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	result := map[string]any{"hits": f.search(args.Query, args.Session, args.Match == "keyword", args.Limit), "total": len(f.messages)}
	if args.Match == "semantic" && f.waiting != 0 {
		result["degraded"] = "vectors are missing"
		f.waiting = max(f.waiting-1, -1)
	}
	return mcp.NewToolResultStructured(result, "found"), nil
}

// search returns hits, those with most query words first; all says that each
// word must occur.
func (f *fake) search(query, session string, all bool, limit int) []map[string]any {
	type match struct {
		id    string
		words int
	}
	wanted := strings.Fields(strings.ToLower(query))
	var found []match
	for _, m := range f.messages {
		if session != "" && m.Session != session {
			continue
		}
		n := 0
		for _, word := range wanted {
			if m.words[word] {
				n++
			}
		}
		if n > 0 && (!all || n == len(wanted)) {
			found = append(found, match{m.Message.ID, n})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return b.words - a.words })
	if limit == 0 {
		limit = 8
	}
	hits := []map[string]any{}
	for i, m := range found[:min(limit, len(found))] {
		hits = append(hits, map[string]any{"message_id": strconv.Itoa(i + 1), "client_id": m.id, "score": m.words})
	}
	return hits
}

// decodeStrictly refuses arguments that the contract does not name.
func decodeStrictly(request mcp.CallToolRequest, into any) error {
	raw, err := json.Marshal(request.Params.Arguments)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}
