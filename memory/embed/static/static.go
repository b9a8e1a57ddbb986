// Package static embeds texts with a model2vec folder: a table of one vector a
// word piece, learnt elsewhere, whose mean is the vector of a text. It needs no
// endpoint and no more time than a look into the table.
//
// A folder holds model.safetensors and tokenizer.json, as model2vec
// (github.com/MinishLab/model2vec) writes them. Its config.json is not needed:
// the only choice in it that touches vectors is whether to scale them to length
// 1, which an Embedder always does.
//
// Read are tokenizers of the kind that model2vec's English "potion" models have:
// WordPiece with BERT's normaliser and pre-tokeniser. Any other is refused by
// name.
package static

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"mcp-memory/memory"
)

// errNotFinite is why a text has no vector when the table is damaged.
var errNotFinite = errors.New("the model holds something that is not a finite number")

// Embedder embeds texts by the mean of their pieces' vectors. It is safe for
// concurrent use.
type Embedder struct {
	name      string
	tokenizer *tokenizer
	table     *table
}

// Open reads a model2vec folder. It keeps the table in memory, as large as its
// file. A folder that lacks a file is ErrNotFound, one that holds something else
// than is read here ErrInvalid.
func Open(dir string) (*Embedder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find the model folder: %w", err)
	}
	rules, err := readFile(dir, "tokenizer.json")
	if err != nil {
		return nil, err
	}
	t, err := parseTokenizer(rules)
	if err != nil {
		return nil, fmt.Errorf("read tokenizer.json: %w", err)
	}
	weights, err := readFile(dir, "model.safetensors")
	if err != nil {
		return nil, err
	}
	vectors, err := parseTable(weights, t.highest()+1)
	if err != nil {
		return nil, fmt.Errorf("read model.safetensors: %w", err)
	}
	name := filepath.Base(dir) + "-" + fingerprint(rules, weights)
	return &Embedder{name: name, tokenizer: t, table: vectors}, nil
}

func readFile(dir, name string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, memory.NotFoundf("the model folder %s has no %s: it must be one that model2vec has written", filepath.Base(dir), name)
	}
	if err != nil {
		return nil, fmt.Errorf("read the model folder: %w", err)
	}
	return data, nil
}

// fingerprint tells models apart that have the same folder name: by all of the
// tokenizer, and of the weights by their size and 256 stretches of 4 KiB, spread
// evenly, because all of them would take a third of a second a 500 MB. Training
// again changes every one.
func fingerprint(rules, weights []byte) string {
	const stretches, length = 256, 4 << 10
	h := sha256.New()
	h.Write(rules)
	fmt.Fprintf(h, "\x00%d\x00", len(weights))
	if len(weights) <= stretches*length {
		h.Write(weights)
	} else {
		for i := range stretches {
			at := (len(weights) - length) / (stretches - 1) * i
			h.Write(weights[at : at+length])
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:4])
}

// Model names the model by its folder and a few letters that its content gives.
func (e *Embedder) Model() memory.EmbeddingModel {
	return memory.EmbeddingModel{Provider: "static", Name: e.name, Dimensions: e.table.dimensions}
}

// Embed returns a unit vector for each text; nil for one without a known piece.
// A PartialError reports texts whose pieces have damaged vectors.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	failed := map[int]error{}
	for i, s := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, err := e.embed(s)
		if err != nil {
			failed[i] = err
		}
		vectors[i] = v
	}
	if len(failed) > 0 {
		return vectors, &memory.PartialError{Failed: failed}
	}
	return vectors, nil
}

// embed sums the vectors of a text's pieces and scales the sum to length 1,
// which the mean scales to as well. Unknown pieces count for nothing.
func (e *Embedder) embed(s string) ([]float32, error) {
	sum := make([]float64, e.table.dimensions)
	e.tokenizer.pieces(s, func(id int) { e.table.add(sum, id) })
	var square float64
	for _, x := range sum {
		square += x * x
	}
	switch {
	case math.IsNaN(square) || math.IsInf(square, 0):
		return nil, errNotFinite
	case square == 0:
		return nil, nil
	}
	length := math.Sqrt(square)
	v := make([]float32, len(sum))
	for i, x := range sum {
		v[i] = float32(x / length)
	}
	return v, nil
}
