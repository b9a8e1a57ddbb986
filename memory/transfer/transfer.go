// Package transfer moves conversations in and out of the memory. It reads the
// files of other programs and our own, never writes to what it reads, and keeps
// each message once however often a file is imported. A record that cannot be
// taken is reported with its place and left out; the others go in.
package transfer

import (
	"context"
	"fmt"

	"mcp-memory/memory"
)

// Source is what imported messages are marked with.
const Source = "import"

// Outcome is what became of messages that were handed to an Appender.
type Outcome struct {
	memory.Appended
	Replaced int // bytes replaced, because they were no text
}

// Appender records messages into a session, in order, all of them or none.
// Input that it refuses is memory.ErrInvalid; anything else ends the import.
type Appender func(ctx context.Context, session, source string, drafts []memory.Draft) (Outcome, error)

// Exporter yields the messages of a session, or of all with "", by session and
// then in order.
type Exporter func(ctx context.Context, session string, yield func(memory.Message) error) error

// Report is what an import did.
type Report struct {
	Read       int // records that were found
	Added      int
	Duplicates int      // known already
	Skipped    int      // records that were left out
	Replaced   int      // bytes replaced, because they were no text
	Reasons    []Reason // why records were left out, at most MaxReasons of them
}

// MaxReasons is how many skipped records a Report describes; it counts all.
const MaxReasons = 20

// Reason says why a record was left out.
type Reason struct {
	Place string // "line 12"
	Why   string
}

// skip counts a record that was left out.
func (r *Report) skip(line int, why string) {
	r.Skipped++
	if len(r.Reasons) < MaxReasons {
		r.Reasons = append(r.Reasons, Reason{Place: fmt.Sprintf("line %d", line), Why: why})
	}
}

// add takes over what became of a batch.
func (r *Report) add(o Outcome) {
	r.Added += o.Added
	r.Duplicates += o.Duplicates
	r.Replaced += o.Replaced
}
