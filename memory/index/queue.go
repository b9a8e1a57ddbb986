package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcp-memory/memory"
)

// longestRetry bounds the wait of a passage that fails again and again.
const longestRetry = 6 * time.Hour

// queue embeds what waits, a batch at a time, until nothing is left or the
// embedder has to be left alone for a while. It returns whether it did anything.
func (l *Loop) queue(ctx context.Context) (did bool, err error) {
	if l.rest.left(l.c.Now()) > 0 {
		return false, ctx.Err()
	}
	next, err := l.next(ctx)
	if err != nil {
		return false, err
	}
	if len(next.pending) == 0 {
		l.rest.end() // what was in trouble is gone, or another process has done it
		return false, nil
	}
	held, release, err := l.hold(ctx, queueLease)
	if err != nil {
		return false, err
	}
	if held == nil { // another process is at it; what it does not see is ours then
		l.later(retryLease)
		return false, nil
	}
	defer release()
	for l.rest.left(l.c.Now()) == 0 {
		next, err := l.next(held) // whoever had the lease may just have done the first ones
		if err != nil || len(next.pending) == 0 {
			return true, err
		}
		if err := l.batch(held, next); err != nil {
			if held.Err() != nil && ctx.Err() == nil { // the lease is lost
				return true, nil
			}
			return true, err
		}
		if next.messages {
			l.done += len(next.pending)
		}
	}
	return true, nil
}

// batch is a part of a queue with the embedder for it.
type batch struct {
	queue    memory.EmbedQueue
	messages bool // it is the queue of messages
	embedder memory.Embedder
	pending  []memory.Pending
}

// next is the next batch; none when nothing waits, or when nobody here can make
// vectors of the active model.
func (l *Loop) next(ctx context.Context) (batch, error) {
	if err := ctx.Err(); err != nil {
		return batch{}, err
	}
	active, err := l.c.Store.ActiveModel(ctx)
	if err != nil || active == (memory.EmbeddingModel{}) {
		return batch{}, err
	}
	b := batch{queue: l.c.Store, messages: true}
	b.pending, err = b.queue.Waiting(ctx, l.c.Batch)
	if err == nil && len(b.pending) == 0 && l.c.Notes != nil {
		b.queue, b.messages = l.c.Notes, false
		b.pending, err = b.queue.Waiting(ctx, l.c.Batch)
	}
	if err != nil || len(b.pending) == 0 {
		return batch{}, err
	}
	b.embedder, err = memory.CurrentEmbedder(ctx, l.c.Source)
	if errors.Is(err, memory.ErrUnavailable) {
		return batch{}, nil
	}
	return b, err
}

// batch embeds a batch. What the embedder refuses is put off; an embedder that
// does not work at all is left alone for a while, and nothing is held against
// the passages.
func (l *Loop) batch(ctx context.Context, b batch) error {
	if b.messages { // words are learnt from conversations
		if err := l.c.Source.Fold(ctx, refs(b.pending)); err != nil {
			return err
		}
	}
	out, err := embedAll(ctx, b.embedder, b.pending)
	if err != nil {
		return err
	}
	if out.down != nil {
		l.c.Log.Warn("the embedder does not work", "error", out.down)
		l.rest.begin(l.c.Now(), out.down)
	} else {
		l.rest.end()
	}
	if err := l.save(ctx, b, out); err != nil {
		return err
	}
	tries := make(map[int64]int, len(b.pending))
	for _, p := range b.pending {
		tries[p.Ref] = p.Tries
	}
	for _, r := range out.refused {
		wait := min(longestRetry, l.c.Retry<<min(tries[r.Ref], 16))
		l.c.Log.Warn("a passage could not be embedded", "passage", r.Ref, "error", r.Reason)
		if err := b.queue.Postpone(ctx, []int64{r.Ref}, l.c.Now().Add(wait), r.Reason); err != nil {
			return err
		}
	}
	return nil
}

// save stores the vectors that there are and takes off the queue what can have
// none. When the active model has changed meanwhile, the passages stay queued
// for the new one.
func (l *Loop) save(ctx context.Context, b batch, out outcome) error {
	model := b.embedder.Model()
	if len(out.vectors) > 0 {
		err := b.queue.SaveVectors(ctx, model, out.vectors)
		if errors.Is(err, memory.ErrUnavailable) {
			if active, lookErr := l.c.Store.ActiveModel(ctx); lookErr == nil && active != model {
				return nil
			}
		}
		if err != nil {
			return err
		}
	}
	if len(out.none) == 0 {
		return nil
	}
	return b.queue.Skip(ctx, model, out.none)
}

// outcome is what became of a batch.
type outcome struct {
	vectors []memory.Vector
	none    []int64          // can have no vector: no word in them is known
	refused []memory.Refused // failed by themselves
	left    []int64          // were not embedded, because
	down    error            // the embedder does not work now; nil = it does
}

// embedAll embeds the passages. The error is that of a ctx that ended.
func embedAll(ctx context.Context, e memory.Embedder, pending []memory.Pending) (outcome, error) {
	texts := make([]string, len(pending))
	for i, p := range pending {
		texts[i] = p.Text
	}
	vectors, err := e.Embed(ctx, texts)
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	var partial *memory.PartialError
	var retry *memory.RetryError
	switch {
	case err == nil, errors.As(err, &partial):
	case errors.As(err, &retry):
		return outcome{left: refs(pending), down: err}, nil
	default:
		return refuseAll(pending, err), nil
	}
	if len(vectors) != len(texts) {
		return refuseAll(pending, fmt.Errorf("the embedder gave %d vectors for %d texts", len(vectors), len(texts))), nil
	}
	return sortOut(pending, vectors, partial, e.Model().Dimensions), nil
}

func refs(pending []memory.Pending) []int64 {
	list := make([]int64, len(pending))
	for i, p := range pending {
		list[i] = p.Ref
	}
	return list
}

func refuseAll(pending []memory.Pending, err error) outcome {
	var out outcome
	for _, p := range pending {
		out.refused = append(out.refused, memory.Refused{Ref: p.Ref, Reason: err.Error()})
	}
	return out
}

// sortOut says of each passage what became of it.
func sortOut(pending []memory.Pending, vectors [][]float32, partial *memory.PartialError, dimensions int) outcome {
	var out outcome
	for i, p := range pending {
		var failed error
		if partial != nil {
			failed = partial.Failed[i]
		}
		if failed == nil && vectors[i] != nil {
			failed = memory.CheckVector(vectors[i], dimensions)
		}
		var retry *memory.RetryError
		switch {
		case errors.As(failed, &retry): // not asked for any more
			out.left, out.down = append(out.left, p.Ref), failed
		case failed != nil:
			out.refused = append(out.refused, memory.Refused{Ref: p.Ref, Reason: failed.Error()})
		case vectors[i] == nil:
			out.none = append(out.none, p.Ref)
		default:
			out.vectors = append(out.vectors, memory.Vector{Ref: p.Ref, Values: vectors[i]})
		}
	}
	return out
}
