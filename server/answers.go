package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// answerWriter writes messages to the client, each whole, and counts the
// answers among them. Every Write is one message.
type answerWriter struct {
	mu   sync.Mutex
	out  io.Writer
	open *pending
}

// Write implements io.Writer.
func (w *answerWriter) Write(message []byte) (int, error) {
	w.mu.Lock()
	n, err := w.out.Write(message)
	w.mu.Unlock()
	if id, ok := answerID(message); ok {
		w.open.answered(id)
	}
	return n, err
}

// refuse answers a request that is not handed on; a nil id stands for one that
// could not be read.
func (w *answerWriter) refuse(id json.RawMessage, code int, why string) error {
	if id == nil {
		id = json.RawMessage("null")
	}
	message, err := json.Marshal(map[string]any{
		"jsonrpc": mcp.JSONRPC_VERSION,
		"id":      id,
		"error":   map[string]any{"code": code, "message": why},
	})
	if err != nil {
		return fmt.Errorf("encode refusal: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.out.Write(append(message, '\n')); err != nil {
		return fmt.Errorf("write refusal: %w", err)
	}
	return nil
}

// answerID returns the id of an answer to a request, as it is written. What the
// server says by itself has none, or a method too. Only the head of the message
// is looked at: the library writes the id before the result, and a method right
// after the id.
func answerID(message []byte) (id string, ok bool) {
	d := json.NewDecoder(bytes.NewReader(message[:min(len(message), 4096)]))
	if _, err := d.Token(); err != nil {
		return "", false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil || ok {
			return id, ok && name != "method"
		}
		var value json.RawMessage
		if name != "jsonrpc" && name != "id" || d.Decode(&value) != nil {
			return "", false
		}
		if name == "id" && isValue(value) {
			id, ok = string(value), true
		}
	}
	return "", false
}
