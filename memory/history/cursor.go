package history

import (
	"bytes"
	"encoding/base64"
	"encoding/json"

	"mcp-memory/memory"
)

// cursor is where a reading goes on.
type cursor struct {
	Session string          `json:"s,omitempty"`
	From    memory.Position `json:"p,omitzero"`
	Newer   bool            `json:"n,omitempty"` // towards the newest message
	Message int64           `json:"m,omitempty"` // inside this message …
	Offset  int             `json:"o,omitempty"` // … from this byte on
	Only    bool            `json:"1,omitempty"` // and no other message after it
}

// valid says whether c is one that Read can have given.
func (c *cursor) valid() bool { return (c.Session != "" || c.Message != 0) && c.Offset >= 0 }

// mark is where a list of sessions goes on.
type mark struct {
	LastAt int64  `json:"t"`
	ID     string `json:"id"`
}

func (m *mark) valid() bool { return m.ID != "" }

// encode writes a cursor or mark as clients carry it: base64 of its JSON.
func encode(place any) string {
	b, err := json.Marshal(place)
	if err != nil { // strings and numbers always marshal
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// decode reads what encode wrote. Anything else, also a cursor of another mode,
// is ErrInvalid.
func decode(s, mode string, place interface{ valid() bool }) error {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		err = d.Decode(place)
	}
	if err != nil || !place.valid() {
		return memory.Invalidf("cursor is not one that %s has given: pass next_cursor unchanged, or leave it out to begin again", mode)
	}
	return nil
}
