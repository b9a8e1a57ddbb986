package main

import (
	"context"
	"encoding/json"
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
	c := budget.Config{Windows: table{a.windows}, Folder: folder{a.summary}, Log: log}
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

// folder folds older turns of runs into the rolling summary.
type folder struct{ summaries *summary.Engine }

// Fold returns the summary with the turns in it, as JSON.
func (f folder) Fold(ctx context.Context, session string, turns []memory.Turn, query string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, foldTime)
	defer cancel()
	s, err := f.summaries.Fold(ctx, session, turns, query)
	if err != nil || s.Empty() {
		return "", err
	}
	raw, err := json.Marshal(tools.ShowSummary(s))
	return string(raw), err
}
