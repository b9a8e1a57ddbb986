package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	_ "time/tzdata" // not every system has the time zones

	"mcp-memory/memory"
	"mcp-memory/memory/budget"
	"mcp-memory/memory/embed"
	"mcp-memory/memory/history"
	"mcp-memory/memory/index"
	"mcp-memory/memory/jobs"
	"mcp-memory/memory/lessons"
	"mcp-memory/memory/notes"
	"mcp-memory/memory/recall"
	"mcp-memory/memory/sqlite"
	"mcp-memory/memory/summary"
	"mcp-memory/memory/text"
	"mcp-memory/memory/transfer"
	"mcp-memory/memory/windows"
	"mcp-memory/server"
	"mcp-memory/tools"
)

// settleTime is how long a search waits for the vectors of what was just added.
const settleTime = 50 * time.Millisecond

// app is the memory with its engines on an open database. Close ends it.
type app struct {
	settings *settings
	db       *sqlite.DB
	mask     history.Masker // nil = secrets are kept
	history  *history.History
	recall   *recall.Recall
	models   models
	summary  *summary.Engine
	lessons  *lessons.Lessons
	notes    *notes.Notes
	windows  *windows.Table
	budget   *budget.Engine
	local    *embed.Local // the model that is learnt from the messages
	source   index.Source
	loop     *index.Loop
	jobs     *jobs.Runner
	mcp      *server.Server  // nil = nothing is served
	reader   *server.Server  // the same without what changes something; nil = there is none
	offer    server.Config   // what mcp serves
	observe  server.Observer // told of calls; nil = nobody

	stop    context.CancelFunc // ends the background work
	running sync.WaitGroup
}

// open opens the database and puts the engines on it. The background work
// begins with start.
func (p *program) open(ctx context.Context, s *settings) (*app, error) {
	e, err := s.embedder(p.log)
	if err != nil {
		return nil, err
	}
	chat, err := s.models(p.log)
	if err != nil {
		return nil, err
	}
	db, err := sqlite.Open(ctx, sqlite.Options{
		Path: s.DB, Sync: string(s.Sync), JournalMode: string(s.JournalMode), Log: p.log,
		Analyse: func(m memory.Message) memory.Entry { return history.Analyse(m, s.zone) },
	})
	if err != nil {
		return nil, err
	}
	local := embed.NewLocal(db)
	a := &app{settings: s, db: db, local: local, source: source(db, e, local), stop: func() {}}
	if err := errors.Join(a.buildSummaries(chat, p.log), a.build(p), a.buildBudget(p.log), a.buildJobs(p.log)); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return a, nil
}

