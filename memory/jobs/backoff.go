package jobs

import (
	"errors"
	"time"

	"mcp-memory/memory"
)

// The waits before another try: doubled from the first to the longest.
const (
	firstWait   = 30 * time.Second
	longestWait = 6 * time.Hour
)

// wait is how long to wait after the nth failure in a row, the first being 1.
func wait(n int, err error) time.Duration {
	if retry, ok := errors.AsType[*memory.RetryError](err); ok {
		switch {
		case retry.Never:
			return longestWait
		case retry.After > 0:
			return min(retry.After, longestWait)
		}
	}
	d := firstWait
	for ; n > 1 && d < longestWait; n-- {
		d *= 2
	}
	return min(d, longestWait)
}
