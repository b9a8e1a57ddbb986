package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/extract"
	"mcp-memory/memory/summary"
)

// buildSummaries puts the rolling summary together.
func (a *app) buildSummaries(m models, log *slog.Logger) error {
	var err error
	if a.models, err = m.metered(a.settings, a.db, log); err != nil {
		return err
	}
	c := summary.Config{
		Store: a.db, Model: a.models.main, Runes: a.settings.SummaryRunes, Language: a.settings.ReplyLang, Location: a.settings.zone,
		OnSaved: func(string) { a.changed() }, Log: log,
		Local: func(previous memory.Summary, talked time.Time, exchanges [][]memory.Message) memory.Summary {
			return extract.Summary(previous, exchanges, extract.Options{Location: a.settings.zone, Since: talked})
		},
	}
	if a.models.decision != nil {
		c.Judge = summary.NewJudge(a.models.decision, a.settings.zone)
	}
	if a.summary, err = summary.New(c); err != nil {
		return fmt.Errorf("build summary: %w", err)
	}
	return nil
}

// outdated asks the main model which exchanges are no longer useful; nil without
// one.
func (a *app) outdated() func(context.Context, [][]memory.Message) ([]bool, error) {
	if a.models.main == nil {
		return nil
	}
	return summary.NewJudge(a.models.main, a.settings.zone).Outdated
}
