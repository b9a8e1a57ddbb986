package index

import (
	"context"
	"time"
)

// leaseTime is how long a lease lasts that is not renewed: a killed process keeps
// others waiting no longer. It is renewed three times in that time.
const leaseTime = 15 * time.Second

// The leases: one process at a time empties the queue, one builds a model.
const (
	queueLease = "index"
	buildLease = "train"
)

// hold takes the named lease and keeps it until release is called. The context it
// returns ends with ctx, and when the lease is lost. It is nil while another
// process has the lease.
func (l *Loop) hold(ctx context.Context, name string) (held context.Context, release func(), err error) {
	got, err := l.c.Store.Acquire(ctx, name, l.owner, leaseTime)
	if err != nil || !got {
		return nil, nil, err
	}
	held, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer cancel()
		l.renew(held, name)
	}()
	return held, func() {
		cancel()
		<-ended
		if err := l.c.Store.Release(context.WithoutCancel(ctx), name, l.owner); err != nil {
			l.c.Log.Warn("release the lease", "name", name, "error", err) // it ends by itself
		}
	}, nil
}

// renew renews the lease until ctx ends or the lease is lost.
func (l *Loop) renew(ctx context.Context, name string) {
	tick := time.NewTicker(leaseTime / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if got, err := l.c.Store.Acquire(ctx, name, l.owner, leaseTime); err != nil || !got {
			if ctx.Err() == nil {
				l.c.Log.Warn("the lease is lost", "name", name, "error", err)
			}
			return
		}
	}
}
