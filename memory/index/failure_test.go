package index_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/embed"
	"mcp-memory/memory/index"
)

// TestEmbedderDown: an embedder that does not work is left alone, longer each
// time; nothing is held against the passages, and all come through in the end.
func TestEmbedderDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, e := open(t), newEmbedder()
		start := time.Now()
		e.before = func(context.Context, []string) error {
			if time.Since(start) < 2*time.Minute {
				return &memory.RetryError{Err: errors.New("HTTP 503")}
			}
			return nil
		}
		l := f.loop(index.Config{Source: f.source(e), Poll: time.Second})
		f.say(5)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			l.Run(ctx)
		}()
		time.Sleep(time.Minute)
		f.want("down", e.Model(), 0, 5, 0)
		if got := l.Trouble(); got != "HTTP 503" {
			t.Errorf("Trouble() = %q, want HTTP 503", got)
		}
		if n := e.called(); n < 3 || n > 5 {
			t.Errorf("the embedder was asked %d times in a minute, want few: 0, 5, 15, 35 s", n)
		}
		l.Settle(t.Context(), time.Hour) // nothing to wait for
		time.Sleep(3 * time.Minute)
		f.want("up again", e.Model(), 5, 0, 0)
		if got := l.Trouble(); got != "" {
			t.Errorf("Trouble() = %q, want none", got)
		}
		stop()
		<-done
	})
}

// TestEmbedderAsksForPatience: the time that the embedder asks for is kept, and
// one that can never work is not asked more than now and then.
func TestEmbedderAsksForPatience(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err   memory.RetryError
		calls int // in an hour
	}{
		"after 20 minutes": {memory.RetryError{Err: errors.New("HTTP 429"), After: 20 * time.Minute}, 3},
		"never":            {memory.RetryError{Err: errors.New("HTTP 401"), Never: true}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f, e := open(t), newEmbedder()
				e.before = func(context.Context, []string) error { return &c.err }
				l := f.loop(index.Config{Source: f.source(e)})
				f.say(5)
				ctx, stop := context.WithCancel(t.Context())
				done := make(chan struct{})
				go func() {
					defer close(done)
					l.Run(ctx)
				}()
				for range 59 {
					time.Sleep(time.Minute)
					l.Wake()
				}
				if n := e.called(); n != c.calls {
					t.Errorf("the embedder was asked %d times in an hour, want %d", n, c.calls)
				}
				f.want("still there", e.Model(), 0, 5, 0)
				stop()
				<-done
			})
		})
	}
}

// spoiling is an embedder that spoils some vectors of a batch.
type spoiling struct {
	*embed.Hashed
	spoil func(text string, v []float32) ([]float32, error)
}

func (s spoiling) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := s.Hashed.Embed(ctx, texts)
	failed := map[int]error{}
	for i, text := range texts {
		var why error
		if vectors[i], why = s.spoil(text, vectors[i]); why != nil {
			failed[i] = why
		}
	}
	if len(failed) > 0 {
		err = &memory.PartialError{Failed: failed}
	}
	return vectors, err
}

// TestRefusedVectors: a vector that is unfit, or a text that fails by itself, is
// put off alone, longer each time; the others of its batch have theirs.
func TestRefusedVectors(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func([]float32) ([]float32, error){
		"zero":         func(v []float32) ([]float32, error) { return make([]float32, len(v)), nil },
		"not finite":   func(v []float32) ([]float32, error) { v[3] = float32(math.NaN()); return v, nil },
		"wrong length": func(v []float32) ([]float32, error) { return v[1:], nil },
		"failed":       func([]float32) ([]float32, error) { return nil, errors.New("HTTP 500") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := open(t)
				calls, broken := 0, true
				e := spoiling{embed.NewHashed(0), func(text string, v []float32) ([]float32, error) {
					if broken && strings.HasSuffix(text, "number1") {
						calls++
						return spoil(v)
					}
					return v, nil
				}}
				l := f.loop(index.Config{Source: f.source(e), Retry: time.Second})
				f.say(3)
				for range 15 { // at 0, 1, 3 and 7 seconds
					if err := l.Drain(t.Context()); err != nil {
						t.Fatal(err)
					}
					f.want("the others are done", e.Model(), 2, 1, 1)
					time.Sleep(time.Second)
				}
				if calls != 4 {
					t.Errorf("the failing text was tried %d times in 15 s, want 4", calls)
				}
				broken = false
				time.Sleep(time.Minute)
				if err := l.Drain(t.Context()); err != nil {
					t.Fatal(err)
				}
				f.want("mended", e.Model(), 3, 0, 0)
			})
		})
	}
}

// TestDownInTheMiddle: what an embedder gave before it went down is kept, and what
// it was not asked for any more is no fault of the passages.
func TestDownInTheMiddle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := open(t)
		down := true
		e := spoiling{embed.NewHashed(0), func(text string, v []float32) ([]float32, error) {
			if down && text >= "message number3" {
				return nil, &memory.RetryError{Err: errors.New("HTTP 503")}
			}
			return v, nil
		}}
		l := f.loop(index.Config{Source: f.source(e)})
		f.say(5)
		if err := l.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.want("down", e.Model(), 3, 2, 0)
		down = false
		time.Sleep(time.Minute)
		if err := l.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.want("up", e.Model(), 5, 0, 0)
	})
}

// TestTroubleEnds: when nothing waits any more, because another process has done
// it, the embedder that failed here is no trouble.
func TestTroubleEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, e := open(t), newEmbedder()
		e.before = func(context.Context, []string) error { return &memory.RetryError{Err: errors.New("HTTP 503")} }
		l := f.loop(index.Config{Source: f.source(e)})
		stop := f.run(l)
		defer stop()
		f.say(5)
		l.Wake()
		time.Sleep(time.Second)
		if got := l.Trouble(); got != "HTTP 503" {
			t.Errorf("Trouble() = %q, want HTTP 503", got)
		}
		f.drain(f.source(newEmbedder()))
		time.Sleep(time.Minute)
		if got := l.Trouble(); got != "" {
			t.Errorf("Trouble() when nothing waits = %q, want none", got)
		}
	})
}
