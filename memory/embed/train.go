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
	// contextReach and contextWeight: each row is the passage and a quarter of
	// each of the two passages before and after it in its session. What is
	// said around a word is most of what can be learnt of it from little text.
	contextReach  = 2
	contextWeight = .25
	// iterations of subspace iteration; a fifth changes no rank.
	iterations = 4
	// maxVocabulary bounds the memory of training. Beyond it the rarest words
	// are left out; they are still found by the full text.
	maxVocabulary = 150_000
)

// Train learns word vectors from the rows: context-LSA, a truncated singular
// value decomposition of the matrix of rows × words, each cell ln(1 + count) ×
// idf, each row of length 1. The words' vectors are the right singular vectors,
// found by subspace iteration from a fixed start (Halko, Martinsson and Tropp,
// "Finding Structure with Randomness", 2011, algorithm 4.4), so that the same
// rows give the same model. nil when the rows hold no word.
//
// Memory: 8 bytes for each word of a row and its context, 512 bytes a word of
// the vocabulary; about 150 MB for 100,000 messages.
func Train(rows []Row) *LSA {
	m := newVocabulary(rows)
	if len(m.hashes) == 0 {
		return nil
	}
	x := m.matrix(rows)
	k := min(LSADimensions, len(m.hashes), len(rows))
	q := startBasis(len(m.hashes), k)
	orthonormalise(q)
	for range iterations {
		q = x.timesOwnTranspose(q)
		orthonormalise(q)
	}
	m.keep(q)
	return m
}

// newVocabulary counts the words of the rows.
func newVocabulary(rows []Row) *LSA {
	df := map[uint32]int{}
	for _, r := range rows {
		for _, t := range r.Terms {
			df[t.Hash]++
		}
	}
	m := &LSA{hashes: make([]uint32, 0, len(df))}
	for h := range df {
		m.hashes = append(m.hashes, h)
	}
	if len(m.hashes) > maxVocabulary {
		slices.SortFunc(m.hashes, func(a, b uint32) int {
			return cmp.Or(cmp.Compare(df[b], df[a]), cmp.Compare(a, b))
		})
		m.hashes = m.hashes[:maxVocabulary]
	}
	slices.Sort(m.hashes)
	m.idf = make([]float32, len(m.hashes))
	for i, h := range m.hashes {
		m.idf[i] = idf(len(rows), df[h])
	}
	return m
}

func idf(rows, holding int) float32 {
	return float32(math.Log(1 + float64(rows)/float64(holding)))
}

// sparse is a matrix of which only the cells that are not zero are kept, row by
// row.
type sparse struct {
	columns int
	ends    []int // where each row ends in cells
	cells   []cell
}

type cell struct {
	column int32
	value  float32
}

// matrix builds the rows of the training matrix.
func (m *LSA) matrix(rows []Row) *sparse {
	x := &sparse{columns: len(m.hashes), ends: make([]int, 0, len(rows))}
	for i := range rows {
		start := len(x.cells)
		for column, count := range m.context(rows, i) {
			x.cells = append(x.cells, cell{column, float32(math.Log1p(count)) * m.idf[column]})
		}
		row := x.cells[start:]
		slices.SortFunc(row, func(a, b cell) int { return cmp.Compare(a.column, b.column) })
		normalise(row)
		x.ends = append(x.ends, len(x.cells))
	}
	return x
}

// context counts the known words of row i and, at their lower weight, of its
// neighbours.
func (m *LSA) context(rows []Row, i int) map[int32]float64 {
	counts := map[int32]float64{}
	for j := max(0, i-contextReach); j <= min(len(rows)-1, i+contextReach); j++ {
		if rows[j].Session != rows[i].Session {
			continue
		}
		weight := contextWeight
		if j == i {
			weight = 1
		}
		for _, t := range rows[j].Terms {
			if column, ok := slices.BinarySearch(m.hashes, t.Hash); ok {
				counts[int32(column)] += weight * float64(t.Count)
			}
		}
	}
	return counts
}

func normalise(row []cell) {
	sum := 0.0
	for _, c := range row {
		sum += float64(c.value) * float64(c.value)
	}
	if sum == 0 {
		return
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range row {
		row[i].value *= scale
	}
}

// basis is a tall matrix in row order: one row a word, k columns.
type basis struct {
	rows, k int
	cells   []float32
}

func newBasis(rows, k int) *basis { return &basis{rows, k, make([]float32, rows*k)} }

// startBasis fills a basis with fixed pseudo-random numbers in -1..1
// (xorshift64*, Vigna 2016).
func startBasis(rows, k int) *basis {
	b := newBasis(rows, k)
	state := uint64(0x9e3779b97f4a7c15)
	for i := range b.cells {
		state ^= state >> 12
		state ^= state << 25
		state ^= state >> 27
		b.cells[i] = float32(int32(state*2685821657736338717>>33))/(1<<30) - 1
	}
	return b
}

// timesOwnTranspose returns xᵀ·x·q, row by row, without ever forming xᵀ·x.
func (x *sparse) timesOwnTranspose(q *basis) *basis {
	out := newBasis(q.rows, q.k)
	y := make([]float32, q.k)
	start := 0
	for _, end := range x.ends {
		row := x.cells[start:end]
		start = end
		clear(y)
		for _, c := range row {
			addScaled(y, q.cells[int(c.column)*q.k:], c.value)
		}
		for _, c := range row {
			addScaled(out.cells[int(c.column)*q.k:][:q.k], y, c.value)
		}
	}
	return out
}

// addScaled adds factor × src to dst, over the length of dst.
func addScaled(dst, src []float32, factor float32) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] += factor * src[i]
	}
}

// orthonormalise makes the columns of b orthogonal and of length 1 by the
// modified Gram-Schmidt process; a column that depends on those before becomes
// zero. Columns are laid out one after the other meanwhile: it is they that are
// walked.
func orthonormalise(b *basis) {
	columns := make([][]float32, b.k)
	for c := range columns {
		columns[c] = make([]float32, b.rows)
		for r := range b.rows {
			columns[c][r] = b.cells[r*b.k+c]
		}
	}
	for c, column := range columns {
		before := dot(column, column)
		for _, other := range columns[:c] {
			addScaled(column, other, -float32(dot(column, other)))
		}
		after := dot(column, column)
		scale := float32(0)
		if after > 1e-10*before && after > 0 {
			scale = float32(1 / math.Sqrt(after))
		}
		for r := range column {
			column[r] *= scale
			b.cells[r*b.k+c] = column[r]
		}
	}
}

// dot sums in float64, in four lanes.
func dot(a, b []float32) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += float64(a[i] * b[i])
		s1 += float64(a[i+1] * b[i+1])
		s2 += float64(a[i+2] * b[i+2])
		s3 += float64(a[i+3] * b[i+3])
	}
	for ; i < len(a); i++ {
		s0 += float64(a[i] * b[i])
	}
	return s0 + s1 + s2 + s3
}

// keep takes the rows of the basis as the word vectors.
func (m *LSA) keep(q *basis) {
	m.vectors = make([]int8, q.rows*LSADimensions)
	m.scale = make([]float32, q.rows)
	lengths := make([]float64, q.rows)
	v := make([]float32, LSADimensions)
	for r := range q.rows {
		copy(v, q.cells[r*q.k:(r+1)*q.k])
		lengths[r] = math.Sqrt(dot(v, v))
		m.scale[r] = quantise(v, m.vectors[r*LSADimensions:(r+1)*LSADimensions])
	}
	slices.Sort(lengths)
	m.norm = float32(lengths[len(lengths)/2])
}
