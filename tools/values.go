package tools

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"mcp-memory/memory"
)

// decoded is an argument type that reads itself from JSON. The name is for
// error texts; raw is neither null nor the empty string.
type decoded interface {
	decode(name string, raw json.RawMessage) error
}

// ID is the server's number of a message. It travels as a string, since not
// every client keeps large numbers whole; a number is accepted. 0 means absent.
type ID int64

func (ID) describe() schema { return schema{Type: "string"} }

func (id *ID) decode(name string, raw json.RawMessage) error {
	n, err := strconv.ParseInt(strings.TrimSpace(unquoted(raw)), 10, 64)
	if err != nil || n <= 0 {
		return memory.Invalidf("%s must be a message id as results give it, such as \"42\"; got %s", name, got(raw))
	}
	*id = ID(n)
	return nil
}

// formatID writes an id for a result.
func formatID(id int64) string { return strconv.FormatInt(id, 10) }

// Moment is a time as a client wrote it: text or a Unix number. "" means absent.
type Moment string

func (Moment) describe() schema { return schema{Type: "string"} }

func (m *Moment) decode(name string, raw json.RawMessage) error {
	if c := raw[0]; c != '"' && c != '-' && (c < '0' || c > '9') {
		return memory.Invalidf("%s must be a time, such as 2026-03-01T10:00:00Z; got %s", name, got(raw))
	}
	*m = Moment(unquoted(raw))
	return nil
}

// in reads the moment; a text without a zone is in loc. The zero time stands
// for an absent one.
func (m Moment) in(name string, loc *time.Location) (time.Time, error) {
	if m == "" {
		return time.Time{}, nil
	}
	t, err := memory.ParseTime(string(m), loc)
	if err != nil {
		return time.Time{}, memory.Invalidf("%s: %v", name, err)
	}
	return t, nil
}

// Objects is a list of JSON objects that passes through as it came; nil means
// absent.
type Objects json.RawMessage

func (Objects) describe() schema {
	return schema{Type: "array", Items: &schema{Type: "object"}}
}

func (o *Objects) decode(name string, raw json.RawMessage) error {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return memory.Invalidf("%s must be a list of objects, got %s", name, got(raw))
	}
	for i, item := range items {
		if item[0] != '{' {
			return memory.Invalidf("%s[%d] must be an object, got %s", name, i, got(item))
		}
	}
	if len(items) > 0 {
		*o = Objects(bytes.Clone(raw))
	}
	return nil
}

// MarshalJSON writes the list as it came.
func (o Objects) MarshalJSON() ([]byte, error) {
	return json.RawMessage(o).MarshalJSON()
}
