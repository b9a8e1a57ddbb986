package index_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/embed"
	"mcp-memory/memory/history"
	"mcp-memory/memory/index"
	"mcp-memory/memory/sqlite"
)

// fixture is a memory file with an engine that fills it.
type fixture struct {
	tb      testing.TB
	db      *sqlite.DB
	history *history.History
}

func open(tb testing.TB) *fixture {
	tb.Helper()
	return openFile(tb, tb.TempDir()+"/memory.db")
}

// openFile opens a file, which another fixture may have open as well.
func openFile(tb testing.TB, path string) *fixture {
	tb.Helper()
	db, err := sqlite.Open(tb.Context(), sqlite.Options{Path: path, Sync: "normal"})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	h, err := history.New(history.Config{Store: db, Location: time.UTC})
	if err != nil {
		tb.Fatal(err)
	}
	return &fixture{tb, db, h}
}

// say records n messages.
func (f *fixture) say(n int) {
	f.tb.Helper()
	drafts := make([]memory.Draft, n)
	for i := range drafts {
		drafts[i] = memory.Draft{Role: memory.RoleUser, Content: fmt.Sprint("message number", i)}
	}
	if _, err := f.history.Append(f.tb.Context(), "s", "test", drafts); err != nil {
		f.tb.Fatal(err)
	}
}

func (f *fixture) loop(c index.Config) *index.Loop {
	f.tb.Helper()
	if c.Store == nil {
		c.Store = f.db
	}
	l, err := index.New(c)
	if err != nil {
		f.tb.Fatal(err)
	}
	return l
}

// source is a source of one embedder.
func (f *fixture) source(e memory.Embedder) index.Source { return embed.NewFixed(f.db, e, nil) }

// want compares what is indexed, waits and has failed.
func (f *fixture) want(when string, m memory.EmbeddingModel, indexed, waiting, failing int) {
	f.tb.Helper()
	got, err := f.db.Progress(f.tb.Context(), m)
	if want := (memory.Progress{Indexed: indexed, Waiting: waiting, Failing: failing}); err != nil || got != want {
		f.tb.Errorf("%s: Progress = %+v, %v; want %+v", when, got, err, want)
	}
}

// embedder is the hashed one, watched and disturbed.
type embedder struct {
	*embed.Hashed
	before func(ctx context.Context, texts []string) error // nil = nothing
	mu     sync.Mutex
	calls  []int // texts of each call
}

func newEmbedder() *embedder { return &embedder{Hashed: embed.NewHashed(0)} }

func (e *embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.mu.Lock()
	e.calls = append(e.calls, len(texts))
	e.mu.Unlock()
	if e.before != nil {
		if err := e.before(ctx, texts); err != nil {
			return nil, err
		}
	}
	return e.Hashed.Embed(ctx, texts)
}

func (e *embedder) called() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.calls)
}

func TestNewNeedsItsParts(t *testing.T) {
	t.Parallel()
	f := open(t)
	for name, c := range map[string]index.Config{"no store": {Source: f.source(newEmbedder())}, "no embedder": {Store: f.db}} {
		if _, err := index.New(c); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%s: New = %v, want ErrInvalid", name, err)
		}
	}
}

func TestDrain(t *testing.T) {
	t.Parallel()
	f, e := open(t), newEmbedder()
	l := f.loop(index.Config{Source: f.source(e), Batch: 10})
	if err := l.Drain(t.Context()); err != nil || e.called() > 0 {
		t.Errorf("Drain(nothing) = %v after %d calls, want none", err, e.called())
	}
	f.say(25)
	if err := l.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.want("after Drain", e.Model(), 25, 0, 0)
	if got := fmt.Sprint(e.calls); got != "[10 10 5]" {
		t.Errorf("Drain embedded %s texts a call, want [10 10 5]", got)
	}
	f.say(1)
	if err := l.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.want("after one more", e.Model(), 26, 0, 0)
}

