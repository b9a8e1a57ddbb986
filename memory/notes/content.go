package notes

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"mcp-memory/memory"
)

// The sizes of files, in bytes.
const (
	// MaxFileBytes is the largest file that is written, and how much of a
	// larger one is searched.
	MaxFileBytes = 4 << 20
	// MaxWriteBytes is the most that one write brings.
	MaxWriteBytes = 1 << 20
)

// read reads the first max bytes of a file; whole says that these are all. A file
// that does not exist is nil.
func (n *Notes) read(ctx context.Context, path string, max int) (content []byte, whole bool, err error) {
	f, err := n.c.Files.Open(ctx, path)
	if errors.Is(err, memory.ErrNotFound) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	content, err = io.ReadAll(io.LimitReader(f, int64(max)+1))
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", path, err)
	}
	if len(content) > max {
		return content[:max], false, nil
	}
	if content == nil {
		content = []byte{}
	}
	return content, true, nil
}

// readWhole reads a file that is to be written.
func (n *Notes) readWhole(ctx context.Context, path string) ([]byte, error) {
	content, whole, err := n.read(ctx, path, MaxFileBytes)
	if err == nil && !whole {
		return nil, memory.Invalidf("%s is larger than %d bytes (4 MiB): it is not written to", path, MaxFileBytes)
	}
	return content, err
}

// hash tells contents apart; that of no file is that of nothing.
func hash(parts ...[]byte) []byte {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d ", len(p))
		h.Write(p)
	}
	return h.Sum(nil)[:16]
}

// countLines counts the lines of a content; what follows the last line end is a
// line too, unless it is empty.
func countLines(content []byte) int {
	lines := bytes.Count(content, []byte{'\n'})
	if len(content) > 0 && content[len(content)-1] != '\n' {
		lines++
	}
	return lines
}

// blank says whether a content shows nothing.
func blank(content []byte) bool {
	return len(bytes.TrimSpace(bytes.TrimPrefix(content, []byte("\ufeff")))) == 0
}
