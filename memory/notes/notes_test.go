package notes_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory/embed"
	"mcp-memory/memory/index"
	"mcp-memory/memory/notes"
	"mcp-memory/memory/notes/folder"
	"mcp-memory/memory/sqlite"
	"mcp-memory/memory/text"
)

// now is the time of every test: late in the evening in Berlin, already the next
// day in Taipei.
var now = time.Date(2026, 3, 8, 20, 0, 0, 0, time.UTC)

// desk is a workspace with the engine on it.
type desk struct {
	t     *testing.T
	dir   string
	db    *sqlite.DB
	loop  *index.Loop
	notes *notes.Notes
}

// options are what tests change of a desk.
type options struct {
	dir, db string
	zone    *time.Location
	now     func() time.Time
	files   func(notes.Files) notes.Files
}

func newDesk(t testing.TB, o options) *desk {
	t.Helper()
	if o.dir == "" {
		o.dir = filepath.Join(t.TempDir(), "workspace")
	}
	if o.db == "" {
		o.db = filepath.Join(t.TempDir(), "memory.db")
	}
	if o.zone == nil {
		o.zone = time.UTC
	}
	if o.now == nil {
		o.now = func() time.Time { return now }
	}
	if o.files == nil {
		o.files = func(f notes.Files) notes.Files { return f }
	}
	d := &desk{dir: o.dir}
	d.t, _ = t.(*testing.T)
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: o.db, Sync: "normal"})
	if err != nil {
		t.Fatal(err)
	}
	d.db = db
	t.Cleanup(func() { d.db.Close() })
	source := embed.NewFixed(d.db, embed.NewHashed(64), nil)
	if d.loop, err = index.New(index.Config{Store: d.db, Source: source, Notes: d.db.NoteQueue()}); err != nil {
		t.Fatal(err)
	}
	files, err := folder.New(o.dir)
	if err != nil {
		t.Fatal(err)
	}
	d.notes, err = notes.New(notes.Config{
		Store: d.db, Files: o.files(files), Embedder: embed.NewHashed(64), Masker: text.NewRedactor(),
		Location: o.zone, Now: o.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// put writes a file by hand.
func (d *desk) put(name, content string) {
	d.t.Helper()
	put(d.t, d.dir, name, content)
}

func put(t testing.TB, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// file reads a file; "" when there is none.
func (d *desk) file(name string) string {
	d.t.Helper()
	content, err := os.ReadFile(filepath.Join(d.dir, filepath.FromSlash(name)))
	if err != nil && !os.IsNotExist(err) {
		d.t.Fatal(err)
	}
	return string(content)
}

func (d *desk) write(c notes.Change) notes.Written {
	d.t.Helper()
	w, err := d.notes.Write(d.t.Context(), c)
	if err != nil {
		d.t.Fatalf("Write(%+v): %v", c, err)
	}
	return w
}

// search looks over the files, makes vectors and searches.
func (d *desk) search(query string) []notes.Found {
	d.t.Helper()
	return d.find(notes.Request{Query: query})
}

func (d *desk) find(req notes.Request) []notes.Found {
	d.t.Helper()
	if err := d.notes.Sync(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
	if err := d.loop.Drain(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
	res, err := d.notes.Search(d.t.Context(), req)
	if err != nil {
		d.t.Fatalf("Search(%+v): %v", req, err)
	}
	return res.Found
}

// paths are the files that were found, in order.
func paths(found []notes.Found) string {
	var list []string
	for _, f := range found {
		list = append(list, f.Path)
	}
	return strings.Join(list, " ")
}
