package site

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
)

// tenants are the namespaces that have been opened. They are safe for concurrent
// use.
type tenants struct {
	open func(ctx context.Context, namespace string) (*Tenant, error)

	mu    sync.Mutex
	rooms map[string]*room
}

// room is the place of one namespace, whether it is open or not.
type room struct {
	mu             sync.Mutex // held while it is opened
	tenant         *Tenant    // nil = not open
	full, readOnly faces
}

// faces are the handlers of a Face, made once.
type faces struct{ streamable, sse, rest, metrics http.Handler }

func newFaces(f Face, metrics http.Handler) faces {
	if f.MCP == nil {
		return faces{}
	}
	return faces{f.MCP.Streamable(), f.MCP.SSE(), f.REST, metrics}
}

// of returns the room of a namespace, opened. Whoever asks first opens it, even
// when he goes away meanwhile: others may be waiting.
func (t *tenants) of(ctx context.Context, namespace string) (*room, error) {
	t.mu.Lock()
	r := t.rooms[namespace]
	if r == nil {
		r = &room{}
		t.rooms[namespace] = r
	}
	t.mu.Unlock()

	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tenant != nil {
		return r, nil
	}
	tenant, err := t.open(context.WithoutCancel(ctx), namespace)
	if err != nil {
		return nil, fmt.Errorf("open namespace %q: %w", namespace, err)
	}
	r.tenant = tenant
	r.full, r.readOnly = newFaces(tenant.Full, tenant.Metrics), newFaces(tenant.ReadOnly, tenant.Metrics)
	return r, nil
}

// each goes through all that is open.
func (t *tenants) each(do func(*Tenant)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.rooms {
		r.mu.Lock()
		if r.tenant != nil {
			do(r.tenant)
		}
		r.mu.Unlock()
	}
}

// wait returns when no call is running any more, or when ctx ends.
func (t *tenants) wait(ctx context.Context) {
	var waiting sync.WaitGroup
	t.each(func(one *Tenant) {
		for _, f := range []Face{one.Full, one.ReadOnly} {
			if f.MCP != nil {
				waiting.Go(func() { f.MCP.Wait(ctx) })
			}
		}
	})
	waiting.Wait()
}

// close closes all that is open.
func (t *tenants) close(ctx context.Context) error {
	var errs []error
	t.each(func(one *Tenant) {
		for _, f := range []Face{one.Full, one.ReadOnly} {
			if f.MCP != nil {
				errs = append(errs, f.MCP.Close(ctx))
			}
		}
		errs = append(errs, one.Close())
	})
	return errors.Join(errs...)
}
