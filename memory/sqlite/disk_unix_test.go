//go:build unix

package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// TestFileLimit is TestFull with an operating system that refuses to write.
func TestFileLimit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.db")
	out, err := child(t, "limit", path).Output()
	if err != nil {
		t.Fatalf("a process with a file size limit: %v", err)
	}
	var stored int
	if _, err := fmt.Sscan(string(out), &stored); err != nil || stored == 0 {
		t.Fatalf("the process printed %q, want the number of messages stored", out)
	}
	db := open(t, sqlite.Options{Path: path})
	if got := len(newest(t, db)); got != stored {
		t.Errorf("%d messages are there, want the %d acknowledged", got, stored)
	}
	sound(t, db)
}

// limitFiles sets the size in bytes that no file may pass; 0 = the most allowed.
func limitFiles(size uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	limit.Cur = limit.Max
	if size > 0 {
		limit.Cur = size
	}
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
}

// hitLimit fills the file up to a limit of the process, lifts that, appends once
// more, and prints how many messages it was told are stored.
func hitLimit(ctx context.Context, db *sqlite.DB) error {
	signal.Ignore(syscall.SIGXFSZ) // so that the write fails instead of the process
	if err := limitFiles(2 << 20); err != nil {
		return err
	}
	stored, err := fillUp(ctx, db)
	if !errors.Is(err, memory.ErrUnavailable) {
		return fmt.Errorf("Append() at the limit = %w, want ErrUnavailable", err)
	}
	if list, err := db.Newest(ctx, "s", 10000); err != nil || len(list) != stored {
		return fmt.Errorf("%d messages are there, %w, want the %d acknowledged", len(list), err, stored)
	}
	if err := limitFiles(0); err != nil {
		return err
	}
	if err := appendMany(ctx, db, "after", 1, io.Discard); err != nil {
		return fmt.Errorf("append after the limit: %w", err)
	}
	fmt.Println(stored + 1)
	return nil
}
