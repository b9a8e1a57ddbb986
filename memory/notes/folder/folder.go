// Package folder keeps the notes in a folder of the file system. Nothing outside
// it is ever read or written, also by way of links: the system itself refuses.
package folder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"mcp-memory/memory"
)

// Folder is a workspace on the disk. The folder need not exist: the first write
// makes it. It is safe for concurrent use, also by several processes.
type Folder struct{ path string }

// New returns the workspace in the folder with the given path.
func New(path string) (*Folder, error) {
	if path == "" {
		return nil, memory.Invalidf("the path of the workspace is empty")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", path, err)
	}
	return &Folder{abs}, nil
}

// Path is the folder on the disk.
func (d *Folder) Path() string { return d.path }

// within runs fn inside the folder; ErrNotFound when there is none.
func (d *Folder) within(fn func(*os.Root) error) error {
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return translate("workspace", err)
	}
	defer root.Close()
	return fn(root)
}

// Stat tells of one file; ErrNotFound when there is none.
func (d *Folder) Stat(_ context.Context, name string) (memory.NoteStat, error) {
	stat := memory.NoteStat{Path: name}
	err := d.within(func(root *os.Root) error {
		info, err := root.Stat(filepath.FromSlash(name))
		if err != nil {
			return outside(root, name, err)
		}
		stat.Size, stat.ModTime = info.Size(), info.ModTime()
		return regular(name, info)
	})
	return stat, err
}

// Open opens a file for reading; ErrNotFound when there is none.
func (d *Folder) Open(_ context.Context, name string) (io.ReadCloser, error) {
	var f *os.File
	err := d.within(func(root *os.Root) error {
		info, err := root.Stat(filepath.FromSlash(name)) // opening a pipe would wait for its other end
		if err != nil {
			return outside(root, name, err)
		}
		if err := regular(name, info); err != nil {
			return err
		}
		f, err = root.Open(filepath.FromSlash(name))
		return translate(name, err)
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// regular refuses what is no file: a directory, a pipe, a device.
func regular(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return memory.Invalidf("%s is no file", path)
	}
	return nil
}

// translate turns what the system reports into the errors of package memory. The
// path on the disk stays in it only where it goes to the log.
func translate(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return memory.NotFoundf("there is no %s", path)
	case errors.Is(err, fs.ErrPermission):
		return memory.Unavailablef("%s may not be read or written", path)
	}
	return fmt.Errorf("use %s: %w", path, err)
}

// outside turns the error of looking at a path into one that names the link in
// it, if there is one: the system lets no link lead out.
func outside(root *os.Root, name string, err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return translate(name, err)
	}
	for part := name; part != "."; part = path.Dir(part) {
		if info, lookErr := root.Lstat(filepath.FromSlash(part)); lookErr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return memory.Invalidf("%s is a link that cannot be followed: it leads outside the workspace, or in a circle", name)
		}
	}
	return translate(name, err)
}
