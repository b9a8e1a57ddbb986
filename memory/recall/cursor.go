package recall

import (
	"strconv"
	"strings"

	"mcp-memory/memory"
)

// A cursor is the number of hits already given, with a prefix so that a cursor
// of another kind is noticed.
const cursorPrefix = "hits-"

func encodeCursor(offset int) string { return cursorPrefix + strconv.Itoa(offset) }

func decodeCursor(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(strings.TrimPrefix(s, cursorPrefix))
	if err != nil || n < 0 || n > maxTotal || !strings.HasPrefix(s, cursorPrefix) {
		return 0, memory.Invalidf("cursor is not one that search has given: pass next_cursor unchanged, or leave it out to begin again")
	}
	return n, nil
}
