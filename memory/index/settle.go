package index

import (
	"context"
	"sync"
	"time"
)

// gate is open while nothing waits that this process knows of. It is safe for
// concurrent use.
type gate struct {
	mu    sync.Mutex
	idle  chan struct{} // closed while the gate is open
	woken bool          // since begin
}

func newGate() *gate {
	g := &gate{idle: make(chan struct{})}
	close(g.idle)
	return g
}

// shut shuts the gate.
func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.woken = true
	select {
	case <-g.idle:
		g.idle = make(chan struct{})
	default:
	}
}

// begin is called before the queue is looked at.
func (g *gate) begin() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.woken = false
}

// open opens the gate, unless it was shut again since begin.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.woken {
		return
	}
	select {
	case <-g.idle:
	default:
		close(g.idle)
	}
}

func (g *gate) opened() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.idle
}

// Settle waits until what was appended by this process has its vectors, or cannot
// have them now, but no longer than limit.
func (l *Loop) Settle(ctx context.Context, limit time.Duration) {
	idle := l.gate.opened()
	select {
	case <-idle: // the common case needs no timer
		return
	default:
	}
	select {
	case l.hurry <- struct{}{}:
	default:
	}
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-idle:
	case <-t.C:
	case <-ctx.Done():
	}
}
