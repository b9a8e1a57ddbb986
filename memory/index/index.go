// Package index gives messages their vectors in the background: it takes what
// waits in the embed queue, a batch at a time, embeds it and stores the vectors.
// The queue is in the store, so that a crash loses nothing, and a search before
// the vectors are there goes by words.
package index

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"mcp-memory/memory"
)

// Store is what the loop needs of a store.
type Store interface {
	// ActiveModel is the model that is searched with; the zero model = none.
	ActiveModel(ctx context.Context) (memory.EmbeddingModel, error)
	// UseModel makes the model the one whose vectors are kept; calling it again
	// changes nothing.
	UseModel(ctx context.Context, model memory.EmbeddingModel) error
	// BeginModel adds a learnt model that is not active yet.
	BeginModel(ctx context.Context, model memory.LearntModel) error
	// Unbuilt returns the next n passages that the model in the making has no
	// vector of.
	Unbuilt(ctx context.Context, model memory.EmbeddingModel, n int) ([]memory.Pending, error)
	// Build stores vectors of the model in the making; all passages up to the
	// given one are done.
	Build(ctx context.Context, model memory.EmbeddingModel, vectors []memory.Vector, upTo int64) error
	// ActivateModel makes the model in the making the active one.
	ActivateModel(ctx context.Context, model memory.EmbeddingModel) error
	// Acquire takes the named lease for the owner or renews it; false while
	// another owner holds it. Release gives it back.
	Acquire(ctx context.Context, name, owner string, lasting time.Duration) (bool, error)
	Release(ctx context.Context, name, owner string) error
	// Waiting returns up to n passages that need a vector now.
	Waiting(ctx context.Context, n int) ([]memory.Pending, error)
	// SaveVectors stores vectors and takes their passages off the queue.
	SaveVectors(ctx context.Context, model memory.EmbeddingModel, vectors []memory.Vector) error
	// Skip takes passages off the queue that can have no vector.
	Skip(ctx context.Context, refs []int64) error
	// Tidy makes searches faster after many appends; it may take a while, in
	// steps that keep no writer waiting.
	Tidy(ctx context.Context) error
	// Progress says how many vectors of the model there are and how many wait.
	Progress(ctx context.Context, model memory.EmbeddingModel) (memory.Progress, error)
	// Postpone notes a failed try; the passages are offered again after until.
	Postpone(ctx context.Context, refs []int64, until time.Time, reason string) error
}

// Learner trains a model on the messages when it is time to.
type Learner interface {
	// Learn returns the model that is to replace the active one, with its
	// embedder; a nil embedder = none is due.
	Learn(ctx context.Context) (memory.LearntModel, memory.Embedder, error)
}

// Config configures a Loop.
type Config struct {
	Store    Store            // required
	Embedder memory.Embedder  // required
	Learner  Learner          // trains models of its own; nil = none
	OnLearnt func()           // called after a new model became active; nil = nothing
	Batch    int              // passages a transaction; 0 = 200. A long one would keep other writers waiting
	Delay    time.Duration    // wait after a wake, so that appends in a row share a batch; 0 = 200 ms. A search ends it
	Poll     time.Duration    // look for what other processes left; 0 = 1 minute
	Retry    time.Duration    // wait after a failed batch; 0 = 30 s
	Now      func() time.Time // nil = time.Now
	Log      *slog.Logger     // nil = discarded
}

// Loop is the background work of one process. It is safe for concurrent use.
type Loop struct {
	c     Config
	owner string        // of leases
	wake  chan struct{} // one slot: a wake while working is not lost
	hurry chan struct{} // one slot: a search waits
	drain sync.Mutex    // one batch at a time in this process
	done  int           // passages since the store was tidied; guarded by drain

	mu    sync.Mutex
	idle  chan struct{} // closed while nothing waits that this process knows of
	woken bool
}

// New checks the configuration and returns a Loop that does not run yet.
func New(c Config) (*Loop, error) {
	if c.Store == nil || c.Embedder == nil {
		return nil, memory.Invalidf("index needs a store and an embedder")
	}
	if c.Batch <= 0 {
		c.Batch = 200
	}
	c.Delay = orDefault(c.Delay, 200*time.Millisecond)
	c.Poll = orDefault(c.Poll, time.Minute)
	c.Retry = orDefault(c.Retry, 30*time.Second)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	l := &Loop{c: c, owner: rand.Text(), wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1), idle: make(chan struct{})}
	close(l.idle)
	return l, nil
}

func orDefault(d, fallback time.Duration) time.Duration {
	if d <= 0 {
		return fallback
	}
	return d
}

// Wake tells the loop that something waits. It never blocks.
func (l *Loop) Wake() {
	l.mu.Lock()
	l.woken = true
	select {
	case <-l.idle:
		l.idle = make(chan struct{})
	default:
	}
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Run works until ctx ends: at once, after each Wake, and now and then for what
// other processes left. Errors are logged and tried again.
func (l *Loop) Run(ctx context.Context) {
	l.Wake()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
			if !l.pause(ctx) {
				return
			}
		case <-time.After(l.c.Poll):
		}
		if err := l.Drain(ctx); err != nil && ctx.Err() == nil {
			l.c.Log.Error("index messages", "error", err)
		}
	}
}

