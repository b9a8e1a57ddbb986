package memory

import (
	"fmt"
	"math"
)

// MaxDimensions is the greatest length of a vector.
const MaxDimensions = 8192

// CheckVector refuses what would spoil the order of a search: a vector of the
// wrong length (ErrDimension), and one that is zero or not finite (ErrInvalid),
// which sqlite-vec takes without a word. Vectors are compared in float32, in which
// the square of a tiny number is 0 and that of a huge one infinite.
func CheckVector(v []float32, dimensions int) error {
	if len(v) != dimensions {
		return fmt.Errorf("%w: got %d, want %d", ErrDimension, len(v), dimensions)
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if length := float64(float32(sum)); length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return Invalidf("a vector must be finite and not zero")
	}
	return nil
}
