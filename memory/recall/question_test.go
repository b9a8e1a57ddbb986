package recall_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/recall"
)

// moody is an embedder that fails as it is told.
type moody struct {
	memory.Embedder
	fail  func(ctx context.Context, text string) error
	calls int
}

func (m *moody) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	m.calls++
	if m.fail != nil {
		if err := m.fail(ctx, texts[0]); err != nil {
			return make([][]float32, len(texts)), err
		}
	}
	return m.Embedder.Embed(ctx, texts)
}

// TestSilentEmbedder: searches say why the embedder does not answer, and the ones
// after the first need not wait for it.
func TestSilentEmbedder(t *testing.T) {
	t.Parallel()
	hangs := func(ctx context.Context, _ string) error {
		<-ctx.Done()
		return ctx.Err()
	}
	for name, c := range map[string]struct {
		fail func(context.Context, string) error
		want string
	}{
		"refused": {func(context.Context, string) error {
			return &memory.RetryError{Err: errors.New("HTTP 401: no such key")}
		},
			"the embedder does not answer (HTTP 401: no such key): found by words only"},
		"hangs":   {hangs, "the embedder does not answer within 3s: found by words only"},
		"private": {func(context.Context, string) error { return errors.New("/home/me") }, "the embedder does not answer: found by words only"},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, 0)
			w.say("s1", "needle one", "hay")
			w.embed()
			e := &moody{Embedder: w.embedder, fail: c.fail}
			r := w.engine(recall.Config{Store: w.db, Embedder: e})
			for range 3 {
				if found := searchWith(t, r, recall.Request{Query: "needle"}); found.Degraded != c.want || len(found.Hits) == 0 {
					t.Errorf("%s: Search = %d hits, degraded %q, want some and %q", name, len(found.Hits), found.Degraded, c.want)
				}
			}
			if e.calls != 1 {
				t.Errorf("%s: the embedder was asked %d times, want once", name, e.calls)
			}
			e.fail = nil
			time.Sleep(10 * time.Second)
			if found := searchWith(t, r, recall.Request{Query: "needle"}); found.Degraded != "" {
				t.Errorf("%s: Degraded when it answers again = %q, want none", name, found.Degraded)
			}
		})
	}
}

// TestQueryWithoutVector: a query that the embedder refuses does not keep others
// from it.
func TestQueryWithoutVector(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.say("s1", "needle one", "hay")
	w.embed()
	e := &moody{Embedder: w.embedder, fail: func(_ context.Context, text string) error {
		if text == "poison" {
			return &memory.PartialError{Failed: map[int]error{0: errors.New("HTTP 500")}}
		}
		return nil
	}}
	r := w.engine(recall.Config{Store: w.db, Embedder: e})
	if found := searchWith(t, r, recall.Request{Query: "poison"}); !strings.Contains(found.Degraded, "for this query (HTTP 500)") {
		t.Errorf("Search(poison): Degraded = %q, want the reason", found.Degraded)
	}
	if found := searchWith(t, r, recall.Request{Query: "needle"}); found.Degraded != "" {
		t.Errorf("Search(needle): Degraded = %q, want none", found.Degraded)
	}
}

// changing is a source whose embedder changes.
type changing struct{ memory.Embedder }

func (c *changing) Current(context.Context) (memory.Embedder, error) { return c.Embedder, nil }

// TestRestIsOfOneEmbedder: when another model becomes active, it is asked although
// the one before did not answer.
func TestRestIsOfOneEmbedder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.say("s1", "needle one", "hay")
	w.embed()
	source := &changing{renamed{failing{w.embedder}}}
	r := w.engine(recall.Config{Store: w.db, Embedder: source})
	if found := searchWith(t, r, recall.Request{Query: "needle"}); !strings.Contains(found.Degraded, "does not answer") {
		t.Errorf("Degraded = %q, want that it does not answer", found.Degraded)
	}
	source.Embedder = w.embedder
	if found := searchWith(t, r, recall.Request{Query: "needle"}); found.Degraded != "" {
		t.Errorf("Degraded with another embedder = %q, want none", found.Degraded)
	}
}

// renamed is an embedder of another model.
type renamed struct{ memory.Embedder }

func (r renamed) Model() memory.EmbeddingModel {
	return memory.EmbeddingModel{Provider: "openai", Name: "m", Dimensions: 8}
}

// TestWhyNotReplaced: searches say what is in the way of the model that is wanted,
// and of vectors that wait, but only when some do.
func TestWhyNotReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.say("s1", "needle one", "hay")
	obstacle := ""
	r := w.engine(recall.Config{
		Store: w.db, Embedder: w.embedder,
		Trouble:  func() string { return "HTTP 503" },
		Obstacle: func(memory.EmbeddingModel) string { return obstacle },
	})
	search := func(want string) {
		t.Helper()
		if found := searchWith(t, r, recall.Request{Query: "needle"}); found.Degraded != want {
			t.Errorf("Degraded = %q, want %q", found.Degraded, want)
		}
	}
	w.embed()
	search("")
	obstacle = "HTTP 401"
	search("the configured embedder does not work (HTTP 401); the vectors of the one before are in use")
	w.say("s1", "needle two")
	search("2 of 3 passages have a vector yet: the configured embedder does not work (HTTP 503); the others were found by words only; " +
		"the configured embedder does not work (HTTP 401); the vectors of the one before are in use")
}
