package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/alecthomas/kong"
)

// The exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // it did not work
	exitUsage   = 2 // it was called or configured wrongly
	exitPartial = 3 // an import left records out
)

// program is what a command has to work with.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            environment
	log            *slog.Logger
}

// errPartial is the outcome of an import that left records out; the report has
// said so already.
var errPartial = errors.New("some records were left out")

// errHelp ends parsing after help was printed.
var errHelp = errors.New("help was asked for")

// run is the program: it reads the command line, runs the command and returns
// the exit code. Errors are one line on stderr.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	p := &program{stdin: stdin, stdout: stdout, stderr: stderr, env: newEnvironment(env)}
	err := p.run(ctx, args)
	switch {
	case err == nil || errors.Is(err, errHelp):
		return exitOK
	case errors.Is(err, errPartial):
		return exitPartial
	}
	fmt.Fprintf(stderr, "mcp-memory: %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
	if _, wrong := errors.AsType[usageError](err); wrong {
		fmt.Fprintln(stderr, "Run mcp-memory --help for the commands and flags.")
		return exitUsage
	}
	return exitFailure
}

// usageError is an error of whoever called the program.
type usageError struct{ error }

// Unwrap returns what is wrong.
func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func (p *program) run(ctx context.Context, args []string) error {
	var grammar commandLine
	parser, err := kong.New(&grammar, kong.Name("mcp-memory"),
		kong.Description("A lasting memory for AI agents: records conversations and finds them again."),
		kong.Writers(p.stdout, p.stderr), kong.NoDefaultHelp(),
		kong.ValueFormatter(withVariable),
		kong.Bind(p), kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		return fmt.Errorf("build command line: %w", err)
	}
	command, err := parser.Parse(args)
	if errors.Is(err, errHelp) {
		return err
	}
	if err != nil {
		return usageError{err}
	}
	if err := grammar.Settings.check(p.env); err != nil {
		return usageError{err}
	}
	p.log = slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: grammar.Settings.level()}))
	return command.Run(&grammar.Settings)
}

// withVariable adds to the help of a flag the variable that sets it.
func withVariable(v *kong.Value) string {
	if v.Flag == nil || v.Flag.Name == helpName {
		return v.Help
	}
	return strings.TrimSuffix(v.Help, ".") + " ($" + variable(v.Flag.Name) + ")."
}
