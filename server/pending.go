package server

import (
	"sync"
	"time"
)

// pending counts the requests that have been read and not been answered. Those
// that stay open for good are left out. It is safe for concurrent use.
type pending struct {
	mu      sync.Mutex
	count   int
	streams map[string]int // by id as it was written: requests that are left out
	changed chan struct{}  // one slot: something was answered
}

func newPending() *pending {
	return &pending{streams: map[string]int{}, changed: make(chan struct{}, 1)}
}

// asked counts a request.
func (p *pending) asked() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
}

// opened leaves a request out whose answer ends a stream.
func (p *pending) opened(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.streams[id]++
}

// answered takes a request off.
func (p *pending) answered(id string) {
	p.mu.Lock()
	switch n := p.streams[id]; {
	case n > 1:
		p.streams[id]--
	case n == 1:
		delete(p.streams, id)
	default:
		p.count--
	}
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
