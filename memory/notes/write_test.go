package notes_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/notes"
)

func TestWriteModes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, options{})
	for _, c := range []struct {
		change notes.Change
		want   string // the file afterwards
	}{
		{notes.Change{Target: notes.Core, Content: "- port 8000"}, "- port 8000\n"},
		{notes.Change{Target: notes.Core, Mode: notes.Append, Content: "- blue\n"}, "- port 8000\n- blue\n"},
		{notes.Change{Target: notes.Core, Mode: notes.Edit, OldText: "port 8000", Content: "port 9000"}, "- port 9000\n- blue\n"},
		{notes.Change{Target: notes.Core, Mode: notes.Edit, OldText: "- blue\n"}, "- port 9000\n"},
		{notes.Change{Target: notes.Core, Mode: notes.Replace, Content: "# New"}, "# New\n"},
		{notes.Change{Target: notes.Core, Mode: notes.Undo}, "- port 9000\n"},
		{notes.Change{Target: notes.Core, Mode: notes.Undo}, "- port 9000\n- blue\n"},
		{notes.Change{Target: notes.Core, Mode: notes.Undo}, "- port 8000\n- blue\n"},
		{notes.Change{Target: notes.Core, Content: "again"}, "- port 8000\n- blue\nagain\n"},
		{notes.Change{Target: notes.Core, Mode: notes.Undo}, "- port 8000\n- blue\n"},
		{notes.Change{Target: notes.Core, Mode: notes.Undo}, "- port 8000\n"},
		{notes.Change{Target: notes.Core, Mode: notes.Undo}, ""},
	} {
		w := d.write(c.change)
		if got := d.file("MEMORY.md"); got != c.want || w.TotalLines != strings.Count(c.want, "\n") || w.Path != "MEMORY.md" {
			t.Errorf("Write(%+v) = %+v and %q, want %q", c.change, w, got, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(d.dir, "MEMORY.md")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Stat() after the first write was undone = %v, want no file", err)
	}
	if _, err := d.notes.Write(t.Context(), notes.Change{Target: notes.Core, Mode: notes.Undo}); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Write(undo) with nothing to undo = %v, want ErrNotFound", err)
	}
}

func TestVersionsGrow(t *testing.T) {
	t.Parallel()
	d := newDesk(t, options{})
	for i, c := range []struct {
		change notes.Change
		want   int
	}{
		{notes.Change{Target: notes.User, Content: "a"}, 1},
		{notes.Change{Target: notes.User, Content: "b"}, 2},
		{notes.Change{Target: notes.User, Mode: notes.Replace, Content: "a\nb"}, 2}, // changes nothing
		{notes.Change{Target: notes.User, Mode: notes.Undo}, 1},
		{notes.Change{Target: notes.User, Content: "c"}, 3}, // a number is not used again
		{notes.Change{Target: notes.System, Content: "c"}, 1},
	} {
		if w := d.write(c.change); w.Version != c.want {
			t.Errorf("write %d: version %d, want %d", i, w.Version, c.want)
		}
	}
}

// Undo brings back every byte, also what no editor would write.
func TestUndoByteForByte(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"", "\n", "no end", "a\r\nb\r\n", "\ufeff# bom\n", "bad \xff\x00 bytes\n", strings.Repeat("x", 1<<20)} {
		d := newDesk(t, options{})
		d.put("MEMORY.md", before)
		d.write(notes.Change{Target: notes.Core, Content: "more\nlines"})
		if got := d.file("MEMORY.md"); !strings.HasPrefix(got, before) || got == before {
			t.Errorf("append to %.20q = %.40q, want the old bytes at the beginning", before, got)
		}
		d.write(notes.Change{Target: notes.Core, Mode: notes.Undo})
		if got := d.file("MEMORY.md"); got != before {
			t.Errorf("undo = %.40q, want %.40q", got, before)
		}
		if _, err := os.Stat(filepath.Join(d.dir, "MEMORY.md")); err != nil {
			t.Errorf("Stat() after undo: %v, want the file to be there", err)
		}
	}
}

func TestWriteKeepsLineEnds(t *testing.T) {
	t.Parallel()
	d := newDesk(t, options{})
	d.put("MEMORY.md", "# A\r\n\r\nold one\r\nold two\r\n")
	d.write(notes.Change{Target: notes.Core, Content: "new\nlines"})
	d.write(notes.Change{Target: notes.Core, Mode: notes.Edit, OldText: "old one\nold two", Content: "1\n2"})
	if got, want := d.file("MEMORY.md"), "# A\r\n\r\n1\r\n2\r\nnew\r\nlines\r\n"; got != want {
		t.Errorf("file = %q, want %q", got, want)
	}
}

