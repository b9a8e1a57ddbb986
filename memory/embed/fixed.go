package embed

import (
	"context"
	"fmt"
	"sync"

	"mcp-memory/memory"
)

// FixedStore is what Fixed needs of a store.
type FixedStore interface {
	// ActiveModel is the model that is searched with; the zero model = none.
	ActiveModel(ctx context.Context) (memory.EmbeddingModel, error)
}

// Fixed is the source of embedders when one is configured whose model does not
// change by itself: that of an endpoint, or a folder of vectors. Until the store
// has all vectors of it, those of the local model serve. It is safe for concurrent
// use.
type Fixed struct {
	memory.Embedder
	store FixedStore
	local *Local

	mu      sync.Mutex
	settled bool                  // the model was active once: whoever changed it since is newer
	assumed memory.EmbeddingModel // the active model was taken for the own one, of unknown dimensions; zero = they are known
}

// NewFixed returns the source for e. local answers while its model is active; nil
// = nothing does.
func NewFixed(store FixedStore, e memory.Embedder, local *Local) *Fixed {
	return &Fixed{Embedder: e, store: store, local: local}
}

// Embed returns vectors of the active model.
func (f *Fixed) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e, err := f.Current(ctx)
	if err != nil {
		return nil, err
	}
	return e.Embed(ctx, texts)
}

// Current returns the embedder of the active model: the configured one or the
// local one. ErrUnavailable: there is no model yet, or another program's is
// active.
func (f *Fixed) Current(ctx context.Context) (memory.Embedder, error) {
	active, err := f.store.ActiveModel(ctx)
	if err != nil {
		return nil, fmt.Errorf("look up the embedding model: %w", err)
	}
	switch {
	case f.is(active):
		return f.Embedder, nil
	case active == (memory.EmbeddingModel{}):
		return nil, memory.Unavailablef("no message has a vector yet")
	case f.local != nil && active.Provider == localProvider:
		return f.local.Current(ctx)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return nil, foreign(active, f.settled && active != f.assumed)
}

// Fold makes the words of passages known to the local model, as long as it is the
// active one.
func (f *Fixed) Fold(ctx context.Context, refs []int64) error {
	if f.local == nil {
		return nil
	}
	return f.local.Fold(ctx, refs)
}

// foreign is the error of a model that is not configured here; replaced = another
// process has changed to it.
func foreign(active memory.EmbeddingModel, replaced bool) error {
	what := fmt.Sprintf("the vectors of this file are those of %s %s (%d dimensions)", active.Provider, active.Name, active.Dimensions)
	if replaced {
		return memory.Unavailablef("%s, which another server of it was started with", what)
	}
	return memory.Unavailablef("%s until those of the configured embedder are complete", what)
}

// is says whether a model is that of the configured embedder, as far as it is
// known: an endpoint's dimensions are learnt from its first answer.
func (f *Fixed) is(active memory.EmbeddingModel) bool {
	own := f.Embedder.Model()
	if own.Dimensions == 0 {
		own.Dimensions = active.Dimensions
	}
	return own == active
}

// prober is an embedder that must be asked before its model is known.
type prober interface {
	Probe(ctx context.Context) error
}

// Due says whether another model is active than the configured one, as far as it is
// known without asking.
func (f *Fixed) Due(ctx context.Context) (bool, error) {
	active, err := f.store.ActiveModel(ctx)
	if err != nil {
		return false, fmt.Errorf("look up the embedding model: %w", err)
	}
	return !f.replaced(active) && !f.is(active), nil
}

// Next returns the configured model when another one is active. Once it has been
// active it is not wanted back: another process was started with another one.
func (f *Fixed) Next(ctx context.Context) (memory.LearntModel, memory.Embedder, error) {
	var none memory.LearntModel
	active, err := f.store.ActiveModel(ctx)
	if err != nil {
		return none, nil, fmt.Errorf("look up the embedding model: %w", err)
	}
	if f.replaced(active) || f.is(active) {
		return none, nil, nil
	}
	if p, ok := f.Embedder.(prober); ok && f.Embedder.Model().Dimensions == 0 {
		if err := p.Probe(ctx); err != nil {
			return none, nil, err
		}
	}
	if f.is(active) {
		return none, nil, nil
	}
	return memory.LearntModel{Model: f.Embedder.Model()}, f.Embedder, nil
}

// replaced says whether the model was active once and is not any more, because
// another process has changed it. It is not when the active model was only taken
// for the own one, and the endpoint's vectors turned out to have another length.
func (f *Fixed) replaced(active memory.EmbeddingModel) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.is(active) {
		return f.settled && active != f.assumed
	}
	f.settled, f.assumed = true, memory.EmbeddingModel{}
	if f.Embedder.Model() != active {
		f.assumed = active
	}
	return false
}
