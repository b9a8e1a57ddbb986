// Package summary keeps the rolling summary of each session: the decisions that
// still apply, what was talked about, and what is being talked about. A job
// brings it up to date; each step takes the messages that arrived since, has a
// model merge them into the summary so far, and saves the result together with
// the cursor behind them, so that every message is summarised exactly once.
//
// What a model answers is data of a stranger: it is read leniently, checked
// strictly, and a reply that does not pass leaves the good summary in place.
// Several processes may share one store; leases see to it that one of them works
// on a session, and a save is refused when the session has changed meanwhile.
package summary

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/flight"
)

// DefaultRunes is how many characters of transcript a model call gets.
const DefaultRunes = 32_000

// LeastRunes is the fewest that may be configured: with less, the frame of a
// message would not leave room for its text.
const LeastRunes = 400

// Store is what the engine needs of a store.
type Store interface {
	// DueSummaries lists the sessions to work on: those with messages after
	// their cursor and, when relearn is set, those whose summary no model
	// wrote; without those named "temp-…" and those that wait after a failure.
	DueSummaries(ctx context.Context, now time.Time, relearn bool) ([]string, error)
	// SummaryState reads what the work on a session starts from; ErrNotFound
	// for an unknown session.
	SummaryState(ctx context.Context, session string) (memory.SummaryState, error)
	// MessagesAfter reads messages in order of arrival, the archive included:
	// those above after and up to upTo, at most n, and no more once their
	// contents pass maxBytes.
	MessagesAfter(ctx context.Context, session string, after, upTo int64, n, maxBytes int) ([]memory.Message, error)
	// SaveSummary makes a summary the current one and moves the cursor, if the
	// session is still in the state of the mark, else ErrConflict. One equal to
	// the current summary makes no new version.
	SaveSummary(ctx context.Context, session string, mark memory.SummaryMark, s memory.Summary, model string, cursor memory.SummaryCursor) (memory.SummaryVersion, error)
	// SaveSummaryDraft keeps a rebuild that has come from one cursor to the
	// next; the zero cursor begins a new one. ErrConflict in another generation
	// or when the draft stands elsewhere.
	SaveSummaryDraft(ctx context.Context, session string, generation int64, from memory.SummaryCursor, d memory.SummaryDraft) error
	// PublishSummaryDraft makes the draft the current summary, if the session is
	// still in the state of the mark, else ErrConflict.
	PublishSummaryDraft(ctx context.Context, session string, mark memory.SummaryMark) (memory.SummaryVersion, error)
	// SummaryVersions returns the versions that are kept, the newest first.
	SummaryVersions(ctx context.Context, session string) ([]memory.SummaryVersion, error)
	// FailSummary notes a failed try; the job leaves the session alone until
	// then. Nothing happens in another generation.
	FailSummary(ctx context.Context, session string, generation int64, until time.Time, reason string) error
	// SummaryFailures lists the sessions whose last try failed.
	SummaryFailures(ctx context.Context) ([]memory.SummaryFailure, error)
	// Acquire takes the named lease for the owner or renews it; false while
	// another owner holds it. Release gives it back.
	Acquire(ctx context.Context, name, owner string, lasting time.Duration) (bool, error)
	Release(ctx context.Context, name, owner string) error
}

// Judge decides what a summary needs. Its mistakes cost text, so it must only
// speak up when it is sure; an error keeps everything.
type Judge interface {
	// Noise says of each exchange whether it can be left out.
	Noise(ctx context.Context, exchanges [][]memory.Message) ([]bool, error)
	// Overturned returns the summary without the key decisions and past
	// discussions that the exchanges overturn or replace.
	Overturned(ctx context.Context, s memory.Summary, exchanges [][]memory.Message) (memory.Summary, error)
	// Relevant returns what of the summary matters for a request.
	Relevant(ctx context.Context, s memory.Summary, query string) (memory.Summary, error)
}

// Config configures an Engine.
type Config struct {
	Store Store            // required
	Model memory.ChatModel // writes the summaries; nil = Local does
	Judge Judge            // nil = everything is kept
	// Local makes a summary without a model, from the one before, the time of
	// the last message in that (zero = there is none) and whole exchanges; nil =
	// without a model, sessions are left alone.
	Local    func(previous memory.Summary, talked time.Time, exchanges [][]memory.Message) memory.Summary
	Runes    int                  // characters of transcript a call; 0 = DefaultRunes, at least 400
	Language string               // of the summaries, by its English name; "" or "auto" = that of the conversation
	Location *time.Location       // of the times in summaries; nil = time.Local
	OnSaved  func(session string) // called after a summary has changed; must not block; nil = nothing
	Now      func() time.Time     // nil = time.Now
	Log      *slog.Logger         // nil = discarded
}

// Engine is the rolling summary of all sessions of a store. It is safe for
// concurrent use.
type Engine struct {
	store    Store
	model    memory.ChatModel
	judge    Judge
	local    func(memory.Summary, time.Time, [][]memory.Message) memory.Summary
	runes    int
	language string
	location *time.Location
	onSaved  func(string)
	now      func() time.Time
	log      *slog.Logger
	rebuilds *flight.Group[int] // messages that are in the summary, by session
}

