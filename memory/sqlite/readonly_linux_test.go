package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// nobody is a user without rights on the files of a test.
const nobody = 65534

// TestReadOnly opens files and directories that may not be written to.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, directory os.FileMode
	}{
		"file":                   {0o444, 0o777},
		"directory":              {0o666, 0o555},
		"file and directory":     {0o444, 0o555},
		"unreadable file":        {0o000, 0o777},
		"directory without file": {0, 0o555},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "m.db")
			filled := name != "directory without file"
			if filled {
				ours(t, path)
			}
			before := snapshot(t, dir)
			if filled {
				chmod(t, path, c.file)
			}
			chmod(t, filepath.Dir(dir), 0o755)
			chmod(t, dir, c.directory)
			err := withoutRights(func() error {
				db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
				if err != nil {
					return err
				}
				return db.Close()
			})
			chmod(t, dir, 0o755)
			if filled {
				chmod(t, path, 0o600)
			}
			if !errors.Is(err, memory.ErrUnavailable) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
				t.Errorf("Open() = %v, want ErrUnavailable in one line that names %s", err, path)
			}
			if after := snapshot(t, dir); !equalSnapshots(before, after) {
				t.Errorf("files after a refused Open = %q, want them as they were: %q", keys(after), keys(before))
			}
		})
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatalf("Chmod(): %v", err)
	}
}

// withoutRights runs fn on a thread of its own, which ends with it and to which
// the file system grants nothing that it would not grant anyone.
func withoutRights(fn func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread is not used again
		if os.Geteuid() == 0 {
			if err := syscall.Setfsuid(nobody); err != nil {
				done <- err
				return
			}
		}
		done <- fn()
	}()
	return <-done
}
