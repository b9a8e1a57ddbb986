// Command membench drives an mcp-memory binary over stdio, as an MCP client
// does, and measures it: how fast it starts, records and searches, how much
// memory and disk it takes (speed), and how well it finds the messages that
// answer a question (retrieval). It knows the program by its tools alone, and
// package text by name: what counts as a word is the same for both.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
