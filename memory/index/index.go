// Package index gives messages their vectors in the background: it takes what
// waits in the embed queue, a batch at a time, embeds it and stores the vectors,
// and it builds a model that is to replace the active one while that one answers.
// Queue and progress are in the store, so that a crash loses nothing, and a
// search before the vectors are there goes by words.
package index

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"mcp-memory/memory"
)

// Store is what the loop needs of a store.
type Store interface {
	// ActiveModel is the model that is searched with; the zero model = none.
	ActiveModel(ctx context.Context) (memory.EmbeddingModel, error)
	// UseModel makes the model the active one at once, with an empty table and
	// all hot passages queued; calling it again changes nothing.
	UseModel(ctx context.Context, model memory.EmbeddingModel) error
	// BeginModel adds a model that is not active yet; beginning the same one
	// again goes on where it stopped.
	BeginModel(ctx context.Context, model memory.LearntModel) error
	// Unbuilt returns the next n passages that the model in the making has no
	// vector of.
	Unbuilt(ctx context.Context, model memory.EmbeddingModel, n int) ([]memory.Pending, error)
	// Build stores vectors of the model in the making, and which passages were
	// refused; all up to the given one are done. ErrUnavailable: it is not in
	// the making any more.
	Build(ctx context.Context, model memory.EmbeddingModel, vectors []memory.Vector, refused []memory.Refused, upTo int64) error
	// ActivateModel makes the model in the making the active one.
	// ErrUnavailable: it is not in the making any more.
	ActivateModel(ctx context.Context, model memory.EmbeddingModel) error
	// Making returns the model in the making and how far it is; the zero model
	// = none.
	Making(ctx context.Context) (memory.EmbeddingModel, memory.Progress, error)
	// Acquire takes the named lease for the owner or renews it; false while
	// another owner holds it. Release gives it back.
	Acquire(ctx context.Context, name, owner string, lasting time.Duration) (bool, error)
	Release(ctx context.Context, name, owner string) error
	memory.EmbedQueue // of messages
	// OfferAgain offers what was put off, in all queues, now.
	OfferAgain(ctx context.Context) error
	// Tidy makes searches faster after many appends; it may take a while, in
	// steps that keep no writer waiting.
	Tidy(ctx context.Context) error
	// Progress says how many vectors of the model there are and how many wait.
	Progress(ctx context.Context, model memory.EmbeddingModel) (memory.Progress, error)
}

// Source gives the embedders. As a memory.Embedder it is that of the active
// model (see memory.CurrentEmbedder).
type Source interface {
	memory.Embedder
	// Due says whether another model than the active one is wanted. It is asked
	// often and answers at once.
	Due(ctx context.Context) (bool, error)
	// Next returns the model that is to replace the active one, with its
	// embedder; a nil embedder = the active one is right. It may train a model
	// or ask an endpoint, and one process at a time does. A RetryError puts the
	// question off.
	Next(ctx context.Context) (memory.LearntModel, memory.Embedder, error)
	// Fold makes the words of passages known to the active model before they
	// are embedded, if it is one that learns words.
	Fold(ctx context.Context, refs []int64) error
}

// Config configures a Loop.
type Config struct {
	Store    Store             // required
	Source   Source            // required
	Notes    memory.EmbedQueue // what else waits for vectors, after the messages; nil = nothing
	OnSwitch func()            // called after a new model became active; nil = nothing
	Batch    int               // passages a transaction; 0 = 200. A long one would keep other writers waiting
	Delay    time.Duration     // wait after a wake, so that appends in a row share a batch; 0 = 200 ms. A search ends it
	Poll     time.Duration     // look for what other processes left; 0 = 15 s, the longest that a killed one keeps its lease
	Retry    time.Duration     // wait of a passage after its first failure, doubled by each; 0 = 30 s
	Now      func() time.Time  // nil = time.Now
	Log      *slog.Logger      // nil = discarded
}

// Loop is the background work of one process. It is safe for concurrent use.
type Loop struct {
	c     Config
	owner string // of leases
	gate  *gate

	wake    chan struct{} // each has one slot: a wake while working is not lost
	hurry   chan struct{} // a search waits
	rebuild chan struct{} // the queue is empty: look whether another model is due

	drain     sync.Mutex // one queue at a time in this process
	building  sync.Mutex // and one model
	done      int        // passages since the store was tidied; guarded by drain
	rest      pause      // of the queue
	buildRest pause      // of building

	mu      sync.Mutex
	timer   *time.Timer           // of later
	against memory.EmbeddingModel // what was active when building failed
}

// New checks the configuration and returns a Loop that does not run yet.
func New(c Config) (*Loop, error) {
	if c.Store == nil || c.Source == nil {
		return nil, memory.Invalidf("index needs a store and a source of embedders")
	}
	if c.Batch <= 0 {
		c.Batch = 200
	}
	c.Delay = orDefault(c.Delay, 200*time.Millisecond)
	c.Poll = orDefault(c.Poll, leaseTime)
	c.Retry = orDefault(c.Retry, 30*time.Second)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Loop{
		c: c, owner: rand.Text(), gate: newGate(),
		wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1), rebuild: make(chan struct{}, 1),
	}, nil
}

