// Package notes keeps long-term memory in plain Markdown: core memory, a note a
// day and the profile, in a folder that people may edit at any time.
//
// The files are the truth. Before each search they are looked over, first by
// what the folder says of them and, where that has changed, by their content;
// what the store knows of them follows. Every write is atomic, keeps what
// somebody else wrote meanwhile, and can be undone byte for byte.
package notes

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"mcp-memory/memory"
)

// Masker hides secrets in a text and counts them.
type Masker interface {
	Mask(text string) (masked string, found int)
}

// Config configures a Notes.
type Config struct {
	Store    Store            // required
	Files    Files            // required: the workspace
	Embedder memory.Embedder  // nil = search goes by words alone
	Masker   Masker           // nil = nothing is masked
	Location *time.Location   // in which days are taken; nil = time.Local
	Now      func() time.Time // nil = time.Now
	OnWrite  func()           // called after a file was written; must not block; nil = nothing
	OnIndex  func()           // called when chunks wait for a vector; must not block; nil = nothing
	Patience time.Duration    // how long the embedder may take for a query; 0 = 3 s
	Log      *slog.Logger     // nil = discarded

	Settle func(context.Context) // waits a moment for vectors that are being made; nil = no wait
}

// Notes is the engine. It is safe for concurrent use.
type Notes struct {
	c     Config
	owner string // of the lease

	writing chan struct{} // one slot: one writer at a time in this process
	syncing sync.Mutex    // one look over the files at a time
	missing bool          // the workspace has gone, and that was logged; guarded by syncing

	known    []memory.NoteFile // what is indexed; guarded by syncing
	revision int64             // of known; 0 = it was not read yet

	rest atomic.Int64 // until when an embedder that did not answer is left alone, UTC Unix nanoseconds
}

// New checks the configuration and returns a Notes. It touches no file: the
// workspace is made by the first write.
func New(c Config) (*Notes, error) {
	if c.Store == nil || c.Files == nil {
		return nil, memory.Invalidf("notes need a store and files")
	}
	if c.Location == nil {
		c.Location = time.Local
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.OnWrite == nil {
		c.OnWrite = func() {}
	}
	if c.Patience <= 0 {
		c.Patience = 3 * time.Second
	}
	if c.OnIndex == nil {
		c.OnIndex = func() {}
	}
	if c.Settle == nil {
		c.Settle = func(context.Context) {}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Notes{c: c, owner: rand.Text(), writing: make(chan struct{}, 1)}, nil
}

// mask hides the secrets of a text.
func (n *Notes) mask(s string) string {
	if n.c.Masker == nil {
		return s
	}
	s, _ = n.c.Masker.Mask(s)
	return s
}

// Store is what the engine needs of a store. Every method is one whole atomic
// operation and safe to repeat.
type Store interface {
	IndexStore
	VectorStore
	VersionStore
	// Acquire takes the named lease for the owner or renews it; false while
	// another owner holds it. Release gives it back.
	Acquire(ctx context.Context, name, owner string, lasting time.Duration) (bool, error)
	Release(ctx context.Context, name, owner string) error
}

// IndexStore keeps what is known of the files, and finds it. A method that meets
// a damaged index empties it and is ErrUnavailable: the files are then read anew.
type IndexStore interface {
	// NoteFiles lists the files that are indexed, in order of path, with the
	// revision of the list, which is never 0. While that is still the known
	// one there is no list.
	NoteFiles(ctx context.Context, known int64) (files []memory.NoteFile, revision int64, err error)
	// SaveNotes puts notes in the place of those with the same paths. A chunk
	// with the hash of one that was there keeps its id and its vectors.
	SaveNotes(ctx context.Context, notes []memory.Note) error
	// DropNotes forgets files.
	DropNotes(ctx context.Context, paths []string) error
	// MatchNotes returns up to n chunks that satisfy q and f.
	MatchNotes(ctx context.Context, q memory.TextQuery, f memory.NoteFilter, order memory.Order, n int) ([]memory.NoteHit, error)
	// NoteFrequencies counts, for each token, the chunks that hold it.
	NoteFrequencies(ctx context.Context, tokens []string) (memory.Frequencies, error)
	// NoteNeighbours returns the chunks and span chunks before and after each
	// in its file, each once, in order of file and place, for ranking: the
	// session of each is its path.
	NoteNeighbours(ctx context.Context, chunks []int64, span int) ([]memory.Neighbour, error)
	// NoteChunks returns chunks with their text, in any order; those that are
	// gone are left out.
	NoteChunks(ctx context.Context, ids []int64) ([]memory.NoteChunk, error)
}

// VectorStore finds chunks by their vectors, which are made in the background: a
// set for each model, and a chunk without one of the active model waits for it.
type VectorStore interface {
	// NearestNotes returns the k chunks nearest to the vector that pass f, with
	// cosine similarity as score; none when there are no vectors of the model.
	NearestNotes(ctx context.Context, model memory.EmbeddingModel, vector []float32, f memory.NoteFilter, k int) ([]memory.NoteHit, error)
	// NoteProgress says how many chunks have a vector of the model and how many
	// wait.
	NoteProgress(ctx context.Context, model memory.EmbeddingModel) (memory.Progress, error)
}

// VersionStore remembers what files were before they were written, and which
// sections the daily notes have.
type VersionStore interface {
	// AddNoteVersion remembers a version, gives it its number and forgets the
	// oldest beyond keep.
	AddNoteVersion(ctx context.Context, v memory.NoteVersion, keep int) (int, error)
	// NewestNoteVersion returns the newest version of a path that was not
	// undone; ErrNotFound: there is none.
	NewestNoteVersion(ctx context.Context, path string) (memory.NoteVersion, error)
	// EndNoteVersion marks a version undone, or one whose write came to nothing.
	EndNoteVersion(ctx context.Context, path string, version int) error
	// HasDailySection says whether a section was written.
	HasDailySection(ctx context.Context, s memory.DailySection) (bool, error)
	// AddDailySection notes that it was; again changes nothing.
	AddDailySection(ctx context.Context, s memory.DailySection) error
}
