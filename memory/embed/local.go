package embed

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"mcp-memory/memory"
	"mcp-memory/memory/rank"
)

// localProvider is the provider of the models that are made here.
const localProvider = "local"

// LocalStore is what Local needs of a store.
type LocalStore interface {
	ModelStore
	TrainingStore
	WordStore
}

// ModelStore knows the models.
type ModelStore interface {
	// ActiveModel is the model that is searched with; the zero model = none.
	ActiveModel(ctx context.Context) (memory.EmbeddingModel, error)
	// LearntModel reads a model that was learnt from the messages.
	LearntModel(ctx context.Context, model memory.EmbeddingModel) (memory.LearntModel, error)
}

// TrainingStore gives what a model is trained on.
type TrainingStore interface {
	// Documents counts the messages with text.
	Documents(ctx context.Context) (int, error)
	// Deletions counts the messages with text that have ever been deleted.
	Deletions(ctx context.Context) (int, error)
	// TrainingRows gives the passages in order of session and arrival; an error
	// ends them. A row's features are good until the next row.
	TrainingRows(ctx context.Context) iter.Seq2[memory.TrainingRow, error]
}

// WordStore keeps the words that are folded into a model after its training.
type WordStore interface {
	// LearntWords returns those that were added after the one with the given
	// id, in order.
	LearntWords(ctx context.Context, model memory.EmbeddingModel, after int64) ([]memory.LearntWord, error)
	// AddLearntWords adds words; those that the model has already stay as they
	// are. ErrUnavailable: the model has been replaced.
	AddLearntWords(ctx context.Context, model memory.EmbeddingModel, words []memory.LearntWord) error
	// Neighbours returns the messages of the hits and span messages before and
	// after each in its session, ordered by session and arrival.
	Neighbours(ctx context.Context, hits []memory.Hit, span int) ([]memory.Neighbour, error)
}

// Local is the Embedder that needs neither an endpoint nor a download: hashed
// vectors while there are few messages, then vectors learnt from the messages
// themselves. Which model is active is the store's to say, since another process
// may have trained it. It is safe for concurrent use.
type Local struct {
	store  LocalStore
	hashed *Hashed

	mu      sync.Mutex
	current memory.Embedder
	trained *learnt // by Next; read from the store it would be the same
	renew   bool    // whatever the growth
	settled bool    // a local model was active once: whoever changed it since is newer
}

// NewLocal returns the local embedder of a store.
func NewLocal(store LocalStore) *Local {
	h := NewHashed(LSADimensions)
	return &Local{store: store, hashed: h, current: h}
}

// Model is the model that was used last; the hashed one before that.
func (l *Local) Model() memory.EmbeddingModel {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.current.Model()
}

// Embed returns a unit vector of the active model for each text; nil for one
// without a word that the model knows.
func (l *Local) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e, err := l.Current(ctx)
	if err != nil {
		return nil, err
	}
	return e.Embed(ctx, texts)
}

// Current returns the embedder of the active model, which stays what it is when
// another model becomes active; the hashed one while none is. It knows the words
// that any process has folded in so far. ErrUnavailable: the vectors are made by
// an embedder that is not configured here.
func (l *Local) Current(ctx context.Context) (memory.Embedder, error) {
	e, err := l.lookUp(ctx)
	for tries := 0; errors.Is(err, memory.ErrNotFound) && tries < 3; tries++ { // replaced since it was looked up
		e, err = l.lookUp(ctx)
	}
	return e, err
}

