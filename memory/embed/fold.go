package embed

import (
	"context"
	"errors"
	"fmt"
	"math"

	"mcp-memory/memory"
	"mcp-memory/memory/rank"
)

// Fold gives the words of passages that the active model does not know a vector
// each, before the passages are embedded; refs are message id * 256 + ord. A
// word lies in the direction of what it stands among, as in training. The vector
// is stored, so that all processes use the same; when another process was
// faster, its vector counts. Nothing happens when the active model is not a
// learnt one.
func (l *Local) Fold(ctx context.Context, refs []int64) error {
	e, err := l.Current(ctx)
	if errors.Is(err, memory.ErrUnavailable) {
		return nil
	}
	if err != nil {
		return err
	}
	m, ok := e.(*learnt)
	if !ok || len(refs) == 0 {
		return nil
	}
	hits := make([]memory.Hit, len(refs))
	for i, ref := range refs {
		hits[i] = memory.Hit{MessageID: ref >> 8, Ord: int(ref & 0xff)}
	}
	talk, err := l.store.Neighbours(ctx, hits, contextReach)
	if err != nil {
		return fmt.Errorf("read what surrounds new words: %w", err)
	}
	words := m.newWords(hits, talk)
	if len(words) == 0 {
		return nil
	}
	err = l.store.AddLearntWords(ctx, m.model, words)
	if errors.Is(err, memory.ErrUnavailable) { // the model that replaced it is to know them
		return nil
	}
	if err != nil {
		return fmt.Errorf("store new words: %w", err)
	}
	return m.catchUp(ctx, l.store)
}

// newWords makes the unknown words of the hits, in the order in which they occur.
func (l *learnt) newWords(hits []memory.Hit, talk []memory.Neighbour) []memory.LearntWord {
	l.mu.RLock()
	defer l.mu.RUnlock()
	at := make(map[int64]int, len(talk))
	for i := range talk {
		at[talk[i].MessageID] = i
	}
	var fresh []*freshWord
	byHash := map[uint32]*freshWord{}
	for _, h := range hits {
		i, ok := at[h.MessageID]
		if !ok { // deleted meanwhile
			continue
		}
		terms := passageTerms(&talk[i], h.Ord)
		var around *wordVector
		for _, t := range terms {
			if _, known := l.find(t.Hash); known {
				continue
			}
			if around == nil {
				around = l.around(talk, i, terms)
			}
			w := byHash[t.Hash]
			if w == nil {
				w = &freshWord{hash: t.Hash}
				byHash[t.Hash], fresh = w, append(fresh, w)
			}
			w.passages++
			w.sum.addScaled(around, 1)
		}
	}
	return l.finish(fresh)
}

// freshWord is a word that is being folded in.
type freshWord struct {
	hash     uint32
	passages int
	sum      wordVector // of what is around it
}

// finish gives fresh words the length of a usual word. Those among which no word
// is known stay unknown.
func (l *learnt) finish(fresh []*freshWord) []memory.LearntWord {
	var words []memory.LearntWord
	quantised := make([]int8, LSADimensions)
	for _, f := range fresh {
		size := length(f.sum[:])
		if size == 0 {
			continue
		}
		w := memory.LearntWord{Hash: f.hash, IDF: idf(l.documents, f.passages), Vector: make([]byte, LSADimensions)}
		w.Scale = quantise(f.sum[:], quantised) * l.lsa.norm / size
		for i, q := range quantised {
			w.Vector[i] = byte(q)
		}
		words = append(words, w)
	}
	return words
}

// around is the row of passage i as training would see it, in the space of the
// model: the known words of the passage and, at their lower weight, of the
// messages around it.
func (l *learnt) around(talk []memory.Neighbour, i int, terms []rank.Term) *wordVector {
	sum := &wordVector{}
	l.addTerms(sum, terms, 1)
	for j := max(0, i-contextReach); j <= min(len(talk)-1, i+contextReach); j++ {
		distance := talk[j].Position.Seq - talk[i].Position.Seq
		if j != i && talk[j].Session == talk[i].Session && -contextReach <= distance && distance <= contextReach {
			l.addTerms(sum, rank.Decode(talk[j].Features).Terms, 1./contextParts)
		}
	}
	return sum
}

func (l *learnt) addTerms(sum *wordVector, terms []rank.Term, share float64) {
	for _, t := range terms {
		if w, ok := l.find(t.Hash); ok {
			w.addTo(sum, w.idf*float32(math.Log1p(share*float64(t.Count))))
		}
	}
}

func passageTerms(n *memory.Neighbour, ord int) []rank.Term {
	if ord > 0 {
		return rank.Decode(n.Parts[ord]).Terms
	}
	return rank.Decode(n.Features).Terms
}
