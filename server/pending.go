package server

import (
	"sync"
	"time"
)

// pending counts the requests that have been read and not been answered. It is
// safe for concurrent use.
type pending struct {
	mu      sync.Mutex
	count   int
	changed chan struct{} // one slot: something was answered
}

func newPending() *pending { return &pending{changed: make(chan struct{}, 1)} }

func (p *pending) add(n int) {
	p.mu.Lock()
	p.count += n
	p.mu.Unlock()
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

func (p *pending) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count <= 0
}

// wait returns when every request has been answered, or after the limit.
func (p *pending) wait(limit time.Duration) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for !p.idle() {
		select {
		case <-p.changed:
		case <-timer.C:
			return
		}
	}
}
