package openai

import (
	"errors"
	"fmt"
	"math"
	"strings"

	openaigo "github.com/openai/openai-go/v3"

	"mcp-memory/memory"
)

// Why a text of an otherwise good reply has no vector.
var (
	errNoVector = errors.New("the endpoint gave no vector for the text")
	errTwice    = errors.New("the endpoint gave more than one vector for the text")
	errNoNumber = errors.New("the vector holds something that is not a finite number")
	errZero     = errors.New("the vector is zero")
)

// result is what a reply holds for one text: its vector, or why it has none.
type result struct {
	vector []float32 // of length 1
	err    error
}

// fit is nil when some text has a vector. A reply without any is that of an
// endpoint that does not work, or of one that a text has upset.
func fit(results []result) error {
	for _, r := range results {
		if r.err == nil {
			return nil
		}
	}
	return &failure{kind: spoilt, said: results[0].err.Error(), unfit: results[0].err}
}

// read sorts the vectors of a reply by the texts they are for. A vector that
// does not say for which text it is belongs to none, unless there is but one of
// each.
func (e *Embedder) read(data []openaigo.Embedding, texts int) []result {
	results := make([]result, texts)
	for i := range results {
		results[i].err = errNoVector
	}
	alone := texts == 1 && len(data) == 1
	seen := make([]bool, texts)
	for _, d := range data {
		i := d.Index
		switch {
		case alone && !d.JSON.Index.Valid():
			i = 0
		case !d.JSON.Index.Valid() || i < 0 || i >= int64(texts):
			continue
		}
		if seen[i] {
			results[i] = result{err: errTwice}
			continue
		}
		seen[i] = true
		results[i].vector, results[i].err = e.unit(d)
	}
	return results
}

// unit checks a vector and scales it to length 1. The first good one says how
// long all others have to be.
func (e *Embedder) unit(d openaigo.Embedding) ([]float32, error) {
	// The library decodes a null among the numbers as 0.
	raw := d.JSON.Embedding.Raw()
	if !d.JSON.Embedding.Valid() || strings.HasPrefix(raw, "[") && strings.Contains(raw, "null") {
		return nil, errNoNumber
	}
	if len(d.Embedding) == 0 {
		return nil, errNoVector
	}
	var sum float64
	for _, x := range d.Embedding {
		sum += x * x
	}
	switch {
	case math.IsNaN(sum) || math.IsInf(sum, 0):
		return nil, errNoNumber
	case sum == 0:
		return nil, errZero
	}
	e.dimensions.CompareAndSwap(0, int64(len(d.Embedding)))
	if want := e.dimensions.Load(); int64(len(d.Embedding)) != want {
		return nil, fmt.Errorf("%w: the endpoint gave %d, the model has %d", memory.ErrDimension, len(d.Embedding), want)
	}
	length := math.Sqrt(sum)
	vector := make([]float32, len(d.Embedding))
	for i, x := range d.Embedding {
		vector[i] = float32(x / length)
	}
	return vector, nil
}
