// Package flight runs work that takes long and that several calls may ask for at
// once: one run a key, which all of them share. A call waits for the run as long
// as it likes; the run goes on when the call was told so, and ends when all who
// waited have gone without that.
package flight

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrClosed is the error of a Group that has been closed.
var ErrClosed = errors.New("the group of runs is closed")

// Work is what a run does. It tells how far it has come by report, whose last
// value is the run's result.
type Work[T any] func(ctx context.Context, report func(T)) error

// Group is a set of runs, one at a time for each key. It is safe for concurrent
// use. Close it to end its runs.
type Group[T any] struct {
	failed func(key string, err error)

	mu     sync.Mutex
	closed bool
	runs   map[string]*run[T] // by key
	work   sync.WaitGroup     // their goroutines
}

// run is one that goes on in this process. All but done is guarded by Group.mu.
type run[T any] struct {
	cancel   context.CancelFunc
	done     chan struct{} // closed when it has ended
	err      error
	reported T
	waiting  int  // calls that wait for it
	detached bool // it goes on when they are gone
	given    bool // up: no call is to join it any more
}

// New returns a Group. failed is told of the error of a run that nobody waits for
// any more; nil = nobody is.
func New[T any](failed func(key string, err error)) *Group[T] {
	if failed == nil {
		failed = func(string, error) {}
	}
	return &Group[T]{failed: failed, runs: map[string]*run[T]{}}
}

// Do waits for the run of the key, but no longer than limit (0 = to its end). It
// joins the one that goes on, else it begins one with work; a run that was given
// up is waited for first. running says that the limit came first: the run goes on
// until it ends or the group is closed. The result is what was reported last.
//
// When ctx ends, Do returns its cause. The context of work ends when all calls
// have gone that way, and none has been told that the run goes on.
func (g *Group[T]) Do(ctx context.Context, key string, limit time.Duration, work Work[T]) (result T, running bool, err error) {
	r, err := g.join(ctx, key, work)
	if err != nil {
		return result, false, err
	}
	var over <-chan time.Time
	if limit > 0 {
		t := time.NewTimer(limit)
		defer t.Stop()
		over = t.C
	}
	select {
	case <-r.done:
		return g.leave(r, false), false, r.err
	case <-over:
		return g.leave(r, true), true, nil
	case <-ctx.Done():
		g.leave(r, false)
		return result, false, context.Cause(ctx)
	}
}

// Close ends the runs and waits for them. Later calls get ErrClosed.
func (g *Group[T]) Close() {
	g.mu.Lock()
	g.closed = true
	for _, r := range g.runs {
		r.cancel()
	}
	g.mu.Unlock()
	g.work.Wait()
}

// join returns the run of the key that goes on, or begins one.
func (g *Group[T]) join(ctx context.Context, key string, work Work[T]) (*run[T], error) {
	for {
		g.mu.Lock()
		r := g.runs[key]
		switch {
		case g.closed:
			g.mu.Unlock()
			return nil, ErrClosed
		case r == nil:
			r = g.begin(ctx, key, work)
			g.mu.Unlock()
			return r, nil
		case !r.given:
			r.waiting++
			g.mu.Unlock()
			return r, nil
		}
		g.mu.Unlock()
		select {
		case <-r.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// begin starts a run, which outlives the call that asks for it. g is locked.
func (g *Group[T]) begin(ctx context.Context, key string, work Work[T]) *run[T] {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &run[T]{cancel: cancel, done: make(chan struct{}), waiting: 1}
	g.runs[key] = r
	g.work.Go(func() {
		defer cancel()
		err := work(ctx, func(value T) {
			g.mu.Lock()
			defer g.mu.Unlock()
			r.reported = value
		})
		g.mu.Lock()
		delete(g.runs, key)
		r.err = err
		alone := r.waiting == 0 && ctx.Err() == nil
		g.mu.Unlock()
		close(r.done)
		if err != nil && alone {
			g.failed(key, err)
		}
	})
	return r
}

// leave takes a call off a run and returns what the run has reported. The last
// one to go ends it, unless it was told that the run goes on.
func (g *Group[T]) leave(r *run[T], goesOn bool) T {
	g.mu.Lock()
	defer g.mu.Unlock()
	r.waiting--
	r.detached = r.detached || goesOn
	if r.waiting == 0 && !r.detached {
		r.given = true
		r.cancel()
	}
	return r.reported
}