// TestDrainSkipsWhatHasNoVector: a text without a known term leaves the queue.
func TestDrainSkipsWhatHasNoVector(t *testing.T) {
	t.Parallel()
	f, e := open(t), newEmbedder()
	f.say(2)
	if _, err := f.history.Append(t.Context(), "s", "test", []memory.Draft{{Role: memory.RoleUser, Content: "the of and"}}); err != nil {
		t.Fatal(err)
	}
	f.want("before", e.Model(), 0, 3, 0)
	if err := f.loop(index.Config{Source: f.source(e)}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.want("after", e.Model(), 2, 0, 0)
}

// TestDrainAnotherModel: a new model gets all vectors anew, none of the old one
// stay.
func TestDrainAnotherModel(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.say(3)
	for _, dimensions := range []int{64, 8, 64} {
		e := embed.NewHashed(dimensions)
		if err := f.loop(index.Config{Source: f.source(e)}).Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.want(fmt.Sprint(dimensions, " dimensions"), e.Model(), 3, 0, 0)
		f.want("the other", embed.NewHashed(72-dimensions).Model(), 0, 0, 0)
	}
}

// miscounting gives one vector too few.
type miscounting struct{ *embed.Hashed }

func (m miscounting) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := m.Hashed.Embed(ctx, texts)
	return vectors[1:], err
}

func TestDrainMiscountedVectors(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.say(3)
	e := miscounting{embed.NewHashed(0)}
	if err := f.loop(index.Config{Source: f.source(e)}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.want("after a wrong number of vectors", e.Model(), 0, 3, 3)
}

// TestFailingEmbedder: what fails is put off, tried again later, and nothing is
// lost. The clock is the bubble's.
func TestFailingEmbedder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, e := open(t), newEmbedder()
		broken := true
		e.before = func(context.Context, []string) error {
			if broken {
				return errors.New("no answer")
			}
			return nil
		}
		l := f.loop(index.Config{Source: f.source(e), Retry: 30 * time.Second})
		drain := func() {
			if err := l.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		f.say(5)
		drain()
		f.want("failed", e.Model(), 0, 5, 5)
		broken = false
		time.Sleep(29 * time.Second)
		drain()
		f.want("not yet due", e.Model(), 0, 5, 5)
		if e.called() != 1 {
			t.Errorf("the embedder was called %d times, want once: the texts are not due", e.called())
		}
		f.say(1)
		drain()
		f.want("others go on meanwhile", e.Model(), 1, 5, 5)
		time.Sleep(time.Second)
		drain()
		f.want("due", e.Model(), 6, 0, 0)
	})
}

// TestRun: the loop works at once, after each wake, and now and then for what
// other processes left.
func TestRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, e := open(t), newEmbedder()
		f.say(3)
		l := f.loop(index.Config{Source: f.source(e), Delay: 20 * time.Millisecond, Poll: time.Minute})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			l.Run(ctx)
		}()
		time.Sleep(time.Second)
		f.want("at the start", e.Model(), 3, 0, 0)
		for range 4 { // appends in a row share a batch
			f.say(2)
			l.Wake()
		}
		time.Sleep(time.Second)
		f.want("after a wake", e.Model(), 11, 0, 0)
		if e.called() != 2 {
			t.Errorf("the embedder was called %d times, want twice: wakes in a row share a batch", e.called())
		}
		f.say(1) // by another process, which wakes no one here
		time.Sleep(30 * time.Second)
		f.want("before the poll", e.Model(), 11, 1, 0)
		time.Sleep(time.Minute)
		f.want("after the poll", e.Model(), 12, 0, 0)
		stop()
		<-done
	})
}

// TestRunRecovers: an embedder that fails for a while delays vectors, a store
// that fails as well; the loop goes on by itself.
func TestRunRecovers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, e := open(t), newEmbedder()
		f.say(4)
		start := time.Now()
		e.before = func(context.Context, []string) error {
			if time.Since(start) < 5*time.Minute {
				return errors.New("no answer")
			}
			return nil
		}
		store := &flaky{DB: f.db, until: start.Add(2 * time.Minute)}
		l := f.loop(index.Config{Store: store, Source: f.source(e)})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			l.Run(ctx)
		}()
		time.Sleep(time.Minute)
		f.want("the store fails", e.Model(), 0, 4, 0)
		time.Sleep(2 * time.Minute)
		f.want("the embedder fails", e.Model(), 0, 4, 4)
		time.Sleep(4 * time.Minute)
		f.want("both work", e.Model(), 4, 0, 0)
		stop()
		<-done
	})
}

