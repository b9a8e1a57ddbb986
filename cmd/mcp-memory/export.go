package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mcp-memory/memory/transfer"
)

// exportCommand writes recorded messages.
type exportCommand struct {
	Output string `short:"o" placeholder:"FILE" help:"Write to this file instead of standard output; it is replaced only when all is written."`
}

// Run exports the session that is set, or all of them.
func (c exportCommand) Run(ctx context.Context, p *program, s *settings) error {
	return p.withFile(ctx, s, func(a *app) error { return c.export(ctx, p, a) })
}

func (c exportCommand) export(ctx context.Context, p *program, a *app) error {
	count := 0
	write := func(out io.Writer) (err error) {
		count, err = transfer.Export(ctx, a.db.Export, a.settings.Session, out)
		return err
	}
	if c.Output == "" {
		return write(p.stdout)
	}
	path, err := p.env.expand(c.Output)
	if err != nil {
		return usagef("--output: %w", err)
	}
	if err := replaceFile(path, func(f *os.File) error { return write(f) }); err != nil {
		return err
	}
	fmt.Fprintf(p.stderr, "%d messages written to %s\n", count, path)
	return nil
}

// replaceFile writes a file beside path, for its owner alone, and moves it there
// when it is complete.
func replaceFile(path string, write func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("create %s: %w", path, err)
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(f.Name()))
	}
	return nil
}
