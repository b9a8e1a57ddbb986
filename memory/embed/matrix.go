package embed

import "math"

// matrix is the training matrix, rows × words. Its rows overlap, each holding a
// share of its neighbours; they are made anew from the passages whenever they
// are needed, which takes a twentieth of the time of working with them and a
// tenth of the memory of keeping them.
type matrix struct {
	*Trainer
	idf   []float32
	log1p []float32 // of parts: ln(1 + parts / contextParts)
	parts []int32   // of each column, how often it is in the row at hand, times contextParts
	row   []cell    // the row at hand
}

// cell is a cell of a row that is not zero.
type cell struct {
	column int
	value  float32
}

// maxParts is the most that a row can hold of one word: terms count to 255.
const maxParts = 255 * (contextParts + 2*contextReach)

func newMatrix(t *Trainer, idf []float32) *matrix {
	x := &matrix{Trainer: t, idf: idf, log1p: make([]float32, maxParts+1), parts: make([]int32, len(idf))}
	for i := range x.log1p {
		x.log1p[i] = float32(math.Log1p(float64(i) / contextParts))
	}
	return x
}

// fill makes row i the row at hand.
func (x *matrix) fill(i int) {
	x.row = x.row[:0]
	for j := max(0, i-contextReach); j <= min(len(x.rows)-1, i+contextReach); j++ {
		if x.rows[j].session != x.rows[i].session {
			continue
		}
		weight := int32(1)
		if j == i {
			weight = contextParts
		}
		for w := x.rows[j].start; w < x.rows[j].end; w++ {
			c := x.words[w]
			if x.parts[c] == 0 {
				x.row = append(x.row, cell{column: int(c)})
			}
			x.parts[c] += weight * int32(x.counts[w])
		}
	}
	sum := 0.0
	for k := range x.row {
		c := &x.row[k]
		c.value = x.log1p[x.parts[c.column]] * x.idf[c.column]
		x.parts[c.column] = 0
		sum += float64(c.value) * float64(c.value)
	}
	scale := float32(1 / math.Sqrt(max(sum, math.SmallestNonzeroFloat32)))
	for k := range x.row {
		x.row[k].value *= scale
	}
}

// timesOwnTranspose sets out to xᵀ·x·q, row by row, without ever forming xᵀ·x.
func (x *matrix) timesOwnTranspose(q, out basis) {
	clear(out)
	for i := range x.rows {
		x.fill(i)
		var y wordVector
		for _, c := range x.row {
			y.addScaled(&q[c.column], c.value)
		}
		for _, c := range x.row {
			out[c.column].addScaled(&y, c.value)
		}
	}
}
