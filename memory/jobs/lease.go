package jobs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
)

// errTaken is the reason why a context ends when its lease was lost.
var errTaken = errors.New("another process has taken over")

// owner names this process and one thing that it does: a lease that it had before
// is no longer its own.
func (r *Runner) owner() string { return r.c.Name + " " + rand.Text() }

// ownerName is the process in an owner.
func ownerName(owner string) string {
	if i := strings.LastIndexByte(owner, ' '); i >= 0 {
		return owner[:i]
	}
	return owner
}

// hold does something while it keeps a lease alive with renew. What is done finds
// its context cancelled when the lease is lost.
func (r *Runner) hold(ctx context.Context, renew func(context.Context) (bool, error), do func(context.Context) error) error {
	held, lose := context.WithCancelCause(ctx)
	defer lose(nil)
	// The lease is kept until the work has returned, also while it stops.
	beat, stop := context.WithCancel(context.WithoutCancel(ctx))
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		if err := r.heartbeat(beat, renew); err != nil {
			lose(err)
		}
	}()
	err := r.recovering(held, do)
	stop()
	<-stopped
	if cause := context.Cause(held); errors.Is(err, context.Canceled) && cause != nil {
		return cause
	}
	return err
}

// heartbeat renews until ctx ends, or returns why the lease is lost: another has
// it, or it could not be renewed before its end.
func (r *Runner) heartbeat(ctx context.Context, renew func(context.Context) (bool, error)) error {
	ticker := time.NewTicker(r.c.Lease / 3)
	defer ticker.Stop()
	renewed := time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		held, err := renew(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil && !held:
			return errTaken
		case err == nil:
			renewed = time.Now()
		case time.Since(renewed) >= r.c.Lease:
			return fmt.Errorf("renew the lease: %w", err)
		}
	}
}

// recovering turns a panic into an error, so that a fault in one job does not end
// the process. The stack is for the log alone.
func (r *Runner) recovering(ctx context.Context, do func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
			r.c.Log.Error("recover from a panic", "stack", string(debug.Stack()))
		}
	}()
	return do(ctx)
}
