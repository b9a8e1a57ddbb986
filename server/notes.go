package server

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/memory"
	"mcp-memory/memory/notes"
	"mcp-memory/memory/text"
)

const markdownType = "text/markdown"

// registerNotes adds the resources that show notes.
func (r *resources) registerNotes(s *server.MCPServer) {
	if r.notes == nil {
		return
	}
	s.AddResource(mcp.NewResource(coreURI, "core memory",
		mcp.WithResourceTitle("Core memory"),
		mcp.WithResourceDescription("MEMORY.md: preferences, decisions and facts that last. Empty before the first."),
		mcp.WithMIMEType(markdownType),
	), r.note)
	s.AddResourceTemplate(mcp.NewResourceTemplate(dailyTemplate, "daily note",
		mcp.WithTemplateTitle("Note of a day"),
		mcp.WithTemplateDescription("What a day brought; the date is YYYY-MM-DD."),
		mcp.WithTemplateMIMEType(markdownType),
	), r.note)
}

// note shows a note as it is written, a very long one to the end of its first
// part; how long the whole is stands beside it.
func (r *resources) note(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	at, err := addressOf(req.Params.URI, r.home)
	if err != nil {
		return nil, err
	}
	d, err := r.document(ctx, at)
	if err != nil {
		return nil, err
	}
	beside := map[string]any{"path": d.Path, "bytes": d.Size}
	return []mcp.ResourceContents{mcp.TextResourceContents{Meta: beside, URI: req.Params.URI, MIMEType: markdownType, Text: text.Visible(d.Content)}}, nil
}

func (r *resources) document(ctx context.Context, at address) (notes.Document, error) {
	if at.kind == dailyKind {
		return r.notes.Daily(ctx, at.day)
	}
	return r.notes.Core(ctx)
}

// findDaily returns ErrNotFound when a day has no note.
func (r *resources) findDaily(ctx context.Context, day string) error {
	if r.notes == nil {
		return nil // the library knows no such resource
	}
	d, err := r.notes.Daily(ctx, day)
	if err == nil && d.Content == "" {
		return memory.NotFoundf("there is no note of %s", day)
	}
	return err
}

// noteVersion is another text whenever the note is.
func (r *resources) noteVersion(ctx context.Context, at address) (string, error) {
	if r.notes == nil {
		return "", memory.NotFoundf("there are no notes")
	}
	d, err := r.document(ctx, at)
	if err != nil {
		return "", err
	}
	return r.notes.Mark(ctx, d.Path)
}
