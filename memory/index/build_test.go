package index_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/embed"
	"mcp-memory/memory/index"
	"mcp-memory/memory/sqlite"
)

// named is the hashed embedder under another name, with other dimensions.
type named struct {
	embedder
	name string
}

func newNamed(name string, dimensions int) *named {
	return &named{embedder{Hashed: embed.NewHashed(dimensions)}, name}
}

func (n *named) Model() memory.EmbeddingModel {
	return memory.EmbeddingModel{Provider: "openai", Name: n.name, Dimensions: n.Hashed.Model().Dimensions}
}

// active checks which model is searched with.
func (f *fixture) active(when string, want memory.EmbeddingModel) {
	f.tb.Helper()
	if got, err := f.db.ActiveModel(f.tb.Context()); err != nil || got != want {
		f.tb.Errorf("%s: ActiveModel() = %+v, %v, want %+v", when, got, err, want)
	}
}

// drain lets a source's loop do all its work.
func (f *fixture) drain(source index.Source) {
	f.tb.Helper()
	if err := f.loop(index.Config{Source: source, Batch: 10}).Drain(f.tb.Context()); err != nil {
		f.tb.Fatal(err)
	}
}

// TestSwitch: from the local model to an endpoint and back. Each time the model of
// before answers until the new one has all vectors.
func TestSwitch(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.say(35)
	local := embed.NewHashed(0)
	f.drain(embed.NewLocal(f.db))
	f.want("local", local.Model(), 35, 0, 0)

	e := newNamed("remote", 8)
	e.before = func(context.Context, []string) error {
		f.active("while it is built", local.Model())
		f.want("while it is built", local.Model(), 35, 0, 0)
		return nil
	}
	f.drain(embed.NewFixed(f.db, e, embed.NewLocal(f.db)))
	f.active("to the endpoint", e.Model())
	f.want("to the endpoint", e.Model(), 35, 0, 0)
	if e.called() != 4 {
		t.Errorf("the endpoint was asked %d times, want 4 batches", e.called())
	}
	f.drain(embed.NewLocal(f.db))
	f.active("and back", local.Model())
	f.want("and back", local.Model(), 35, 0, 0)
}

// TestNoPingPong: two processes with different embedders do not take the file
// from each other for ever: the one started last wins.
func TestNoPingPong(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.say(3)
	one, two := embed.NewFixed(f.db, newNamed("one", 8), nil), embed.NewFixed(f.db, newNamed("two", 8), nil)
	f.drain(one)
	f.drain(two)
	f.active("the later one", two.Model())
	f.drain(one)
	f.active("the earlier one again", two.Model())
	if _, err := one.Current(t.Context()); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("Current() of the earlier one = %v, want ErrUnavailable", err)
	}
	local := embed.NewLocal(f.db)
	f.drain(local)
	f.drain(two)
	f.active("the local one, started last", local.Model())
}

// TestBuildGoesOn: an endpoint that fails while all is embedded anew costs neither
// the vectors of before nor those it has given.
func TestBuildGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := open(t)
		f.say(40)
		f.drain(embed.NewLocal(f.db))
		before := embed.NewHashed(0).Model()

		e := newNamed("remote", 8)
		e.before = func(context.Context, []string) error {
			if len(e.calls) == 3 || len(e.calls) == 4 {
				return &memory.RetryError{Err: errors.New("HTTP 503")}
			}
			return nil
		}
		l := f.loop(index.Config{Source: embed.NewFixed(f.db, e, embed.NewLocal(f.db)), Batch: 10})
		drain := func() {
			if err := l.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		drain()
		f.active("failed", before)
		if m, p, err := l.Making(t.Context()); err != nil || m != e.Model() || p.Indexed != 20 {
			t.Errorf("Making() = %+v, %+v, %v, want 20 passages", m, p, err)
		}
		if got := l.Obstacle(before); got != "HTTP 503" || l.Trouble() != "" {
			t.Errorf("Obstacle() = %q, Trouble() = %q, want HTTP 503 and none", got, l.Trouble())
		}
		if got := l.Obstacle(e.Model()); got != "" {
			t.Errorf("Obstacle(the wanted model) = %q, want none", got)
		}
		f.say(1)
		drain() // too early for the endpoint, and the queue goes on
		f.want("what came in meanwhile", before, 41, 0, 0)
		time.Sleep(5 * time.Second)
		drain()
		time.Sleep(10 * time.Second)
		drain()
		f.active("done", e.Model())
		f.want("done", e.Model(), 41, 0, 0)
		if n := len(e.calls); n != 7 {
			t.Errorf("the endpoint was asked %d times, want 7: 5 batches, 2 of them twice", n)
		}
	})
}

