package memory

// ResetMode says what a reset deletes.
type ResetMode string

// The modes of a reset.
const (
	ResetSummary  ResetMode = "summary"  // all messages; the rolling summary stays
	ResetAll      ResetMode = "all"      // all messages and every version of the summary
	ResetRemove   ResetMode = "remove"   // the session
	ResetMessages ResetMode = "messages" // the messages named
)

// ParseResetMode checks s against the modes; an unknown one is ErrInvalid.
func ParseResetMode(s string) (ResetMode, error) {
	switch m := ResetMode(s); m {
	case ResetSummary, ResetAll, ResetRemove, ResetMessages:
		return m, nil
	}
	return "", Invalidf("mode must be one of summary, all, remove, messages; got %q", s)
}

// Reset is what is to be deleted of a session.
type Reset struct {
	Mode     ResetMode
	Messages []int64 // ids; with ResetMessages only
	// Summarised refuses the reset while the session has messages that are not
	// in its summary.
	Summarised bool
}

// NoGeneration stands for the generation of a session that does not exist.
const NoGeneration = -1

// WipeKind is the kind of the work that empties a store's log after a deletion.
const WipeKind = "wipe"
