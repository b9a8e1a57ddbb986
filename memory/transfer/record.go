package transfer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// formatVersion is what the header line of a file says; it grows when the
// meaning of a field changes.
const formatVersion = 1

// header is the first line of an exported file.
type header struct {
	Version int `json:"mcp_memory_export"`
}

// record is a message as one line of a file. Import ignores fields that it does
// not know.
type record struct {
	SessionID  string          `json:"session_id"`
	ID         string          `json:"id,omitempty"`
	Role       string          `json:"role"`
	Sender     string          `json:"sender,omitempty"`
	Content    string          `json:"content"`
	SentAt     moment          `json:"sent_at,omitempty"`
	ToolName   string          `json:"tool_name,omitempty"`
	ToolCallID string          `json:"tool_call_id,omitempty"`
	ToolCalls  json.RawMessage `json:"tool_calls,omitempty"`
}

// moment is a time as text or as a Unix number; "" = none.
type moment string

// UnmarshalJSON takes a string, a number or null.
func (m *moment) UnmarshalJSON(b []byte) error {
	switch {
	case string(b) == "null":
		return nil
	case b[0] == '"':
		return json.Unmarshal(b, (*string)(m))
	}
	if _, err := strconv.ParseFloat(string(b), 64); err != nil {
		return fmt.Errorf("sent_at is neither text nor a number")
	}
	*m = moment(b)
	return nil
}

// line is a line of a file with what was read from it.
type line struct {
	number   int
	session  string
	draft    memory.Draft
	replaced int // invalid bytes in the line, which decoding has replaced
}

// isHeader says whether a line is the header of a file, and refuses one of a
// newer format.
func isHeader(raw []byte) (bool, error) {
	if !bytes.Contains(raw, []byte("mcp_memory_export")) {
		return false, nil
	}
	var h header
	if json.Unmarshal(raw, &h) != nil || h.Version == 0 {
		return false, nil
	}
	if h.Version > formatVersion {
		return true, memory.Invalidf("the file has export format %d; this version of mcp-memory reads up to %d", h.Version, formatVersion)
	}
	return true, nil
}

// parseLine reads one record. Records without a session go into the given one.
func parseLine(raw []byte, number int, fallback string, zone *time.Location) (line, error) {
	clean, replaced := text.Clean(string(raw))
	var r record
	if err := json.Unmarshal([]byte(clean), &r); err != nil {
		return line{}, memory.Invalidf("not a JSON record: %v", err)
	}
	if r.SessionID == "" {
		r.SessionID = fallback
	}
	if err := memory.CheckSessionID(r.SessionID); err != nil {
		return line{}, err
	}
	draft, err := r.draft(zone)
	if err != nil {
		return line{}, err
	}
	if draft.ClientID == "" && draft.SentAt.IsZero() {
		draft.ClientID = lineID(number, r)
	}
	return line{number: number, session: r.SessionID, draft: draft, replaced: replaced}, nil
}

func (r record) draft(zone *time.Location) (memory.Draft, error) {
	role, err := memory.ParseRole(r.Role)
	if err != nil {
		return memory.Draft{}, err
	}
	d := memory.Draft{
		ClientID: r.ID, Role: role, Sender: r.Sender, Content: r.Content,
		ToolName: r.ToolName, ToolCallID: r.ToolCallID,
	}
	if calls := strings.TrimSpace(string(r.ToolCalls)); calls != "" && calls != "null" && calls != "[]" {
		if calls[0] != '[' {
			return d, memory.Invalidf("tool_calls is not a list")
		}
		d.ToolCalls = r.ToolCalls
	}
	if r.SentAt != "" {
		d.SentAt, err = memory.ParseTime(string(r.SentAt), zone)
	}
	return d, err
}

// lineID makes an id for a record that has neither id nor time, out of its
// place and what it says: importing the file again finds the same ids.
func lineID(number int, r record) string {
	h := sha256.New()
	for _, s := range []string{strconv.Itoa(number), r.SessionID, r.Role, r.Sender, r.Content} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return "import-" + hex.EncodeToString(h.Sum(nil)[:12])
}

// recordOf writes a message as a record. id stands in when the message has none
// of its own.
func recordOf(m memory.Message, id string) record {
	if m.ClientID != "" {
		id = m.ClientID
	}
	return record{
		SessionID: m.Session, ID: id, Role: string(m.Role), Sender: m.Sender, Content: m.Content,
		SentAt:   moment(m.SentAt.UTC().Format(time.RFC3339Nano)),
		ToolName: m.ToolName, ToolCallID: m.ToolCallID, ToolCalls: m.ToolCalls,
	}
}
