package index

import (
	"errors"
	"sync"
	"time"

	"mcp-memory/memory"
)

// The wait after an embedder that does not work doubles from firstPause to
// longestPause, unless the embedder asks for a longer one.
const (
	firstPause   = 5 * time.Second
	longestPause = 5 * time.Minute
)

// pause keeps work off an embedder that does not work. It is safe for concurrent
// use.
type pause struct {
	mu     sync.Mutex
	until  time.Time // zero = work goes on
	times  int       // in a row
	never  bool      // no use before the configuration changes
	reason string    // "" = nothing is wrong
}

// begin notes a failure.
func (p *pause) begin(now time.Time, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	wait := min(longestPause, firstPause<<min(p.times, 10))
	p.times++
	var retry *memory.RetryError
	if errors.As(err, &retry) {
		wait = max(wait, retry.After)
		p.never = p.never || retry.Never
	}
	p.until, p.reason = now.Add(wait), err.Error()
	if p.never {
		p.reason += "; it is asked again after a restart"
	}
}

// end notes a success.
func (p *pause) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.until, p.times, p.never, p.reason = time.Time{}, 0, false, ""
}

// left is how long the work has to wait; 0 = it goes on, and then also when it
// was never to go on, less than none.
func (p *pause) left(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.never {
		return longestPause
	}
	return max(0, p.until.Sub(now))
}

// why is the reason of the pause; "" = none.
func (p *pause) why() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reason
}
