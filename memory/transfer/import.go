package transfer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"mcp-memory/memory"
)

// Import says how to read a file of our own format.
type Import struct {
	Append   Appender        // nil = only read and check
	Session  string          // of records that name none
	Zone     *time.Location  // of times written without one; nil = time.Local
	Progress func(bytes int) // called as bytes are read; nil = nobody watches
}

// How much is gathered before it is written: a transaction takes at most
// batchSize messages, and all sessions together wait for at most maxWaiting
// bytes.
const (
	batchSize  = 500
	maxWaiting = 16 << 20
)

// Run imports in. The report is valid also when an error ends the import: it
// tells what was done until then.
func (i Import) Run(ctx context.Context, in io.Reader) (Report, error) {
	if i.Zone == nil {
		i.Zone = time.Local
	}
	run := importRun{Import: i, waiting: map[string][]line{}}
	err := run.read(ctx, bufio.NewReaderSize(in, 256<<10))
	if err == nil {
		err = run.flushAll(ctx)
	}
	return run.report, err
}

// importRun is one import under way.
type importRun struct {
	Import
	report  Report
	order   []string          // sessions that wait, in the order they were met
	waiting map[string][]line // by session
	bytes   int               // of text that waits
}

// read goes through the lines.
func (r *importRun) read(ctx context.Context, in *bufio.Reader) error {
	for number := 1; ; number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		raw, readErr := in.ReadBytes('\n')
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			return fmt.Errorf("read line %d: %w", number, readErr)
		}
		if r.Progress != nil {
			r.Progress(len(raw))
		}
		if number == 1 {
			raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
		}
		if err := r.take(ctx, bytes.TrimSpace(raw), number); err != nil {
			return err
		}
		if readErr != nil {
			return nil
		}
	}
}

// take handles one line.
func (r *importRun) take(ctx context.Context, raw []byte, number int) error {
	if len(raw) == 0 {
		return nil
	}
	if head, err := isHeader(raw); head || err != nil {
		return err
	}
	r.report.Read++
	l, err := parseLine(raw, number, r.Session, r.Zone)
	if err != nil {
		r.report.skip(number, err.Error())
		return nil
	}
	if r.waiting[l.session] == nil {
		r.order = append(r.order, l.session)
	}
	r.waiting[l.session] = append(r.waiting[l.session], l)
	r.bytes += len(raw)
	if len(r.waiting[l.session]) >= batchSize || r.bytes >= maxWaiting {
		return r.flushAll(ctx)
	}
	return nil
}

// flushAll writes what waits, session by session.
func (r *importRun) flushAll(ctx context.Context) error {
	for _, session := range r.order {
		if err := r.flush(ctx, session, r.waiting[session]); err != nil {
			return err
		}
	}
	r.order, r.bytes = nil, 0
	clear(r.waiting)
	return nil
}

// flush writes the lines of a session. When the engine refuses one of them, the
// batch is halved until that one stands alone, and only it is left out.
func (r *importRun) flush(ctx context.Context, session string, lines []line) error {
	if r.Append == nil {
		for _, l := range lines {
			r.report.Replaced += l.replaced
		}
		return nil
	}
	drafts := make([]memory.Draft, len(lines))
	for i, l := range lines {
		drafts[i] = l.draft
	}
	outcome, err := r.Append(ctx, session, Source, drafts)
	switch {
	case err == nil:
		r.report.add(outcome)
		for _, l := range lines {
			r.report.Replaced += l.replaced
		}
		return nil
	case !errors.Is(err, memory.ErrInvalid):
		return fmt.Errorf("write lines %d to %d: %w", lines[0].number, lines[len(lines)-1].number, err)
	case len(lines) == 1:
		// The engine counts inside the batch; here the line says where it is.
		r.report.skip(lines[0].number, strings.TrimPrefix(err.Error(), "messages[0]: "))
		return nil
	}
	half := len(lines) / 2
	if err := r.flush(ctx, session, lines[:half]); err != nil {
		return err
	}
	return r.flush(ctx, session, lines[half:])
}
