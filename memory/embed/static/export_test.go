package static

// Pieces gives tests the pieces of a text whose vectors count.
func (e *Embedder) Pieces(s string) []string {
	var pieces []string
	e.tokenizer.pieces(s, func(id int) {
		for piece, other := range e.tokenizer.heads {
			if other == id {
				pieces = append(pieces, piece)
			}
		}
	})
	return pieces
}

// ParseTokenizer gives tests parseTokenizer, and what it makes of a text.
func ParseTokenizer(file []byte, text string) (ids []int, highest int, err error) {
	t, err := parseTokenizer(file)
	if err != nil {
		return nil, 0, err
	}
	t.pieces(text, func(id int) { ids = append(ids, id) })
	return ids, t.highest(), nil
}

// SumAll gives tests parseTable for n pieces, and the sum of their vectors.
func SumAll(file []byte, n int) ([]float64, error) {
	t, err := parseTable(file, n)
	if err != nil {
		return nil, err
	}
	sum := make([]float64, t.dimensions)
	for id := range n {
		t.add(sum, id)
	}
	return sum, nil
}
