package site

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"time"

	"mcp-memory/server/guard"
)

// requestHeader carries the id of a request: the client's own, or a new one.
const requestHeader = "X-Request-Id"

// requestIDs are the ids of clients that are taken over into the log.
var requestIDs = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// request is what is noted of a request.
type request struct {
	id    string
	route string // how the path is registered; "" = it was refused before
	token string // the name of the token; "" = none
}

type requestKey struct{}

// record notes each request in the log when it has ended: what kind it was, who
// asked, how it ended and how long it took. Paths and queries are left out, for
// they hold what people wrote. A panic becomes an answer.
func (s *Site) record(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		noted := &request{id: r.Header.Get(requestHeader)}
		if !requestIDs.MatchString(noted.id) {
			noted.id = rand.Text()
		}
		w.Header().Set(requestHeader, noted.id)
		ctx := context.WithValue(r.Context(), requestKey{}, noted)
		answer := &answer{ResponseWriter: w}
		defer func() {
			p := recover()
			if p == http.ErrAbortHandler {
				panic(p) // it is meant to cut the connection
			}
			if p != nil {
				s.Log.ErrorContext(ctx, "request panicked", "panic", p, "stack", string(debug.Stack()))
				if answer.status == 0 {
					guard.Refuse(answer, http.StatusInternalServerError, "internal error: see the server's log")
				}
			}
			s.Log.InfoContext(ctx, "request", "method", method(r.Method), "route", noted.route, "token", noted.token,
				"status", answer.status, "bytes", answer.bytes, "took", time.Since(start))
		}()
		next.ServeHTTP(answer, r.WithContext(ctx))
	})
}

// method is the method of a request when it is one of those that are served.
func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return m
	}
	return "other"
}

// named notes what is known of a request once it is let in.
func named(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if noted, ok := r.Context().Value(requestKey{}).(*request); ok {
			noted.token = guard.IdentityOf(r.Context()).Name
			_, noted.route = mux.Handler(r)
			defer func() {
				if r.Pattern != "" { // of the operation, where there are some below
					noted.route = r.Pattern
				}
			}()
		}
		mux.ServeHTTP(w, r)
	})
}

// answer notes how a request is answered.
type answer struct {
	http.ResponseWriter
	status int // 0 = not yet
	bytes  int
}

// Unwrap implements the contract of http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer.
func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	n, err := a.ResponseWriter.Write(p)
	a.bytes += n
	return n, err
}

// Flush implements http.Flusher, which the library asks for by its name.
func (a *answer) Flush() {
	_ = http.NewResponseController(a.ResponseWriter).Flush() // what cannot be flushed comes later
}

// Requests makes every line that is logged for a request carry the request's id.
func Requests(h slog.Handler) slog.Handler { return withRequest{h} }

type withRequest struct{ slog.Handler }

// Handle implements slog.Handler.
func (h withRequest) Handle(ctx context.Context, line slog.Record) error {
	if noted, ok := ctx.Value(requestKey{}).(*request); ok {
		line.AddAttrs(slog.String("request", noted.id))
	}
	return h.Handler.Handle(ctx, line)
}

// WithAttrs implements slog.Handler.
func (h withRequest) WithAttrs(attrs []slog.Attr) slog.Handler {
	return withRequest{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h withRequest) WithGroup(name string) slog.Handler {
	return withRequest{h.Handler.WithGroup(name)}
}
