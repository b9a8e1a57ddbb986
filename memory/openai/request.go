package openai

import (
	"context"
	"encoding/json"
	"time"

	openaigo "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
)

// A reply is read up to this many bytes and so many more a text: a vector of
// 4,096 floats takes about 90 kB.
const (
	maxFrame  = 64 << 10
	maxVector = 256 << 10
)

// ask sends one request and returns what came back for each text. The error is
// a *failure, or that of a ctx that ended.
func (e *Embedder) ask(ctx context.Context, texts []string, timeout time.Duration) ([]result, error) {
	params := openaigo.EmbeddingNewParams{
		Model:          e.c.Model,
		Input:          openaigo.EmbeddingNewParamsInputUnion{OfArrayOfStrings: texts},
		EncodingFormat: openaigo.EmbeddingNewParamsEncodingFormatFloat,
	}
	if e.c.Dimensions > 0 {
		params.Dimensions = param.NewOpt(int64(e.c.Dimensions))
	}
	body, err := e.exchange(ctx, timeout, maxFrame+int64(len(texts))*maxVector, func(ctx context.Context, options ...option.RequestOption) error {
		_, err := e.service.New(ctx, params, options...)
		return err
	})
	if err != nil {
		return nil, err
	}
	var reply openaigo.CreateEmbeddingResponse
	if err := json.Unmarshal(body, &reply); err != nil {
		return nil, unreadable("the reply is not the JSON of embeddings")
	}
	if len(reply.Data) == 0 {
		return nil, unreadable("the reply holds no embeddings")
	}
	results := e.read(reply.Data, len(texts))
	return results, fit(results)
}
