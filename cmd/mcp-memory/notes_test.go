package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A fact written by one server is found by another one on the same file, and so
// is what a person changes by hand; nothing is made before the first write (R07).
func TestNotesAreSharedByServers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, workspace := filepath.Join(dir, "memory.db"), filepath.Join(dir, "memory-workspace")
	one := start(t, nil, "stdio", "--db", db)
	other := start(t, nil, "stdio", "--db", db)
	if got := one.tool("memory_search", `{"query":"heron"}`); len(got.column("results", "path")) != 0 || !strings.Contains(got.text, "does not exist") {
		t.Errorf("memory_search without a workspace = %q, want a note that says so", got.text)
	}
	if _, err := os.Stat(workspace); err == nil {
		t.Error("the workspace was made before anything was written")
	}
	one.tool("memory_write", `{"target":"core","content":"- the heron nests by the mill"}`)
	find := func(query string) []string {
		return other.tool("memory_search", fmt.Sprintf(`{"query":%q}`, `"`+query+`"`)).column("results", "path")
	}
	if got := find("heron nests"); !slices.Equal(got, []string{"MEMORY.md"}) {
		t.Errorf("the other server finds %q, want MEMORY.md", got)
	}
	if err := os.WriteFile(filepath.Join(workspace, "user.md"), []byte("Name: Test Person\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := find("test person"); !slices.Equal(got, []string{"user.md"}) {
		t.Errorf("the other server finds %q after a person wrote, want user.md", got)
	}
	if a := other.tool("memory_write", `{"target":"core","mode":"undo"}`); a.bad {
		t.Errorf("undo of what the other wrote = %q", a.text)
	}
	if _, err := os.Stat(filepath.Join(workspace, "MEMORY.md")); !os.IsNotExist(err) {
		t.Errorf("Stat() after undo = %v, want no file", err)
	}
	if err := os.RemoveAll(workspace); err != nil {
		t.Fatal(err)
	}
	if got := find("test person"); len(got) != 0 {
		t.Errorf("the other server finds %q in a folder that has gone", got)
	}
	if other.end() != 0 || !strings.Contains(other.stderr.String(), "the folder of the notes has gone") {
		t.Errorf("stderr = %q, want the missing folder reported", other.stderr)
	}
}

// Paths and dates that lead elsewhere are refused (case P06).
func TestP06NotesStayInside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secret.md"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, nil, "stdio", "--db", filepath.Join(dir, "memory.db"), "--workspace", filepath.Join(dir, "w"))
	p.tool("memory_write", `{"target":"core","content":"x"}`)
	for _, path := range []string{"../secret.md", "../../../etc/passwd", "/etc/passwd", filepath.Join(dir, "secret.md"), "memory/../../secret.md"} {
		if a := p.tool("memory_get", fmt.Sprintf(`{"path":%q}`, path)); !a.bad || strings.Contains(a.text, dir+"/w") || strings.Contains(a.text, "internal") {
			t.Errorf("memory_get(%s) = %q, want it refused", path, a.text)
		}
	}
	if a := p.tool("memory_get", `{"path":"memory/2026-13-45.md"}`); !a.bad {
		t.Errorf("memory_get(no day) = %q, want an error", a.text)
	}
}
