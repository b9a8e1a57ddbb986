// Package embed turns texts into vectors without any endpoint.
package embed

import (
	"context"
	"hash/fnv"
	"math"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// HashedDimensions is the size of the vectors that a small store uses.
const HashedDimensions = 64

// hashesPerTerm spreads each term over a few places, so that two terms that
// share one place still differ.
const hashesPerTerm = 4

// Hashed is an Embedder without training: signed feature hashing (Weinberger et
// al., "Feature Hashing for Large Scale Multitask Learning", 2009) of the
// content terms, each weighted 1 + ln(count). Texts that share words are near;
// it knows no synonyms.
type Hashed struct{ dimensions int }

// NewHashed returns an embedder of that many dimensions; 0 = HashedDimensions.
func NewHashed(dimensions int) *Hashed {
	if dimensions <= 0 {
		dimensions = HashedDimensions
	}
	return &Hashed{dimensions}
}

// Model names the space. The number after the name changes when the vectors of
// the same text would.
func (h *Hashed) Model() memory.EmbeddingModel {
	return memory.EmbeddingModel{Provider: localProvider, Name: "hashed-1", Dimensions: h.dimensions}
}

// Embed returns a unit vector for each text; nil for one without content terms.
func (h *Hashed) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, s := range texts {
		vectors[i] = h.embed(s)
	}
	return vectors, nil
}

func (h *Hashed) embed(s string) []float32 {
	counts := map[string]int{}
	var order []string // sums of floats depend on their order; the vector must not
	for _, t := range text.Terms(s) {
		if counts[t]++; counts[t] == 1 {
			order = append(order, t)
		}
	}
	v := make([]float32, h.dimensions)
	for _, t := range order {
		h.add(v, t, float32(1+math.Log(float64(counts[t]))))
	}
	return unit(v)
}

func (h *Hashed) add(v []float32, term string, weight float32) {
	f := fnv.New64a()
	f.Write([]byte(term))
	sum := f.Sum64()
	for range hashesPerTerm {
		sum = mix(sum)
		place, sign := (sum>>1)%uint64(len(v)), float32(1)
		if sum&1 == 1 {
			sign = -1
		}
		v[place] += sign * weight
	}
}

// mix is the finaliser of splitmix64 (Steele, Lea, Flood, 2014): it spreads the
// bits that FNV leaves alike.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// unit scales v to length 1; nil when it is zero.
func unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return nil
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
	return v
}
