package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/budget"
	"mcp-memory/memory/summary"
	"mcp-memory/memory/windows"
	"mcp-memory/tools"
)

// buildBudget makes what fits runs into the windows of models.
func (a *app) buildBudget(log *slog.Logger) error {
	var err error
	if a.windows, err = windows.New(windows.Config{Store: a.db, URL: a.settings.WindowsURL, Endpoints: a.models.reporters, Log: log}); err != nil {
		return usagef("--windows-url: %w", err)
	}
	c := budget.Config{Windows: table{a.windows}, Folder: summaryFolder{a.summary}, Dropped: a.overflowed, Log: log}
	if a.models.main != nil {
		c.Steps = budget.ModelSummariser(a.models.main)
	}
	if a.models.decision != nil {
		c.Judge = budget.ModelJudge(a.models.decision, summary.ParseVerdicts)
	}
	a.budget = budget.New(c)
	return nil
}

// table gives the engine of runs the windows of models.
type table struct{ *windows.Table }

// Window returns the window in tokens and who knows it.
func (t table) Window(ctx context.Context, model string) (tokens int, source string) {
	w := t.Table.Window(ctx, model)
	return w.Tokens, w.Source
}

// foldTime is how long a run waits for its older turns to be summarised. After it
// they stay for the next stages.
const foldTime = 20 * time.Second

// summaryFolder folds older turns of runs into the rolling summary.
type summaryFolder struct{ summaries *summary.Engine }

// Fold returns the summary with the turns in it, as JSON.
func (f summaryFolder) Fold(ctx context.Context, session string, turns []memory.Turn, query string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, foldTime)
	defer cancel()
	s, err := f.summaries.Fold(ctx, session, turns, query)
	if err != nil || s.Empty() {
		return "", err
	}
	raw, err := json.Marshal(tools.ShowSummary(s))
	return string(raw), err
}

// overflowKind is the kind of work that puts what was cut from a run into the note
// of its day.
const overflowKind = "overflow"

// overflowed keeps the conversation that was cut from a run until it is in the
// note of the day.
func (a *app) overflowed(ctx context.Context, session string, turns []memory.Turn) error {
	if a.mask != nil {
		for i := range turns {
			turns[i].Content, _ = a.mask.Mask(turns[i].Content)
		}
	}
	now := time.Now()
	payload, err := json.Marshal(struct {
		At    time.Time     `json:"at"`
		Turns []memory.Turn `json:"turns"`
	}{now, turns})
	if err != nil {
		return fmt.Errorf("write what was cut: %w", err)
	}
	return a.jobs.Add(ctx, memory.Work{Kind: overflowKind, Key: session + " " + now.UTC().Format(time.RFC3339Nano), Session: session, Payload: payload})
}
