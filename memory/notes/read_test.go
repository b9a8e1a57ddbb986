package notes_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/notes"
)

func TestGet(t *testing.T) {
	t.Parallel()
	d := newDesk(t, options{})
	d.put("MEMORY.md", "one\r\ntwo\n\nfour")
	d.put("memory/empty.md", "")
	for _, c := range []struct {
		r    notes.Range
		want notes.Page
	}{
		{notes.Range{Path: "MEMORY.md"}, notes.Page{Path: "MEMORY.md", Content: "one\ntwo\n\nfour", StartLine: 1, EndLine: 4, TotalLines: 4}},
		{notes.Range{Path: "./memory/../MEMORY.md", Start: 2, Lines: 2}, notes.Page{Path: "MEMORY.md", Content: "two\n", StartLine: 2, EndLine: 3, TotalLines: 4}},
		{notes.Range{Path: "MEMORY.md", Start: 4, Lines: 1e9}, notes.Page{Path: "MEMORY.md", Content: "four", StartLine: 4, EndLine: 4, TotalLines: 4}},
		{notes.Range{Path: "MEMORY.md", Start: 1e9, Lines: 1}, notes.Page{Path: "MEMORY.md", StartLine: 1e9, EndLine: 1e9 - 1, TotalLines: 4}},
		{notes.Range{Path: `memory\empty.md`}, notes.Page{Path: "memory/empty.md", StartLine: 1, EndLine: 0}},
	} {
		if got, err := d.notes.Get(t.Context(), c.r); err != nil || got != c.want {
			t.Errorf("Get(%+v) = %+v, %v, want %+v", c.r, got, err, c.want)
		}
	}
}

// Paths that lead outside are refused, however they are written (case P06).
func TestGetRefuses(t *testing.T) {
	t.Parallel()
	d := newDesk(t, options{})
	d.put("MEMORY.md", "mine")
	d.put("image.png", "x")
	d.put(".env.md", "x")
	outside := filepath.Join(t.TempDir(), "x.md")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(d.dir, "link.md")); err != nil {
		t.Logf("links cannot be made here: %v", err)
		d.put("link.md/x.md", "")
	}
	for path, want := range map[string]error{
		"":                     memory.ErrInvalid,
		" ":                    memory.ErrInvalid,
		"../x":                 memory.ErrInvalid,
		"../x.md":              memory.ErrInvalid,
		"a/../../x.md":         memory.ErrInvalid,
		`..\x.md`:              memory.ErrInvalid,
		`C:\x.md`:              memory.ErrInvalid,
		"c:x.md":               memory.ErrInvalid,
		`\\host\share\x.md`:    memory.ErrInvalid,
		"/etc/passwd":          memory.ErrInvalid,
		outside:                memory.ErrInvalid,
		"memory/../../../x.md": memory.ErrInvalid,
		"image.png":            memory.ErrInvalid,
		".env.md":              memory.ErrInvalid,
		".git/x.md":            memory.ErrInvalid,
		"x.md\x00":             memory.ErrInvalid,
		".":                    memory.ErrInvalid,
		"link.md":              memory.ErrInvalid,
		"memory/2026-01-01.md": memory.ErrNotFound,
		"nowhere/x.md":         memory.ErrNotFound,
	} {
		page, err := d.notes.Get(t.Context(), notes.Range{Path: path})
		if !errors.Is(err, want) {
			t.Errorf("Get(%q) = %+v, %v, want %v", path, page, err, want)
		}
		if public, ok := errors.AsType[*memory.PublicError](err); ok && strings.Contains(public.Error(), d.dir) {
			t.Errorf("Get(%q) tells where the workspace is: %v", path, err)
		}
	}
	for _, r := range []notes.Range{{Path: "MEMORY.md", Start: -1}, {Path: "MEMORY.md", Lines: -1}} {
		if _, err := d.notes.Get(t.Context(), r); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("Get(%+v) = %v, want ErrInvalid", r, err)
		}
	}
}

