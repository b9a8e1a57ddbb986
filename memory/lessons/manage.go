package lessons

import (
	"context"
	"strings"

	"mcp-memory/memory"
)

// List returns up to n lessons, those written last first. It renews none.
func (s *Lessons) List(ctx context.Context, n int) ([]memory.Lesson, error) {
	return s.store.Lessons(ctx, "", s.now().UTC(), n)
}

// Edit gives a lesson another action, cleaned and masked as Write does, and returns
// it. When it expires stays as it was. ErrNotFound; ErrConflict when another lesson
// says the same.
func (s *Lessons) Edit(ctx context.Context, id int64, action string) (memory.Lesson, error) {
	if strings.TrimSpace(action) == "" {
		return memory.Lesson{}, memory.Invalidf("action is empty")
	}
	if err := fits("action", action, MaxText); err != nil {
		return memory.Lesson{}, err
	}
	action = strings.TrimSpace(s.clean(action, &Written{}))
	now := s.now().UTC()
	l, err := s.store.Lesson(ctx, id, now)
	if err != nil {
		return l, err
	}
	if err := s.store.EditLesson(ctx, id, action, key(l.Tool, l.Symptom, action), now); err != nil {
		return memory.Lesson{}, err
	}
	return s.store.Lesson(ctx, id, now)
}

// Forget deletes a lesson. ErrNotFound.
func (s *Lessons) Forget(ctx context.Context, id int64) error { return s.store.DeleteLesson(ctx, id) }

// Sweep deletes the lessons that have expired and returns how many they were. They
// were not found any more before.
func (s *Lessons) Sweep(ctx context.Context) (int, error) {
	return s.store.SweepLessons(ctx, s.now().UTC())
}
