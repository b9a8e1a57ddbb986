package notes

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// The lease that keeps writers of other processes out, and how long it lasts when
// its holder is killed. Should a holder be slower than that, the comparison of
// each write still loses nothing.
const (
	writeLease     = "notes"
	writeLeaseTime = 10 * time.Second
)

// locked runs fn while no other writer of this workspace works.
func (n *Notes) locked(ctx context.Context, fn func(context.Context) error) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case n.writing <- struct{}{}:
	}
	defer func() { <-n.writing }()
	for {
		held, err := n.c.Store.Acquire(ctx, writeLease, n.owner, writeLeaseTime)
		if err != nil {
			return fmt.Errorf("lock the notes: %w", err)
		}
		if held {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond + rand.N(8*time.Millisecond)):
		}
	}
	ctx = context.WithoutCancel(ctx) // what has begun is finished
	defer func() {
		if err := n.c.Store.Release(ctx, writeLease, n.owner); err != nil {
			n.c.Log.Warn("unlock the notes", "error", err) // it ends by itself
		}
	}()
	return fn(ctx)
}
