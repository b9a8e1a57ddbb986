package memory

import (
	"path"
	"strings"
	"time"
)

// NoteSource says what kind of note a file of the workspace is.
type NoteSource string

// The kinds of notes.
const (
	NoteCore    NoteSource = "core"    // MEMORY.md: what lasts
	NoteDaily   NoteSource = "daily"   // memory/YYYY-MM-DD.md: what a day brought
	NoteProfile NoteSource = "profile" // who the agent and the user are
	NoteOther   NoteSource = "other"   // any other Markdown, which is only read
)

// ParseNoteSource checks s against the four kinds; an unknown one is ErrInvalid.
func ParseNoteSource(s string) (NoteSource, error) {
	switch n := NoteSource(s); n {
	case NoteCore, NoteDaily, NoteProfile, NoteOther:
		return n, nil
	}
	return "", Invalidf("source must be one of core, daily, profile, other; got %q", s)
}

// NoteStat is what a folder tells of a file without reading it.
type NoteStat struct {
	Path    string // relative to the workspace, with slashes
	Size    int64  // bytes
	ModTime time.Time
}

// NoteFile is a file of the workspace as it was indexed.
type NoteFile struct {
	NoteStat
	Source NoteSource
	From   time.Time // the stretch of time that the note is of: its day, or
	To     time.Time // the moment of its last change; To is not part of it
	SeenAt time.Time // when it was read
	Hash   []byte    // of what was read
}

// Note is a file with its chunks.
type Note struct {
	File   NoteFile
	Chunks []NoteChunk // in the order of the file; nil = those that are known stay
}

// NoteChunk is a stretch of a note that is found on its own.
type NoteChunk struct {
	ID        int64 // given by the store, never used again; 0 before it is stored
	Path      string
	Ord       int // place in the file, from 0
	StartLine int // the first line of the file is 1
	EndLine   int // inclusive
	Heading   string
	Text      string
	Hash      []byte   // of heading and text: a chunk that keeps it keeps its id and its vectors
	Head      []string // tokens of what stands over the whole file: its name, its day
	Tokens    []string // tokens of heading and text, in order
	Features  []byte   // what ranking needs of it, opaque to the store
	Terms     int      // number of content terms
}

// NoteFilter narrows a search in notes. The zero value lets everything through.
type NoteFilter struct {
	Source NoteSource // "" = all
	Since  time.Time  // of a stretch of time that ends after this; zero = open
	Until  time.Time  // of one that begins before this; zero = open
}

// NoteHit is a chunk that a search found.
type NoteHit struct {
	Chunk int64
	Score float64 // larger is better; comparable inside one result only
}

// NoteVersion is what a file was before one write to it.
type NoteVersion struct {
	Path    string
	Version int    // of the file, from 1; never used again
	Before  []byte // nil = there was no file
	After   []byte // hash of what was written
	At      time.Time
}

// DailySection names a part of a day's note: what was said in a session from one
// message to another, by arrival. Each is written once.
type DailySection struct {
	Day     string // YYYY-MM-DD
	Session string
	From    int64 // the first message, by Seq
	To      int64 // the last one
}

// IsNote says whether a path is that of a Markdown file, neither hidden nor in a
// hidden folder.
func IsNote(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if strings.HasPrefix(part, ".") {
			return false
		}
	}
	switch strings.ToLower(path.Ext(p)) {
	case ".md", ".markdown":
		return true
	}
	return false
}
