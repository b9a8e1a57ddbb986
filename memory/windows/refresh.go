package windows

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"mcp-memory/memory"
)

const (
	liveEvery    = time.Hour        // between two looks at the live table
	reportEvery  = 24 * time.Hour   // how long the report of an endpoint is kept
	retryAfter   = 5 * time.Minute  // after a failure of either
	patience     = 30 * time.Second // for one live table, or one report
	largestTable = 32 << 20         // bytes; tables of some thousand models take 1 to 3 MB
)

// Run keeps the live table and the reports of the endpoints fresh until ctx ends,
// and then waits for what it has begun. It returns at once when there is neither
// a URL nor an endpoint. Run is called once at a time.
//
// It is a loop of its own and no job: a job runs in one of the processes that
// share a memory, and every process needs the tables in its own memory.
func (t *Table) Run(ctx context.Context) {
	var running sync.WaitGroup
	if t.c.URL != "" {
		page := publication{url: t.c.URL, client: t.c.HTTPClient}
		running.Go(func() {
			t.repeat(ctx, "live table", liveEvery, func(ctx context.Context) error { return t.refresh(ctx, &page) })
		})
	}
	for i, endpoint := range t.c.Endpoints {
		running.Go(func() {
			t.repeat(ctx, "report of an endpoint", reportEvery, func(ctx context.Context) error { return t.report(ctx, i, endpoint) })
		})
	}
	running.Wait()
}

// repeat does something again and again: soon after a failure, unless that says
// that it would be no use. That, and a failure that follows a failure, is not
// worth a warning.
func (t *Table) repeat(ctx context.Context, what string, every time.Duration, do func(context.Context) error) {
	failing := false
	for {
		wait := every
		limited, cancel := context.WithTimeout(ctx, patience)
		err := do(limited)
		cancel()
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			log := t.c.Log.Debug
			if retry, ok := errors.AsType[*memory.RetryError](err); !ok || !retry.Never {
				wait = retryAfter
				if !failing {
					log = t.c.Log.Warn
				}
			}
			log("context windows were not refreshed", "source", what, "again_in", wait, "err", err)
		}
		failing = err != nil
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// refresh fetches the live table. The one before stays when that fails, or when
// it has not changed.
func (t *Table) refresh(ctx context.Context, page *publication) error {
	entries, err := page.fetch(ctx)
	if err == nil && entries != nil {
		fresh := newTable(entries)
		t.live.Store(&fresh)
	}
	return err
}

// report asks an endpoint. It is asked when the report before is 24 hours old,
// which is then no longer believed.
func (t *Table) report(ctx context.Context, i int, endpoint Reporter) error {
	list, err := endpoint.Windows(ctx)
	if err != nil {
		t.reports[i].Store(nil)
		return err
	}
	var entries []entry
	for _, m := range list {
		entries = append(entries, entry{readName(m.Model), m.Tokens})
	}
	fresh := newTable(entries)
	t.reports[i].Store(&fresh)
	return nil
}

// publication is a live table at its place, and the version of it that was read
// last.
type publication struct {
	url    string
	client *http.Client
	etag   string // "" = none was given
}

// fetch gets the table; nil when it has not changed. The errors do not repeat
// the URL, because it may hold a password.
func (p *publication) fetch(ctx context.Context) ([]entry, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url, nil)
	if err != nil {
		return nil, errors.New("the URL of the table cannot be used")
	}
	request.Header.Set("Accept", "application/json")
	if p.etag != "" {
		request.Header.Set("If-None-Match", p.etag)
	}
	response, err := p.client.Do(request)
	if err != nil {
		if about, ok := errors.AsType[*url.Error](err); ok {
			err = about.Err
		}
		return nil, fmt.Errorf("fetch the table: %w", err)
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusNotModified && p.etag != "":
		return nil, nil
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("fetch the table: HTTP %d", response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, largestTable+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the table: %w", err)
	case len(body) > largestTable:
		return nil, fmt.Errorf("read the table: it is larger than %d MB", largestTable>>20)
	}
	entries, err := readPublished(body)
	if err == nil {
		p.etag = response.Header.Get("ETag")
	}
	return entries, err
}