// TestBuildKeepsRefused: a text that the new model cannot embed does not hold up
// the switch; it is tried again afterwards.
func TestBuildKeepsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := open(t)
		f.say(20)
		f.drain(embed.NewLocal(f.db))
		broken := true
		e := spoiling{embed.NewHashed(8), func(text string, v []float32) ([]float32, error) {
			if broken && text == "message number7" {
				return nil, errors.New("HTTP 500")
			}
			return v, nil
		}}
		l := f.loop(index.Config{Source: f.source(e)})
		if err := l.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.want("switched", e.Model(), 19, 1, 1)
		broken = false
		time.Sleep(time.Hour)
		if err := l.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.want("mended", e.Model(), 20, 0, 0)
	})
}

// TestOneWorker: of two processes one empties the queue, and what comes in at the
// other is done all the same.
func TestOneWorker(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/memory.db"
	synctest.Test(t, func(t *testing.T) {
		a, b := openFile(t, path), openFile(t, path)
		e := newEmbedder()
		var mu sync.Mutex
		busy, most := 0, 0
		e.before = func(context.Context, []string) error {
			mu.Lock()
			busy++
			most = max(most, busy)
			mu.Unlock()
			time.Sleep(time.Minute) // longer than the lease, which is renewed
			mu.Lock()
			busy--
			mu.Unlock()
			return nil
		}
		ctx, stop := context.WithCancel(t.Context())
		var both sync.WaitGroup
		loops := map[*fixture]*index.Loop{}
		for _, f := range []*fixture{a, b} {
			l := f.loop(index.Config{Source: f.source(e), Batch: 10})
			loops[f] = l
			both.Go(func() { l.Run(ctx) })
		}
		for range 3 {
			for _, f := range []*fixture{a, b} {
				f.say(10)
				loops[f].Wake()
				time.Sleep(10 * time.Second)
			}
		}
		time.Sleep(20 * time.Minute)
		a.want("all done", e.Model(), 60, 0, 0)
		if most != 1 {
			t.Errorf("%d batches were embedded at once, want one worker", most)
		}
		stop()
		both.Wait()
	})
}

// TestLostLease: a process that loses the lease, because it was suspended for
// instance, leaves the work to the other.
func TestLostLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, e := open(t), newEmbedder()
		f.say(5)
		f.drain(f.source(newEmbedder()))
		f.say(5)
		e.before = func(ctx context.Context, _ []string) error {
			if len(e.calls) > 1 {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}
		store := &thief{DB: f.db}
		l := f.loop(index.Config{Store: store, Source: f.source(e)})
		if err := l.Drain(t.Context()); err != nil {
			t.Errorf("Drain() = %v, want no error", err)
		}
		f.want("left alone", e.Model(), 5, 5, 0)
	})
}

// thief is a store in which a lease is granted once and then belongs to another.
type thief struct {
	*sqlite.DB
	grants int
}

func (s *thief) Acquire(ctx context.Context, name, owner string, lasting time.Duration) (bool, error) {
	if name != "index" {
		return s.DB.Acquire(ctx, name, owner, lasting)
	}
	s.grants++
	return s.grants == 1, nil
}

// overtaken is a source that finds a model due, and before anything comes of it
// another process makes it the active one.
type overtaken struct {
	*embed.Fixed
	once sync.Once
	by   func()
}

func (o *overtaken) Due(ctx context.Context) (bool, error) {
	due, err := o.Fixed.Due(ctx)
	o.once.Do(o.by)
	return due, err
}

// TestOvertaken: of two processes that want a model at the same time the second
// finds it made.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.say(20)
	f.drain(embed.NewLocal(f.db))
	e := newNamed("remote", 8)
	source := &overtaken{Fixed: embed.NewFixed(f.db, e, nil), by: func() { f.drain(embed.NewFixed(f.db, e, nil)) }}
	f.drain(source)
	f.active("made once", e.Model())
	f.want("made once", e.Model(), 20, 0, 0)
	if e.called() != 2 {
		t.Errorf("the endpoint was asked %d times, want 2 batches", e.called())
	}
}

// asking is a source that counts how often it is asked for a model.
type asking struct {
	*embed.Fixed
	times int
}

func (a *asking) Next(ctx context.Context) (memory.LearntModel, memory.Embedder, error) {
	a.times++
	return a.Fixed.Next(ctx)
}

// TestOneAsks: while another process builds, no model is trained here and no
// endpoint asked.
func TestOneAsks(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.say(5)
	source := &asking{Fixed: embed.NewFixed(f.db, newEmbedder(), nil)}
	if got, err := f.db.Acquire(t.Context(), "train", "another", time.Hour); err != nil || !got {
		t.Fatalf("Acquire() = %v, %v", got, err)
	}
	f.drain(source)
	if source.times != 0 {
		t.Errorf("Next was called %d times while another process has the lease, want never", source.times)
	}
	if err := f.db.Release(t.Context(), "train", "another"); err != nil {
		t.Fatal(err)
	}
	f.drain(source)
	f.drain(source)
	if source.times != 1 {
		t.Errorf("Next was called %d times, want once: then none is due", source.times)
	}
}
