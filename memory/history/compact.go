package history

import (
	"context"

	"mcp-memory/memory"
)

// keepShare is how much of the limit may remain hot after compaction.
const keepShare = .8

// compact takes the oldest whole exchanges out of hot history when the session
// has grown past its limit, and returns how many messages that were.
func (h *History) compact(ctx context.Context, session string, hotBytes int64) (int, error) {
	if h.maxHotBytes < 0 || hotBytes <= h.maxHotBytes {
		return 0, nil
	}
	outline, err := h.store.HotOutline(ctx, session)
	if err != nil {
		return 0, err
	}
	start, ok := cutOff(outline, int64(keepShare*float64(h.maxHotBytes)))
	if !ok {
		return 0, nil
	}
	return h.store.Archive(ctx, session, start, h.keepVectors)
}

// cutOff finds where hot history must begin so that at most keep bytes remain:
// at the start of an exchange. The newest exchange stays whole, however large
// it is. ok is false when nothing can go.
func cutOff(outline []memory.Outline, keep int64) (start memory.Position, ok bool) {
	remaining := int64(0)
	cut := len(outline)
	for i := len(outline) - 1; i >= 0; i-- {
		remaining += int64(outline[i].Bytes)
		if outline[i].Role != memory.RoleUser && i > 0 {
			continue
		}
		if cut < len(outline) && remaining > keep {
			break
		}
		cut = i
	}
	if cut == 0 || cut == len(outline) {
		return memory.Position{}, false
	}
	return outline[cut].Position, true
}
