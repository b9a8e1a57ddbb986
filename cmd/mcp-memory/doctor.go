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
func (c doctorCommand) Run(ctx context.Context, p *program, s *settings) error {
	return p.withFile(ctx, s, func(a *app) error {
		look := a.db.Check
		if c.Fix {
			look = a.db.Repair
		}
		file, err := look(ctx)
		if err != nil {
			return err
		}
		work, err := a.checkWork(ctx)
		if err != nil {
			return err
		}
		return report(p, s.DB, []examined{{file, errUnhealthy}, {a.checkEmbedder(ctx), errEmbedder}, {work, errModels}})
	})
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

// examined is what was found in one place, and the error when something is wrong
// there.
type examined struct {
	findings []sqlite.Finding
	wrong    error
}

// report prints all findings and returns the first error.
func report(p *program, path string, places []examined) error {
	fmt.Fprintf(p.stdout, "%s\n", path)
	table := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	var first error
	for _, place := range places {
		if !printFindings(table, place.findings) && first == nil {
			first = place.wrong
		}
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print findings: %w", err)
	}
	return first
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
