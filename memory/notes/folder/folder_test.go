package folder_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/notes/folder"
)

// open returns a workspace with the given files in it.
func open(t *testing.T, files map[string]string) *folder.Folder {
	t.Helper()
	d, err := folder.New(filepath.Join(t.TempDir(), "workspace"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		path := filepath.Join(d.Path(), filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o640)); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// content reads a file through the workspace.
func content(t *testing.T, d *folder.Folder, name string) (string, error) {
	t.Helper()
	f, err := d.Open(t.Context(), name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return string(b), err
}

func link(t *testing.T, d *folder.Folder, target, name string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(d.Path(), filepath.FromSlash(name))); err != nil {
		t.Skipf("links cannot be made here: %v", err)
	}
}

func TestListsMarkdown(t *testing.T) {
	t.Parallel()
	d := open(t, map[string]string{
		"MEMORY.md": "12345", "memory/2026-03-08.md": "", "a/b/c.MD": "1", "a/b.markdown": "1",
		"a.txt": "1", ".hidden.md": "1", ".git/x.md": "1", "a/.obsidian/y.md": "1", "md": "1",
	})
	link(t, d, "MEMORY.md", "inside.md")
	link(t, d, "nowhere", "broken.md")
	link(t, d, t.TempDir(), "folder.md")
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	link(t, d, outside, "outside.md")
	link(t, d, filepath.Dir(outside), "linked")
	list, err := d.List(t.Context())
	var got []string
	for _, f := range list {
		got = append(got, fmt.Sprint(f.Path, " ", f.Size))
	}
	want := []string{"MEMORY.md 5", "a/b.markdown 1", "a/b/c.MD 1", "inside.md 5", "memory/2026-03-08.md 0"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("List() = %q, %v, want %q", got, err, want)
	}
}

func TestNoWorkspace(t *testing.T) {
	t.Parallel()
	d := open(t, nil)
	if list, err := d.List(t.Context()); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("List() = %v, %v, want ErrNotFound", list, err)
	}
	if _, err := d.Stat(t.Context(), "MEMORY.md"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Stat() = %v, want ErrNotFound", err)
	}
	if _, err := os.Stat(d.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading has made the folder: %v", err)
	}
	if err := d.Write(t.Context(), "memory/2026-03-08.md", nil, []byte("x")); err != nil {
		t.Fatalf("Write(): %v", err)
	}
	if got, err := content(t, d, "memory/2026-03-08.md"); got != "x" || err != nil {
		t.Errorf("content = %q, %v, want x", got, err)
	}
	if _, err := folder.New(""); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("New(no path) = %v, want ErrInvalid", err)
	}
}

// Nothing outside is read or written, by whatever path or link.
func TestNothingOutside(t *testing.T) {
	t.Parallel()
	d := open(t, map[string]string{"MEMORY.md": "mine", "sub/x.md": "x"})
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret.md")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	link(t, d, secret, "file.md")
	link(t, d, outside, "dir")
	link(t, d, "circle.md", "circle.md")
	link(t, d, "MEMORY.md", "inside.md")
	relative, err := filepath.Rel(d.Path(), secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file.md", "dir/secret.md", "circle.md", filepath.ToSlash(relative), "../secret.md", "sub/../../secret.md"} {
		if got, err := content(t, d, name); err == nil || strings.Contains(err.Error(), "secret\n") || got != "" {
			t.Errorf("Open(%s) = %q, %v, want an error", name, got, err)
		}
		if stat, err := d.Stat(t.Context(), name); err == nil {
			t.Errorf("Stat(%s) = %+v, want an error", name, stat)
		}
		for _, was := range [][]byte{nil, []byte("secret")} {
			if err := d.Write(t.Context(), name, was, []byte("overwritten")); err == nil {
				t.Errorf("Write(%s) = nil, want an error", name)
			}
		}
	}
	if err := d.Write(t.Context(), "inside.md", []byte("mine"), []byte("x")); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("Write(a link) = %v, want ErrInvalid: the link would be gone", err)
	}
	if _, err := content(t, d, "file.md"); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("Open(a link to outside) = %v, want ErrInvalid", err)
	}
	if _, err := content(t, d, "sub"); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("Open(a folder) = %v, want ErrInvalid", err)
	}
	entries, err := os.ReadDir(outside)
	if b, readErr := os.ReadFile(secret); err != nil || readErr != nil || string(b) != "secret" || len(entries) != 1 {
		t.Errorf("outside there are %v with %q, want it untouched", entries, b)
	}
}

