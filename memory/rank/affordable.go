package rank

import (
	"cmp"
	"slices"

	"mcp-memory/memory"
)

const (
	// maxPostings bounds the work of the full-text index in a search: words
	// so common that together they pass it are left to the ranking of what
	// the rarer words bring up.
	maxPostings    = 800
	affordableWith = 8 // terms at most
)

// Affordable parts the terms that the store knows: the rarest ones, whose
// postings together are few, and the common rest. To compare passages by words
// that are everywhere takes long and tells little, so those are only asked for
// the newest passages that have them.
func Affordable(terms []string, freq memory.Frequencies) (rare, common []string) {
	known := make([]string, 0, len(terms))
	for _, t := range terms {
		if freq.ByToken[t] > 0 {
			known = append(known, t)
		}
	}
	slices.SortStableFunc(known, func(a, b string) int { return cmp.Compare(freq.ByToken[a], freq.ByToken[b]) })
	sum := 0
	for i, t := range known {
		if sum += freq.ByToken[t]; sum > maxPostings || i == affordableWith {
			return known[:i], known[i:]
		}
	}
	return known, nil
}
