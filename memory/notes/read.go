package notes

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// The limits of Range and Page.
const (
	DefaultLines = 200
	MaxLines     = 2000
	// MaxPageBytes keeps a page, given once as text and once as structured
	// content, under 60 KB.
	MaxPageBytes = 28_000
	// MaxReadBytes is the largest file that is read at all.
	MaxReadBytes = 256 << 20
)

// Range asks for lines of a note.
type Range struct {
	Path  string // relative to the workspace; \ counts as /
	Start int    // the first line, from 1; 0 = 1
	Lines int    // 0 = DefaultLines; more than MaxLines counts as MaxLines
}

// Page is a stretch of a note, whole lines. Its secrets are masked.
type Page struct {
	Path       string
	Content    string // without the last line end
	StartLine  int
	EndLine    int // inclusive; StartLine-1 when there is no such line
	TotalLines int
	Cut        bool // the one line that is given is too long and was cut
}

// Get reads lines of a note, as many as fit a page. A path that leads outside, or
// to what is no Markdown, is ErrInvalid; a file that does not exist ErrNotFound.
func (n *Notes) Get(ctx context.Context, r Range) (Page, error) {
	path, err := cleanPath(r.Path)
	if err != nil {
		return Page{}, err
	}
	if r.Start < 0 || r.Lines < 0 {
		return Page{}, memory.Invalidf("start_line and num_lines must be 1 or more")
	}
	r.Start = max(1, r.Start)
	if r.Lines == 0 {
		r.Lines = DefaultLines
	}
	stat, err := n.c.Files.Stat(ctx, path)
	if errors.Is(err, memory.ErrNotFound) {
		return Page{}, memory.NotFoundf("there is no note %s", short(path))
	}
	if err != nil {
		return Page{}, err
	}
	if stat.Size > MaxReadBytes {
		return Page{}, memory.Invalidf("%s has %d bytes: notes of at most %d (256 MiB) are read", path, stat.Size, MaxReadBytes)
	}
	f, err := n.c.Files.Open(ctx, path)
	if err != nil {
		return Page{}, err
	}
	defer f.Close()
	w := window{first: r.Start, last: min(math.MaxInt-r.Start, min(r.Lines, MaxLines)) + r.Start - 1}
	if err := w.read(io.LimitReader(f, MaxReadBytes)); err != nil {
		return Page{}, fmt.Errorf("read %s: %w", path, err)
	}
	content, _ := text.Clean(w.content.String())
	return Page{
		Path: path, Content: n.mask(content), StartLine: r.Start, EndLine: r.Start + w.taken - 1,
		TotalLines: w.total, Cut: w.cut,
	}, nil
}

// window keeps the lines from first to last of a stream, as far as they fit a
// page, and counts all of them.
type window struct {
	first, last int
	content     strings.Builder
	taken       int
	total       int
	full, cut   bool
}

func (w *window) read(r io.Reader) error {
	b := bufio.NewReaderSize(r, 64<<10)
	for {
		line, more, err := b.ReadLine() // a longer line comes in parts
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		w.total++
		w.line(line, more)
		for more {
			if _, more, err = b.ReadLine(); err != nil && !errors.Is(err, io.EOF) {
				return err
			}
		}
	}
}

// line takes the beginning of a line in.
func (w *window) line(line []byte, more bool) {
	if w.full || w.total < w.first || w.total > w.last {
		return
	}
	more = more || len(line) > MaxPageBytes
	if w.taken > 0 && (more || w.content.Len()+1+len(line) > MaxPageBytes) {
		w.full = true
		return
	}
	if w.taken > 0 {
		w.content.WriteByte('\n')
	}
	w.taken++
	if more {
		line, w.full, w.cut = line[:min(len(line), MaxPageBytes)], true, true
		w.content.WriteString(strings.ToValidUTF8(string(line), ""))
		return
	}
	w.content.Write(line)
}

// Document is a whole note as it goes into a context. Its secrets are masked.
type Document struct {
	Path    string
	Content string // "" = there is no such note, or nothing in it
	Size    int64  // bytes of the file; more than MaxDocumentBytes when Content is its beginning
}

// MaxDocumentBytes is how much of a note a Document holds.
const MaxDocumentBytes = 256 << 10

// Core is core memory.
func (n *Notes) Core(ctx context.Context) (Document, error) { return n.document(ctx, corePath) }

// Daily is the note of a day, YYYY-MM-DD.
func (n *Notes) Daily(ctx context.Context, day string) (Document, error) {
	if _, err := ParseDay(day); err != nil {
		return Document{}, err
	}
	return n.document(ctx, DailyPath(day))
}

// Profile is what is known of the agent (System) or of the user (User).
func (n *Notes) Profile(ctx context.Context, t Target) (Document, error) {
	if profileNames[t] == nil {
		return Document{}, memory.Invalidf("%q is no profile: it is system or user", t)
	}
	path, err := n.profilePath(ctx, t)
	if err != nil {
		return Document{}, err
	}
	return n.document(ctx, path)
}

func (n *Notes) document(ctx context.Context, path string) (Document, error) {
	d := Document{Path: path}
	content, whole, err := n.read(ctx, path, MaxDocumentBytes)
	if err != nil {
		return d, err
	}
	d.Size = int64(len(content))
	if !whole {
		stat, err := n.c.Files.Stat(ctx, path)
		if err != nil {
			return d, err
		}
		d.Size = max(stat.Size, d.Size+1)
	}
	if blank(content) {
		return d, nil
	}
	d.Content, _ = text.Clean(strings.TrimPrefix(string(content), "\ufeff"))
	d.Content = n.mask(d.Content)
	return d, nil
}

// Mark is a text that is another one whenever the note of a path is: its size and
// its time.
func (n *Notes) Mark(ctx context.Context, path string) (string, error) {
	stat, err := n.c.Files.Stat(ctx, path)
	if errors.Is(err, memory.ErrNotFound) {
		return "", nil
	}
	return fmt.Sprint(stat.Size, " ", stat.ModTime.UnixNano()), err
}
