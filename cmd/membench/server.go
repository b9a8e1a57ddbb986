package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// server is a running server process and the MCP client connected to it. It
// is for one goroutine.
type server struct {
	client  *client.Client
	process *exec.Cmd
	stderr  tail
	startup time.Duration // from starting the process to its initialize reply
}

// startServer starts `binary stdio --db FILE` with the environment of this
// process plus env, and shakes hands. The process is killed when ctx ends.
func startServer(ctx context.Context, binary, db string, env ...string) (*server, error) {
	s := &server{}
	command := func(ctx context.Context, name string, _, args []string) (*exec.Cmd, error) {
		s.process = exec.CommandContext(ctx, name, args...)
		s.process.Dir = filepath.Dir(db)
		s.process.Env = append(append(os.Environ(), "XDG_CONFIG_HOME="+s.process.Dir), env...)
		s.process.Stderr = &s.stderr
		s.process.WaitDelay = time.Second
		return s.process, nil
	}
	s.client = client.NewClient(transport.NewStdioWithOptions(binary, nil, []string{"stdio", "--db", db},
		transport.WithCommandFunc(command), transport.WithCommandLogger(slog.New(slog.DiscardHandler))))
	begin := time.Now()
	if err := s.client.Start(ctx); err != nil {
		return nil, fmt.Errorf("start server: %w", err)
	}
	if err := s.initialize(ctx); err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.startup = time.Since(begin)
	return s, nil
}

// initialize asks for the newest protocol revision that has an initialize
// request, so that exactly one round trip is timed.
func (s *server) initialize(ctx context.Context) error {
	request := mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: mcp.LATEST_LEGACY_PROTOCOL_VERSION,
		ClientInfo:      mcp.Implementation{Name: "membench", Version: "1"},
	}}
	if _, err := s.client.Initialize(ctx, request); err != nil {
		return s.fault("initialize server", err)
	}
	return nil
}

// close ends the session and waits until the process is gone.
func (s *server) close() error {
	if err := s.client.Close(); err != nil {
		return s.fault("stop server", err)
	}
	return nil
}

// fault wraps err, with what the server said last.
func (s *server) fault(doing string, err error) error {
	if said := s.stderr.String(); said != "" {
		return fmt.Errorf("%s: %w; the server said:\n%s", doing, err, said)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// reply is what is measured of a tool's result.
type reply struct {
	bytes   int // text and structured content together
	elapsed time.Duration
}

// call calls a tool and decodes its structured result into result. An isError
// result is an error with the tool's text.
func (s *server) call(ctx context.Context, tool string, args, result any) (reply, error) {
	request := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool, Arguments: args}}
	begin := time.Now()
	answer, err := s.client.CallTool(ctx, request)
	elapsed := time.Since(begin)
	if err != nil {
		return reply{}, s.fault("call "+tool, err)
	}
	text := textOf(answer)
	if answer.IsError {
		return reply{}, fmt.Errorf("%s answered with an error: %s", tool, text)
	}
	if err := json.Unmarshal(answer.RawStructuredContent, result); err != nil {
		return reply{}, fmt.Errorf("decode structured result of %s: %w", tool, err)
	}
	return reply{len(text) + len(answer.RawStructuredContent), elapsed}, nil
}

// textOf returns the text contents of a result, a line each.
func textOf(result *mcp.CallToolResult) string {
	var texts []string
	for _, content := range result.Content {
		if text, ok := content.(mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// message is a message as add_messages takes it.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	ID      string `json:"id"`
	SentAt  string `json:"sent_at"` // RFC 3339
	Sender  string `json:"sender,omitempty"`
}

// add records messages and returns how long the call took. That all of them
// are new is checked: figures about a part of them would mislead.
func (s *server) add(ctx context.Context, session string, messages []message) (time.Duration, error) {
	args := struct {
		Session  string    `json:"session_id"`
		Messages []message `json:"messages"`
	}{session, messages}
	var result struct{ Added, Duplicates int }
	reply, err := s.call(ctx, "add_messages", args, &result)
	if err != nil {
		return 0, err
	}
	if result.Added != len(messages) {
		return 0, fmt.Errorf("add_messages stored %d of %d messages of session %q (%d duplicates)",
			result.Added, len(messages), session, result.Duplicates)
	}
	return reply.elapsed, nil
}

// question is a search.
type question struct {
	Query   string
	Match   string // "semantic" or "keyword"
	Session string // "" = over all sessions
	Limit   int    // 0 = the server's own
}

// answer is what a search found.
type answer struct {
	clientIDs []string // of the hits, best first
	degraded  string   // why meaning was left out; "" = it was not
	bytes     int
	elapsed   time.Duration
}

// search calls chat_history.
func (s *server) search(ctx context.Context, q question) (answer, error) {
	args := struct {
		Mode    string `json:"mode"`
		Scope   string `json:"scope"`
		Session string `json:"session_id,omitempty"`
		Query   string `json:"query"`
		Match   string `json:"match"`
		Limit   int    `json:"limit,omitempty"`
	}{"search", "all", q.Session, q.Query, q.Match, q.Limit}
	if q.Session != "" {
		args.Scope = "session"
	}
	var result struct {
		Hits []struct {
			ClientID string `json:"client_id"`
		}
		Degraded string
	}
	reply, err := s.call(ctx, "chat_history", args, &result)
	if err != nil {
		return answer{}, err
	}
	found := answer{degraded: result.Degraded, bytes: reply.bytes, elapsed: reply.elapsed}
	for _, hit := range result.Hits {
		found.clientIDs = append(found.clientIDs, hit.ClientID)
	}
	return found, nil
}

const (
	indexTimeout = 10 * time.Minute
	indexPoll    = 100 * time.Millisecond
)

// waiting says how to wait until the server has its vectors.
type waiting struct {
	timeout time.Duration
	poll    time.Duration // time between two looks
	settle  time.Duration // how long each look must be good; 0 = one good look is enough
}

// waitIndexed searches for query by meaning until the answer is no longer
// degraded, and returns how long that took.
func (s *server) waitIndexed(ctx context.Context, query string, w waiting) (time.Duration, error) {
	begin := time.Now()
	good := time.Time{} // begin of the good looks; zero = the last one was bad
	for {
		found, err := s.search(ctx, question{Query: query, Match: "semantic"})
		if err != nil {
			return 0, err
		}
		switch {
		case found.degraded != "":
			good = time.Time{}
		case good.IsZero():
			good = time.Now()
		}
		if !good.IsZero() && time.Since(good) >= w.settle {
			return good.Sub(begin), nil
		}
		if time.Since(begin) > w.timeout {
			return 0, fmt.Errorf("wait for vectors: not there after %v: %s", w.timeout, found.degraded)
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(w.poll):
		}
	}
}

// tail keeps the last bytes written to it. It is safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const tailBytes = 2048

// Write keeps the end of p.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	t.kept = t.kept[max(0, len(t.kept)-tailBytes):]
	return len(p), nil
}

// String returns what is kept, without white space around it.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.kept))
}
