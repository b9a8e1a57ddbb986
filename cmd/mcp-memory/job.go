package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"mcp-memory/memory/jobs"
)

// jobCommand is about what happens by itself.
type jobCommand struct {
	List jobListCommand `cmd:"" help:"Show the jobs: when they run, when they ran last, what went wrong."`
	Run  jobRunCommand  `cmd:"" help:"Run a job now, whatever its schedule says."`
}

// jobListCommand shows the jobs.
type jobListCommand struct{}

// Run prints a line for each job, and one for each piece of work that waits.
func (jobListCommand) Run(ctx context.Context, p *program, s *settings) error {
	return p.withFile(ctx, s, func(a *app) error {
		list, err := a.jobs.List(ctx)
		if err != nil {
			return fmt.Errorf("list the jobs: %w", err)
		}
		waiting, err := a.jobs.Backlog(ctx)
		if err != nil {
			return fmt.Errorf("list the work: %w", err)
		}
		table := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintf(table, "JOB\tSCHEDULE\tNEXT\tLAST\tOUTCOME\n")
		for _, j := range list {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", j.Name, first(j.Schedule, "by hand"), a.moment(j.Next), a.moment(j.Started), outcome(j))
		}
		for _, w := range waiting {
			fmt.Fprintf(table, "%s %s\twaiting work\t%s\t%s\t%s\n", w.Kind, w.Key, a.moment(w.NotBefore), a.moment(w.AddedAt), first(w.LastError, "not tried yet"))
		}
		return table.Flush()
	})
}

// outcome says in words how the last run of a job ended.
func outcome(j jobs.Status) string {
	switch {
	case j.RunningBy != "":
		return "running in " + j.RunningBy
	case j.LastError != "":
		return fmt.Sprintf("failed (%d in a row): %s", j.Failures, j.LastError)
	case j.Started.IsZero():
		return "never ran"
	case j.Ended.IsZero():
		return "broken off"
	}
	return "ok"
}

// moment shows a time in the configured zone; "-" for none.
func (a *app) moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.In(a.settings.zone).Format("2006-01-02 15:04:05")
}

// jobRunCommand runs a job.
type jobRunCommand struct {
	Name string `arg:"" help:"Which one, as job list names it."`
}

// Run runs the job and returns its error.
func (c jobRunCommand) Run(ctx context.Context, p *program, s *settings) error {
	return p.withFile(ctx, s, func(a *app) error {
		if err := a.jobs.Check(c.Name); err != nil {
			return usageError{err}
		}
		began := time.Now()
		if err := a.jobs.RunNow(ctx, c.Name); err != nil {
			return fmt.Errorf("job %s: %w", c.Name, err)
		}
		fmt.Fprintf(p.stdout, "job %s: done in %v\n", c.Name, time.Since(began).Round(time.Millisecond))
		return nil
	})
}
