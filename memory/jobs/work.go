package jobs

import (
	"context"
	"errors"
	"time"

	"mcp-memory/memory"
)

// worker does the work of one kind.
type worker struct {
	kind string
	do   Worker
	wake chan struct{} // one slot: work added while working is not lost
}

// Add queues work, or replaces the payload of the item with its kind and key that
// waits, and has it done soon. What is being done while it is replaced is done
// once more.
func (r *Runner) Add(ctx context.Context, w memory.Work) error {
	if err := r.c.Store.AddWork(ctx, w); err != nil {
		return err
	}
	if worker := r.workers[w.Kind]; worker != nil {
		signal(worker.wake)
	}
	return nil
}

// Backlog lists the work that is not done, oldest first.
func (r *Runner) Backlog(ctx context.Context) ([]memory.WorkState, error) {
	list, err := r.c.Store.Backlog(ctx)
	for i := range list {
		list[i].Owner = ownerName(list[i].Owner)
	}
	return list, err
}

// serveWork does what waits: soon after the start, after each wake, and now and
// then for what other processes left and what was put off.
func (r *Runner) serveWork(ctx context.Context, w *worker) {
	for look := time.After(r.pause()); ; look = time.After(r.c.Poll) {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		case <-look:
		}
		for more := true; more && ctx.Err() == nil; {
			var err error
			if more, err = r.workOne(ctx, w); err != nil && ctx.Err() == nil {
				r.c.Log.Error("do work", "kind", w.kind, "error", err)
			}
		}
	}
}

// workOne does one item; more is false when none waits or the store fails. The
// error is the worker's, which the store then knows, or the store's.
func (r *Runner) workOne(ctx context.Context, w *worker) (more bool, err error) {
	c, found, err := r.c.Store.ClaimWork(ctx, w.kind, r.owner(), r.c.Lease)
	if err != nil || !found {
		return false, err
	}
	failure := r.hold(ctx, func(ctx context.Context) (bool, error) {
		return r.c.Store.RenewWork(ctx, c, r.c.Lease)
	}, func(ctx context.Context) error {
		return w.do(ctx, c.Work)
	})
	if err := r.endWork(ctx, c, failure); err != nil {
		return false, errors.Join(failure, err)
	}
	return true, failure
}

// endWork notes what came of an item. One that the end of ctx broke off is given
// back.
func (r *Runner) endWork(ctx context.Context, c memory.WorkClaim, failure error) error {
	broken := ctx.Err() != nil
	ctx = context.WithoutCancel(ctx)
	switch {
	case failure == nil:
		return r.c.Store.FinishWork(ctx, c)
	case broken:
		return r.c.Store.LeaveWork(ctx, c)
	}
	return r.c.Store.PostponeWork(ctx, c, time.Now().Add(wait(c.Tries+1, failure)), failure.Error())
}
