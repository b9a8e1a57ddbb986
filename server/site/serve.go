package site

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// The bounds of a connection and of the end.
const (
	headerTimeout  = 10 * time.Second // for the headers of a request to arrive
	idleTimeout    = 2 * time.Minute  // between two requests
	maxHeaderBytes = 64 << 10
	// callGrace is how long running calls may go on when the server ends, and
	// closeGrace how long their answers and the streams may take after that.
	callGrace  = 5 * time.Second
	closeGrace = 2 * time.Second
)

// Serve serves the site on a listener, with TLS when a configuration is given,
// until ctx ends. Then nobody new comes in, running calls finish, streams close,
// and it returns; the listener is closed.
func (s *Site) Serve(ctx context.Context, l net.Listener, secure *tls.Config) error {
	streams, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	defer hangUp()
	base := context.WithValue(context.WithoutCancel(ctx), streamsKey{}, streams)
	h := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		TLSConfig:         secure,
		BaseContext:       func(net.Listener) context.Context { return base },
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	served := make(chan error, 1)
	go func() {
		if secure != nil {
			served <- h.ServeTLS(l, "", "")
			return
		}
		served <- h.Serve(l)
	}()
	select {
	case err := <-served:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	err := s.stop(h, hangUp)
	<-served
	return err
}

// streamsKey is where a request finds the context that ends when streams are to.
type streamsKey struct{}

// endable ends a request, which may be a stream that stays open for good, when
// the server hangs up. Other requests end by themselves.
func endable(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		if streams, ok := ctx.Value(streamsKey{}).(context.Context); ok {
			defer context.AfterFunc(streams, cancel)()
		}
		next(w, r.WithContext(ctx))
	}
}

// stop ends serving: it returns when the last request is answered, or given up.
func (s *Site) stop(h *http.Server, hangUp func()) error {
	ctx, cancel := context.WithTimeout(context.Background(), callGrace+closeGrace)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- h.Shutdown(ctx) }() // closes the listener at once
	calls, enough := context.WithTimeout(ctx, callGrace)
	s.tenants.wait(calls)
	enough()
	hangUp()
	err := <-closed
	if errors.Is(err, context.DeadlineExceeded) {
		s.Log.Warn("connections were cut that did not end by themselves")
		err = h.Close()
	}
	if err != nil {
		return fmt.Errorf("stop serving: %w", err)
	}
	return nil
}