// flaky is a store whose queue cannot be read for a while.
type flaky struct {
	*sqlite.DB
	until time.Time
}

func (s *flaky) Waiting(ctx context.Context, n int) ([]memory.Pending, error) {
	if time.Now().Before(s.until) {
		return nil, memory.Unavailablef("the database is busy")
	}
	return s.DB.Waiting(ctx, n)
}

// TestStop: the end of its context ends the loop, also inside a call of the
// embedder, and what it was at stays in the queue without a mark.
func TestStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, e := open(t), newEmbedder()
		f.say(4)
		e.before = func(ctx context.Context, _ []string) error {
			<-ctx.Done()
			return ctx.Err()
		}
		l := f.loop(index.Config{Source: f.source(e)})
		for name, wait := range map[string]time.Duration{"in the delay": 0, "in a call": time.Hour} {
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				l.Run(ctx)
			}()
			time.Sleep(wait)
			stop()
			<-done
			f.want(name, e.Model(), 0, 4, 0)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if err := l.Drain(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("Drain(cancelled) = %v, want context.Canceled", err)
		}
	})
}

// TestSettle: a search waits for what was just appended, but never long.
func TestSettle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, e := open(t), newEmbedder()
		l := f.loop(index.Config{Source: f.source(e), Delay: 20 * time.Millisecond})
		settled := func(when string, want time.Duration) {
			start := time.Now()
			l.Settle(t.Context(), time.Second)
			if got := time.Since(start); got != want {
				t.Errorf("%s: Settle took %v, want %v", when, got, want)
			}
		}
		settled("idle, before Run", 0)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			l.Run(ctx)
		}()
		synctest.Wait()
		settled("at the start: the delay ends", 0)
		settled("idle", 0)
		f.say(3)
		l.Wake()
		settled("just woken: the delay ends", 0)
		f.want("settled", e.Model(), 3, 0, 0)
		e.before = func(context.Context, []string) error {
			time.Sleep(10 * time.Second)
			return nil
		}
		f.say(1)
		l.Wake()
		settled("busy: by its limit", time.Second)
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		start := time.Now()
		l.Settle(cancelled, time.Hour)
		if got := time.Since(start); got != 0 {
			t.Errorf("Settle(cancelled) took %v, want none", got)
		}
		time.Sleep(10 * time.Second)
		settled("done", 0)
		stop()
		<-done
	})
}

// TestWakeWhileWorking: what comes in while a batch is embedded is not taken for
// settled.
func TestWakeWhileWorking(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, e := open(t), newEmbedder()
		e.before = func(context.Context, []string) error {
			time.Sleep(time.Second)
			return nil
		}
		l := f.loop(index.Config{Source: f.source(e)})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			l.Run(ctx)
		}()
		for i := range 5 {
			f.say(1)
			l.Wake()
			time.Sleep(300 * time.Millisecond)
			if i == 2 {
				l.Settle(t.Context(), time.Minute)
				f.want("settled", e.Model(), 3, 0, 0)
			}
		}
		l.Settle(t.Context(), time.Minute)
		f.want("settled at the end", e.Model(), 5, 0, 0)
		stop()
		<-done
	})
}

// TestTwoLoopsOnOneFile: two processes share the work; each passage gets one
// vector.
func TestTwoLoopsOnOneFile(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/memory.db"
	a, b := openFile(t, path), openFile(t, path)
	a.say(300)
	e := newEmbedder()
	var work sync.WaitGroup
	for _, f := range []*fixture{a, b, a, b} {
		l := f.loop(index.Config{Source: f.source(e), Batch: 7})
		work.Go(func() {
			if err := l.Drain(t.Context()); err != nil {
				t.Errorf("Drain: %v", err)
			}
		})
	}
	work.Wait()
	a.want("both done", e.Model(), 300, 0, 0)
	vector, err := e.Hashed.Embed(t.Context(), []string{"message number7"})
	if err != nil {
		t.Fatal(err)
	}
	hits, err := b.db.Nearest(t.Context(), e.Model(), vector[0], memory.Filter{}, 4096)
	seen := map[int64]bool{}
	for _, h := range hits {
		seen[h.MessageID] = true
	}
	if err != nil || len(hits) != 300 || len(seen) != 300 {
		t.Errorf("Nearest = %d vectors of %d messages, %v; want 300 of 300", len(hits), len(seen), err)
	}
}

