package index

import (
	"context"
	"errors"
	"time"

	"mcp-memory/memory"
)

// The lease of training: one process trains at a time. It is renewed with every
// batch, so that it outlives its owner by little.
const (
	trainLease = "train"
	trainTime  = 2 * time.Minute
)

// learn trains a new model when one is due, gives all passages their vectors in
// it while the old one answers, and makes it the active one. It returns whether
// it did.
func (l *Loop) learn(ctx context.Context) (bool, error) {
	if l.c.Learner == nil {
		return false, nil
	}
	model, e, err := l.c.Learner.Learn(ctx)
	if err != nil || e == nil {
		return false, err
	}
	held, err := l.c.Store.Acquire(ctx, trainLease, l.owner, trainTime)
	if err != nil || !held {
		return false, err
	}
	err = l.build(ctx, model, e)
	err = errors.Join(err, l.c.Store.Release(context.WithoutCancel(ctx), trainLease, l.owner))
	if errors.Is(err, memory.ErrUnavailable) || errors.Is(err, memory.ErrConflict) { // another process was faster
		l.c.Log.Info("the model was replaced while it was built", "error", err)
		return false, nil
	}
	if err == nil && l.c.OnLearnt != nil {
		l.c.OnLearnt()
	}
	return err == nil, err
}

func (l *Loop) build(ctx context.Context, model memory.LearntModel, e memory.Embedder) error {
	if err := l.c.Store.BeginModel(ctx, model); err != nil {
		return err
	}
	for {
		pending, err := l.c.Store.Unbuilt(ctx, model.Model, l.c.Batch)
		if err != nil {
			return err
		}
		if len(pending) == 0 {
			return l.c.Store.ActivateModel(ctx, model.Model)
		}
		if held, err := l.c.Store.Acquire(ctx, trainLease, l.owner, trainTime); err != nil || !held {
			return errors.Join(err, memory.Unavailablef("another process trains"))
		}
		if err := l.buildBatch(ctx, model.Model, e, pending); err != nil {
			return err
		}
	}
}

func (l *Loop) buildBatch(ctx context.Context, model memory.EmbeddingModel, e memory.Embedder, pending []memory.Pending) error {
	refs := make([]int64, len(pending))
	texts := make([]string, len(pending))
	for i, p := range pending {
		refs[i], texts[i] = p.Ref, p.Text
	}
	vectors, err := e.Embed(ctx, texts)
	if err != nil {
		return err
	}
	found, _ := sortOut(refs, vectors)
	return l.c.Store.Build(ctx, model, found, refs[len(refs)-1])
}
