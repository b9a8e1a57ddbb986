package embed_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"mcp-memory/memory/embed"
)

// noise is a matrix of random numbers; rows need not be a multiple of a block.
func noise(rows int) embed.Columns {
	r := rand.New(rand.NewPCG(1, 2))
	b := make(embed.Columns, rows)
	for i := range b {
		for c := range b[i] {
			b[i][c] = r.Float32()*2 - 1
		}
	}
	return b
}

// product is the scalar product of two columns.
func product(b embed.Columns, c, d int) float64 {
	sum := 0.0
	for i := range b {
		sum += float64(b[i][c]) * float64(b[i][d])
	}
	return sum
}

func TestOrthonormalise(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(row *[embed.LSADimensions]float32) // of a random matrix
		zero   map[int]bool                            // dependent columns
	}{
		"random":           {func(*[embed.LSADimensions]float32) {}, nil},
		"a zero column":    {func(r *[embed.LSADimensions]float32) { r[5] = 0 }, map[int]bool{5: true}},
		"a zero first one": {func(r *[embed.LSADimensions]float32) { r[0] = 0 }, map[int]bool{0: true}},
		"twice the same":   {func(r *[embed.LSADimensions]float32) { r[9] = r[3] }, map[int]bool{9: true}},
		"a sum of others":  {func(r *[embed.LSADimensions]float32) { r[63] = 2*r[1] - 3*r[40] }, map[int]bool{63: true}},
		"of very unequal length": {func(r *[embed.LSADimensions]float32) {
			r[2] *= 1e-9
			r[7] *= 1e9
		}, nil},
		"nearly dependent": {func(r *[embed.LSADimensions]float32) {
			for c := 1; c < len(r); c++ {
				r[c] = r[0] + r[c]*1e-4
			}
		}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := noise(203)
			for i := range b {
				tt.change((*[embed.LSADimensions]float32)(&b[i]))
			}
			b.Orthonormalise()
			for c := range embed.LSADimensions {
				for d := range c + 1 {
					want := 0.0
					if c == d && !tt.zero[c] {
						want = 1
					}
					if got := product(b, c, d); math.IsNaN(got) || math.Abs(got-want) > 1e-5 {
						t.Fatalf("columns %d and %d have the product %g, want %g", c, d, got, want)
					}
				}
			}
		})
	}
}

// More columns than rows: as many are kept as there are rows.
func TestOrthonormaliseFewRows(t *testing.T) {
	t.Parallel()
	b := noise(10)
	b.Orthonormalise()
	kept := 0.0
	for c := range embed.LSADimensions {
		kept += product(b, c, c)
	}
	if math.Abs(kept-10) > 1e-4 {
		t.Errorf("of 10 rows the squared lengths of the columns add up to %g, want 10", kept)
	}
}