// New checks the configuration and returns an Engine.
func New(c Config) (*Engine, error) {
	if c.Store == nil {
		return nil, memory.Invalidf("summary needs a store")
	}
	e := &Engine{
		store: c.Store, model: c.Model, judge: c.Judge, local: c.Local, runes: c.Runes, language: c.Language,
		location: c.Location, onSaved: c.OnSaved, now: c.Now, log: c.Log,
	}
	if e.runes == 0 {
		e.runes = DefaultRunes
	}
	if e.runes < LeastRunes {
		return nil, memory.Invalidf("summary_runes is %d: give at least %d", e.runes, LeastRunes)
	}
	if e.language == "auto" {
		e.language = ""
	}
	if e.location == nil {
		e.location = time.Local
	}
	if e.onSaved == nil {
		e.onSaved = func(string) {}
	}
	if e.now == nil {
		e.now = time.Now
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	e.rebuilds = flight.New[int](func(session string, err error) {
		e.log.Error("rebuild the summary", "session", session, "error", err)
	})
	return e, nil
}

// Close ends the rebuilds that run in the background and waits for them.
func (e *Engine) Close() { e.rebuilds.Close() }

// Tick brings every session up to date that is due; it is what the job runs. A
// session that fails is put off and reported, and the others go on, unless the
// model's endpoint does not work at all: then the rest is left for the next tick.
func (e *Engine) Tick(ctx context.Context) error { return e.tick(ctx, visit{start: e.now()}) }

// TickNow is Tick for somebody who asks for it: it takes the sessions that wait
// after a failure, too.
func (e *Engine) TickNow(ctx context.Context) error {
	return e.tick(ctx, visit{start: e.now(), early: true})
}

func (e *Engine) tick(ctx context.Context, v visit) error {
	if e.idle() {
		return nil
	}
	until := v.start
	if v.early {
		until = time.Unix(0, math.MaxInt64)
	}
	due, err := e.store.DueSummaries(ctx, until, e.model != nil)
	if err != nil {
		return err
	}
	var failed []error
	for _, session := range due {
		err := e.try(ctx, session, v)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil || changedMeanwhile(err) {
			continue
		}
		failed = append(failed, fmt.Errorf("summarise session %q: %w", session, err))
		if stopsTick(err) {
			break
		}
	}
	return errors.Join(failed...)
}

// Update brings one session up to date now, whether or not it waits after a
// failure. When another process is at work on it, Update waits for its turn.
// ErrConflict: the session was changed meanwhile.
func (e *Engine) Update(ctx context.Context, session string) error {
	if e.idle() {
		return nil
	}
	return e.try(ctx, session, visit{start: e.now(), early: true, patient: true})
}

// idle says whether nothing can write a summary.
func (e *Engine) idle() bool { return e.model == nil && e.local == nil }

// author is the name under which summaries are saved.
func (e *Engine) author() string {
	if e.model == nil {
		return memory.LocalModel
	}
	return e.model.Name()
}

// visit is how sessions are brought up to date.
type visit struct {
	start   time.Time
	early   bool // also those that wait after a failure
	patient bool // wait for those that another works on, instead of leaving them alone
}

// try works on one session under its lease.
func (e *Engine) try(ctx context.Context, session string, v visit) error {
	_, err := e.holding(ctx, leaseName(session), v.patient, func(ctx context.Context) error {
		st, err := e.store.SummaryState(ctx, session)
		if err != nil || !v.early && st.NotBefore.After(v.start) {
			return err
		}
		saved, err := e.catchUp(ctx, session, st)
		return e.note(ctx, session, st, saved, v.start, err)
	})
	return err
}

// catchUp does what a session needs; saved says whether any of it was saved.
func (e *Engine) catchUp(ctx context.Context, session string, st memory.SummaryState) (saved bool, err error) {
	current := st.Current
	switch {
	case current.Version > 0 && st.Mark.Cursor == (memory.SummaryCursor{}):
		_, err := e.store.SaveSummary(ctx, session, st.Mark, current.Summary, current.Model, memory.SummaryCursor{Seq: st.LastSeq})
		return err == nil, err
	case e.model != nil && current.Model == memory.LocalModel:
		return e.startOver(ctx, session, st, func(int) {})
	}
	return e.extend(ctx, session, st)
}

// extend merges the messages after the cursor into the current summary, and saves
// it with the cursor after each chunk.
func (e *Engine) extend(ctx context.Context, session string, st memory.SummaryState) (saved bool, err error) {
	mark := st.Mark
	w := e.walk(session, st)
	w.summary, w.cursor = st.Current.Summary, mark.Cursor
	if mark.Version > 0 {
		w.model = st.Current.Model
	}
	w.save = func(ctx context.Context) error {
		v, err := e.store.SaveSummary(ctx, session, mark, w.summary, w.model, w.cursor)
		if err != nil {
			return err
		}
		saved = true
		changed := v.Version != mark.Version
		mark.Version, mark.Cursor = v.Version, w.cursor
		if changed {
			e.onSaved(session)
		}
		return nil
	}
	return saved, w.run(ctx)
}
