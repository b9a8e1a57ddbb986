package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

// The bounds of serving on standard input and output.
const (
	// maxLine is the longest line that is read. The largest message that can be
	// stored, escaped in the worst way, is shorter.
	maxLine = 128 << 20
	// grace is how long calls that run when the input ends may go on before
	// they are cancelled.
	grace = 800 * time.Millisecond
	// queue is how many calls wait for one of the workers; reading goes on
	// meanwhile.
	queue = 1000
)

// ServeStdio speaks the protocol over in and out, a JSON-RPC message a line,
// until in ends or ctx does. It returns when the calls that were running have
// been answered; nothing but protocol goes to out. One at a time in a process:
// the library keeps one session for standard input and output.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	open := newPending()
	answers := &answerWriter{out: out, open: open}
	requests := newRequestReader(in, answers, open)

	stdio := server.NewStdioServer(s.mcp)
	stdio.SetErrorLogger(slog.NewLogLogger(s.log.Handler(), slog.LevelDebug))
	server.WithQueueSize(queue)(stdio)
	err := stdio.Listen(ctx, requests, answers)
	if err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("serve on standard input: %w", err)
	}
	return nil
}
