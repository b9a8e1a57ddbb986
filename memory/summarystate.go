package memory

import "time"

// KeptSummaries is how many versions of a session's summary are kept.
const KeptSummaries = 10

// SummaryCursor says which messages of a session are in its summary. The zero
// cursor comes before the first message.
type SummaryCursor struct {
	Seq    int64 // every message up to this arrival number
	Part   int64 // the arrival number of a message that is in it in part; 0 = none
	Offset int   // how many bytes of that message, from its beginning
}

// SummaryMark is the state that a summary was made from. A store saves the
// summary only while its session is still in that state, so that nothing is
// summarised twice and nothing comes back after a reset.
type SummaryMark struct {
	Generation int64 // of the session; each reset raises it
	Version    int64 // of the current summary; 0 = none
	Cursor     SummaryCursor
}

// SummaryState is what the work on a session's summary starts from.
type SummaryState struct {
	Mark     SummaryMark
	Current  SummaryVersion // Version 0 = none yet
	LastSeq  int64          // the arrival number given last in the session; 0 = none
	Base     Summary        // kept at the last reset: what a rebuild starts from
	Draft    *SummaryDraft  // a rebuild that is not complete; nil = none
	Failures int            // tries in a row that failed
	// NotBefore is when the job may try again; the zero time = at once.
	NotBefore time.Time
}

// SummaryDraft is a summary in the making: a rebuild keeps it apart from the
// current one until it is complete.
type SummaryDraft struct {
	Summary  Summary
	Model    string // what writes it
	Cursor   SummaryCursor
	Messages int // that are in it
}

// SummaryFailure is a session whose summary could not be brought up to date.
type SummaryFailure struct {
	Session   string
	Failures  int // tries in a row
	NotBefore time.Time
	Reason    string // of the last one
}