func (l *Local) lookUp(ctx context.Context) (memory.Embedder, error) {
	active, err := l.store.ActiveModel(ctx)
	if err != nil {
		return nil, fmt.Errorf("look up the local model: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case active == (memory.EmbeddingModel{}):
		return l.hashed, nil
	case active.Provider != localProvider:
		return nil, foreign(active, l.settled)
	case active != l.current.Model():
		e, err := l.load(ctx, active)
		if err != nil {
			return nil, err
		}
		l.current = e
	}
	if m, ok := l.current.(*learnt); ok {
		return m, m.catchUp(ctx, l.store)
	}
	return l.current, nil
}

// load returns the embedder of a local model.
func (l *Local) load(ctx context.Context, active memory.EmbeddingModel) (memory.Embedder, error) {
	if !isLearnt(active.Name) {
		return l.hashed, nil
	}
	if trained := l.trained; trained != nil && trained.model == active {
		l.trained = nil
		return trained, nil
	}
	stored, err := l.store.LearntModel(ctx, active)
	if err != nil {
		return nil, fmt.Errorf("read the local model: %w", err)
	}
	lsa, err := UnmarshalLSA(stored.Body)
	if err != nil {
		return nil, err
	}
	return newLearnt(stored, lsa), nil
}

// Next returns the model that is due: a hashed one while there are few messages,
// then one trained on them whenever they have grown enough since the active one
// was, whenever any was deleted, and when Renew asks for one. A nil embedder: the
// active one is right, or another process, started after this one, has changed to
// an embedder of its own. The model is not in use before the store has activated
// it.
func (l *Local) Next(ctx context.Context) (memory.LearntModel, memory.Embedder, error) {
	var none memory.LearntModel
	want, now, err := l.wanted(ctx)
	if err != nil || want == asItIs {
		return none, nil, err
	}
	if want == trained {
		lsa, err := l.train(ctx)
		if err != nil {
			return none, nil, err
		}
		if lsa != nil {
			model, e := l.keep(now, lsa)
			return model, e, nil
		}
	}
	active, err := l.store.ActiveModel(ctx)
	if err != nil || active == l.hashed.Model() { // no word in any message
		return none, nil, err
	}
	return memory.LearntModel{Model: l.hashed.Model()}, l.hashed, nil
}

// keep makes an embedder of what was trained, for when it becomes active.
func (l *Local) keep(now state, lsa *LSA) (memory.LearntModel, memory.Embedder) {
	model := memory.LearntModel{TrainedOn: now.documents, Body: lsa.Marshal()}
	model.Model = memory.EmbeddingModel{Provider: localProvider, Name: now.name(model.Body), Dimensions: LSADimensions}
	e := newLearnt(model, lsa)
	l.renewed()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trained = e
	return model, e
}

// Due says whether Next has another model than the active one.
func (l *Local) Due(ctx context.Context) (bool, error) {
	want, _, err := l.wanted(ctx)
	return want != asItIs, err
}

// What may take the place of the active model.
const (
	asItIs = iota
	hashed
	trained
)

// wanted says what is to take the place of the active model, and what a model
// would be trained on now.
func (l *Local) wanted(ctx context.Context) (want int, now state, err error) {
	active, err := l.store.ActiveModel(ctx)
	if err != nil {
		return asItIs, now, fmt.Errorf("look up the local model: %w", err)
	}
	if now, err = l.state(ctx); err != nil {
		return asItIs, now, err
	}
	enough := now.documents >= minDocuments
	replaced, renew := l.replaced(active)
	switch {
	case replaced:
		return asItIs, now, nil
	case active == (memory.EmbeddingModel{}), active.Provider != localProvider && !enough:
		return hashed, now, nil
	case !due(active.Name, now, renew):
		l.renewed()
		return asItIs, now, nil
	case enough:
		return trained, now, nil
	}
	return hashed, now, nil
}

// replaced says whether a local model was active once and is not any more, and
// whether Renew has asked for a new one.
func (l *Local) replaced(active memory.EmbeddingModel) (replaced, renew bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if active.Provider == localProvider {
		l.settled = true
	}
	return l.settled && active.Provider != localProvider, l.renew
}

// train trains on all passages; nil when there is no word in them.
func (l *Local) train(ctx context.Context) (*LSA, error) {
	var t Trainer
	for r, err := range l.store.TrainingRows(ctx) {
		if err != nil {
			return nil, err
		}
		t.Add(Row{r.Session, rank.Decode(r.Features).Terms})
	}
	return t.Train(), ctx.Err()
}

// state is what a model is trained on now.
func (l *Local) state(ctx context.Context) (s state, err error) {
	if s.documents, err = l.store.Documents(ctx); err != nil {
		return s, err
	}
	s.deletions, err = l.store.Deletions(ctx)
	return s, err
}

// Renew makes the next model due whatever the growth, unless nothing has changed
// since the last training.
func (l *Local) Renew() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renew = true
}

// renewed takes back what Renew asked for.
func (l *Local) renewed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renew = false
}
