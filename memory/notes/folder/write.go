package folder

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"mcp-memory/memory"
)

// What the folder and its files may be read by: their owner.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// A file that is being written is hidden and ends like this. One that a killed
// process has left goes after a while.
const (
	unfinished    = ".mcp-memory-tmp"
	unfinishedFor = time.Hour
)

// Write puts content in the place of the file, as a whole and on the disk when it
// returns, if the file still holds what it was, else ErrConflict; nil stands for
// no file. The comparison is made right before the file is replaced.
func (d *Folder) Write(_ context.Context, name string, was, content []byte) error {
	if err := os.MkdirAll(d.path, folderMode); err != nil {
		return translate("workspace", err)
	}
	return d.within(func(root *os.Root) error {
		w := write{root: root, name: filepath.FromSlash(name), shown: name, was: was}
		if content == nil {
			return w.remove()
		}
		if err := root.MkdirAll(filepath.FromSlash(path.Dir(name)), folderMode); err != nil {
			return outside(root, name, err)
		}
		return w.replace(content)
	})
}

// write is one write to a file.
type write struct {
	root  *os.Root
	name  string // as the system writes it
	shown string
	was   []byte
}

func (w *write) replace(content []byte) error {
	mode, err := w.mode()
	if err != nil {
		return err
	}
	dir, file := filepath.Split(w.name)
	w.sweep(dir)
	temporary := dir + "." + file + "." + rand.Text() + unfinished
	if err := w.fill(temporary, content, mode); err != nil {
		return errors.Join(err, gone(w.root.Remove(temporary)))
	}
	if err := w.unchanged(); err != nil {
		return errors.Join(err, w.root.Remove(temporary))
	}
	if err := w.root.Rename(temporary, w.name); err != nil {
		return errors.Join(translate(w.shown, err), gone(w.root.Remove(temporary)))
	}
	return syncFolder(w.root, dir)
}

// mode is the mode of the file, which is kept. A link is refused: to replace it
// would part it from what it leads to.
func (w *write) mode() (fs.FileMode, error) {
	info, err := w.root.Lstat(w.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fileMode, nil
	case err != nil:
		return 0, translate(w.shown, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return 0, memory.Invalidf("%s is a link: only files of the workspace itself are written", w.shown)
	}
	return info.Mode().Perm(), regular(w.shown, info)
}

// fill writes a new file and waits until it is on the disk.
func (w *write) fill(name string, content []byte, mode fs.FileMode) error {
	f, err := w.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return translate(w.shown, err)
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", w.shown, err)
	}
	return nil
}

// unchanged makes sure that the file is what it was.
func (w *write) unchanged() error {
	now, err := w.read()
	if err != nil {
		return err
	}
	if (now == nil) != (w.was == nil) || !bytes.Equal(now, w.was) {
		return memory.Conflictf("%s has been changed by somebody else in this moment; nothing was written, try again", w.shown)
	}
	return nil
}

// read reads the file as it is now, nil when there is none. One that has grown
// beyond what it was need not be read to its end.
func (w *write) read() ([]byte, error) {
	f, err := w.root.Open(w.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, translate(w.shown, err)
	}
	defer f.Close()
	now, err := io.ReadAll(io.LimitReader(f, int64(len(w.was))+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", w.shown, err)
	}
	return now, nil
}

func (w *write) remove() error {
	if err := w.unchanged(); err != nil {
		return err
	}
	if err := gone(w.root.Remove(w.name)); err != nil {
		return translate(w.shown, err)
	}
	return syncFolder(w.root, filepath.Dir(w.name))
}

// gone treats a file that is not there any more as removed.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// sweep removes what killed processes have left in a folder. What cannot be
// removed is tried again with the next write.
func (w *write) sweep(dir string) {
	f, err := w.root.Open(filepath.Join(".", dir))
	if err != nil {
		return
	}
	defer f.Close()
	entries, _ := f.ReadDir(-1) // as far as it can be read
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), unfinished) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > unfinishedFor {
			_ = w.root.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
