package budget

import (
	"encoding/json"
	"hash/maphash"
	"slices"
	"sync"
)

// recentAnswers is how many answers are remembered.
const recentAnswers = 64

// recent remembers the hashes of the last answers: a run that comes back as it was
// answered has not been to a model since, so that the tokens reported with it are
// those of the run before.
type recent struct {
	mu   sync.Mutex
	list [recentAnswers]uint64
	next int
}

func (r *recent) add(h uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list[r.next] = h
	r.next = (r.next + 1) % recentAnswers
}

func (r *recent) has(h uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.list[:], h)
}

// hash is that of a list of messages.
func hash(seed maphash.Seed, messages []json.RawMessage) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, m := range messages {
		h.Write(m) // never fails
		h.WriteByte(0)
	}
	return h.Sum64()
}
