package server

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// lively sends a comment over a stream that answers a POST on which nothing has
// happened for the interval: the library keeps only other streams alive. When the
// request is answered, it takes the connection out of the library's hands, which
// keeps the writer of a stream for as long as the session lasts.
func lively(next http.Handler, every time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		l := &livelyWriter{out: w, flusher: http.NewResponseController(w)}
		done := make(chan struct{})
		var beating sync.WaitGroup
		beating.Go(func() { l.beat(every, done) })
		defer func() {
			close(done)
			beating.Wait()
			l.end()
		}()
		next.ServeHTTP(l, r)
	})
}

// errAnswered is what writing after the end of a request returns.
var errAnswered = errors.New("the request has been answered")

// livelyWriter writes an answer and, between its parts, comments. Each Write is
// a whole event where the answer is a stream.
type livelyWriter struct {
	mu      sync.Mutex
	out     http.ResponseWriter // nil = the request is answered
	flusher *http.ResponseController
	written bool // something was, since the last beat
	stream  bool // the answer is a stream of events
}

// Unwrap implements the contract of http.ResponseController.
func (l *livelyWriter) Unwrap() http.ResponseWriter {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out
}

// Header implements http.ResponseWriter.
func (l *livelyWriter) Header() http.Header {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out == nil {
		return http.Header{}
	}
	return l.out.Header()
}

// WriteHeader implements http.ResponseWriter.
func (l *livelyWriter) WriteHeader(status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out == nil {
		return
	}
	l.stream = strings.HasPrefix(l.out.Header().Get("Content-Type"), "text/event-stream")
	l.out.WriteHeader(status)
}

// Write implements io.Writer.
func (l *livelyWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out == nil {
		return 0, errAnswered
	}
	l.written = true
	return l.out.Write(p)
}

// Flush implements http.Flusher.
func (l *livelyWriter) Flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out != nil {
		_ = l.flusher.Flush() // a connection that is gone shows at the next Write
	}
}

// end lets go of the connection.
func (l *livelyWriter) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out, l.flusher = nil, nil
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
			_, _ = io.WriteString(l.out, ": still here\n\n")
			_ = l.flusher.Flush()
		}
		l.written = false
		l.mu.Unlock()
	}
}