func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	d := newDesk(t, options{})
	d.put("MEMORY.md", "twice\ntwice\nonce\n")
	for _, c := range []struct {
		change notes.Change
		kind   error
		says   string
	}{
		{notes.Change{Target: "elsewhere", Content: "x"}, memory.ErrInvalid, "core, daily, system, user"},
		{notes.Change{Target: notes.Core, Mode: "merge", Content: "x"}, memory.ErrInvalid, "append, replace, edit, undo"},
		{notes.Change{Target: notes.Core, Content: " \n\t"}, memory.ErrInvalid, "content is empty"},
		{notes.Change{Target: notes.Core, Mode: notes.Replace}, memory.ErrInvalid, "content is empty"},
		{notes.Change{Target: notes.Core, Mode: notes.Edit, Content: "x"}, memory.ErrInvalid, "old_text is missing"},
		{notes.Change{Target: notes.Core, Mode: notes.Edit, OldText: "twice", Content: "x"}, memory.ErrInvalid, "2 times"},
		{notes.Change{Target: notes.Core, Mode: notes.Edit, OldText: "never", Content: "x"}, memory.ErrConflict, "does not occur"},
		{notes.Change{Target: notes.Core, Mode: notes.Replace, OldText: "as it was", Content: "x"}, memory.ErrConflict, "read it again"},
		{notes.Change{Target: notes.Core, Content: strings.Repeat("x", 10<<20)}, memory.ErrInvalid, "1048576"},
	} {
		_, err := d.notes.Write(t.Context(), c.change)
		if !errors.Is(err, c.kind) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("Write(%.80v) = %v, want %v that says %q", c.change, err, c.kind, c.says)
		}
	}
	if got := d.file("MEMORY.md"); got != "twice\ntwice\nonce\n" {
		t.Errorf("file after refused writes = %q, want it unchanged", got)
	}
	for range 4 {
		d.write(notes.Change{Target: notes.System, Content: strings.Repeat("y", 1<<20-1)})
	}
	if _, err := d.notes.Write(t.Context(), notes.Change{Target: notes.System, Content: "one more"}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("Write() beyond the size of a file = %v, want ErrInvalid", err)
	}
}

// The day is that of the configured zone, at the moment of the write (cases E01,
// E02); a new note says its day; what was there stays in front (R01).
func TestDailyNotes(t *testing.T) {
	t.Parallel()
	at := now
	d := newDesk(t, options{zone: time.FixedZone("Taipei", 8*3600), now: func() time.Time { return at }})
	d.put("memory/2026-03-09.md", "written by hand")
	for _, want := range []string{"memory/2026-03-09.md", "memory/2026-03-10.md"} {
		if w := d.write(notes.Change{Target: notes.Today, Content: "what happened"}); w.Path != want {
			t.Errorf("Write(daily) at %v = %s, want %s", at, w.Path, want)
		}
		at = at.Add(24 * time.Hour)
	}
	if got, want := d.file("memory/2026-03-09.md"), "written by hand\nwhat happened\n"; got != want {
		t.Errorf("note of the day = %q, want %q", got, want)
	}
	if got, want := d.file("memory/2026-03-10.md"), "# 2026-03-10\n\nwhat happened\n"; got != want {
		t.Errorf("new note of a day = %q, want %q", got, want)
	}
	if d.file("memory/2026-03-08.md") != "" {
		t.Error("the UTC day got a note")
	}
	at = at.Add(-24 * time.Hour)
	d.write(notes.Change{Target: notes.Today, Mode: notes.Edit, OldText: "# 2026-03-10\n\nwhat happened\n"})
	if _, err := os.Stat(filepath.Join(d.dir, "memory/2026-03-10.md")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Stat() of a note that was emptied = %v, want no file", err)
	}
}

// An existing workspace keeps its names, and its files their content (R07).
func TestProfilesKeepTheirNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		files  map[string]string
		target notes.Target
		want   string
	}{
		{nil, notes.System, "system.md"},
		{nil, notes.User, "user.md"},
		{map[string]string{"AGENT.md": "a"}, notes.System, "AGENT.md"},
		{map[string]string{"SOUL.md": "a"}, notes.System, "SOUL.md"},
		{map[string]string{"SOUL.md": "a", "AGENT.md": "b"}, notes.System, "AGENT.md"},
		{map[string]string{"system.md": "", "SOUL.md": "a"}, notes.System, "SOUL.md"},
		{map[string]string{"SOUL.md": ""}, notes.System, "SOUL.md"},
		{map[string]string{"USER.md": "a"}, notes.User, "USER.md"},
		{map[string]string{"user.md": "a", "USER.md": "b"}, notes.User, "user.md"},
	} {
		d := newDesk(t, options{})
		for name, content := range c.files {
			d.put(name, content)
		}
		w := d.write(notes.Change{Target: c.target, Content: "more"})
		if w.Path != c.want || !strings.HasPrefix(d.file(c.want), c.files[c.want]) {
			t.Errorf("Write(%s) with %v = %s, want %s", c.target, c.files, w.Path, c.want)
		}
	}
}

