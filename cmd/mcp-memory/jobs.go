package main

import (
	"context"
	"fmt"
	"log/slog"

	"mcp-memory/memory"
	"mcp-memory/memory/jobs"
)

// trainingTime is when the local model is trained again, besides whenever the
// messages have grown enough.
const trainingTime = "03:30"

// buildJobs makes the runner of what happens by itself.
func (a *app) buildJobs(log *slog.Logger) error {
	list := []jobs.Job{
		{Name: "summary", Schedule: a.settings.SummarySchedule, CatchUp: true, Run: a.summarise},
		{Name: "sweep", Schedule: "@hourly", CatchUp: true, Run: func(ctx context.Context, _ jobs.Run) error {
			_, err := a.lessons.Sweep(ctx)
			return err
		}},
		{Name: "index", Run: func(ctx context.Context, _ jobs.Run) error { return a.loop.Drain(ctx) }},
	}
	if a.settings.Embedder == "local" {
		list = append(list, jobs.Job{Name: "train", Schedule: trainingTime, CatchUp: true, Run: func(ctx context.Context, _ jobs.Run) error {
			a.local.Renew()
			return a.loop.Drain(ctx)
		}})
	}
	var err error
	if a.jobs, err = jobs.New(jobs.Config{Store: a.db, Jobs: list, Workers: a.workers(), Location: a.settings.zone, Log: log}); err != nil {
		return fmt.Errorf("build jobs: %w", err)
	}
	return nil
}

// summarise is the job summary. A person who asks for it waits for nothing; the
// schedule leaves sessions alone for a while that have failed.
func (a *app) summarise(ctx context.Context, run jobs.Run) error {
	if run.Forced {
		return a.summary.TickNow(ctx)
	}
	return a.summary.Tick(ctx)
}

// workers do the work that outlives the process that asked for it, by kind.
func (a *app) workers() map[string]jobs.Worker {
	return map[string]jobs.Worker{
		memory.WipeKind: func(ctx context.Context, _ memory.Work) error { return a.history.FinishWipe(ctx) },
	}
}

// runJobs runs the jobs until ctx ends.
func (a *app) runJobs(ctx context.Context, log *slog.Logger) {
	if err := a.jobs.Run(ctx); err != nil {
		log.Error("run the jobs", "error", err)
	}
}
