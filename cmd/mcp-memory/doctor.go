package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"mcp-memory/memory/embed"
	"mcp-memory/memory/openai"
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
	findings = append(findings, a.checkEmbedder(ctx)...)
	return report(p, s.DB, findings)
}

// endpointTime is how long an endpoint may take to answer the check.
const endpointTime = 10 * time.Second

// checkEmbedder asks the endpoint for a vector, if there is one.
func (a *app) checkEmbedder(ctx context.Context) []sqlite.Finding {
	fixed, ok := a.source.(*embed.Fixed)
	if !ok {
		return nil
	}
	endpoint, ok := fixed.Embedder.(*openai.Embedder)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, endpointTime)
	defer cancel()
	f := sqlite.Finding{Name: "embeddings", OK: true}
	if err := endpoint.Probe(ctx); err != nil {
		f.OK, f.Detail = false, fmt.Sprintf("%s: %v", a.settings.EmbedModel, err)
	} else {
		f.Detail = fmt.Sprintf("%s: answers with %d dimensions", a.settings.EmbedModel, endpoint.Model().Dimensions)
	}
	return []sqlite.Finding{f}
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
