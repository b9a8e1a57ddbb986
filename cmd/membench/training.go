package main

import (
	"context"
	"os"
	"os/exec"
	"time"
)

// training is what was measured while the vectors were learnt again.
type training struct {
	Seconds float64 `json:"s"`   // learning, and giving every message its new vector
	Adds    int     `json:"add"` // messages recorded meanwhile, one a call
	latency         // of these
}

// train has another process learn the vectors again and records messages until it
// is done.
func (r *speedRun) train(ctx context.Context, s *server) error {
	r.bench.log("%d messages, sync %s: adding while vectors are learnt again", len(r.texts), r.column.Sync)
	learn := exec.CommandContext(ctx, r.bench.Binary, "job", "run", "train", "--db", r.db)
	learn.Env = append(os.Environ(), r.env)
	if err := learn.Start(); err != nil {
		return err
	}
	learnt := make(chan error, 1)
	began := time.Now()
	go func() { learnt <- learn.Wait() }()
	var times []float64
	for i := 0; ; i++ {
		m := r.messages(i%len(r.texts), i%len(r.texts)+1)
		m[0].ID = "again-" + m[0].ID
		elapsed, err := s.add(ctx, sessionOf(i)+"-again", m)
		if err != nil {
			return err
		}
		times = append(times, millis(elapsed))
		select {
		case err := <-learnt:
			if err == nil { // else these vectors are not learnt
				r.column.Training = &training{time.Since(began).Seconds(), len(times), latencyOf(times)}
			}
			return nil
		default:
		}
	}
}

// trainingRows are the figures of training.
func trainingRows() []speedRow {
	row := func(name string, value func(t *training) float64) speedRow {
		return speedRow{name, func(c *speedColumn) string {
			if c.Training == nil {
				return "n/a"
			}
			return number(value(c.Training))
		}}
	}
	return []speedRow{
		row("learning all vectors again (s)", func(t *training) float64 { return t.Seconds }),
		row("add one message meanwhile p50 (ms)", func(t *training) float64 { return t.P50 }),
		row("add one message meanwhile p95 (ms)", func(t *training) float64 { return t.P95 }),
		row("add one message meanwhile p99 (ms)", func(t *training) float64 { return t.P99 }),
	}
}
