package index

import (
	"context"
	"errors"
	"slices"

	"mcp-memory/memory"
)

// build replaces the active model when another one is wanted: it gives all
// passages their vectors in the new one while the old one answers, then makes
// the new one active. It returns whether it did.
func (l *Loop) build(ctx context.Context) (bool, error) {
	l.building.Lock()
	defer l.building.Unlock()
	if l.buildRest.left(l.c.Now()) > 0 {
		return false, ctx.Err()
	}
	due, err := l.c.Source.Due(ctx)
	if err != nil {
		return false, err
	}
	if !due {
		l.buildRest.end()
		return false, nil
	}
	held, release, err := l.hold(ctx, buildLease)
	if err != nil || held == nil {
		return false, err
	}
	defer release()
	built, err := l.buildNext(held)
	switch {
	case err == nil:
		l.buildRest.end()
		if built && l.c.OnSwitch != nil {
			l.c.OnSwitch()
		}
		return built, nil
	case held.Err() != nil && ctx.Err() == nil:
		return false, nil // the lease is lost
	case errors.Is(err, errReplaced):
		l.c.Log.Info("the model was replaced while it was built", "error", err)
		return false, nil
	}
	return false, l.stop(ctx, err)
}

// errReplaced: another process has begun another model.
var errReplaced = errors.New("the model in the making is gone")

// stop puts off building when the embedder does not work; other errors are
// returned.
func (l *Loop) stop(ctx context.Context, err error) error {
	var retry *memory.RetryError
	if ctx.Err() != nil || !errors.As(err, &retry) {
		return err
	}
	active, lookErr := l.c.Store.ActiveModel(ctx)
	if lookErr != nil {
		return lookErr
	}
	l.c.Log.Warn("the embedder does not work: the vectors of before stay in use", "error", err)
	l.buildRest.begin(l.c.Now(), err)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.against = active
	return nil
}

// buildNext builds the model that is wanted, if one is: another process may just
// have done it.
func (l *Loop) buildNext(ctx context.Context) (built bool, err error) {
	model, e, err := l.c.Source.Next(ctx)
	if err != nil || e == nil {
		return false, err
	}
	return true, l.buildAll(ctx, model, e)
}

func (l *Loop) buildAll(ctx context.Context, model memory.LearntModel, e memory.Embedder) error {
	active, err := l.c.Store.ActiveModel(ctx)
	if err != nil {
		return err
	}
	if active == (memory.EmbeddingModel{}) && model.Body == nil {
		return l.c.Store.UseModel(ctx, model.Model) // nothing can answer meanwhile: the queue fills it
	}
	if err := l.c.Store.BeginModel(ctx, model); err != nil {
		return err
	}
	for {
		pending, err := l.c.Store.Unbuilt(ctx, model.Model, l.c.Batch)
		if err != nil {
			return err
		}
		if len(pending) == 0 {
			return replaced(l.c.Store.ActivateModel(ctx, model.Model))
		}
		if err := l.buildBatch(ctx, model.Model, e, pending); err != nil {
			return err
		}
	}
}

func (l *Loop) buildBatch(ctx context.Context, model memory.EmbeddingModel, e memory.Embedder, pending []memory.Pending) error {
	out, err := embedAll(ctx, e, pending)
	if err != nil {
		return err
	}
	upTo := pending[len(pending)-1].Ref
	if out.down != nil {
		upTo = slices.Min(out.left) - 1
		out.cut(upTo)
	}
	if err := l.c.Store.Build(ctx, model, out.vectors, out.refused, upTo); err != nil {
		return replaced(err)
	}
	return out.down
}

// cut drops what lies behind a passage: where building goes on is one number.
func (o *outcome) cut(upTo int64) {
	o.vectors = slices.DeleteFunc(o.vectors, func(v memory.Vector) bool { return v.Ref > upTo })
	o.refused = slices.DeleteFunc(o.refused, func(r memory.Refused) bool { return r.Ref > upTo })
}

// replaced marks the error of a store that has no such model in the making.
func replaced(err error) error {
	if errors.Is(err, memory.ErrUnavailable) {
		return errors.Join(errReplaced, err)
	}
	return err
}
