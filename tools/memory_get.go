package tools

import (
	"context"
	"fmt"
	"strings"

	"mcp-memory/memory"
	"mcp-memory/memory/notes"
	"mcp-memory/memory/text"
)

// MemoryGetArgs are the arguments of memory_get.
type MemoryGetArgs struct {
	Path      string `json:"path" doc:"Of the note, inside the workspace, such as MEMORY.md or memory/2026-03-08.md."`
	StartLine *int   `json:"start_line,omitempty" doc:"The first line to read, from 1; default: 1."`
	NumLines  *int   `json:"num_lines,omitempty" doc:"200 by default, at most 2000; fewer come when they are long."`
}

// MemoryGetResult is the result of memory_get.
type MemoryGetResult struct {
	Path       string `json:"path"`
	Content    string `json:"content"`
	StartLine  int    `json:"start_line"`
	EndLine    int    `json:"end_line" doc:"Inclusive; one less than start_line when there is no such line."`
	TotalLines int    `json:"total_lines" doc:"Of the whole note: when it is more than end_line, go on with start_line one after that."`
}

// NoteReader reads notes.
type NoteReader interface {
	Get(ctx context.Context, r notes.Range) (notes.Page, error)
}

// MemoryGet is the tool memory_get.
type MemoryGet struct{ Notes NoteReader }

// Tool describes the tool to clients.
func (t *MemoryGet) Tool() (Tool, error) {
	return newTool(about{
		name:        "memory_get",
		title:       "Read a note",
		description: "Read a note by its path, whole or some lines of it, as memory_search names them.",
		readOnly:    true,
		idempotent:  true,
	}, t.Call)
}

// Call reads the lines.
func (t *MemoryGet) Call(ctx context.Context, args MemoryGetArgs) (MemoryGetResult, string, error) {
	r := notes.Range{Path: args.Path}
	for _, one := range []struct {
		name  string
		given *int
		into  *int
	}{{"start_line", args.StartLine, &r.Start}, {"num_lines", args.NumLines, &r.Lines}} {
		if one.given == nil {
			continue
		}
		if *one.given < 1 {
			return MemoryGetResult{}, "", memory.Invalidf("%s must be 1 or more, got %d", one.name, *one.given)
		}
		*one.into = *one.given
	}
	page, err := t.Notes.Get(ctx, r)
	if err != nil {
		return MemoryGetResult{}, "", fmt.Errorf("read a note: %w", err)
	}
	result := MemoryGetResult{
		Path: page.Path, Content: text.Visible(page.Content),
		StartLine: page.StartLine, EndLine: page.EndLine, TotalLines: page.TotalLines,
	}
	return result, noteText(result, page.Cut), nil
}

// noteText is the readable form of the result.
func noteText(r MemoryGetResult, cut bool) string {
	path := oneLine(r.Path, 400)
	if r.EndLine < r.StartLine {
		return fmt.Sprintf("%s has %s: there is no line %d.\n", path, count(r.TotalLines, "line"), r.StartLine)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s, lines %d–%d of %d\n| %s\n", quoteNotice, path, r.StartLine, r.EndLine, r.TotalLines, lineBreaks.Replace(r.Content))
	if cut {
		fmt.Fprintf(&b, "\nLine %d is too long and was cut.\n", r.StartLine)
	}
	if r.EndLine < r.TotalLines {
		fmt.Fprintf(&b, "\nThere is more: call again with start_line %d.\n", r.EndLine+1)
	}
	return b.String()
}
