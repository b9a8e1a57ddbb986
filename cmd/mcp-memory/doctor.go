package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// The outcomes of a check that found something; what it is has been printed.
var (
	errUnhealthy = errors.New("the database needs attention: run mcp-memory doctor --fix")
	errEmbedder  = errors.New("the embeddings endpoint does not work: see its line and the settings --embed-base-url, --embed-model and the key")
)

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
	return report(p, s.DB, findings, a.checkEmbedder(ctx))
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
	f := sqlite.Finding{Name: "endpoint", OK: true}
	switch err := endpoint.Probe(ctx); {
	case ctx.Err() != nil:
		f.OK, f.Detail = false, fmt.Sprintf("%s: no answer within %v", a.settings.EmbedModel, endpointTime)
	case err != nil:
		f.OK, f.Detail = false, fmt.Sprintf("%s: %v", a.settings.EmbedModel, err)
	default:
		f.Detail = fmt.Sprintf("%s: answers with %d dimensions", a.settings.EmbedModel, endpoint.Model().Dimensions)
	}
	return []sqlite.Finding{f}
}

// report prints the findings about the file and about the endpoint.
func report(p *program, path string, file, endpoint []sqlite.Finding) error {
	fmt.Fprintf(p.stdout, "%s\n", path)
	table := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	healthy := printFindings(table, file)
	works := printFindings(table, endpoint)
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print findings: %w", err)
	}
	switch {
	case !healthy:
		return errUnhealthy
	case !works:
		return errEmbedder
	}
	return nil
}

// printFindings writes a line each and returns whether nothing is wrong.
func printFindings(out io.Writer, findings []sqlite.Finding) bool {
	healthy := true
	for _, f := range findings {
		state := "ok"
		if !f.OK {
			state, healthy = "BAD", false
		}
		fmt.Fprintf(out, "%s\t%s\t%s\n", state, f.Name, f.Detail)
	}
	return healthy
}
