package openai

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	openaigo "github.com/openai/openai-go/v3"

	"mcp-memory/memory"
)

// harmless is a text that every model can embed. When it fails as well, the
// endpoint is at fault and not the texts.
const harmless = "word"

// EmbedderConfig configures an Embedder.
type EmbedderConfig struct {
	BaseURL     string        // required: where the API is, with its version: http://localhost:11434/v1
	APIKey      string        // sent as a bearer token; "" = no Authorization header
	Model       string        // required: the model's name, as the endpoint knows it
	Dimensions  int           // asked for and insisted on; 0 = not sent, learnt from the first reply
	Batch       int           // texts a request; 0 = 64. An endpoint that takes fewer says so and gets fewer
	Concurrency int           // requests at the same time, an Embed; 0 = 4
	Timeout     time.Duration // of one request; 0 = 30 s
	MaxRunes    int           // a longer text is cut there; 0 = 8,000

	Now        func() time.Time                           // nil = time.Now
	Sleep      func(context.Context, time.Duration) error // waits, or returns the error of a context that ended; nil = a timer
	Log        *slog.Logger                               // nil = discarded
	HTTPClient *http.Client                               // nil = one of its own
}

// Embedder gets vectors from an endpoint's /embeddings. It is safe for
// concurrent use.
type Embedder struct {
	endpoint
	c          EmbedderConfig
	model      string // with the endpoint's fingerprint
	service    openaigo.EmbeddingService
	dimensions atomic.Int64 // 0 = not known yet
	most       atomic.Int64 // texts a request: Batch, or what the endpoint has said
}

// NewEmbedder checks the configuration. It sends nothing: an endpoint that does
// not answer is an error of Probe and Embed.
func NewEmbedder(c EmbedderConfig) (*Embedder, error) {
	e := &Embedder{c: c, endpoint: endpoint{
		name: "embeddings endpoint", key: c.APIKey, tooLong: longForEmbeddings,
		now: c.Now, sleep: c.Sleep, log: c.Log, client: c.HTTPClient,
	}}
	if err := e.connect(c.BaseURL, "/embeddings"); err != nil {
		return nil, err
	}
	if c.Model == "" {
		return nil, memory.Invalidf("the embeddings endpoint needs the name of a model")
	}
	if c.Dimensions < 0 {
		return nil, memory.Invalidf("an embedding cannot have %d dimensions", c.Dimensions)
	}
	e.c.fill()
	e.model = c.Model + "@" + fingerprint(e.base)
	e.dimensions.Store(int64(c.Dimensions))
	e.most.Store(int64(e.c.Batch))
	// Not a Client: that would read OPENAI_API_KEY and its like.
	e.service = openaigo.NewEmbeddingService(e.options()...)
	return e, nil
}

// fill puts the defaults in.
func (c *EmbedderConfig) fill() {
	c.Batch = orDefault(c.Batch, 64)
	c.Concurrency = orDefault(c.Concurrency, 4)
	c.Timeout = orDefault(c.Timeout, 30*time.Second)
	c.MaxRunes = orDefault(c.MaxRunes, 8000)
}

func orDefault[N int | time.Duration](n, fallback N) N {
	if n <= 0 {
		return fallback
	}
	return n
}

// fingerprint tells endpoints apart without naming them: models of one name on
// two servers need not give the same vectors.
func fingerprint(base *url.URL) string {
	sum := sha256.Sum256([]byte(strings.ToLower(base.Host) + base.Path))
	return hex.EncodeToString(sum[:4])
}

// Model names the model and, by a few letters, the endpoint. Dimensions is 0 as
// long as they are neither configured nor learnt: call Probe first.
func (e *Embedder) Model() memory.EmbeddingModel {
	return memory.EmbeddingModel{Provider: "openai", Name: e.model, Dimensions: int(e.dimensions.Load())}
}

// Probe embeds one word, so that Model knows its dimensions. It fails as Embed
// does; when the endpoint gives other dimensions than configured, with a
// RetryError that wraps ErrDimension and says Never.
func (e *Embedder) Probe(ctx context.Context) error {
	_, err := e.Embed(ctx, []string{harmless})
	var partial *memory.PartialError
	if !errors.As(err, &partial) {
		return err
	}
	reason := partial.Failed[0]
	return &memory.RetryError{Err: reason, Never: errors.Is(reason, memory.ErrDimension)}
}

// Embed returns a unit vector for each text, in order; nil for a blank one.
//
// A PartialError reports texts that have none while others were embedded: those
// the endpoint refused, those whose vector was unfit (wrong length, not finite,
// zero, or not to be told whose), and those the endpoint could not be asked for
// any more (their reason is the RetryError). When there is no vector at all
// because the endpoint does not work, the error is that RetryError: Never for a
// key, an account, a right or a name that is wrong, After as the endpoint wished.
//
// A busy or unreachable endpoint is asked again for up to 30 seconds. The error
// of a ctx that ends is returned as it is.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	j := newJob(e, texts)
	return j.vectors, j.do(ctx)
}
