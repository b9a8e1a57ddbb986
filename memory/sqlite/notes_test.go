package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// note is a file of one chunk with these words.
func note(path, words string) memory.Note {
	at := time.Unix(1e9, 0).UTC()
	return memory.Note{
		File: memory.NoteFile{NoteStat: memory.NoteStat{Path: path, Size: int64(len(words)), ModTime: at}, Source: memory.NoteOther, From: at, To: at.Add(1), SeenAt: at, Hash: []byte(words)},
		Chunks: []memory.NoteChunk{{Path: path, StartLine: 1, EndLine: 1, Heading: "Over it", Text: words, Hash: []byte(words),
			Head: []string{"note"}, Tokens: strings.Fields(words), Features: []byte{1}, Terms: len(strings.Fields(words))}},
	}
}

func saveNotes(t *testing.T, db *sqlite.DB, list ...memory.Note) {
	t.Helper()
	if err := db.SaveNotes(t.Context(), list); err != nil {
		t.Fatalf("SaveNotes(): %v", err)
	}
}

func matchNotes(t *testing.T, db *sqlite.DB, token string) []memory.NoteHit {
	t.Helper()
	hits, err := db.MatchNotes(t.Context(), memory.TextQuery{All: []string{token}}, memory.NoteFilter{}, memory.BestFirst, 10)
	if err != nil {
		t.Fatalf("MatchNotes(%s): %v", token, err)
	}
	return hits
}

// fixtureNotes leaves a note with its vector, a version and a section.
func fixtureNotes(t *testing.T, db *sqlite.DB) {
	t.Helper()
	saveNotes(t, db, note("MEMORY.md", "the kept heron"))
	hits := matchNotes(t, db, "heron")
	if len(hits) != 1 {
		t.Fatalf("MatchNotes(heron) = %+v, want one", hits)
	}
	if err := db.NoteQueue().SaveVectors(t.Context(), fixtureModel(), []memory.Vector{{Ref: hits[0].Chunk, Values: []float32{1, 1}}}); err != nil {
		t.Fatalf("SaveVectors(): %v", err)
	}
	if _, err := db.AddNoteVersion(t.Context(), memory.NoteVersion{Path: "MEMORY.md", Before: []byte("before"), After: []byte("after"), At: time.Unix(1e9, 0)}, 5); err != nil {
		t.Fatalf("AddNoteVersion(): %v", err)
	}
	if err := db.AddDailySection(t.Context(), memory.DailySection{Day: "2001-09-09", Session: "s", From: 1, To: 9}); err != nil {
		t.Fatalf("AddDailySection(): %v", err)
	}
}

func checkFixtureNotes(t *testing.T, db *sqlite.DB) {
	t.Helper()
	hits := matchNotes(t, db, "heron")
	near, err := db.NearestNotes(t.Context(), fixtureModel(), []float32{1, 1}, memory.NoteFilter{}, 5)
	if err != nil || len(hits) != 1 || len(near) != 1 || near[0].Chunk != hits[0].Chunk || near[0].Score < .9999 {
		t.Errorf("MatchNotes() = %+v, NearestNotes() = %+v, %v, want the note by both", hits, near, err)
	}
	if v, err := db.NewestNoteVersion(t.Context(), "MEMORY.md"); err != nil || v.Version != 1 || string(v.Before) != "before" {
		t.Errorf("NewestNoteVersion() = %+v, %v, want the version", v, err)
	}
	if has, err := db.HasDailySection(t.Context(), memory.DailySection{Day: "2001-09-09", Session: "s", From: 1, To: 9}); err != nil || !has {
		t.Errorf("HasDailySection() = %v, %v, want true", has, err)
	}
}

// A damaged index of the notes is emptied: the files are there to be read anew.
func TestDamagedNoteIndex(t *testing.T) {
	t.Parallel()
	db := open(t, sqlite.Options{})
	saveNotes(t, db, note("a.md", "the heron"), note("b.md", "the goose"))
	err := db.OnWriter(func(c *sql.Conn) error {
		_, err := c.ExecContext(context.Background(), `DELETE FROM note_fts_data WHERE id > 10`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	q := memory.TextQuery{All: []string{"heron"}}
	if _, err := db.MatchNotes(t.Context(), q, memory.NoteFilter{}, memory.BestFirst, 10); !errors.Is(err, memory.ErrUnavailable) {
		t.Fatalf("MatchNotes() in a damaged index = %v, want ErrUnavailable", err)
	}
	if files, _, err := db.NoteFiles(t.Context(), 0); err != nil || len(files) != 0 {
		t.Errorf("NoteFiles() after that = %+v, %v, want none", files, err)
	}
	saveNotes(t, db, note("a.md", "the heron"))
	if hits := matchNotes(t, db, "heron"); len(hits) != 1 {
		t.Errorf("MatchNotes() after the files were read anew = %+v, want one", hits)
	}
	sound(t, db)
}

// Repair empties a damaged index of the notes, and leaves a sound one alone.
func TestRepairNotes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.db")
	db := open(t, sqlite.Options{Path: path, Analyse: analyse})
	saveNotes(t, db, note("a.md", "the heron"))
	left := func(want int) {
		t.Helper()
		if _, err := db.Repair(t.Context()); err != nil {
			t.Fatalf("Repair(): %v", err)
		}
		if files, _, err := db.NoteFiles(t.Context(), 0); err != nil || len(files) != want {
			t.Errorf("NoteFiles() after Repair = %d, %v, want %d", len(files), err, want)
		}
		sound(t, open(t, sqlite.Options{Path: path})) // FTS5 checks what a connection knows of a damaged index
	}
	left(1)
	err := db.OnWriter(func(c *sql.Conn) error {
		_, err := c.ExecContext(context.Background(), `DELETE FROM note_fts_data WHERE id > 10`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	findings, err := db.Check(t.Context())
	if err != nil || !slices.ContainsFunc(findings, func(f sqlite.Finding) bool { return f.Name == "notes" && !f.OK }) {
		t.Errorf("Check() of a damaged index = %+v, %v, want the notes named", findings, err)
	}
	left(0)
}

// The vectors of notes go with their model.
func TestNoteVectorsGoWithTheirModel(t *testing.T) {
	t.Parallel()
	db := open(t, sqlite.Options{})
	if err := db.UseModel(t.Context(), fixtureModel()); err != nil {
		t.Fatal(err)
	}
	fixtureNotes(t, db)
	second := memory.EmbeddingModel{Provider: "test", Name: "second", Dimensions: 3}
	if err := db.UseModel(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := db.Readers().QueryRowContext(t.Context(), `SELECT count(*) FROM note_vectors`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d vectors of notes are left (%v), want none", left, err)
	}
}
