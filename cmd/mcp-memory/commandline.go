package main

import (
	"context"
	"os"

	"github.com/alecthomas/kong"
	"golang.org/x/term"
)

// commandLine is the grammar of the command line.
type commandLine struct {
	Help     help     `short:"h" help:"Show help."`
	Settings settings `embed:""`

	Stdio   stdioCommand   `cmd:"" help:"Serve MCP on standard input and output. This is what a client starts; also without a command when input is no terminal."`
	Serve   serveCommand   `cmd:"" help:"Serve MCP, SSE and REST over HTTP, on this machine alone unless there are tokens."`
	Demo    demoCommand    `cmd:"" help:"Record a small conversation in three languages into a temporary file and ask questions about it."`
	Search  searchCommand  `cmd:"" help:"Find recorded messages."`
	Import  importCommand  `cmd:"" help:"Add the conversations of a file. Running it again adds nothing."`
	Export  exportCommand  `cmd:"" help:"Write recorded messages as JSON lines, for import."`
	Backup  backupCommand  `cmd:"" help:"Copy the database to a file of its own, also while servers use it."`
	Lesson  lessonCommand  `cmd:"" help:"Show, correct or forget how errors of tools were solved."`
	Job     jobCommand     `cmd:"" help:"Show what happens by itself, or have it happen now."`
	Doctor  doctorCommand  `cmd:"" help:"Check the database file."`
	Version versionCommand `cmd:"" help:"Show versions."`
	Default defaultCommand `cmd:"" hidden:"" default:"1"`
}

const helpName = "help"

// help is the flag --help. It prints and ends parsing, before anything could be
// wrong with the rest of the command line.
type help bool

// IgnoreDefault implements the hook of kong that keeps the default command from
// being chosen: help without a command is that of the program.
func (help) IgnoreDefault() {}

// BeforeReset implements the hook of kong that comes first.
func (help) BeforeReset(ctx *kong.Context) error {
	if err := ctx.PrintUsage(false); err != nil {
		return err
	}
	return errHelp
}

// defaultCommand runs when no command is named: a client that starts the
// program talks to it over a pipe, a person sits at a terminal.
type defaultCommand struct{}

// Run serves, or prints help at a terminal.
func (defaultCommand) Run(ctx context.Context, p *program, s *settings, parser *kong.Kong) error {
	if !isTerminal(p.stdin) {
		return stdioCommand{}.Run(ctx, p, s)
	}
	_, err := parser.Parse([]string{"--" + helpName}) // it ends in errHelp
	return err
}

// isTerminal says whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
