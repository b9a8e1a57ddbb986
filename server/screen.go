package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
)

// screen keeps from the library what it would take wrongly over Streamable HTTP.
// Arguments that are no object are refused as the protocol says. And the library
// tells the requests of 2026-07-28 apart by their ids alone, which every client
// counts from one: a cancellation would end the call of another. In that version
// a client cancels by closing its request, so that the notification is not needed.
func screen(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			status := http.StatusBadRequest
			if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
				status = http.StatusRequestEntityTooLarge
			}
			answerError(w, status, nil, mcp.PARSE_ERROR, "the request could not be read to its end")
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		var head head
		if json.Unmarshal(body, &head) == nil {
			if kind := argumentsKind(head.Method, head.Params.raw); kind != "" && isValue(head.ID) {
				answerError(w, http.StatusOK, head.ID, mcp.INVALID_PARAMS, "arguments must be an object, got "+kind)
				return
			}
			if head.Method == string(mcp.MethodNotificationCancelled) && head.modern(r.Header) {
				w.WriteHeader(http.StatusAccepted)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// head is what screen looks at of a message.
type head struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params params          `json:"params"`
}

// params are the parameters of a message, whole, and what they say of the
// protocol.
type params struct {
	raw  json.RawMessage
	meta *mcp.Meta
}

// UnmarshalJSON implements json.Unmarshaler. What is no object is left to the
// library to refuse.
func (p *params) UnmarshalJSON(raw []byte) error {
	var inside struct {
		Meta *mcp.Meta `json:"_meta"`
	}
	p.raw = raw // part of the message, which nobody changes
	if json.Unmarshal(raw, &inside) == nil {
		p.meta = inside.Meta
	}
	return nil
}

// modern says whether a message belongs to no session, as those of 2026-07-28.
func (h head) modern(header http.Header) bool {
	return header.Get("Mcp-Session-Id") == "" || mcp.IsModernProtocol(header.Get(mcp.HeaderProtocolVersion)) ||
		mcp.IsModernProtocol(h.Params.meta.ProtocolVersion())
}

// answerError answers a request with an error of the protocol; a nil id stands
// for one that could not be read.
func answerError(w http.ResponseWriter, status int, id json.RawMessage, code int, why string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{ // who asked may be gone
		"jsonrpc": mcp.JSONRPC_VERSION,
		"id":      id,
		"error":   map[string]any{"code": code, "message": why},
	})
}
