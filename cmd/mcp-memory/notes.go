package main

import (
	"context"
	"fmt"

	"mcp-memory/memory/notes"
	"mcp-memory/memory/notes/folder"
	"mcp-memory/memory/text"
)

// buildNotes puts the notes of the workspace on the database.
func (a *app) buildNotes(p *program) error {
	files, err := folder.New(a.settings.Workspace)
	if err != nil {
		return err
	}
	c := notes.Config{
		Store: a.db, Files: files, Embedder: a.source, Location: a.settings.zone, Log: p.log,
		OnWrite: a.noteWritten, OnIndex: a.loop.Wake,
		Settle: func(ctx context.Context) { a.loop.Settle(ctx, settleTime) },
	}
	if a.settings.Redact {
		c.Masker = text.NewRedactor()
	}
	if a.notes, err = notes.New(c); err != nil {
		return fmt.Errorf("build notes: %w", err)
	}
	return nil
}

// noteWritten tells those who look at notes.
func (a *app) noteWritten() {
	if a.mcp != nil {
		a.mcp.Changed()
	}
}

// readNotes takes in what was written while nothing ran, so that the first search
// need not wait for it.
func (a *app) readNotes(ctx context.Context, p *program) {
	if err := a.notes.Sync(ctx); err != nil && ctx.Err() == nil {
		p.log.Warn("read the notes", "error", err) // the first search tries again
	}
}
