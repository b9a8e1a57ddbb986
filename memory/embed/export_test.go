package embed

// Columns is a matrix for Orthonormalise: rows of LSADimensions numbers.
type Columns = basis

// Orthonormalise is basis.orthonormalise.
func (b basis) Orthonormalise() { b.orthonormalise() }
