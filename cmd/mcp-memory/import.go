package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/schollz/progressbar/v3"

	"mcp-memory/memory/transfer"
)

// importCommand adds the conversations of a file.
type importCommand struct {
	Path   string `arg:"" help:"The file to read; it is never written to."`
	Format string `enum:"auto,jsonl" default:"auto" help:"What the file is: ${enum}."`
	DryRun bool   `help:"Read and check only."`
}

// indexTime is how long an import goes on making vectors; a server makes the
// rest.
const indexTime = 10 * time.Second

// Run imports and prints what became of the records.
func (c importCommand) Run(ctx context.Context, p *program, s *settings) error {
	f, err := os.Open(c.Path)
	if err != nil {
		return fmt.Errorf("read the import: %w", err)
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	if err := c.recognise(in); err != nil {
		return err
	}
	watch, done := progress(p.stderr, f)
	read := transfer.Import{Session: s.session(), Zone: s.zone, Progress: watch}
	var report transfer.Report
	if c.DryRun {
		report, err = read.Run(ctx, in)
	} else {
		report, err = p.importInto(ctx, s, read, in)
	}
	done()
	if printErr := c.print(p.stdout, report); printErr != nil {
		return printErr
	}
	if err == nil && report.Skipped > 0 {
		return errPartial
	}
	return err
}

// importInto records what is read.
func (p *program) importInto(ctx context.Context, s *settings, read transfer.Import, in io.Reader) (report transfer.Report, err error) {
	a, err := p.open(ctx, s)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	read.Append = a.appender(transfer.Source)
	if report, err = read.Run(ctx, in); err != nil {
		return report, err
	}
	return report, a.index(ctx, indexTime)
}

// index makes the vectors that are missing, for as long as the limit allows.
func (a *app) index(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := a.loop.Drain(ctx); err != nil && ctx.Err() == nil {
		return fmt.Errorf("index messages: %w", err)
	}
	return nil
}

// recognise looks at the beginning of the file, unless the format was named.
func (c importCommand) recognise(in *bufio.Reader) error {
	if c.Format != "auto" {
		return nil
	}
	head, err := in.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read %s: %w", c.Path, err)
	}
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	if len(head) > 0 && head[0] != '{' {
		return usagef("cannot tell the format of %s: it does not begin like JSON lines; name it with --format", c.Path)
	}
	return nil
}

// progress shows how far the file is read, on a terminal alone.
func progress(stderr io.Writer, f *os.File) (watch func(int), done func()) {
	info, err := f.Stat()
	if err != nil || !isTerminal(stderr) {
		return nil, func() {}
	}
	bar := progressbar.NewOptions64(info.Size(),
		progressbar.OptionSetWriter(stderr), progressbar.OptionShowBytes(true),
		progressbar.OptionSetDescription("importing"), progressbar.OptionClearOnFinish())
	watch = func(n int) { _ = bar.Add(n) } // a bar that cannot be drawn stops nothing
	return watch, func() { _ = bar.Finish() }
}

// print writes the report.
func (c importCommand) print(out io.Writer, r transfer.Report) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, n int) { fmt.Fprintf(table, "%s\t%d\t\n", name, n) }
	row("read", r.Read)
	if !c.DryRun {
		row("added", r.Added)
		row("duplicate", r.Duplicates)
	}
	row("skipped", r.Skipped)
	row("bytes replaced", r.Replaced)
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	for _, reason := range r.Reasons {
		fmt.Fprintf(out, "skipped %s: %s\n", reason.Place, reason.Why)
	}
	if more := r.Skipped - len(r.Reasons); more > 0 {
		fmt.Fprintf(out, "and %d more\n", more)
	}
	if c.DryRun {
		fmt.Fprintln(out, "dry run: nothing was written")
	}
	return nil
}
