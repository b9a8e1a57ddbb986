package folder

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mcp-memory/memory"
)

// List tells of every Markdown file, in order of path. Hidden files and folders
// are left out, linked folders too, and links that lead nowhere or outside.
func (d *Folder) List(ctx context.Context) ([]memory.NoteStat, error) {
	var list []memory.NoteStat
	err := d.within(func(root *os.Root) error {
		w := walk{ctx: ctx, root: root}
		err := w.folder(".")
		list = w.found
		return err
	})
	slices.SortFunc(list, func(a, b memory.NoteStat) int { return cmp.Compare(a.Path, b.Path) })
	return list, err
}

// walk collects the files below a folder.
type walk struct {
	ctx   context.Context
	root  *os.Root
	found []memory.NoteStat
}

func (w *walk) folder(dir string) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	f, err := w.root.Open(filepath.FromSlash(dir))
	if err != nil {
		if dir != "." { // one that cannot be read, or is gone again, hides nothing else
			return nil
		}
		return translate("workspace", err)
	}
	entries, err := f.ReadDir(-1)
	f.Close()
	if err != nil && dir == "." {
		return translate("workspace", err)
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			if err := w.folder(name); err != nil {
				return err
			}
		case memory.IsNote(e.Name()):
			w.file(name, e)
		}
	}
	return nil
}

// file adds a file, if it is one.
func (w *walk) file(name string, e fs.DirEntry) {
	info, err := e.Info()
	if err == nil && e.Type()&fs.ModeSymlink != 0 {
		info, err = w.root.Stat(filepath.FromSlash(name)) // of what it leads to, if that is inside
	}
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	w.found = append(w.found, memory.NoteStat{Path: name, Size: info.Size(), ModTime: info.ModTime()})
}
