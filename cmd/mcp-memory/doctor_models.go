package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// errModels: the chat models or what they are asked for do not work.
var errModels = errors.New("something in the background does not work: see its line, and job list")

// checkWork looks at the chat models and at what is done in the background.
func (a *app) checkWork(ctx context.Context) ([]sqlite.Finding, error) {
	list := a.checkModels(ctx)
	for _, look := range []func(context.Context) ([]sqlite.Finding, error){a.checkTokens, a.checkSummaries, a.checkJobs} {
		found, err := look(ctx)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// checkModels asks each chat model that is configured for a word.
func (a *app) checkModels(ctx context.Context) []sqlite.Finding {
	var list []sqlite.Finding
	for _, one := range []struct {
		name  string
		model memory.ChatModel
	}{{"main model", a.models.main}, {"decision model", a.models.decision}} {
		if one.model == nil {
			continue
		}
		list = append(list, checkModel(ctx, one.name, one.model))
	}
	return list
}

func checkModel(ctx context.Context, name string, model memory.ChatModel) sqlite.Finding {
	limited, cancel := context.WithTimeout(ctx, endpointTime)
	defer cancel()
	_, err := model.Chat(limited, memory.Prompt{
		Purpose: "doctor",
		Turns:   []memory.Turn{{Role: memory.RoleUser, Content: "Answer with the one word: ready"}},
	})
	switch {
	case limited.Err() != nil:
		return sqlite.Finding{Name: name, Detail: fmt.Sprintf("%s: no answer within %v", model.Name(), endpointTime)}
	case err != nil:
		return sqlite.Finding{Name: name, Detail: fmt.Sprintf("%s: %v", model.Name(), err)}
	}
	return sqlite.Finding{Name: name, OK: true, Detail: model.Name() + ": answers"}
}

// checkTokens tells what the chat models have cost today and in the last week.
func (a *app) checkTokens(ctx context.Context) ([]sqlite.Finding, error) {
	now := time.Now().In(a.settings.zone)
	today := now.Format(time.DateOnly)
	spent, err := a.db.Spending(ctx, now.AddDate(0, 0, -6).Format(time.DateOnly))
	if err != nil {
		return nil, fmt.Errorf("read what the models cost: %w", err)
	}
	if len(spent) == 0 && a.settings.DailyTokens == 0 {
		return nil, nil
	}
	var day, week memory.Usage
	var by []string
	for _, s := range spent {
		week = week.Add(s.Usage)
		if s.Day == today {
			day = day.Add(s.Usage)
			by = append(by, fmt.Sprintf("%s with %s %d", s.Purpose, s.Model, s.Input+s.Output))
		}
	}
	f := sqlite.Finding{Name: "tokens", OK: true}
	used := day.Input + day.Output
	f.Detail = fmt.Sprintf("%d today", used)
	if budget := a.settings.DailyTokens; budget > 0 {
		f.OK = used < budget
		f.Detail = fmt.Sprintf("%d of %d today", used, budget)
	}
	if len(by) > 0 {
		f.Detail += " (" + strings.Join(by, ", ") + ")"
	}
	f.Detail += fmt.Sprintf(", %d in 7 days, %d requests", week.Input+week.Output, week.Requests)
	return []sqlite.Finding{f}, nil
}

// checkSummaries lists the sessions whose summary could not be brought up to date.
func (a *app) checkSummaries(ctx context.Context) ([]sqlite.Finding, error) {
	failures, err := a.summary.Failures(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the failures of summaries: %w", err)
	}
	var list []sqlite.Finding
	for _, f := range failures {
		list = append(list, sqlite.Finding{Name: "summary", Detail: fmt.Sprintf("%s: failed %s, tried again at %s: %s",
			f.Session, times(f.Failures), a.moment(f.NotBefore), f.Reason)})
	}
	return list, nil
}

// checkJobs lists the jobs and the work that failed.
func (a *app) checkJobs(ctx context.Context) ([]sqlite.Finding, error) {
	list, err := a.jobs.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the jobs: %w", err)
	}
	waiting, err := a.jobs.Backlog(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the work: %w", err)
	}
	var found []sqlite.Finding
	for _, j := range list {
		if j.LastError != "" {
			found = append(found, sqlite.Finding{Name: "job " + j.Name, Detail: outcome(j)})
		}
	}
	for _, w := range waiting {
		if w.LastError != "" {
			found = append(found, sqlite.Finding{Name: w.Kind, Detail: fmt.Sprintf("%s: failed %s, tried again at %s: %s", w.Key, times(w.Tries), a.moment(w.NotBefore), w.LastError)})
		}
	}
	return found, nil
}

// times says how often.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
