package memory

import "time"

// Work is an item of work that outlives the process that asked for it. Kind and
// key name it: adding the same again while it waits replaces the payload.
type Work struct {
	Kind    string // which worker does it
	Key     string // what it is about
	Payload []byte // opaque to the store, which does not tell nil from empty
	Session string // whose messages it is made of: a reset of the session deletes it; "" = of none
}

// WorkClaim is an item that its owner alone may work on, for as long as the
// claim lasts.
type WorkClaim struct {
	Work
	Owner   string // another one for each claim
	Version int64  // grows each time the item is replaced
	Tries   int    // that have failed so far
}

// WorkState is an item that waits or is being done.
type WorkState struct {
	Kind      string
	Key       string
	AddedAt   time.Time
	NotBefore time.Time // when it is tried again; zero = now
	Tries     int       // that have failed so far
	LastError string    // of the last try; "" = none has failed
	Owner     string    // who works on it; "" = nobody
}