// pause lets more come in before a batch is made; false when ctx ends meanwhile.
func (l *Loop) pause(ctx context.Context) bool {
	t := time.NewTimer(l.c.Delay)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-l.hurry:
	case <-t.C:
	}
	return true
}

// Settle waits until what was appended by this process has its vectors, but no
// longer than limit.
func (l *Loop) Settle(ctx context.Context, limit time.Duration) {
	l.mu.Lock()
	idle := l.idle
	l.mu.Unlock()
	select {
	case <-idle: // the common case needs no timer
		return
	default:
	}
	select {
	case l.hurry <- struct{}{}:
	default:
	}
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-idle:
	case <-t.C:
	case <-ctx.Done():
	}
}

// Drain embeds all that waits now and returns when nothing is left, when ctx
// ends or when the store fails. What the embedder refuses is postponed, not an
// error.
func (l *Loop) Drain(ctx context.Context) error {
	l.drain.Lock()
	defer l.drain.Unlock()
	if err := l.prepare(ctx); err != nil {
		return fmt.Errorf("prepare the vectors: %w", err)
	}
	for {
		l.mu.Lock()
		l.woken = false
		l.mu.Unlock()
		more, err := l.batch(ctx)
		if err != nil {
			return err
		}
		if more {
			continue
		}
		if learnt, err := l.learn(ctx); err != nil || learnt { // what came in meanwhile is queued
			if err != nil {
				return fmt.Errorf("train the local model: %w", err)
			}
			continue
		}
		l.settled()
		return l.tidy(ctx)
	}
}

// prepare makes sure that there is an active model. Among models of one provider
// the newest in the store is the right one.
func (l *Loop) prepare(ctx context.Context) error {
	active, err := l.c.Store.ActiveModel(ctx)
	if err != nil {
		return err
	}
	if model := l.c.Embedder.Model(); active.Provider != model.Provider || l.c.Learner == nil {
		return l.c.Store.UseModel(ctx, model)
	}
	return nil
}

// The store is tidied after this many passages, and this share of what it has.
const (
	tidyAfter = 500
	tidyShare = .1
)

// tidy tidies the store when enough has come in since.
func (l *Loop) tidy(ctx context.Context) error {
	if l.done < tidyAfter {
		return nil
	}
	p, err := l.c.Store.Progress(ctx, l.c.Embedder.Model())
	if err != nil || float64(l.done) < tidyShare*float64(p.Indexed) {
		return err
	}
	l.done = 0
	return l.c.Store.Tidy(ctx)
}

// settled opens the gate of Settle, unless a Wake came in meanwhile.
func (l *Loop) settled() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.woken {
		return
	}
	select {
	case <-l.idle:
	default:
		close(l.idle)
	}
}

// batch embeds one batch; more is false when nothing waits.
func (l *Loop) batch(ctx context.Context) (more bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	pending, err := l.c.Store.Waiting(ctx, l.c.Batch)
	if err != nil || len(pending) == 0 {
		return false, err
	}
	l.done += len(pending)
	refs := make([]int64, len(pending))
	texts := make([]string, len(pending))
	for i, p := range pending {
		refs[i], texts[i] = p.Ref, p.Text
	}
	e, err := memory.CurrentEmbedder(ctx, l.c.Embedder)
	if err != nil {
		return false, err
	}
	vectors, err := e.Embed(ctx, texts)
	if err == nil && len(vectors) != len(texts) {
		err = errors.New("the embedder gave another number of vectors than it was given texts")
	}
	if err != nil {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		l.c.Log.Warn("embed messages", "error", err, "texts", len(texts))
		return true, l.c.Store.Postpone(ctx, refs, l.c.Now().Add(l.c.Retry), err.Error())
	}
	return true, l.save(ctx, e.Model(), refs, vectors)
}

// save stores the vectors that there are and takes the rest off the queue.
func (l *Loop) save(ctx context.Context, model memory.EmbeddingModel, refs []int64, vectors [][]float32) error {
	found, none := sortOut(refs, vectors)
	if len(found) > 0 {
		if err := l.c.Store.SaveVectors(ctx, model, found); err != nil {
			return err
		}
	}
	if len(none) == 0 {
		return nil
	}
	return l.c.Store.Skip(ctx, none)
}

// sortOut parts the passages that have a vector from those that can have none.
func sortOut(refs []int64, vectors [][]float32) (found []memory.Vector, none []int64) {
	for i, v := range vectors {
		if v == nil {
			none = append(none, refs[i])
		} else {
			found = append(found, memory.Vector{Ref: refs[i], Values: v})
		}
	}
	return found, none
}