// A huge note is read a page at a time; the pages together are the whole.
func TestGetIsBounded(t *testing.T) {
	t.Parallel()
	d := newDesk(t, options{})
	d.put("big.md", strings.Repeat("a line of a very long note\n", 2_000_000)) // 54 MB
	d.put("wide.md", "short\n"+strings.Repeat("x", 1<<20)+"\nlast\n")
	page, err := d.notes.Get(t.Context(), notes.Range{Path: "big.md", Start: 1_000_000, Lines: 1e9})
	if err != nil || page.TotalLines != 2_000_000 || page.StartLine != 1_000_000 || len(page.Content) > notes.MaxPageBytes || len(page.Content) < notes.MaxPageBytes/2 {
		t.Errorf("Get(big.md) = lines %d–%d of %d, %d bytes, %v, want a full page", page.StartLine, page.EndLine, page.TotalLines, len(page.Content), err)
	}
	if found := d.search("very long note"); len(found) == 0 {
		t.Error("Search() does not find the beginning of a huge note")
	}
	var lines []string
	for start := 1; start <= 3; {
		page, err := d.notes.Get(t.Context(), notes.Range{Path: "wide.md", Start: start})
		if err != nil || len(page.Content) > notes.MaxPageBytes || page.EndLine < start {
			t.Fatalf("Get(wide.md, %d) = %d bytes to line %d, %v", start, len(page.Content), page.EndLine, err)
		}
		if page.Cut != (start == 2) {
			t.Errorf("Get(wide.md, %d).Cut = %v", start, page.Cut)
		}
		lines = append(lines, page.Content[:min(5, len(page.Content))])
		start = page.EndLine + 1
	}
	if got := strings.Join(lines, " "); got != "short xxxxx last" {
		t.Errorf("pages of wide.md begin %q, want all three lines", got)
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	d := newDesk(t, options{})
	if core, err := d.notes.Core(t.Context()); err != nil || core != (notes.Document{Path: "MEMORY.md"}) {
		t.Errorf("Core() without a workspace = %+v, %v, want none", core, err)
	}
	d.put("MEMORY.md", "\ufeff \n")
	d.put("memory/2026-03-08.md", "the day\n")
	d.put("USER.md", strings.Repeat("u", notes.MaxDocumentBytes+7))
	if core, err := d.notes.Core(t.Context()); err != nil || core.Content != "" {
		t.Errorf("Core() of a blank file = %+v, %v, want nothing", core, err)
	}
	if day, err := d.notes.Daily(t.Context(), "2026-03-08"); err != nil || day.Content != "the day\n" || day.Size != 8 {
		t.Errorf("Daily() = %+v, %v, want the note", day, err)
	}
	if user, err := d.notes.Profile(t.Context(), notes.User); err != nil || len(user.Content) != notes.MaxDocumentBytes || user.Size != notes.MaxDocumentBytes+7 {
		t.Errorf("Profile(user) = %d of %d bytes, %v, want its beginning", len(user.Content), user.Size, err)
	}
	for _, day := range []string{"", "2026-13-45", "../x", "2026-3-8", "today"} {
		if _, err := d.notes.Daily(t.Context(), day); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("Daily(%q) = %v, want ErrInvalid", day, err)
		}
		if _, err := d.notes.AppendSection(t.Context(), day, notes.Section{Session: "s", From: 1, To: 2, Text: "x"}); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("AppendSection(%q) = %v, want ErrInvalid", day, err)
		}
	}
}

// What is asked on a first run is what the profile does not hold; nothing is made
// by asking (R07).
func TestOnboarding(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		files map[string]string
		want  int
	}{
		{nil, 6},
		{map[string]string{"user.md": "Name: Test Person\n"}, 3},
		{map[string]string{"USER.md": "Name: Test Person\n", "system.md": " \n"}, 3},
		{map[string]string{"USER.md": "Name: Test Person\n", "SOUL.md": "kind"}, 0},
	} {
		d := newDesk(t, options{})
		for name, content := range c.files {
			d.put(name, content)
		}
		questions, err := d.notes.Onboarding(t.Context())
		if err != nil || len(questions) != c.want {
			t.Errorf("Onboarding() with %v = %q, %v, want %d", c.files, questions, err, c.want)
		}
		if entries, _ := os.ReadDir(d.dir); len(entries) != len(c.files) {
			t.Errorf("Onboarding() with %v has left %v", c.files, entries)
		}
	}
}
