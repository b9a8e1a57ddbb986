package notes

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// Mode says what a write does to a note.
type Mode string

// The modes.
const (
	Append  Mode = "append"  // adds at the end; the default
	Replace Mode = "replace" // puts the content in the place of the whole
	Edit    Mode = "edit"    // puts it in the place of a passage
	Undo    Mode = "undo"    // takes the last write back
)

// Change is one write.
type Change struct {
	Target  Target
	Mode    Mode   // "" = Append
	Content string // not blank, but for Edit, where an empty one deletes, and for Undo
	// OldText is the passage that Edit replaces, which must occur exactly
	// once. Of Replace it may be the whole note as the writer knows it: then
	// the write is refused when that has changed meanwhile.
	OldText string
}

// Written says what became of a write.
type Written struct {
	Path       string
	Version    int // of the note: grows with each write, and is that of before after Undo; 0 = as it was found
	TotalLines int
}

// keptVersions is how many writes to a file can be undone.
const keptVersions = 20

// writeTries is how often a write begins anew when somebody writes by hand in
// just this moment.
const writeTries = 5

// Write changes a note. Secrets in the content are masked first. What somebody
// else has written meanwhile stays; where that cannot be, the write is
// ErrConflict and changes nothing. An acknowledged write is on the disk.
func (n *Notes) Write(ctx context.Context, c Change) (Written, error) {
	if c.Mode == "" {
		c.Mode = Append
	}
	if err := check(c); err != nil {
		return Written{}, err
	}
	c.Content, _ = text.Clean(c.Content)
	c.Content = n.mask(c.Content)
	var done Written
	err := n.locked(ctx, func(ctx context.Context) error {
		path, err := n.resolve(ctx, c.Target)
		if err != nil {
			return err
		}
		if c.Mode == Undo {
			done, err = n.undo(ctx, path)
			return err
		}
		done, err = n.rewrite(ctx, path, n.replace, func(now []byte) ([]byte, error) { return c.apply(path, now) })
		return err
	})
	return done, err
}

// check refuses a change that cannot be meant.
func check(c Change) error {
	switch {
	case len(c.Content) > MaxWriteBytes:
		return memory.Invalidf("content has %d bytes: at most %d (1 MiB) are written at once", len(c.Content), MaxWriteBytes)
	case len(c.OldText) > MaxFileBytes:
		return memory.Invalidf("old_text has %d bytes: at most %d (4 MiB) are read", len(c.OldText), MaxFileBytes)
	}
	switch c.Mode {
	case Append, Replace:
		if blank([]byte(c.Content)) {
			return memory.Invalidf("content is empty: give the text to write; mode edit takes text away")
		}
	case Edit:
		if c.OldText == "" {
			return memory.Invalidf("old_text is missing: mode edit needs the passage to replace, exactly as it stands in the note")
		}
	case Undo:
	default:
		return memory.Invalidf("mode must be one of append, replace, edit, undo; got %q", c.Mode)
	}
	return nil
}

// apply makes the new content of a file; nil = there is to be no file.
func (c Change) apply(path string, now []byte) ([]byte, error) {
	switch c.Mode {
	case Replace:
		if c.OldText != "" && !sameText(c.OldText, string(now)) {
			return nil, memory.Conflictf("%s is not what old_text says any more: read it again", path)
		}
		return appendText(nil, lineEnds(now), c.Content), nil
	case Edit:
		return c.edit(path, now)
	}
	return appendText(beginning(path, now), lineEnds(now), c.Content), nil
}

// edit replaces the one passage that is meant.
func (c Change) edit(path string, now []byte) ([]byte, error) {
	old, content := c.OldText, c.Content
	if lineEnds(now) == "\r\n" && !bytes.Contains(now, []byte(old)) { // readers are shown plain line ends
		old, content = withCRLF(old), withCRLF(content)
	}
	switch times := bytes.Count(now, []byte(old)); times {
	case 0:
		return nil, memory.Conflictf("old_text does not occur in %s: it may have changed meanwhile; read it and give the passage exactly as it stands there", path)
	case 1:
	default:
		return nil, memory.Invalidf("old_text occurs %d times in %s: give more of what stands around it", times, path)
	}
	next := bytes.Replace(now, []byte(old), []byte(content), 1)
	if source, _ := sourceOf(path); source == memory.NoteDaily && blank(next) {
		return nil, nil
	}
	return next, nil
}

