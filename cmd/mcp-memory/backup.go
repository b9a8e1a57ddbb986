package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// backupCommand copies the database.
type backupCommand struct {
	File string `arg:"" help:"Where the copy goes; a file that is there stays as it is."`
}

// Run writes the copy, for its owner alone; the file is there only when it is
// complete.
func (c backupCommand) Run(ctx context.Context, p *program, s *settings) error {
	path, err := p.env.expand(c.File)
	if err != nil {
		return usagef("FILE: %w", err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists already: name another file", path)
	}
	return p.withFile(ctx, s, func(a *app) error {
		if err := replaceFile(path, func(f *os.File) error { return a.db.Backup(ctx, f.Name()) }); err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("look at the copy: %w", err)
		}
		fmt.Fprintf(p.stdout, "%s: %.1f MB\n", path, float64(info.Size())/1e6)
		return nil
	})
}
