package static

import "mcp-memory/memory"

// table is a vector for each piece, by the piece's id.
type table struct {
	dimensions int
	rows       *tensor // [rows × dimensions] floats
	weights    *tensor // a factor for each piece; nil = 1
	mapping    *tensor // the row of each piece; nil = the id is the row
}

// parseTable reads the tensors of a model2vec file: embeddings; weights, where
// training has made some pieces count more; mapping, where pieces share rows
// ("vocabulary quantisation"). It makes sure that each of n pieces has what add
// needs.
func parseTable(file []byte, n int) (*table, error) {
	tensors, err := parseTensors(file, "embeddings", "weights", "mapping")
	if err != nil {
		return nil, err
	}
	t := &table{rows: tensors["embeddings"], weights: tensors["weights"], mapping: tensors["mapping"]}
	switch {
	case t.rows == nil:
		return nil, memory.Invalidf(`the file has no tensor "embeddings": it is not of model2vec`)
	case len(t.rows.Shape) != 2 || t.rows.count() == 0:
		return nil, memory.Invalidf(`tensor "embeddings" must have rows and columns, its shape is %v`, t.rows.Shape)
	case t.rows.DType[0] != 'F' || t.weights != nil && t.weights.DType[0] != 'F':
		return nil, memory.Invalidf(`tensors "embeddings" and "weights" must hold floats`)
	case t.weights != nil && t.weights.count() < n:
		return nil, memory.Invalidf(`tensor "weights" has %d numbers for a vocabulary of %d`, t.weights.count(), n)
	}
	t.dimensions = t.rows.Shape[1]
	return t, t.checkRows(n)
}

// checkRows makes sure that each of n pieces has a row.
func (t *table) checkRows(n int) error {
	rows := t.rows.Shape[0]
	if t.mapping == nil {
		if rows < n {
			return memory.Invalidf(`tensor "embeddings" has %d rows for a vocabulary of %d`, rows, n)
		}
		return nil
	}
	if t.mapping.DType[0] != 'I' || t.mapping.count() < n {
		return memory.Invalidf(`tensor "mapping" must hold an integer for each piece of a vocabulary of %d`, n)
	}
	for id := range n {
		if row := t.mapping.integer(id); row < 0 || row >= int64(rows) {
			return memory.Invalidf(`tensor "mapping" names row %d of %d`, row, rows)
		}
	}
	return nil
}

// add adds the vector of a piece to sum.
func (t *table) add(sum []float64, id int) {
	row, weight := id, 1.0
	if t.mapping != nil {
		row = int(t.mapping.integer(id))
	}
	if t.weights != nil {
		weight = t.weights.float(id)
	}
	t.rows.add(sum, row*t.dimensions, weight)
}