// TestLongMessages: each part of a long message has its vector.
func TestLongMessages(t *testing.T) {
	t.Parallel()
	f, e := open(t), newEmbedder()
	var longest int
	e.before = func(_ context.Context, texts []string) error {
		for _, s := range texts {
			longest = max(longest, len([]rune(s)))
		}
		return nil
	}
	content := strings.Repeat("一段很长的文字。", 1000)
	if _, err := f.history.Append(t.Context(), "s", "test", []memory.Draft{{Role: memory.RoleUser, Content: content}}); err != nil {
		t.Fatal(err)
	}
	if err := f.loop(index.Config{Source: f.source(e)}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.want("a message of 8,000 characters", e.Model(), 8, 0, 0)
	if longest > 1000 {
		t.Errorf("a text of %d characters was embedded, want at most 1000", longest)
	}
}

// TestStartTriesAgain: what failed before is tried at once by a loop that starts,
// however long it was put off.
func TestStartTriesAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, e := open(t), newEmbedder()
		e.before = func(context.Context, []string) error { return errors.New("no answer") }
		f.say(3)
		if err := f.loop(index.Config{Source: f.source(e), Retry: time.Hour}).Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.want("failed", e.Model(), 0, 3, 3)
		e.before = nil
		stop := f.run(f.loop(index.Config{Source: f.source(e), Retry: time.Hour}))
		time.Sleep(time.Second)
		f.want("started anew", e.Model(), 3, 0, 0)
		stop()
	})
}

// run runs a loop until stop is called.
func (f *fixture) run(l *index.Loop) (stop func()) {
	ctx, cancel := context.WithCancel(f.tb.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.Run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// TestTakeOver: a process that is killed in the middle keeps its lease, and
// another one that idled goes on within the time of the lease.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, e := open(t), newEmbedder()
		stop := f.run(f.loop(index.Config{Source: f.source(e)}))
		defer stop()
		time.Sleep(20 * time.Second) // it is idle
		f.say(7)
		if got, err := f.db.Acquire(t.Context(), "index", "killed", 15*time.Second); err != nil || !got {
			t.Fatalf("Acquire() = %v, %v", got, err)
		}
		time.Sleep(14 * time.Second)
		f.want("the lease lasts", e.Model(), 0, 7, 0)
		time.Sleep(2 * time.Second)
		f.want("taken over", e.Model(), 7, 0, 0)
	})
}

// outrun is the store of a process that another one outruns, just before it takes
// a lease.
type outrun struct {
	*sqlite.DB
	other func()
}

func (s *outrun) Acquire(ctx context.Context, name, owner string, lasting time.Duration) (bool, error) {
	if other := s.other; other != nil {
		s.other = nil
		other()
	}
	return s.DB.Acquire(ctx, name, owner, lasting)
}

// What another process has done while this one waited for its turn is not done
// again: an endpoint would be paid twice.
func TestOutrun(t *testing.T) {
	t.Parallel()
	f := open(t)
	e := newEmbedder()
	source := f.source(e)
	if err := f.loop(index.Config{Source: source}).Drain(t.Context()); err != nil { // the model is there
		t.Fatal(err)
	}
	f.say(30)
	slow := &outrun{DB: f.db}
	slow.other = func() {
		if err := f.loop(index.Config{Source: source}).Drain(t.Context()); err != nil {
			t.Errorf("Drain() of the other process = %v", err)
		}
	}
	if err := f.loop(index.Config{Store: slow, Source: source}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.want("after both", e.Model(), 30, 0, 0)
	if n := e.called(); n != 1 {
		t.Errorf("the embedder was called %d times, want once", n)
	}
}
