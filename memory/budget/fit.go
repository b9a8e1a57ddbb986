package budget

import (
	"context"
	"slices"

	"mcp-memory/memory"
	"mcp-memory/memory/limits"
)

// Fit returns the messages to send. A request that cannot be meant and a run that
// cannot be fitted are an ErrInvalid that says why, for the caller to read.
func (e *Engine) Fit(ctx context.Context, q Request) (Result, error) {
	if err := q.check(); err != nil {
		return Result{}, err
	}
	counter := e.Tokens.For(q.Model)
	r, err := readRun(q.Messages, reader{counter.Count})
	if err != nil {
		return Result{}, err
	}
	f := fitting{Engine: e, run: r, request: &q, before: r.total}
	first, _ := r.begins()
	f.result = Result{TokensBefore: r.total, Counted: counter.Name(), Stages: slices.Clone(q.PriorStages), LeftOut: []string{}}
	if err := f.fit(ctx); err != nil {
		return Result{}, err
	}
	r.open(first, f.target)
	if f.result.Messages, f.result.TokensAfter = r.list(), r.total; len(f.result.Messages) == 0 {
		return Result{}, memory.Invalidf("every message is the result of a tool call that is not in messages: give the messages with the calls, too")
	}
	f.result.Budget, f.result.Window, f.result.Source = f.budget, f.window, f.source
	e.answered.add(hash(e.seed, f.result.Messages))
	return f.result, nil
}

// fitting is one call of Fit under way.
type fitting struct {
	*Engine
	*run
	threshold
	request *Request
	query   string
	before  int // tokens of the run as it came
	result  Result
}

// fit runs the stages, each only as far as needed.
func (f *fitting) fit(ctx context.Context) error {
	f.done(StageRepair, f.repair())
	if q := f.request; q.PreviousModel != "" && q.PreviousModel != q.Model {
		f.done(StageConvert, f.convert())
	}
	f.protect()
	if f.query = f.request.Query; f.query == "" && f.lastUser() >= 0 {
		f.query = f.messages[f.lastUser()].text
	}
	limit, refused := limits.ContextError(f.request.ProviderError)
	if limit > 0 {
		f.result.LearnedLimit = limit
		if err := f.Windows.Learn(ctx, f.request.Model, limit); err != nil {
			f.Log.Warn("remember a window", "model", f.request.Model, "limit", limit, "err", err)
		}
	}
	var err error
	if f.threshold, err = f.Engine.threshold(ctx, f.request, limit); err != nil {
		return err
	}
	switch {
	case refused:
		return f.afterRefusal(ctx)
	case f.request.ProviderError != "": // a rate, a quota, a fault: waiting helps, cutting does not
		return nil
	}
	if !f.answered.has(hash(f.seed, f.request.Messages)) {
		f.reported(f.request.InputTokens, f.before)
	}
	return f.belowThreshold(ctx)
}

// belowThreshold brings a run that is over its budget down to it.
func (f *fitting) belowThreshold(ctx context.Context) error {
	if f.total > f.target && !slices.Contains(f.request.PriorStages, StageFold) {
		done, err := f.fold(ctx, f.run, f.request.Session, f.query, f.target)
		if err != nil {
			return err
		}
		f.done(StageFold, done)
	}
	if f.total > f.target {
		done, err := f.summariseSteps(ctx, f.run, f.target)
		if err != nil {
			return err
		}
		f.done(StageSteps, done)
	}
	if f.total > f.target {
		return f.takeOut(ctx)
	}
	return nil
}

// afterRefusal cuts a run that its endpoint has refused.
func (f *fitting) afterRefusal(ctx context.Context) error {
	f.refused(f.before)
	if err := f.takeOut(ctx); err != nil {
		return err
	}
	if len(f.result.LeftOut) == 0 && f.total > f.target {
		return memory.Invalidf("the endpoint refused the run, and nothing of it can go: its %d tokens are system messages, the last user message, the newest tool step and write_todo steps. "+
			"Shorten the largest of these, or use a model with a larger window", f.total)
	}
	return nil
}

// takeOut cuts the run, and hands the conversation that is gone to the day's note.
// What must stay may be above the target, but not above the budget.
func (f *fitting) takeOut(ctx context.Context) error {
	done, dropped, err := f.cut(ctx, f.run, f.query, f.target-f.openingRoom(f.target))
	if err != nil {
		return err
	}
	if f.total > f.budget {
		return f.tooLarge(f.request, f.threshold)
	}
	f.done(StageCut, done)
	if f.Dropped == nil || len(dropped) == 0 {
		return nil
	}
	if err := f.Dropped(ctx, f.request.Session, dropped); err != nil {
		f.Log.Error("hand dropped conversation to the day's note", "err", err)
	}
	return nil
}

// done notes what a stage did; nothing when it did nothing.
func (f *fitting) done(stage string, said []string) {
	if len(said) == 0 {
		return
	}
	f.result.LeftOut = append(f.result.LeftOut, said...)
	if !slices.Contains(f.result.Stages, stage) {
		f.result.Stages = append(f.result.Stages, stage)
	}
}