// beginning is the content that something is appended to: a new note of a day
// says which day it is.
func beginning(path string, now []byte) []byte {
	if source, day := sourceOf(path); now == nil && source == memory.NoteDaily {
		return []byte("# " + day + "\n\n")
	}
	return now
}

// appendText adds a text as lines of its own.
func appendText(now []byte, ends, content string) []byte {
	next := bytes.Clone(now)
	if len(next) > 0 && next[len(next)-1] != '\n' {
		next = append(next, ends...)
	}
	if ends == "\r\n" {
		content = withCRLF(content)
	}
	next = append(next, content...)
	if !strings.HasSuffix(content, "\n") {
		next = append(next, ends...)
	}
	return next
}

// lineEnds is how the lines of a file end.
func lineEnds(content []byte) string {
	if i := bytes.IndexByte(content, '\n'); i > 0 && content[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

func withCRLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

// sameText compares texts, but for how lines end and blanks at the very end.
func sameText(a, b string) bool {
	plain := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return plain(a) == plain(b)
}

// writing puts content in the place of what a file holds now.
type writing func(ctx context.Context, path string, now, content []byte) (Written, error)

// rewrite reads a file, makes its new content and writes that, again from the
// beginning when the file has changed in between. The lock is held.
func (n *Notes) rewrite(ctx context.Context, path string, write writing, next func(now []byte) ([]byte, error)) (Written, error) {
	for try := 1; ; try++ {
		now, err := n.readWhole(ctx, path)
		if err != nil {
			return Written{}, err
		}
		content, err := next(now)
		if err != nil {
			return Written{}, err
		}
		if len(content) > MaxFileBytes {
			return Written{}, memory.Invalidf("%s would have %d bytes: at most %d (4 MiB) are written", path, len(content), MaxFileBytes)
		}
		done, err := write(ctx, path, now, content)
		if !errors.Is(err, memory.ErrConflict) || try == writeTries {
			return done, err
		}
	}
}

// replace writes a version of a file and remembers what it was.
func (n *Notes) replace(ctx context.Context, path string, now, content []byte) (Written, error) {
	done := Written{Path: path, TotalLines: countLines(content)}
	var err error
	if bytes.Equal(now, content) && (now == nil) == (content == nil) {
		done.Version, err = n.version(ctx, path)
		return done, err
	}
	done.Version, err = n.c.Store.AddNoteVersion(ctx, memory.NoteVersion{Path: path, Before: now, After: hash(content), At: n.c.Now()}, keptVersions)
	if err != nil {
		return Written{}, err
	}
	if err := n.c.Files.Write(ctx, path, now, content); err != nil {
		return Written{}, errors.Join(err, n.c.Store.EndNoteVersion(ctx, path, done.Version))
	}
	n.c.OnWrite()
	return done, nil
}

// version is the number of the version that a file is in, as far as it was
// written here.
func (n *Notes) version(ctx context.Context, path string) (int, error) {
	v, err := n.c.Store.NewestNoteVersion(ctx, path)
	if errors.Is(err, memory.ErrNotFound) {
		return 0, nil
	}
	return v.Version, err
}

// undo puts a file back to what it was before the last write.
func (n *Notes) undo(ctx context.Context, path string) (Written, error) {
	v, err := n.c.Store.NewestNoteVersion(ctx, path)
	if errors.Is(err, memory.ErrNotFound) {
		return Written{}, memory.NotFoundf("there is no write to %s that could be undone", path)
	}
	if err != nil {
		return Written{}, err
	}
	now, err := n.readWhole(ctx, path)
	if err != nil {
		return Written{}, err
	}
	switch {
	case bytes.Equal(now, v.Before) && (now == nil) == (v.Before == nil): // undone when the process was killed
	case !bytes.Equal(hash(now), v.After):
		return Written{}, memory.Conflictf("%s has been changed since its last write (%s): undo would lose that; read it and use mode edit", path, v.At.In(n.c.Location).Format(time.DateTime))
	default:
		if err := n.c.Files.Write(ctx, path, now, v.Before); err != nil {
			return Written{}, err
		}
		n.c.OnWrite()
	}
	if err := n.c.Store.EndNoteVersion(ctx, path, v.Version); err != nil {
		return Written{}, err
	}
	done := Written{Path: path, TotalLines: countLines(v.Before)}
	done.Version, err = n.version(ctx, path)
	return done, err
}
