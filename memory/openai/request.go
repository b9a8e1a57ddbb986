package openai

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
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
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	// The body is taken as it is, because the library decodes a reply only
	// when it is called JSON, and the error of one only when it is an object.
	var body []byte
	var response *http.Response
	_, err := e.service.New(limited, params,
		option.WithResponseBodyInto(&body),
		option.WithResponseInto(&response),
		option.WithMiddleware(limitBody(maxFrame+int64(len(texts))*maxVector)))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case response != nil && response.StatusCode >= http.StatusBadRequest:
		// The library has put what it read back in place of the body.
		body, _ := io.ReadAll(response.Body)
		return nil, e.refusal(response, body)
	case limited.Err() != nil:
		return nil, &failure{kind: transient, said: "no reply within " + timeout.String()}
	case err != nil:
		return nil, e.broken(err)
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

// limitBody keeps an endpoint from filling the memory: of its replies, n bytes
// are read at most.
func limitBody(n int64) option.Middleware {
	return func(request *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		response, err := next(request)
		if err == nil && response.Body != nil {
			response.Body = struct {
				io.Reader
				io.Closer
			}{io.LimitReader(response.Body, n), response.Body}
		}
		return response, err
	}
}
