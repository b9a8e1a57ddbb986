package notes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/rank"
)

// restTime is how long an embedder that did not answer a query is left alone.
const restTime = 10 * time.Second

// byMeaning adds the chunks whose vectors are nearest. When there are none to be
// had, note says why: the search goes on by words.
func (s *searching) byMeaning(ctx context.Context) (note string, err error) {
	n := s.n
	if n.c.Embedder == nil {
		return byWordsOnly("no embedder is configured"), nil
	}
	n.c.Settle(ctx)
	e, err := memory.CurrentEmbedder(ctx, n.c.Embedder)
	var public *memory.PublicError
	switch {
	case errors.As(err, &public):
		return byWordsOnly(public.Error()), nil
	case err != nil:
		n.c.Log.Error("look up the embedder", "error", err)
		return byWordsOnly("the embedder does not work"), nil
	}
	vector, silent := n.question(ctx, e, s.req.Query)
	if silent != "" {
		return byWordsOnly(silent), nil
	}
	if vector == nil { // no word of it is known
		return "", nil
	}
	hits, err := n.c.Store.NearestNotes(ctx, e.Model(), vector, s.req.Filter, nearest)
	if err != nil {
		return "", err
	}
	for _, h := range hits {
		s.cosine[rank.Passage{MessageID: h.Chunk}] = h.Score
	}
	s.take(hits[:min(len(hits), vectorCandidates)])
	return n.progress(ctx, e.Model())
}

func byWordsOnly(why string) string { return why + ": found by words only" }

// question embeds a query; nil for one without a known word. When there is no
// vector because the embedder does not answer, silent says so.
func (n *Notes) question(ctx context.Context, e memory.Embedder, query string) (vector []float32, silent string) {
	const why = "the embedder does not answer"
	if n.c.Now().UnixNano() < n.rest.Load() {
		return nil, why
	}
	inTime, cancel := context.WithTimeout(ctx, n.c.Patience)
	defer cancel()
	vectors, err := e.Embed(inTime, []string{query})
	if err == nil && len(vectors) == 1 && vectors[0] != nil {
		vector, err = vectors[0], memory.CheckVector(vectors[0], len(vectors[0]))
	}
	if err == nil {
		return vector, ""
	}
	n.c.Log.Warn("embed query", "error", err)
	if _, partial := errors.AsType[*memory.PartialError](err); !partial && ctx.Err() == nil {
		n.rest.Store(n.c.Now().Add(restTime).UnixNano())
	}
	return nil, why
}

// progress says how far the vectors are behind; "" = not at all.
func (n *Notes) progress(ctx context.Context, model memory.EmbeddingModel) (string, error) {
	p, err := n.c.Store.NoteProgress(ctx, model)
	if err != nil || p.Waiting == 0 {
		return "", err
	}
	n.c.OnIndex() // another process may have left them
	return fmt.Sprintf("%d of %d stretches of notes have a vector yet; the others were found by words only", p.Indexed, p.Indexed+p.Waiting), nil
}
