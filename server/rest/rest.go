// Package rest shows the memory over HTTP as resources of JSON, for hosts that
// do not speak MCP. Each operation calls a tool, so that it takes the same
// arguments, checks them in the same way, and answers with the tool's structured
// result. Errors are {"error":{"code","message"}}. The table of routes says which
// operations there are; the OpenAPI document is made from it.
package rest

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"mcp-memory/memory"
	"mcp-memory/server/guard"
	"mcp-memory/tools"
)

// Prefix is what the paths of all operations begin with.
const Prefix = "/v1"

// DocumentPath is where the OpenAPI document is.
const DocumentPath = Prefix + "/openapi.json"

// Observer is told of each operation, when it has ended: its method and the path
// as the document writes it, how long it took, and its status.
type Observer func(operation string, took time.Duration, status int)

// Config configures the operations.
type Config struct {
	Tools    []tools.Tool // what can be called; an operation is there when its tool is
	ReadOnly bool         // operations that change something are refused
	Version  string       // of the program, for the document; "" = "dev"
	Observe  Observer     // nil = nobody
	Log      *slog.Logger // nil = discarded
}

// New makes the handler of everything below Prefix.
func New(c Config) (http.Handler, error) {
	if c.Version == "" {
		c.Version = "dev"
	}
	if c.Log == nil {
		c.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if c.Observe == nil {
		c.Observe = func(string, time.Duration, int) {}
	}
	a := &api{Config: c, byName: map[string]tools.Tool{}}
	for _, t := range c.Tools {
		a.byName[t.Name()] = t
	}
	document, err := a.document()
	if err != nil {
		return nil, err
	}
	return a.mux(document), nil
}

// api is the operations on the tools that are there.
type api struct {
	Config
	byName map[string]tools.Tool
}

// mux sends each request to its operation. A path that is known by another
// method, or not at all, gets an answer of the same form as every error.
func (a *api) mux(document []byte) *http.ServeMux {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for _, r := range routes {
		t, there := a.byName[r.tool]
		switch {
		case there && !(r.writes() && a.ReadOnly):
			mux.HandleFunc(r.method+" "+Prefix+r.path, a.serve(r, t))
		case r.writes() && a.ReadOnly:
			mux.HandleFunc(r.method+" "+Prefix+r.path, refuseWriting)
		default:
			continue
		}
		methods[r.path] = append(methods[r.path], r.method)
	}
	for path, known := range methods {
		allow := strings.Join(known, ", ")
		mux.HandleFunc(Prefix+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Allow", allow)
			guard.Refuse(w, http.StatusMethodNotAllowed, "this path takes "+allow)
		})
	}
	mux.HandleFunc("GET "+DocumentPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(document) // who asked may be gone
	})
	mux.HandleFunc(Prefix+"/", func(w http.ResponseWriter, _ *http.Request) {
		guard.Refuse(w, http.StatusNotFound, "there is no such path: see "+DocumentPath)
	})
	return mux
}

func refuseWriting(w http.ResponseWriter, _ *http.Request) {
	guard.Refuse(w, http.StatusForbidden, "this token, or this server, is read-only")
}

// serve is an operation.
func (a *api) serve(r route, t tools.Tool) http.HandlerFunc {
	operation := r.method + " " + Prefix + r.path
	return func(w http.ResponseWriter, req *http.Request) {
		start, status := time.Now(), http.StatusOK
		defer func() { a.Observe(operation, time.Since(start), status) }()
		arguments, err := r.arguments(req)
		if err != nil {
			status = a.fail(w, operation, err)
			return
		}
		result, err := t.Call(req.Context(), arguments)
		if err != nil {
			status = a.fail(w, operation, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(result); err != nil {
			a.Log.DebugContext(req.Context(), "answer not written", "operation", operation, "err", err)
		}
	}
}

// fail answers with an error and returns its status.
func (a *api) fail(w http.ResponseWriter, operation string, err error) int {
	status := statusOf(err)
	guard.Refuse(w, status, tools.FailureText(a.Log, operation, err))
	return status
}

// statusOf is the status for what an operation returned.
func statusOf(err error) int {
	if _, ok := errors.AsType[*memory.PublicError](err); !ok {
		return http.StatusInternalServerError
	}
	switch {
	case errors.Is(err, memory.ErrInvalid):
		return http.StatusBadRequest
	case errors.Is(err, memory.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, memory.ErrConflict):
		return http.StatusConflict
	}
	return http.StatusInternalServerError
}

// sessionArgument is the argument of a tool that {id} gives.
const sessionArgument = "session_id"

// arguments collects the arguments of the tool, as a JSON object.
func (r route) arguments(req *http.Request) (json.RawMessage, error) {
	given := map[string]json.RawMessage{}
	var err error
	if r.takesBody() {
		given, err = bodyArguments(req)
	} else {
		err = r.queryArguments(req, given)
	}
	if err != nil {
		return nil, err
	}
	fixed := maps.Clone(r.fixed)
	if id := req.PathValue("id"); id != "" {
		if _, twice := given[sessionArgument]; twice {
			return nil, memory.Invalidf("the session is named in the path: leave out %s", sessionArgument)
		}
		if fixed == nil {
			fixed = args{}
		}
		fixed[sessionArgument] = id
	}
	for name, value := range fixed {
		if given[name], err = json.Marshal(value); err != nil {
			return nil, err
		}
	}
	return json.Marshal(given)
}

// bodyArguments reads the object in the body.
func bodyArguments(req *http.Request) (map[string]json.RawMessage, error) {
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, memory.Invalidf("the body could not be read to its end")
	}
	given := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &given); err != nil || given == nil {
		return nil, memory.Invalidf("the body must be a JSON object")
	}
	return given, nil
}

// queryArguments reads the parameters of the query. Each is text; the tool reads
// numbers and times out of it.
func (r route) queryArguments(req *http.Request, given map[string]json.RawMessage) error {
	for name, values := range req.URL.Query() {
		switch {
		case !slices.Contains(r.query, name):
			return memory.Invalidf("unknown parameter %.60q: known are %s", name, strings.Join(r.query, ", "))
		case len(values) > 1:
			return memory.Invalidf("%s is given %d times", name, len(values))
		}
		text, err := json.Marshal(values[0])
		if err != nil {
			return err
		}
		given[name] = text
	}
	return nil
}
