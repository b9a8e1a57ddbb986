package main

import (
	"context"
	"errors"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// gcPercent trades a little time for memory: each client of a person runs a
// server of its own, and most of them idle most of the time.
const gcPercent = 40

// stdioCommand serves MCP on standard input and output.
type stdioCommand struct{}

// Run serves until the client closes the input or a signal comes. A client that
// goes away ends it too, with the database closed properly.
func (stdioCommand) Run(ctx context.Context, p *program, s *settings) (err error) {
	debug.SetGCPercent(gcPercent)
	signal.Ignore(syscall.SIGPIPE) // a write to a client that is gone is an error like others
	a, err := p.open(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	if err := a.buildServer(p); err != nil {
		return err
	}
	a.start(ctx, p)
	return a.mcp.ServeStdio(ctx, p.stdin, p.stdout)
}
