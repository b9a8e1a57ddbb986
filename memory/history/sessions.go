package history

import (
	"context"

	"mcp-memory/memory"
)

// Sessions lists sessions, the most recently used first. limit 0 is
// DefaultLimit, more than MaxLimit counts as MaxLimit; next is "" on the last
// page.
func (h *History) Sessions(ctx context.Context, cursor string, limit int) (sessions []memory.Session, next string, err error) {
	if limit <= 0 {
		limit = DefaultLimit
	}
	limit = min(limit, MaxLimit)
	var after *memory.SessionMark
	if cursor != "" {
		var m mark
		if err := decode(cursor, "list", &m); err != nil {
			return nil, "", err
		}
		after = &memory.SessionMark{LastAt: m.LastAt, ID: m.ID}
	}
	sessions, err = h.store.Sessions(ctx, after, limit+1)
	if err != nil || len(sessions) <= limit {
		return sessions, "", err
	}
	sessions = sessions[:limit]
	last := sessions[limit-1]
	return sessions, encode(mark{LastAt: last.LastAt.UnixNano(), ID: last.ID}), nil
}

// Window returns what goes to the agent whole: the last messages of the
// session's hot history, beginning at a user message if there is one. An
// unknown session has none.
func (h *History) Window(ctx context.Context, session string) ([]memory.Message, error) {
	if err := memory.CheckSessionID(session); err != nil {
		return nil, err
	}
	list, err := h.store.Newest(ctx, session, h.window)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Role == memory.RoleUser {
			return list[i:], nil
		}
	}
	return list, nil
}
