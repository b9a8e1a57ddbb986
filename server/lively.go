package server

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// lively sends a comment over a stream that answers a POST on which nothing has
// happened for the interval: the library keeps only other streams alive.
func lively(next http.Handler, every time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		l := &livelyWriter{ResponseWriter: w, flusher: http.NewResponseController(w)}
		done := make(chan struct{})
		var beating sync.WaitGroup
		beating.Go(func() { l.beat(every, done) })
		defer func() {
			close(done)
			beating.Wait()
		}()
		next.ServeHTTP(l, r)
	})
}

// livelyWriter writes an answer and, between its parts, comments. Each Write is
// a whole event where the answer is a stream.
type livelyWriter struct {
	http.ResponseWriter
	flusher *http.ResponseController

	mu      sync.Mutex
	written bool // something was, since the last beat
	stream  bool // the answer is a stream of events
}

// Unwrap implements the contract of http.ResponseController.
func (l *livelyWriter) Unwrap() http.ResponseWriter { return l.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (l *livelyWriter) WriteHeader(status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stream = strings.HasPrefix(l.Header().Get("Content-Type"), "text/event-stream")
	l.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer.
func (l *livelyWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.written = true
	return l.ResponseWriter.Write(p)
}

// Flush implements http.Flusher.
func (l *livelyWriter) Flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.flusher.Flush() // a connection that is gone shows at the next Write
}

// beat sends the comments until done is closed.
func (l *livelyWriter) beat(every time.Duration, done <-chan struct{}) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		l.mu.Lock()
		if l.stream && !l.written {
			_, _ = io.WriteString(l.ResponseWriter, ": still here\n\n")
			_ = l.flusher.Flush()
		}
		l.written = false
		l.mu.Unlock()
	}
}
