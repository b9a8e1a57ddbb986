package openai

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// embedPatience bounds what one Embed loses to failed requests and to the
	// waits after them.
	embedPatience = 30 * time.Second
	// The wait after a failure doubles from firstWait to longestWait.
	firstWait   = 500 * time.Millisecond
	longestWait = 8 * time.Second
)

// patience is the time that one call may lose to failed requests and to the
// waits after them. It is safe for concurrent use.
type patience struct {
	most time.Duration
	mu   sync.Mutex
	lost time.Duration
}

// persist asks again and again as long as that may help and there is patience
// left. again says whether a failure of try number n, counted from 1, is worth
// another one.
func (e *endpoint) persist(ctx context.Context, p *patience, again func(f *failure, n int) bool, ask func() error) error {
	for try := 1; ; try++ {
		start := e.now()
		err := ask()
		var f *failure
		if !errors.As(err, &f) || !again(f, try) {
			return err
		}
		wait := f.after
		if wait < firstWait/2 { // not said, or so short that it would be a flood
			wait = backOff(try)
		}
		if !p.spend(ctx, e.now().Sub(start), wait) {
			return f
		}
		e.log.Info("endpoint is asked again", "endpoint", e.name, "status", f.status, "wait", wait)
		if err := e.sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// backOff is the wait after failed try number n, counted from 1: twice as long
// each time, the upper half of it drawn by lot so that clients do not march in
// step.
func backOff(n int) time.Duration {
	wait := min(longestWait, firstWait<<min(n-1, 8))
	return wait/2 + rand.N(wait/2)
}

// spend takes what a failed request and the wait after it cost; false when that
// is more than there is, or when ctx would end during the wait.
func (p *patience) spend(ctx context.Context, lost, wait time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost += lost
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait {
		return false
	}
	if p.lost+wait >= p.most {
		return false
	}
	p.lost += wait
	return true
}

// timeout is the time for one request that may take so long: once some is lost,
// no more than what is left.
func (p *patience) timeout(longest time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lost == 0 {
		return longest
	}
	return min(longest, max(p.most-p.lost, time.Second))
}

// sleep waits for d, or returns the error of a ctx that ends first.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
