package embed_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/embed"
)

// activeStore is a store of which only the active model matters.
type activeStore struct{ active memory.EmbeddingModel }

func (s *activeStore) ActiveModel(context.Context) (memory.EmbeddingModel, error) {
	return s.active, nil
}

// remote is an embedder that learns its dimensions from its first answer.
type remote struct{ model memory.EmbeddingModel }

func (r *remote) Model() memory.EmbeddingModel { return r.model }

func (r *remote) Probe(context.Context) error {
	r.model.Dimensions = 8
	return nil
}

func (r *remote) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	r.model.Dimensions = 8
	return make([][]float32, len(texts)), ctx.Err()
}

func openaiModel(name string, dimensions int) memory.EmbeddingModel {
	return memory.EmbeddingModel{Provider: "openai", Name: name, Dimensions: dimensions}
}

// wants says which model a source wants in place of the active one.
func wants(t *testing.T, f *embed.Fixed) memory.EmbeddingModel {
	t.Helper()
	next, e, err := f.Next(t.Context())
	if err != nil {
		t.Fatalf("Next() = %v", err)
	}
	if e == nil {
		return memory.EmbeddingModel{}
	}
	return next.Model
}

// TestFixedLetsGoUnasked: a process that has not asked its endpoint yet knows all
// the same that its model was active, and does not take the file back.
func TestFixedLetsGoUnasked(t *testing.T) {
	t.Parallel()
	s := &activeStore{openaiModel("m", 8)}
	f := embed.NewFixed(s, &remote{openaiModel("m", 0)}, nil)
	if got := wants(t, f); got != (memory.EmbeddingModel{}) {
		t.Errorf("Next() while its model is active = %+v, want none", got)
	}
	s.active = openaiModel("other", 16)
	if got := wants(t, f); got != (memory.EmbeddingModel{}) {
		t.Errorf("Next() after another process changed the model = %+v, want none", got)
	}
	_, err := f.Current(t.Context())
	if !errors.Is(err, memory.ErrUnavailable) || !strings.Contains(err.Error(), "another server") {
		t.Errorf("Current() = %v, want ErrUnavailable that names another server", err)
	}
}

// TestFixedSeesOtherDimensions: an endpoint that gives vectors of another length
// under the same name has all vectors made anew.
func TestFixedSeesOtherDimensions(t *testing.T) {
	t.Parallel()
	s := &activeStore{openaiModel("m", 4)}
	f := embed.NewFixed(s, &remote{openaiModel("m", 0)}, nil)
	if got := wants(t, f); got != (memory.EmbeddingModel{}) {
		t.Errorf("Next() before the endpoint is asked = %+v, want none", got)
	}
	if _, err := f.Embed(t.Context(), []string{"x"}); err != nil {
		t.Fatalf("Embed() = %v", err)
	}
	if got := wants(t, f); got != openaiModel("m", 8) {
		t.Errorf("Next() after it is asked = %+v, want 8 dimensions", got)
	}
	_, err := f.Current(t.Context())
	if !errors.Is(err, memory.ErrUnavailable) || !strings.Contains(err.Error(), "until those of the configured embedder are complete") {
		t.Errorf("Current() meanwhile = %v, want ErrUnavailable that says for how long", err)
	}
	s.active = openaiModel("m", 8)
	if got := wants(t, f); got != (memory.EmbeddingModel{}) {
		t.Errorf("Next() when they are made = %+v, want none", got)
	}
}
