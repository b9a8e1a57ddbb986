package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"mcp-memory/memory"
	"mcp-memory/server"
	"mcp-memory/server/guard"
	"mcp-memory/server/metrics"
	"mcp-memory/server/rest"
	"mcp-memory/server/site"
	"mcp-memory/tools"
)

// opener opens the memories of namespaces.
type opener struct {
	*program
	settings *settings
	process  *metrics.Process
	tokens   []guard.Token // none = one namespace, and everybody may write
	alive    time.Duration // how often quiet streams are kept alive
}

// has says whether there is a token of a namespace that is read-only, or one
// that is not.
func (o opener) has(namespace string, readOnly bool) bool {
	return slices.ContainsFunc(o.tokens, func(t guard.Token) bool { return t.Namespace == namespace && t.ReadOnly == readOnly })
}

// open opens the memory of a namespace with all that is shown of it. It lives
// until it is closed, whatever becomes of ctx.
func (o opener) open(ctx context.Context, namespace string) (*site.Tenant, error) {
	ctx = context.WithoutCancel(ctx)
	a, err := o.program.open(ctx, o.settings.of(namespace))
	if err != nil {
		return nil, err
	}
	tenant, err := o.furnish(a, namespace)
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	a.start(ctx, o.program)
	return tenant, nil
}

// furnish builds what is shown of a memory: to those who may write, and to those
// who may not, where there are any.
func (o opener) furnish(a *app, namespace string) (*site.Tenant, error) {
	m := metrics.New(kept{a})
	a.observe = m.Call
	if err := a.buildServer(o.program); err != nil {
		return nil, err
	}
	tenant := &site.Tenant{Metrics: m.Handler(o.process), Close: a.close}
	var err error
	if tenant.Full, err = o.face(a, a.mcp, a.offer.Tools, m); err != nil || !o.has(namespace, true) {
		return tenant, err
	}
	offer := a.offer
	if offer.Tools, err = (tools.Selection{ReadOnly: true}).Of(offer.Tools); err != nil {
		return nil, err
	}
	if a.reader, err = server.New(offer); err != nil {
		return nil, err
	}
	tenant.ReadOnly, err = o.face(a, a.reader, offer.Tools, m)
	return tenant, err
}

// face is what is shown of a memory over HTTP by a server that offers the given
// tools.
func (o opener) face(a *app, s *server.Server, list []tools.Tool, m *metrics.Metrics) (site.Face, error) {
	if a.offer.Summaries != nil {
		summary, err := (&tools.SessionSummary{Summaries: a.offer.Summaries, History: a.history, Session: a.settings.session()}).Tool()
		if err != nil {
			return site.Face{}, err
		}
		list = append(slices.Clone(list), summary)
	}
	operations, err := rest.New(rest.Config{
		Tools: list, ReadOnly: s == a.reader || a.settings.ReadOnly, Version: a.offer.Version, Observe: m.Operation, Log: a.offer.Log,
	})
	if err != nil {
		return site.Face{}, err
	}
	return site.Face{MCP: s.Network(o.alive), REST: operations}, nil
}

// kept tells the metrics what a memory keeps.
type kept struct{ *app }

// Queue implements metrics.Source.
func (k kept) Queue(ctx context.Context) (memory.Progress, error) {
	active, err := k.db.ActiveModel(ctx)
	if err != nil {
		return memory.Progress{}, err
	}
	return k.db.Progress(ctx, active)
}

// Spending implements metrics.Source.
func (k kept) Spending(ctx context.Context, since string) ([]memory.Spending, error) {
	return k.db.Spending(ctx, since)
}
