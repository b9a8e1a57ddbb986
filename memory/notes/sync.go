package notes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// A batch of files is saved when it has so many chunks or files: a long
// transaction keeps other writers waiting.
const (
	batchChunks = 200
	batchFiles  = 100
)

// coarse is how much the clock of a file system may be behind: a file that was
// read so soon after its last change may have changed again without a sign.
const coarse = 2 * time.Second

// Sync brings what is known of the files up to date: changed, new and deleted
// ones. An unchanged file costs no more than a look at its size and time. It is
// part of every search, and at the start of a program saves the first search a
// wait.
func (n *Notes) Sync(ctx context.Context) error {
	_, err := n.sync(ctx)
	return err
}

// sync is Sync; missing says that there is no workspace.
func (n *Notes) sync(ctx context.Context) (missing bool, err error) {
	n.syncing.Lock()
	defer n.syncing.Unlock()
	files, err := n.c.Files.List(ctx)
	missing = errors.Is(err, memory.ErrNotFound)
	if err != nil && !missing {
		return false, fmt.Errorf("look over the notes: %w", err)
	}
	known, revision, err := n.c.Store.NoteFiles(ctx, n.revision)
	if err != nil {
		return missing, err
	}
	if revision != n.revision {
		n.known, n.revision = known, revision
	}
	n.report(missing, files, n.known)
	s := syncing{n: n}
	if err := s.compare(ctx, files, n.known); err != nil {
		return missing, err
	}
	if s.changed {
		n.c.OnIndex()
	}
	return missing, nil
}

// report logs once when the workspace, or all its daily notes, have gone.
func (n *Notes) report(missing bool, files []memory.NoteStat, known []memory.NoteFile) {
	if missing && len(known) > 0 && !n.missing {
		n.c.Log.Warn("the folder of the notes has gone: they are not found until it is back")
	}
	n.missing = missing
	days := func(path string) bool { source, _ := sourceOf(path); return source == memory.NoteDaily }
	had, has := false, false
	for i := range known {
		had = had || days(known[i].Path)
	}
	for i := range files {
		has = has || days(files[i].Path)
	}
	if had && !has && !missing {
		n.c.Log.Warn("the folder of the daily notes has gone or is empty", "folder", dailyFolder)
	}
}

// syncing is one look over the files.
type syncing struct {
	n       *Notes
	batch   []memory.Note
	chunks  int
	changed bool
}

// compare goes through both lists, which are in order of path.
func (s *syncing) compare(ctx context.Context, files []memory.NoteStat, known []memory.NoteFile) error {
	var gone []string
	for len(files) > 0 || len(known) > 0 {
		switch {
		case len(files) == 0 || len(known) > 0 && known[0].Path < files[0].Path:
			gone, known = append(gone, known[0].Path), known[1:]
			continue
		case len(known) == 0 || files[0].Path < known[0].Path:
			if _, err := s.file(ctx, files[0], nil); err != nil {
				return err
			}
		default:
			there, err := s.file(ctx, files[0], &known[0])
			if err != nil {
				return err
			}
			if !there {
				gone = append(gone, known[0].Path)
			}
			known = known[1:]
		}
		files = files[1:]
	}
	if len(gone) > 0 {
		if err := s.n.c.Store.DropNotes(ctx, gone); err != nil {
			return err
		}
	}
	return s.save(ctx)
}

// file takes a file in that has changed, or may have; false = it has gone since
// it was listed.
func (s *syncing) file(ctx context.Context, stat memory.NoteStat, known *memory.NoteFile) (there bool, err error) {
	f := memory.NoteFile{NoteStat: stat, SeenAt: s.n.c.Now()}
	f.Source, f.From, f.To = s.n.span(stat)
	if known != nil && fresh(known, &f) {
		return true, nil
	}
	content, _, err := s.n.read(ctx, stat.Path, MaxFileBytes)
	if err != nil {
		if ctx.Err() != nil {
			return true, ctx.Err()
		}
		s.n.c.Log.Warn("a note cannot be read", "path", stat.Path, "error", err)
		return true, nil
	}
	if content == nil {
		return false, nil
	}
	f.Hash = hash(content, fmt.Append(nil, stat.Size))
	note := memory.Note{File: f}
	if known == nil || !bytes.Equal(known.Hash, f.Hash) || known.Source != f.Source {
		clean, _ := text.Clean(string(content))
		note.Chunks = s.n.describe(f, clean)
		s.changed = true
	}
	return true, s.add(ctx, note)
}

// fresh says whether a file is, by what the folder tells of it, as it was when it
// was read.
func fresh(known, now *memory.NoteFile) bool {
	return known.Size == now.Size && known.ModTime.Equal(now.ModTime) &&
		known.Source == now.Source && known.From.Equal(now.From) && known.To.Equal(now.To) &&
		known.SeenAt.Sub(known.ModTime) >= coarse
}

// add puts a note into the batch.
func (s *syncing) add(ctx context.Context, note memory.Note) error {
	s.batch = append(s.batch, note)
	s.chunks += len(note.Chunks)
	if s.chunks < batchChunks && len(s.batch) < batchFiles {
		return nil
	}
	return s.save(ctx)
}

func (s *syncing) save(ctx context.Context) error {
	if len(s.batch) == 0 {
		return nil
	}
	err := s.n.c.Store.SaveNotes(ctx, s.batch)
	s.batch, s.chunks = nil, 0
	return err
}