func TestSecretsAreMasked(t *testing.T) {
	t.Parallel()
	d := newDesk(t, options{})
	secret := "ghp_" + "k7Qz9XvB2mNc" + "R4tYw8LpJ3sHdF6gAe1UoT5i"
	d.write(notes.Change{Target: notes.Core, Content: "the token is " + secret})
	d.put("knowledge/own.md", "# Own\n\nheron "+secret+"\n")
	if _, err := d.notes.AppendSection(t.Context(), "2026-03-08", notes.Section{Session: "s", From: 1, To: 2, Text: "token " + secret}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(d.file("MEMORY.md")+d.file("memory/2026-03-08.md"), secret) {
		t.Error("a secret was written into a note")
	}
	page, err := d.notes.Get(t.Context(), notes.Range{Path: "knowledge/own.md"})
	if found := d.search("heron"); err != nil || strings.Contains(fmt.Sprint(page, found), secret) || len(found) != 1 {
		t.Errorf("Get() and Search() of a note with a secret = %v, %v, %v, want it masked", page, found, err)
	}
	if !strings.Contains(d.file("knowledge/own.md"), secret) {
		t.Error("a person's file was changed")
	}
}

// meddling is a folder in which somebody writes by hand right before each write.
type meddling struct {
	notes.Files
	meddle func(path string)
}

func (m meddling) Write(ctx context.Context, path string, was, content []byte) error {
	m.meddle(path)
	return m.Files.Write(ctx, path, was, content)
}

// What somebody writes while a note is written stays.
func TestEditsInBetweenStay(t *testing.T) {
	t.Parallel()
	var d *desk
	left := 2
	d = newDesk(t, options{files: func(f notes.Files) notes.Files {
		return meddling{f, func(path string) {
			if left > 0 {
				left--
				d.put(path, d.file(path)+fmt.Sprintln("by hand", left))
			}
		}}
	}})
	d.put("MEMORY.md", "old\n")
	d.write(notes.Change{Target: notes.Core, Content: "added"})
	if got, want := d.file("MEMORY.md"), "old\nby hand 1\nby hand 0\nadded\n"; got != want {
		t.Errorf("file = %q, want %q", got, want)
	}
	d.put("MEMORY.md", "changed by hand\n")
	if _, err := d.notes.Write(t.Context(), notes.Change{Target: notes.Core, Mode: notes.Undo}); !errors.Is(err, memory.ErrConflict) {
		t.Errorf("Write(undo) after a change by hand = %v, want ErrConflict", err)
	}
	left = 100
	before := d.file("MEMORY.md")
	if _, err := d.notes.Write(t.Context(), notes.Change{Target: notes.Core, Content: "never"}); !errors.Is(err, memory.ErrConflict) {
		t.Errorf("Write() beside somebody who never stops = %v, want ErrConflict", err)
	}
	if got := d.file("MEMORY.md"); !strings.HasPrefix(got, before) || strings.Contains(got, "never") {
		t.Errorf("file = %q, want what was written by hand alone", got)
	}
}

// Many writers of several stores of one file lose nothing (R02).
func TestWritersAtOnce(t *testing.T) {
	t.Parallel()
	db, dir := filepath.Join(t.TempDir(), "m.db"), filepath.Join(t.TempDir(), "w")
	var all sync.WaitGroup
	for w := range 4 {
		d := newDesk(t, options{db: db, dir: dir})
		for g := range 2 {
			all.Go(func() {
				for i := range 13 {
					if _, err := d.notes.Write(t.Context(), notes.Change{Target: notes.Core, Content: fmt.Sprintf("- fact %d %d %d.", w, g, i)}); err != nil {
						t.Errorf("Write() beside others: %v", err)
					}
				}
			})
		}
	}
	all.Wait()
	content, err := os.ReadFile(filepath.Join(dir, "MEMORY.md"))
	if err != nil {
		t.Fatal(err)
	}
	for w := range 4 {
		for g := range 2 {
			for i := range 13 {
				if line := fmt.Sprintf("- fact %d %d %d.\n", w, g, i); strings.Count(string(content), line) != 1 {
					t.Errorf("%q is there %d times, want once", line, strings.Count(string(content), line))
				}
			}
		}
	}
}
