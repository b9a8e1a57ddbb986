package recall

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcp-memory/memory"
)

// restTime is how long an embedder that did not answer a query is left alone.
const restTime = 10 * time.Second

// rest is that of an embedder that did not answer a query: the searches after that
// need not wait for it as well.
type rest struct {
	model memory.EmbeddingModel
	until time.Time
	why   string
}

// question embeds a query; nil for one without a known word. When there is no
// vector because the embedder does not answer, silent says why.
func (r *Recall) question(ctx context.Context, e memory.Embedder, query string) (vector []float32, silent string) {
	model := e.Model()
	if last := r.rest.Load(); last != nil && last.model == model && time.Now().Before(last.until) {
		return nil, last.why
	}
	inTime, cancel := context.WithTimeout(ctx, r.patience)
	defer cancel()
	vectors, err := e.Embed(inTime, []string{query})
	if err == nil && len(vectors) == 1 && vectors[0] != nil {
		vector, err = vectors[0], memory.CheckVector(vectors[0], len(vectors[0]))
	}
	if err == nil {
		return vector, ""
	}
	r.log.Warn("embed query", "error", err)
	if partial, ok := errors.AsType[*memory.PartialError](err); ok { // it works, but not for this query
		return nil, fmt.Sprintf("the embedder gives no vector for this query (%v)", partial.Failed[0])
	}
	silent = "the embedder does not answer" + r.reason(inTime, err)
	if ctx.Err() == nil {
		r.rest.Store(&rest{model: model, until: time.Now().Add(restTime), why: silent})
	}
	return nil, silent
}

// reason is why an embedder did not answer, as far as it is for the public; ""
// when it is not.
func (r *Recall) reason(inTime context.Context, err error) string {
	if inTime.Err() != nil {
		return fmt.Sprintf(" within %v", r.patience)
	}
	if retry, ok := errors.AsType[*memory.RetryError](err); ok {
		return " (" + retry.Error() + ")"
	}
	return ""
}
