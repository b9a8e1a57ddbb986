package history

import (
	"encoding/json"

	"mcp-memory/memory"
)

// CleanJSON gives tests cleanJSON with what it counts.
func (h *History) CleanJSON(raw json.RawMessage) (json.RawMessage, Added) {
	var done Added
	clean := h.cleanJSON(raw, &done)
	return clean, done
}

// CutOff gives tests cutOff.
func CutOff(outline []memory.Outline, keep int64) (memory.Position, bool) {
	return cutOff(outline, keep)
}
