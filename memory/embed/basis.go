package embed

import "math"

// basis is a tall matrix in row order: one row a word. Columns that are not in
// use are zero.
type basis []wordVector

// wordVector is one row of a basis.
type wordVector [LSADimensions]float32

// addScaled adds factor × w to v.
func (v *wordVector) addScaled(w *wordVector, factor float32) {
	for i := 0; i < len(v); i += 4 { // in fours: a fifth faster
		v[i] += factor * w[i]
		v[i+1] += factor * w[i+1]
		v[i+2] += factor * w[i+2]
		v[i+3] += factor * w[i+3]
	}
}

// startBasis fills the first columns of a basis with fixed pseudo-random numbers
// in -1..1 (xorshift64*, Vigna 2016).
func startBasis(rows, columns int) basis {
	b := make(basis, rows)
	state := uint64(0x9e3779b97f4a7c15)
	for r := range b {
		for c := range columns {
			state ^= state >> 12
			state ^= state << 25
			state ^= state >> 27
			b[r][c] = float32(int32(state*2685821657736338717>>33))/(1<<30) - 1
		}
	}
	return b
}

// What is left of the squared length of a column when its share of the columns
// before it is taken away: below dependent it is rounding alone and the column
// becomes zero, below doubtful it is taken away once more.
const (
	dependent = 1e-10
	doubtful  = 1e-8
)

// orthonormalise makes the columns of b orthogonal and of length 1; a column that
// depends on those before it becomes zero. It factorises bᵀ·b = rᵀ·r (Cholesky)
// and multiplies by the inverse of r, a second time where the columns were
// nearly dependent: CholeskyQR2 (Yamamoto et al., "Roundoff error analysis of the
// CholeskyQR2 algorithm", 2015). b is walked in row order, twice a time.
func (b basis) orthonormalise() {
	for range 2 {
		inverse, least := b.gram().inverseRoot()
		b.times(inverse)
		if least > doubtful {
			return
		}
	}
}

// square holds one triangle of a matrix.
type square [LSADimensions][LSADimensions]float64

// block is a few rows of a basis in float64: a number of a square that is
// fetched serves all of them.
type block [4][LSADimensions]float64

// read takes the first rows of b, zero rows where there are too few.
func (v *block) read(b basis) {
	for k := range v {
		if k >= len(b) {
			v[k] = [LSADimensions]float64{}
			continue
		}
		for i, x := range b[k] {
			v[k][i] = float64(x)
		}
	}
}

// gram returns the upper triangle of bᵀ·b.
func (b basis) gram() *square {
	g, v := &square{}, &block{}
	for r := 0; r < len(b); r += len(v) {
		v.read(b[r:])
		for i := range g {
			sums := &g[i]
			v0, v1, v2, v3 := v[0][i], v[1][i], v[2][i], v[3][i]
			for j := i; j < len(sums); j++ {
				sums[j] += v0*v[0][j] + v1*v[1][j] + v2*v[2][j] + v3*v[3][j]
			}
		}
	}
	return g
}

// times multiplies b by an upper triangular matrix, of which t is the transpose.
func (b basis) times(t *square) {
	v := &block{}
	for r := 0; r < len(b); r += len(v) {
		v.read(b[r:])
		for j := range t {
			column := &t[j]
			var sums [len(v)]float64
			for i := range j + 1 {
				x := column[i]
				sums[0] += v[0][i] * x
				sums[1] += v[1][i] * x
				sums[2] += v[2][i] * x
				sums[3] += v[3][i] * x
			}
			for k := range min(len(v), len(b)-r) {
				b[r+k][j] = float32(sums[k])
			}
		}
	}
}

// inverseRoot returns the transposed inverse of the Cholesky factor r of g, g =
// rᵀ·r; what belongs to a dependent column is zero. least is the smallest share
// of its diagonal that an independent column has kept; g is used up.
func (g *square) inverseRoot() (inverse *square, least float64) {
	inverse, least = &square{}, 1
	for c := range g {
		whole := g[c][c]
		for i := range c { // g[i][c] becomes r[i][c]
			for k := range i {
				g[i][c] -= g[k][i] * g[k][c]
			}
			g[i][c] *= inverse[i][i]
			g[c][c] -= g[i][c] * g[i][c]
		}
		share := g[c][c] / whole
		if !(share > dependent) { // nor when whole is 0
			continue
		}
		least = min(least, share)
		inverse[c][c] = 1 / math.Sqrt(g[c][c])
		for i := range c {
			sum := 0.0
			for k := i; k < c; k++ {
				sum += inverse[k][i] * g[k][c]
			}
			inverse[c][i] = -sum * inverse[c][c]
		}
	}
	return inverse, least
}
