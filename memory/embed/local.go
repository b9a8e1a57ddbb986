package embed

import (
	"context"
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
// another model becomes active.
func (l *Local) Current(ctx context.Context) (memory.Embedder, error) {
	active, err := l.store.ActiveModel(ctx)
	if err != nil {
		return nil, fmt.Errorf("look up the local model: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if active == l.current.Model() {
		return l.current, nil
	}
	if active.Provider != l.hashed.Model().Provider || !strings.HasPrefix(active.Name, lsaName) {
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

// Learn trains a new model when the messages have grown enough since the active
// one was. A nil embedder: they have not, or a model of another provider is
// active. The model is not in use before the store has activated it.
func (l *Local) Learn(ctx context.Context) (memory.LearntModel, memory.Embedder, error) {
	var none memory.LearntModel
	active, err := l.store.ActiveModel(ctx)
	if err != nil {
		return none, nil, fmt.Errorf("look up the local model: %w", err)
	}
	documents, err := l.store.Documents(ctx)
	if err != nil {
		return none, nil, err
	}
	if active.Provider != l.hashed.Model().Provider || !due(documents, active) {
		return none, nil, nil
	}
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
	model := memory.EmbeddingModel{Provider: active.Provider, Name: lsaName + strconv.Itoa(documents), Dimensions: LSADimensions}
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
