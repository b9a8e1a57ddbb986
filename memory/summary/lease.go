package summary

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"mcp-memory/memory"
)

// A lease lasts for leaseTime and is renewed every leaseBeat while the work goes
// on, so that a crashed process keeps others waiting no longer than that.
const (
	leaseTime = 30 * time.Second
	leaseBeat = 10 * time.Second
	leasePoll = 250 * time.Millisecond // between tries of one who waits for it
)

// leaseName is the lease of the work on a session's summary.
func leaseName(session string) string { return "summary:" + session }

// holding runs work under a lease, which nobody else can have meanwhile, in this
// process or another. When the lease is lost, the context of the work ends. held
// is false when another has the lease and patient is not set; with it, holding
// waits until its turn comes or ctx ends.
func (e *Engine) holding(ctx context.Context, name string, patient bool, work func(context.Context) error) (held bool, err error) {
	owner := rand.Text()
	for {
		held, err = e.store.Acquire(ctx, name, owner, leaseTime)
		if held || err != nil || !patient {
			break
		}
		if err := pause(ctx, leasePoll); err != nil {
			return false, err
		}
	}
	if !held || err != nil {
		return false, err
	}
	working, stop := context.WithCancelCause(ctx)
	var beat sync.WaitGroup
	beat.Go(func() { e.renew(working, stop, name, owner) })
	defer func() {
		stop(nil)
		beat.Wait()
		if releaseErr := e.store.Release(context.WithoutCancel(ctx), name, owner); err == nil {
			err = releaseErr
		}
	}()
	err = work(working)
	if err != nil && ctx.Err() == nil && working.Err() != nil {
		err = context.Cause(working)
	}
	return true, err
}

// renew keeps a lease until ctx ends, and ends the work when it is lost.
func (e *Engine) renew(ctx context.Context, stop context.CancelCauseFunc, name, owner string) {
	lost := memory.Conflictf("another process has taken over the work on this summary")
	for good := e.now(); ; {
		if pause(ctx, leaseBeat) != nil {
			return
		}
		held, err := e.store.Acquire(ctx, name, owner, leaseTime)
		switch {
		case err == nil && held:
			good = e.now()
		case err == nil, e.now().Sub(good) >= leaseTime-leaseBeat:
			stop(lost)
			return
		}
	}
}

// pause waits; it returns the cause when ctx ends first.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
