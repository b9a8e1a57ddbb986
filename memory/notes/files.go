package notes

import (
	"context"
	"io"

	"mcp-memory/memory"
)

// Files is the workspace as the engine sees it: files by their path, relative,
// with slashes. The engine asks for paths that stay inside; an implementation
// makes sure that what they lead to does too, also by way of links.
type Files interface {
	// List tells of every Markdown file, in order of path, hidden ones left
	// out. ErrNotFound: there is no workspace.
	List(ctx context.Context) ([]memory.NoteStat, error)
	// Stat tells of one file; ErrNotFound when there is none.
	Stat(ctx context.Context, path string) (memory.NoteStat, error)
	// Open opens a file for reading; ErrNotFound when there is none.
	Open(ctx context.Context, path string) (io.ReadCloser, error)
	// Write puts content in the place of the file, as a whole, if the file
	// still holds what it was, else ErrConflict. nil = there is no file:
	// directories are made as they are needed.
	Write(ctx context.Context, path string, was, content []byte) error
}
