package history

import (
	"bytes"
	"encoding/json"

	"mcp-memory/memory/text"
)

// cleanJSON cleans and masks every string inside a JSON value; numbers and the
// order of keys stay as they were. What is not JSON is kept as one JSON string.
func (h *History) cleanJSON(raw json.RawMessage, done *Added) json.RawMessage {
	if !json.Valid(raw) {
		quoted, err := json.Marshal(h.clean(string(raw), done))
		if err != nil { // a string always marshals
			return nil
		}
		return quoted
	}
	valid, replaced := text.Clean(string(raw)) // JSON may hold invalid UTF-8 inside its strings
	done.Replaced += replaced
	var out bytes.Buffer
	for rest := []byte(valid); len(rest) > 0; {
		start := bytes.IndexByte(rest, '"')
		if start < 0 {
			out.Write(rest)
			break
		}
		end := stringEnd(rest[start:]) + start
		out.Write(rest[:start])
		out.Write(h.cleanString(rest[start:end], done))
		rest = rest[end:]
	}
	return out.Bytes()
}

// stringEnd is the length of the JSON string that b begins with.
func stringEnd(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// cleanString cleans one JSON string and leaves it byte for byte when there is
// nothing to clean.
func (h *History) cleanString(quoted []byte, done *Added) []byte {
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		return quoted
	}
	clean := h.clean(s, done)
	if clean == s {
		return quoted
	}
	b, err := json.Marshal(clean)
	if err != nil { // a string always marshals
		return quoted
	}
	return b
}
