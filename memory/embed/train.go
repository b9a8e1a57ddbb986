package embed

import (
	"cmp"
	"math"
	"slices"

	"mcp-memory/memory/rank"
)

// Row is one passage as training sees it. Rows come in the order of the
// conversation, session after session.
type Row struct {
	Session int64
	Terms   []rank.Term
}

// The parameters of training, measured on the development data.
const (
	// contextReach and contextParts: each row is the passage and a quarter of
	// each of the two passages before and after it in its session. What is
	// said around a word is most of what can be learnt of it from little text.
	contextReach = 2
	contextParts = 4
	// iterations of subspace iteration; a fifth changes no rank.
	iterations = 4
	// maxVocabulary bounds the memory of training. Beyond it the rarest words
	// are left out; they are still found by the full text.
	maxVocabulary = 150_000
)

// Train learns word vectors from the rows, see Trainer.
func Train(rows []Row) *LSA {
	var t Trainer
	for _, r := range rows {
		t.Add(r)
	}
	return t.Train()
}

// Trainer learns word vectors from rows that are added one by one: context-LSA, a
// truncated singular value decomposition of the matrix of rows × words, each
// cell ln(1 + count) × idf, each row of length 1. The words' vectors are the
// right singular vectors, found by subspace iteration from a fixed start (Halko,
// Martinsson and Tropp, "Finding Structure with Randomness", 2011, algorithm
// 4.4), so that the same rows give the same model.
//
// Memory: five bytes for each word of a row, about 20 for each word that is
// different and 600 for each of the vocabulary. The zero Trainer is ready; it
// serves one training and one goroutine.
type Trainer struct {
	words  []uint32 // of all rows: hashes, later columns
	counts []uint8  // of words
	rows   []span
}

// span is where a row has its words, and its session.
type span struct {
	session    int64
	start, end int
}

// Add takes one row in. It keeps nothing of r.Terms.
func (t *Trainer) Add(r Row) {
	start := len(t.words)
	for _, term := range r.Terms {
		t.words = append(t.words, term.Hash)
		t.counts = append(t.counts, term.Count)
	}
	t.rows = append(t.rows, span{r.Session, start, len(t.words)})
}

// Train learns from what was added and leaves t empty. nil when the rows hold no
// word.
func (t *Trainer) Train() *LSA {
	defer func() { *t = Trainer{} }()
	m := t.vocabulary()
	if len(m.hashes) == 0 {
		return nil
	}
	q := startBasis(len(m.hashes), min(LSADimensions, len(m.hashes), len(t.rows)))
	product := make(basis, len(q))
	x := newMatrix(t, m.idf)
	for range iterations {
		x.timesOwnTranspose(q, product)
		q, product = product, q
		q.orthonormalise()
	}
	m.keep(q)
	return m
}

// vocabulary chooses the words to learn and puts, into t.words, the number of
// its column in the place of each hash. Words that are not chosen go.
func (t *Trainer) vocabulary() *LSA {
	number := map[uint32]int32{} // of rows with the hash, later of its column
	for _, h := range t.words {
		number[h]++
	}
	m := &LSA{hashes: make([]uint32, 0, len(number))}
	for h := range number {
		m.hashes = append(m.hashes, h)
	}
	if len(m.hashes) > maxVocabulary {
		slices.SortFunc(m.hashes, func(a, b uint32) int {
			return cmp.Or(cmp.Compare(number[b], number[a]), cmp.Compare(a, b))
		})
		for _, h := range m.hashes[maxVocabulary:] {
			delete(number, h)
		}
		m.hashes = slices.Clone(m.hashes[:maxVocabulary])
	}
	slices.Sort(m.hashes)
	m.idf = make([]float32, len(m.hashes))
	for i, h := range m.hashes {
		m.idf[i] = idf(len(t.rows), int(number[h]))
		number[h] = int32(i)
	}
	t.toColumns(number)
	return m
}

// toColumns replaces hashes by their columns.
func (t *Trainer) toColumns(column map[uint32]int32) {
	kept := 0
	for i := range t.rows {
		r := &t.rows[i]
		start := kept
		for j := r.start; j < r.end; j++ {
			if c, ok := column[t.words[j]]; ok {
				t.words[kept], t.counts[kept] = uint32(c), t.counts[j]
				kept++
			}
		}
		r.start, r.end = start, kept
	}
	t.words, t.counts = t.words[:kept], t.counts[:kept]
}

func idf(rows, holding int) float32 {
	return float32(math.Log(1 + float64(rows)/float64(holding)))
}

// keep takes the rows of the basis as the word vectors.
func (m *LSA) keep(q basis) {
	m.vectors = make([]int8, len(q)*LSADimensions)
	m.scale = make([]float32, len(q))
	lengths := make([]float32, len(q))
	for r := range q {
		lengths[r] = length(q[r][:])
		m.scale[r] = quantise(q[r][:], m.vectors[r*LSADimensions:(r+1)*LSADimensions])
	}
	slices.Sort(lengths)
	m.norm = lengths[len(lengths)/2]
}

func length(v []float32) float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return float32(math.Sqrt(sum))
}
