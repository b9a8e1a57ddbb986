package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"mcp-memory/memory/sqlite"
)

// doctorCommand checks the database.
type doctorCommand struct {
	Fix bool `help:"Rebuild the index from the messages first."`
}

// errUnhealthy is the outcome of a check that found something; what it is has
// been printed.
var errUnhealthy = errors.New("the database needs attention: run mcp-memory doctor --fix")

// Run prints what was checked, a line each.
func (c doctorCommand) Run(ctx context.Context, p *program, s *settings) (err error) {
	if err := s.exists(); err != nil {
		return err
	}
	a, err := p.open(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	look := a.db.Check
	if c.Fix {
		look = a.db.Repair
	}
	findings, err := look(ctx)
	if err != nil {
		return err
	}
	return report(p, s.DB, findings)
}

func report(p *program, path string, findings []sqlite.Finding) error {
	fmt.Fprintf(p.stdout, "%s\n", path)
	table := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	healthy := true
	for _, f := range findings {
		state := "ok"
		if !f.OK {
			state, healthy = "BAD", false
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", state, f.Name, f.Detail)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print findings: %w", err)
	}
	if !healthy {
		return errUnhealthy
	}
	return nil
}