func orDefault(d, fallback time.Duration) time.Duration {
	if d <= 0 {
		return fallback
	}
	return d
}

// Wake tells the loop that something waits. It never blocks.
func (l *Loop) Wake() {
	l.gate.shut()
	signal(l.wake)
}

// signal fills the slot of a channel, if it is free.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// retryLease is how soon the queue is looked at again when another process was at
// it.
const retryLease = 300 * time.Millisecond

// later wakes the loop after a while.
func (l *Loop) later(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
	}
	l.timer = time.AfterFunc(d, func() { signal(l.wake) })
}

// Run works until ctx ends: at once, after each Wake, and now and then for what
// other processes left. What was put off before is tried at once: a program is
// often started anew because something was mended. Errors are logged and tried
// again.
func (l *Loop) Run(ctx context.Context) {
	if err := l.c.Store.OfferAgain(ctx); err != nil && ctx.Err() == nil {
		l.c.Log.Error("offer again what was put off", "error", err)
	}
	var both sync.WaitGroup
	both.Go(func() { l.runQueue(ctx) })
	both.Go(func() { l.runBuild(ctx) })
	both.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
	}
}

func (l *Loop) runQueue(ctx context.Context) {
	l.Wake()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
			if !l.gather(ctx) {
				return
			}
		case <-time.After(l.interval(&l.rest)):
		}
		if err := l.empty(ctx); err != nil && ctx.Err() == nil {
			l.c.Log.Error("index messages", "error", err)
		}
		signal(l.rebuild)
	}
}

func (l *Loop) runBuild(ctx context.Context) {
	for {
		built, err := l.build(ctx)
		if err != nil && ctx.Err() == nil {
			l.c.Log.Error("build the vectors", "error", err)
		}
		if built { // what came in meanwhile is queued
			signal(l.wake)
		}
		select {
		case <-ctx.Done():
			return
		case <-l.rebuild:
		case <-time.After(l.interval(&l.buildRest)):
		}
	}
}

// interval is the time to the next look at work that nobody has announced.
func (l *Loop) interval(p *pause) time.Duration {
	if left := p.left(l.c.Now()); left > 0 {
		return min(left, l.c.Poll)
	}
	return l.c.Poll
}

// gather lets more come in before a batch is made; false when ctx ends meanwhile.
func (l *Loop) gather(ctx context.Context) bool {
	t := time.NewTimer(l.c.Delay)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-l.hurry:
	case <-t.C:
	}
	return true
}

// Drain embeds all that waits now and builds the model that is wanted; it returns
// when nothing is left to do, when ctx ends or when the store fails. What the
// embedder refuses is put off, not an error. It is for programs without a Run.
func (l *Loop) Drain(ctx context.Context) error {
	for {
		if err := l.empty(ctx); err != nil {
			return err
		}
		built, err := l.build(ctx)
		if err != nil || !built {
			return err
		}
	}
}

// empty embeds what waits in the queue.
func (l *Loop) empty(ctx context.Context) error {
	l.drain.Lock()
	defer l.drain.Unlock()
	for {
		l.gate.begin()
		did, err := l.queue(ctx)
		if err != nil {
			return err
		}
		if !did {
			l.gate.open()
			return l.tidy(ctx)
		}
	}
}

// The store is tidied after this many passages, and this share of what it has.
const (
	tidyAfter = 500
	tidyShare = .1
)

// tidy tidies the store when enough has come in since.
func (l *Loop) tidy(ctx context.Context) error {
	if l.done < tidyAfter {
		return nil
	}
	active, err := l.c.Store.ActiveModel(ctx)
	if err != nil {
		return err
	}
	p, err := l.c.Store.Progress(ctx, active)
	if err != nil || float64(l.done) < tidyShare*float64(p.Indexed) {
		return err
	}
	l.done = 0
	return l.c.Store.Tidy(ctx)
}

// Making returns the model that is being built and how many of its vectors there
// are; the zero model = none.
func (l *Loop) Making(ctx context.Context) (memory.EmbeddingModel, memory.Progress, error) {
	return l.c.Store.Making(ctx)
}

// Trouble says why what waits in the queue gets no vectors now; "" = it does.
func (l *Loop) Trouble() string { return l.rest.why() }

// Obstacle says why the model that is wanted does not replace the given one, which
// is in use, the zero model when none is; "" = nothing is in its way.
func (l *Loop) Obstacle(inUse memory.EmbeddingModel) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if inUse != (memory.EmbeddingModel{}) && inUse != l.against {
		return "" // another process has made the change
	}
	return l.buildRest.why()
}
