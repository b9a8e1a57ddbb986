package embed

import (
	"context"
	"fmt"
	"sync"

	"mcp-memory/memory"
	"mcp-memory/memory/rank"
	"mcp-memory/memory/text"
)

// learnt is a trained model as an Embedder, with the words that were folded into
// it since. It is safe for concurrent use.
type learnt struct {
	model     memory.EmbeddingModel
	lsa       *LSA
	documents int // that it was trained on

	mu     sync.RWMutex
	folded map[uint32]word
	last   int64 // id of the last word that was folded in
}

func newLearnt(m memory.LearntModel, lsa *LSA) *learnt {
	return &learnt{model: m.Model, lsa: lsa, documents: m.TrainedOn, folded: map[uint32]word{}}
}

// Model names the model.
func (l *learnt) Model() memory.EmbeddingModel { return l.model }

// Embed returns a unit vector for each text; nil for one without a known word.
func (l *learnt) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, s := range texts {
		vectors[i] = l.EmbedWords(count(s))
	}
	return vectors, ctx.Err()
}

// EmbedWords returns the vector of the words of a text; nil when none is known.
func (l *learnt) EmbedWords(terms []rank.Term) []float32 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return embedTerms(terms, l.find)
}

// find looks a word up; mu is held.
func (l *learnt) find(hash uint32) (word, bool) {
	if w, ok := l.lsa.find(hash); ok {
		return w, true
	}
	w, ok := l.folded[hash]
	return w, ok
}

// catchUp takes in the words that were folded in since, by whatever process.
func (l *learnt) catchUp(ctx context.Context, store WordStore) error {
	l.mu.RLock()
	last := l.last
	l.mu.RUnlock()
	words, err := store.LearntWords(ctx, l.model, last)
	if err != nil {
		return fmt.Errorf("look up new words: %w", err)
	}
	if len(words) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range words {
		l.last = max(l.last, w.ID)
		if len(w.Vector) != LSADimensions {
			continue // damaged: an unknown word
		}
		vector := make([]int8, LSADimensions)
		for i, b := range w.Vector {
			vector[i] = int8(b)
		}
		l.folded[w.Hash] = word{w.IDF, w.Scale, vector}
	}
	return nil
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
