package embed

import (
	"encoding/binary"
	"math"
	"slices"

	"mcp-memory/memory"
	"mcp-memory/memory/rank"
)

// LSA is a trained model: a vector for each word of the messages it was trained
// on. Words are known by their hash, so that no word of a deleted message can
// be read from it. It never changes once made.
type LSA struct {
	hashes  []uint32  // ascending
	idf     []float32 // ln(1 + messages / messages with the word)
	scale   []float32 // of the quantised vector
	vectors []int8    // len(hashes) × Dimensions
	norm    float32   // median length of the word vectors, for words folded in
}

// LSADimensions is the size of the learnt vectors, whatever the size of the
// store: on the development data 64 dimensions serve 300 messages as well as
// 10,000 (docs/retrieval.md).
const LSADimensions = 64

// Words is how many words the model knows.
func (m *LSA) Words() int { return len(m.hashes) }

// word is a word of a model.
type word struct {
	idf    float32
	scale  float32
	vector []int8 // times scale
}

// find looks a word up.
func (m *LSA) find(hash uint32) (word, bool) {
	i, ok := slices.BinarySearch(m.hashes, hash)
	if !ok {
		return word{}, false
	}
	return word{m.idf[i], m.scale[i], m.vectors[i*LSADimensions : (i+1)*LSADimensions]}, true
}

// addTo adds the vector of w, times weight, to v.
func (w word) addTo(v *wordVector, weight float32) {
	weight *= w.scale
	for d, q := range w.vector {
		v[d] += weight * float32(q)
	}
}

// Embed returns the unit vector of a text by its content terms: the sum of
// their vectors, each weighted (1 + ln count) × idf. nil when the model knows
// none of them.
func (m *LSA) Embed(terms []rank.Term) []float32 { return embedTerms(terms, m.find) }

func embedTerms(terms []rank.Term, find func(hash uint32) (word, bool)) []float32 {
	v := &wordVector{}
	for _, t := range terms {
		if w, ok := find(t.Hash); ok {
			w.addTo(v, float32(1+math.Log(float64(t.Count)))*w.idf)
		}
	}
	return unit(v[:])
}

// Word returns the unit vector of a word; nil when the model does not know it.
func (m *LSA) Word(hash uint32) []float32 {
	w, ok := m.find(hash)
	if !ok {
		return nil
	}
	v := &wordVector{}
	w.addTo(v, 1)
	return unit(v[:])
}

// quantise stores a vector in one byte a dimension: the largest component
// becomes 127. The cosine of two vectors moves by less than .005.
func quantise(v []float32, into []int8) (scale float32) {
	top := float32(0)
	for _, x := range v {
		top = max(top, float32(math.Abs(float64(x))))
	}
	if top == 0 {
		clear(into)
		return 0
	}
	scale = top / math.MaxInt8
	for i, x := range v {
		into[i] = int8(math.RoundToEven(float64(x / scale)))
	}
	return scale
}

// lsaFormat is the version of Marshal's layout.
const lsaFormat = 1

// Marshal writes the model: format, number of words, median length, then
// hashes, idf, scales and vectors, each in a row (little-endian).
func (m *LSA) Marshal() []byte {
	b := make([]byte, 0, 12+len(m.hashes)*(12+LSADimensions))
	b = binary.LittleEndian.AppendUint32(b, lsaFormat)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(m.hashes)))
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(m.norm))
	for _, h := range m.hashes {
		b = binary.LittleEndian.AppendUint32(b, h)
	}
	for _, list := range [][]float32{m.idf, m.scale} {
		for _, x := range list {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
	}
	for _, q := range m.vectors {
		b = append(b, byte(q))
	}
	return b
}

// UnmarshalLSA reads a model that Marshal has written; ErrInvalid for anything
// else.
func UnmarshalLSA(b []byte) (*LSA, error) {
	if len(b) < 12 || binary.LittleEndian.Uint32(b) != lsaFormat {
		return nil, memory.Invalidf("the stored language model has another format")
	}
	n := int(binary.LittleEndian.Uint32(b[4:]))
	if len(b) != 12+n*(12+LSADimensions) {
		return nil, memory.Invalidf("the stored language model is damaged")
	}
	m := &LSA{
		norm:   math.Float32frombits(binary.LittleEndian.Uint32(b[8:])),
		hashes: make([]uint32, n), idf: make([]float32, n), scale: make([]float32, n),
		vectors: make([]int8, n*LSADimensions),
	}
	b = b[12:]
	for i := range n {
		m.hashes[i] = binary.LittleEndian.Uint32(b[4*i:])
		m.idf[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*(n+i):]))
		m.scale[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*(2*n+i):]))
	}
	for i, q := range b[12*n:] {
		m.vectors[i] = int8(q)
	}
	return m, nil
}
