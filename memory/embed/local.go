package embed

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"mcp-memory/memory"
	"mcp-memory/memory/rank"
	"mcp-memory/memory/text"
)

// When the local model is trained. Below minDocuments there is too little to
// learn from and hashed vectors do as well; after that it is trained again
// whenever the messages have grown by growth: a model that has seen half of a
// conversation finds a fifth less of the other half, and training a thousand
// messages takes a tenth of a second.
const (
	minDocuments = 64
	growth       = .1
)

// localProvider is the provider of the models that are made here.
const localProvider = "local"

// lsaName begins the name of a trained model; the number of messages it was
// trained on follows.
const lsaName = "lsa-1-"

// LocalStore is what Local needs of a store.
type LocalStore interface {
	// ActiveModel is the model that is searched with; the zero model = none.
	ActiveModel(ctx context.Context) (memory.EmbeddingModel, error)
	// LearntModel reads a model that was learnt from the messages.
	LearntModel(ctx context.Context, model memory.EmbeddingModel) (memory.LearntModel, error)
	// Documents counts the messages with text.
	Documents(ctx context.Context) (int, error)
	// TrainingRows returns the passages in order of session and arrival.
	TrainingRows(ctx context.Context) ([]memory.TrainingRow, error)
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
	settled bool // a local model was active once: whoever changed it since is newer
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
// another model becomes active; the hashed one while none is. ErrUnavailable: the
// vectors are made by an embedder that is not configured here.
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
	if active == (memory.EmbeddingModel{}) {
		return l.hashed, nil
	}
	if active.Provider != localProvider {
		l.mu.Lock()
		defer l.mu.Unlock()
		return nil, foreign(active, l.settled)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if active == l.current.Model() {
		return l.current, nil
	}
	if !strings.HasPrefix(active.Name, lsaName) {
		l.current = l.hashed
		return l.current, nil
	}
	stored, err := l.store.LearntModel(ctx, active)
	if err != nil {
		return nil, fmt.Errorf("read the local model: %w", err)
	}
	lsa, err := UnmarshalLSA(stored.Body)
	if err != nil {
		return nil, err
	}
	l.current = &learnt{active, lsa}
	return l.current, nil
}

// Next returns the model that is due: a hashed one while there are few messages,
// then one trained on them whenever they have grown enough since the active one
// was. A nil embedder: the active one is right, or another process, started after
// this one, has changed to an embedder of its own. The model is not in use before
// the store has activated it.
func (l *Local) Next(ctx context.Context) (memory.LearntModel, memory.Embedder, error) {
	want, documents, err := l.wanted(ctx)
	switch {
	case err != nil:
		return memory.LearntModel{}, nil, err
	case want == trained:
		return l.train(ctx, documents)
	case want == hashed:
		return memory.LearntModel{Model: l.hashed.Model()}, l.hashed, nil
	}
	return memory.LearntModel{}, nil, nil
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

// wanted says what is to take the place of the active model, and how many messages
// there are.
func (l *Local) wanted(ctx context.Context) (want, documents int, err error) {
	active, err := l.store.ActiveModel(ctx)
	if err != nil {
		return asItIs, 0, fmt.Errorf("look up the local model: %w", err)
	}
	if documents, err = l.store.Documents(ctx); err != nil {
		return asItIs, 0, err
	}
	switch {
	case l.replaced(active):
		return asItIs, documents, nil
	case active != (memory.EmbeddingModel{}) && due(documents, active):
		return trained, documents, nil
	case active.Provider != localProvider:
		return hashed, documents, nil
	}
	return asItIs, documents, nil
}

// replaced says whether a local model was active once and is not any more.
func (l *Local) replaced(active memory.EmbeddingModel) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if active.Provider == localProvider {
		l.settled = true
	}
	return l.settled && active.Provider != localProvider
}

// train trains a model on so many messages.
func (l *Local) train(ctx context.Context, documents int) (memory.LearntModel, memory.Embedder, error) {
	var none memory.LearntModel
	rows, err := l.store.TrainingRows(ctx)
	if err != nil {
		return none, nil, err
	}
	training := make([]Row, len(rows))
	for i, r := range rows {
		training[i] = Row{r.Session, rank.Decode(r.Features).Terms}
	}
	lsa := Train(training)
	if lsa == nil {
		return none, nil, nil
	}
	model := memory.EmbeddingModel{Provider: localProvider, Name: lsaName + strconv.Itoa(documents), Dimensions: LSADimensions}
	return memory.LearntModel{Model: model, TrainedOn: documents, Body: lsa.Marshal()}, &learnt{model, lsa}, nil
}

// due says whether so many messages call for a new model.
func due(documents int, active memory.EmbeddingModel) bool {
	if documents < minDocuments {
		return false
	}
	trainedOn, err := strconv.Atoi(strings.TrimPrefix(active.Name, lsaName))
	if err != nil { // hashed, or of an older kind
		return true
	}
	return float64(documents) >= float64(trainedOn)*(1+growth) || documents < trainedOn/2
}

// learnt is a trained model as an Embedder.
type learnt struct {
	model memory.EmbeddingModel
	lsa   *LSA
}

// EmbedWords returns the vector of the words of a text; nil when none is known.
func (l *learnt) EmbedWords(terms []rank.Term) []float32 { return l.lsa.Embed(terms) }

func (l *learnt) Model() memory.EmbeddingModel { return l.model }

func (l *learnt) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, s := range texts {
		vectors[i] = l.lsa.Embed(count(s))
	}
	return vectors, ctx.Err()
}

// count counts the content terms of a text, in their order.
func count(s string) []rank.Term {
	var terms []rank.Term
	at := map[uint32]int{}
	for _, t := range text.Terms(s) {
		h := rank.Hash(t)
		i, ok := at[h]
		if !ok {
			i = len(terms)
			at[h] = i
			terms = append(terms, rank.Term{Hash: h})
		}
		terms[i].Count = uint8(min(255, int(terms[i].Count)+1))
	}
	return terms
}
