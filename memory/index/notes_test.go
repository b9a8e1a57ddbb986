package index_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/embed"
	"mcp-memory/memory/index"
)

// jot indexes a note of n chunks.
func (f *fixture) jot(n int) {
	f.tb.Helper()
	at := time.Unix(1e9, 0)
	note := memory.Note{File: memory.NoteFile{NoteStat: memory.NoteStat{Path: "a.md", ModTime: at}, Source: memory.NoteOther, From: at, To: at.Add(1), SeenAt: at, Hash: []byte("x")}}
	for i := range n {
		text := fmt.Sprint("passage number ", i)
		note.Chunks = append(note.Chunks, memory.NoteChunk{Path: "a.md", Ord: i, StartLine: i + 1, EndLine: i + 1, Text: text, Hash: []byte(text), Tokens: []string{"passage"}, Terms: 1})
	}
	if err := f.db.SaveNotes(f.tb.Context(), []memory.Note{note}); err != nil {
		f.tb.Fatal(err)
	}
}

func (f *fixture) wantNotes(when string, m memory.EmbeddingModel, indexed, waiting, failing int) {
	f.tb.Helper()
	got, err := f.db.NoteProgress(f.tb.Context(), m)
	if want := (memory.Progress{Indexed: indexed, Waiting: waiting, Failing: failing}); err != nil || got != want {
		f.tb.Errorf("%s: NoteProgress = %+v, %v; want %+v", when, got, err, want)
	}
}

// Notes get their vectors after the messages, and anew when the model changes.
func TestNotesGetVectors(t *testing.T) {
	t.Parallel()
	f, e := open(t), newEmbedder()
	f.say(3)
	f.jot(5)
	if err := f.loop(index.Config{Source: f.source(e), Notes: f.db.NoteQueue(), Batch: 4}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.want("messages", e.Model(), 3, 0, 0)
	f.wantNotes("notes", e.Model(), 5, 0, 0)
	if want := []int{3, 4, 1}; !slices.Equal(e.calls, want) {
		t.Errorf("texts of each call = %v, want %v: messages first", e.calls, want)
	}
	other := embed.NewHashed(32)
	if err := f.loop(index.Config{Source: f.source(other), Notes: f.db.NoteQueue()}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.want("messages of another model", other.Model(), 3, 0, 0)
	f.wantNotes("notes of another model", other.Model(), 5, 0, 0)
}

// A note that cannot be embedded is put off, the others are not held up.
func TestNotesThatFailArePutOff(t *testing.T) {
	t.Parallel()
	f, e := open(t), newEmbedder()
	f.jot(3)
	e.before = func(context.Context, []string) error {
		return &memory.PartialError{Failed: map[int]error{1: errors.New("refused")}}
	}
	source := partly{e}
	if err := f.loop(index.Config{Source: f.source(source), Notes: f.db.NoteQueue()}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.wantNotes("after a refusal", e.Model(), 2, 1, 1)
}

// partly gives the vectors beside the error of one that it refuses.
type partly struct{ *embedder }

func (p partly) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := p.Hashed.Embed(ctx, texts)
	if refused := p.before(ctx, texts); err == nil && refused != nil {
		vectors[1] = nil
		return vectors, refused
	}
	return vectors, err
}
