package main

import (
	"context"
	"fmt"
	"slices"

	"mcp-memory/memory/notes"
	"mcp-memory/memory/notes/folder"
)

// buildNotes puts the notes of the workspace on the database.
func (a *app) buildNotes(p *program) error {
	files, err := folder.New(a.settings.Workspace)
	if err != nil {
		return err
	}
	c := notes.Config{
		Store: a.db, Files: files, Embedder: a.source, Location: a.settings.zone, Log: p.log,
		OnWrite: a.changed, OnIndex: a.loop.Wake,
		Settle: func(ctx context.Context) { a.loop.Settle(ctx, settleTime) },
	}
	if a.mask != nil {
		c.Masker = a.mask
	}
	if a.notes, err = notes.New(c); err != nil {
		return fmt.Errorf("build notes: %w", err)
	}
	return nil
}

// naming lists the notes that name a session.
func (a *app) naming(ctx context.Context, session string) ([]string, error) {
	found, err := a.notes.Search(ctx, notes.Request{Query: `"` + session + `"`, Limit: notes.MaxResults})
	if err != nil {
		return nil, fmt.Errorf("search the notes: %w", err)
	}
	var paths []string
	for _, f := range found.Found {
		if f.Exact && !slices.Contains(paths, f.Path) {
			paths = append(paths, f.Path)
		}
	}
	return paths, nil
}

// readNotes takes in what was written while nothing ran, so that the first search
// need not wait for it.
func (a *app) readNotes(ctx context.Context, p *program) {
	if err := a.notes.Sync(ctx); err != nil && ctx.Err() == nil {
		p.log.Warn("read the notes", "error", err) // the first search tries again
	}
}