// withFile opens the memory of a database that exists, calls fn and closes it.
func (p *program) withFile(ctx context.Context, s *settings, fn func(*app) error) (err error) {
	if err := s.exists(); err != nil {
		return err
	}
	a, err := p.open(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	return fn(a)
}

// build puts the engines of recording and finding together.
func (a *app) build(p *program) error {
	a.mask = a.masker()
	var err error
	if a.loop, err = index.New(index.Config{Store: a.db, Source: a.source, Notes: a.db.NoteQueue(), OnSwitch: debug.FreeOSMemory, Log: p.log}); err != nil {
		return fmt.Errorf("build index: %w", err)
	}
	a.history, err = history.New(history.Config{
		Store: a.db, Masker: a.mask, Window: a.settings.MaxHistoryMessages, MaxHotBytes: a.settings.hotBytes(),
		KeepVectors: a.settings.KeepVectors == "all", Location: a.settings.zone, OnAppend: a.appended, OnReset: a.appended, Log: p.log,
		Notes:    a.naming,
		Outdated: a.outdated(), Summarise: a.summary.Update,
	})
	if err != nil {
		return fmt.Errorf("build history: %w", err)
	}
	a.recall, err = recall.New(recall.Config{
		Store: a.db, Embedder: a.source, Location: a.settings.zone, Log: p.log,
		Trouble: a.loop.Trouble, Obstacle: a.loop.Obstacle,
		Settle: func(ctx context.Context) { a.loop.Settle(ctx, settleTime) },
	})
	if err != nil {
		return fmt.Errorf("build recall: %w", err)
	}
	a.lessons, err = lessons.New(lessons.Config{
		Store: a.db, Embedder: a.source, Masker: a.mask, Life: time.Duration(a.settings.ErrorTTL), Log: p.log,
	})
	if err != nil {
		return fmt.Errorf("build lessons: %w", err)
	}
	return a.buildNotes(p)
}

// masker hides secrets, nil when that is switched off. Its rules take a moment
// to load, which need not be the first message's.
func (a *app) masker() history.Masker {
	if !a.settings.Redact {
		return nil
	}
	redactor := text.NewRedactor()
	a.running.Go(func() {
		redactor.Warm()
		debug.FreeOSMemory() // loading takes a lot of memory for a moment
	})
	return redactor
}

// hotBytes is the limit as the engine takes it.
func (s *settings) hotBytes() int64 {
	if s.MaxHistoryBytes == 0 {
		return -1
	}
	return int64(s.MaxHistoryBytes)
}

// start begins the background work.
func (a *app) start(ctx context.Context, p *program) {
	ctx, a.stop = context.WithCancel(ctx)
	a.running.Go(func() { a.loop.Run(ctx) })
	a.running.Go(func() { a.runJobs(ctx, p.log) })
	a.running.Go(func() { a.windows.Run(ctx) })
	if a.mcp == nil {
		return
	}
	a.running.Go(func() { a.readNotes(ctx, p) })
	a.running.Go(func() { a.mcp.Run(ctx) })
	if a.reader != nil {
		a.running.Go(func() { a.reader.Run(ctx) })
	}
	a.running.Go(func() { a.db.Watch(ctx, 0, a.changed) })
}

// changed tells those who serve that the file is not as it was.
func (a *app) changed() {
	for _, s := range []*server.Server{a.mcp, a.reader} {
		if s != nil {
			s.Changed()
		}
	}
}

// appended wakes those who wait for new messages, or for fewer: what is learnt
// from the messages is learnt anew then.
func (a *app) appended() {
	a.loop.Wake()
	a.changed()
}

// close ends the background work, waits for it and closes the database.
func (a *app) close() error {
	a.stop()
	a.history.Close()
	a.summary.Close()
	a.running.Wait()
	if err := a.db.Close(); err != nil {
		return fmt.Errorf("close the database: %w", err)
	}
	return nil
}

// chatHistory is the tool, which commands call too.
func (a *app) chatHistory() *tools.ChatHistory {
	return &tools.ChatHistory{History: a.history, Recall: a.recall, Session: a.settings.session(), Zone: a.settings.zone, Now: time.Now}
}

// contexts is the tool get_context.
func (a *app) contexts() *tools.GetContext {
	return &tools.GetContext{History: a.history, Summaries: a.summary, Session: a.settings.session()}
}

// buildServer builds the MCP server. It comes before start, which begins its work
// too.
func (a *app) buildServer(p *program) error {
	chat, get, find := a.chatHistory(), a.contexts(), &tools.FindErrors{Lessons: a.lessons}
	list, err := tools.All(
		get,
		&tools.AddMessages{History: a.history, Session: a.settings.session(), Zone: a.settings.zone},
		chat,
		&tools.Compact{History: a.history, Summaries: a.summary, Session: a.settings.session()},
		&tools.Reset{History: a.history, Session: a.settings.session()},
		&tools.FitContext{Budget: a.budget, Session: a.settings.session()},
		&tools.WriteError{Lessons: a.lessons, Session: a.settings.session()},
		find,
		&tools.MemorySearch{Notes: a.notes, Zone: a.settings.zone},
		&tools.MemoryGet{Notes: a.notes},
		&tools.MemoryWrite{Notes: a.notes},
	)
	if err != nil {
		return err
	}
	if list, err = a.settings.selection().Of(list); err != nil {
		return err
	}
	a.offer = server.Config{
		Version: programVersion(), Session: a.settings.session(), Tools: list, History: chat, Context: get,
		Summaries: a.summary, Lessons: find, Notes: a.notes, Marks: a.db, Observe: a.observe, Log: p.log,
	}
	a.mcp, err = server.New(a.offer)
	return err
}

// appender records what transfer reads, marked with the given source.
func (a *app) appender(source string) transfer.Appender {
	return func(ctx context.Context, session, _ string, drafts []memory.Draft) (transfer.Outcome, error) {
		added, err := a.history.Append(ctx, session, source, drafts)
		return transfer.Outcome{Appended: added.Appended, Replaced: added.Replaced}, err
	}
}
