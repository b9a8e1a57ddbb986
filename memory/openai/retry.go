package openai

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

const (
	// patience bounds what one Embed loses to failed requests and to the
	// waits after them.
	patience = 30 * time.Second
	// The wait after a failure doubles from firstWait to longestWait.
	firstWait   = 500 * time.Millisecond
	longestWait = 8 * time.Second
)

// request embeds the texts of g, again and again as long as the failure may
// pass and there is patience left.
func (j *job) request(ctx context.Context, g group) error {
	for try := 1; ; try++ {
		start := j.e.c.Now()
		err := j.send(ctx, g)
		var f *failure
		if !errors.As(err, &f) || !f.mayPass(try, g.part) {
			return err
		}
		wait := f.after
		if wait <= 0 {
			wait = backOff(try)
		}
		if !j.spend(ctx, j.e.c.Now().Sub(start), wait) {
			return f
		}
		j.e.c.Log.Info("embeddings endpoint is asked again", "status", f.status, "wait", wait)
		if err := j.e.c.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// backOff is the wait after failed try number n, counted from 1: twice as long
// each time, the upper half of it drawn by lot so that clients do not march in
// step.
func backOff(n int) time.Duration {
	wait := min(longestWait, firstWait<<min(n-1, 8))
	return wait/2 + rand.N(wait/2)
}

// spend takes what a failed request and the wait after it cost from the
// patience of the job; false when that is more than there is, or when ctx would
// end during the wait.
func (j *job) spend(ctx context.Context, lost, wait time.Duration) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lost += lost
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait {
		return false
	}
	if j.lost+wait >= patience {
		return false
	}
	j.lost += wait
	return true
}

// timeout is the time for one request: once some is lost, no more than what is
// left of the patience.
func (j *job) timeout() time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.lost == 0 {
		return j.e.c.Timeout
	}
	return min(j.e.c.Timeout, max(patience-j.lost, time.Second))
}

// sleep waits for d, or returns the error of a ctx that ends first.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
