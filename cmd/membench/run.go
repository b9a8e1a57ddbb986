package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/alecthomas/kong"
)

// The exit codes of membench.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

const description = `Measures an mcp-memory binary over stdio.

Databases live in the system's temporary directory (TMPDIR), so that is the disk that is measured. The server inherits the
environment: MCP_MEMORY_… variables try a setting. Configuration files are left out.`

// cli is the command line.
type cli struct {
	Binary string        `help:"Binary to measure (default: built from ./cmd/mcp-memory)." placeholder:"PATH" type:"existingfile"`
	JSON   string        `name:"json" help:"Write the JSON here instead of below the table." placeholder:"FILE" type:"path"`
	Settle time.Duration `help:"How long semantic search must stay whole before vectors count as indexed." default:"0s"`

	Speed     speedCommand     `cmd:"" help:"Measure start, adding, searching, memory and file size at N messages."`
	Retrieval retrievalCommand `cmd:"" help:"Measure how well the questions of FILEs (jsonl, jsonl.gz) find their messages."`
}

// run is the whole program: it parses args, measures, and returns the exit
// code. When ctx ends, the server is killed and the temporary directory
// removed before run returns.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var options cli
	helped := false
	parser, err := kong.New(&options, kong.Name("membench"), kong.Description(description),
		kong.Writers(stdout, stderr), kong.Exit(func(int) { helped = true }),
		kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		return fail(stderr, err, exitFailure)
	}
	parsed, err := parser.Parse(args)
	if helped {
		return exitOK
	}
	if err != nil {
		return fail(stderr, err, exitUsage)
	}
	if err := measure(ctx, parsed, options, stdout, stderr); err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
		return fail(stderr, err, exitFailure)
	}
	return exitOK
}

// measure runs the chosen command in a bench of its own.
func measure(ctx context.Context, parsed *kong.Context, options cli, stdout, stderr io.Writer) (err error) {
	b, err := openBench(ctx, benchConfig{
		Binary: options.Binary, JSONFile: options.JSON, Settle: options.Settle,
		Out: stdout, Progress: stderr,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	return parsed.Run(b)
}

// fail tells the person and returns code.
func fail(stderr io.Writer, err error, code int) int {
	fmt.Fprintf(stderr, "membench: %v\n", err)
	return code
}