func TestWriteComparesAndSets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		now      *string // what the file holds; nil = there is none
		was, put []byte
		want     error
	}{
		{"a new file", nil, nil, []byte("x"), nil},
		{"an empty file", new(""), []byte{}, []byte("x"), nil},
		{"a changed one", new("old"), []byte("old"), []byte("x"), nil},
		{"removed", new("old"), []byte("old"), nil, nil},
		{"removed already", nil, nil, nil, nil},
		{"somebody made it", new("theirs"), nil, []byte("x"), memory.ErrConflict},
		{"somebody made it, empty", new(""), nil, []byte("x"), memory.ErrConflict},
		{"somebody changed it", new("theirs"), []byte("old"), []byte("x"), memory.ErrConflict},
		{"somebody added to it", new("old and more"), []byte("old"), []byte("x"), memory.ErrConflict},
		{"somebody removed it", nil, []byte("old"), []byte("x"), memory.ErrConflict},
		{"somebody changed what is to go", new("theirs"), []byte("old"), nil, memory.ErrConflict},
	} {
		files := map[string]string{"other.md": "other"}
		if c.now != nil {
			files["a.md"] = *c.now
		}
		d := open(t, files)
		err := d.Write(t.Context(), "a.md", c.was, c.put)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: Write() = %v, want %v", c.name, err, c.want)
		}
		got, readErr := content(t, d, "a.md")
		switch {
		case c.want == nil && c.put != nil && got != string(c.put),
			c.want == nil && c.put == nil && !errors.Is(readErr, memory.ErrNotFound),
			c.want != nil && c.now != nil && got != *c.now:
			t.Errorf("%s: the file holds %q (%v)", c.name, got, readErr)
		}
		if entries, err := os.ReadDir(d.Path()); err != nil || len(entries) > 2 {
			t.Errorf("%s: left behind: %v, %v", c.name, entries, err)
		}
	}
}

func TestWriteKeepsTheMode(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("modes are another thing here")
	}
	d := open(t, map[string]string{"a.md": "old"})
	if err := errors.Join(d.Write(t.Context(), "a.md", []byte("old"), []byte("x")), d.Write(t.Context(), "sub/b.md", nil, []byte("x"))); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"a.md": 0o640, "sub/b.md": 0o600, "sub": 0o700} {
		if info, err := os.Stat(filepath.Join(d.Path(), name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("mode of %s = %v, %v, want %v", name, info.Mode(), err, want)
		}
	}
}

// What a killed process has left goes after a while, and is never listed.
func TestLeftoversGo(t *testing.T) {
	t.Parallel()
	d := open(t, map[string]string{".a.md.OLD.mcp-memory-tmp": "1", ".a.md.NEW.mcp-memory-tmp": "1", "keep.md": "1"})
	past := time.Now().Add(-2 * time.Hour)
	for _, name := range []string{".a.md.OLD.mcp-memory-tmp", "keep.md"} {
		if err := os.Chtimes(filepath.Join(d.Path(), name), past, past); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Write(t.Context(), "a.md", nil, []byte("x")); err != nil {
		t.Fatal(err)
	}
	var got []string
	entries, err := os.ReadDir(d.Path())
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if want := []string{".a.md.NEW.mcp-memory-tmp", "a.md", "keep.md"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("files = %q, %v, want %q", got, err, want)
	}
}
