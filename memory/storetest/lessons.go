package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcp-memory/memory"
)

var remembering = theme{
	"gives back what was saved":       lessonSaved,
	"takes the same lesson in":        lessonTakenIn,
	"one lesson of many writers":      lessonWrittenOnce,
	"an expired one is gone":          lessonExpired,
	"lists the newest first":          lessonsListed,
	"finds by any token":              lessonsMatched,
	"renews what is found":            lessonsRenewed,
	"an edit keeps the expiry":        lessonEdited,
	"an edit makes no two alike":      lessonEditedAlike,
	"deletes and sweeps all of it":    lessonsDeleted,
	"one vector a lesson":             lessonVectors,
	"a vector of an old text is late": lessonVectorsLate,
	"vectors are checked":             lessonVectorsChecked,
}

// life is how long the lessons of these tests live.
const life = 90 * 24 * time.Hour

func lesson(tool, symptom string, expires time.Time, tokens ...string) memory.LessonEntry {
	return memory.LessonEntry{
		Lesson: memory.Lesson{
			Tool: tool, Keywords: []string{"日本", "two words"}, Symptom: symptom, Cause: "cause", Action: "act",
			Session: "s", Source: "test", ExpiresAt: expires,
		},
		ToolKey: tool, Key: []byte(tool + symptom), Tokens: tokens,
	}
}

func saveLesson(t *testing.T, s Store, e memory.LessonEntry, now time.Time) int64 {
	t.Helper()
	saved, err := s.SaveLesson(t.Context(), e, now)
	if err != nil || saved.ID == 0 || saved.Updated {
		t.Fatalf("SaveLesson(%s) = %+v, %v, want a new lesson", e.Lesson.Symptom, saved, err)
	}
	return saved.ID
}

func lessonIDs(list []memory.Lesson) []int64 {
	ids := []int64{}
	for _, l := range list {
		ids = append(ids, l.ID)
	}
	return ids
}

func wantLessons(t *testing.T, what string, list []memory.Lesson, err error, want ...int64) {
	t.Helper()
	if got := lessonIDs(list); err != nil || !slices.Equal(got, want) {
		t.Errorf("%s = lessons %v, %v, want %v", what, got, err, want)
	}
}

func lessonSaved(t *testing.T, s Store) {
	now := at(0)
	e := lesson("git", "it's \x01 \"odd\"", now.Add(life))
	id := saveLesson(t, s, e, now)
	got, err := s.Lesson(t.Context(), id, now)
	want := e.Lesson
	want.ID, want.CreatedAt, want.UpdatedAt = id, now, now
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("Lesson() = %+v, %v, want %+v", got, err, want)
	}
	e.Lesson.Keywords, e.Key = nil, []byte("other")
	bare, err := s.Lesson(t.Context(), saveLesson(t, s, e, now), now)
	if err != nil || len(bare.Keywords) != 0 {
		t.Errorf("Lesson(without keywords) = %+v, %v", bare, err)
	}
	if _, err := s.Lesson(t.Context(), 999, now); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Lesson(999) = %v, want ErrNotFound", err)
	}
}

func lessonTakenIn(t *testing.T, s Store) {
	now, later := at(0), at(60)
	id := saveLesson(t, s, lesson("git", "a", now.Add(life), "old"), now)
	e := lesson("git", "a", later.Add(life), "new")
	e.Lesson.Action, e.Lesson.Session = "act better", "t"
	saved, err := s.SaveLesson(t.Context(), e, later)
	if err != nil || saved.ID != id || !saved.Updated {
		t.Fatalf("SaveLesson(again) = %+v, %v, want lesson %d updated", saved, err, id)
	}
	got, err := s.Lesson(t.Context(), id, later)
	if err != nil || got.Action != "act better" || got.Session != "t" || !got.CreatedAt.Equal(now) || !got.UpdatedAt.Equal(later) || !got.ExpiresAt.Equal(later.Add(life)) {
		t.Errorf("Lesson() = %+v, %v, want what was saved last", got, err)
	}
	list, err := s.MatchLessons(t.Context(), []string{"old"}, "", later, 9)
	wantLessons(t, "MatchLessons(old)", list, err)
	list, err = s.MatchLessons(t.Context(), []string{"new"}, "", later, 9)
	wantLessons(t, "MatchLessons(new)", list, err, id)
}

func lessonWrittenOnce(t *testing.T, s Store) {
	now := at(0)
	var fresh atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			saved, err := s.SaveLesson(t.Context(), lesson("git", "a", now.Add(life), "word"), now)
			if err != nil {
				t.Errorf("SaveLesson(): %v", err)
			}
			if !saved.Updated {
				fresh.Add(1)
			}
		})
	}
	all.Wait()
	if list, err := s.Lessons(t.Context(), "", now, 9); err != nil || len(list) != 1 || fresh.Load() != 1 {
		t.Errorf("Lessons() after 8 writers of one = %d, %v, %d of them new; want one", len(list), err, fresh.Load())
	}
}

func lessonExpired(t *testing.T, s Store) {
	now := at(0)
	end := now.Add(life)
	id := saveLesson(t, s, lesson("git", "a", end, "word"), now)
	for _, c := range []struct {
		at   time.Time
		want []int64
	}{{end.Add(-1), []int64{id}}, {end, nil}, {end.Add(time.Hour), nil}} {
		list, err := s.Lessons(t.Context(), "", c.at, 9)
		wantLessons(t, "Lessons()", list, err, c.want...)
		list, err = s.MatchLessons(t.Context(), []string{"word"}, "git", c.at, 9)
		wantLessons(t, "MatchLessons()", list, err, c.want...)
	}
	list, err := s.RenewLessons(t.Context(), []int64{id}, end, end.Add(life))
	wantLessons(t, "RenewLessons(expired)", list, err)
	for name, err := range map[string]error{
		"Lesson":     func() error { _, err := s.Lesson(t.Context(), id, end); return err }(),
		"EditLesson": s.EditLesson(t.Context(), id, "x", []byte("x"), end),
	} {
		if !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("%s(expired) = %v, want ErrNotFound", name, err)
		}
	}
	again := saveLesson(t, s, lesson("git", "a", end.Add(life)), end) // not swept yet, and no update of what is gone
	if again == id {
		t.Errorf("SaveLesson() gave the number %d again", id)
	}
}

func lessonsListed(t *testing.T, s Store) {
	now := at(0)
	first := saveLesson(t, s, lesson("git", "a", now.Add(life)), now)
	second := saveLesson(t, s, lesson("bash", "b", now.Add(life)), now.Add(1))
	third := saveLesson(t, s, lesson("git", "c", now.Add(life)), now.Add(2))
	list, err := s.Lessons(t.Context(), "", now, 9)
	wantLessons(t, "Lessons()", list, err, third, second, first)
	list, err = s.Lessons(t.Context(), "git", now, 9)
	wantLessons(t, "Lessons(git)", list, err, third, first)
	list, err = s.Lessons(t.Context(), "", now, 2)
	wantLessons(t, "Lessons(2)", list, err, third, second)
	list, err = s.Lessons(t.Context(), "go", now, 9)
	wantLessons(t, "Lessons(go)", list, err)
}

func lessonsMatched(t *testing.T, s Store) {
	now := at(0)
	a := saveLesson(t, s, lesson("git", "a", now.Add(life), "push", "reject"), now)
	b := saveLesson(t, s, lesson("git", "b", now.Add(life), "merg", "拒绝"), now)
	c := saveLesson(t, s, lesson("npm", "c", now.Add(life), "push", "filler", "filler", "filler"), now)
	for _, m := range []struct {
		tokens []string
		tool   string
		want   []int64
	}{
		{[]string{"push"}, "", []int64{a, c}},
		{[]string{"push"}, "npm", []int64{c}},
		{[]string{"拒绝", "none"}, "", []int64{b}},
		{[]string{"none"}, "", nil},
		{[]string{"pus"}, "", nil},
		{nil, "", nil},
		{[]string{`"`, "OR"}, "", nil},
	} {
		list, err := s.MatchLessons(t.Context(), m.tokens, m.tool, now, 9)
		ids := lessonIDs(list)
		slices.Sort(ids)
		if err != nil || !slices.Equal(ids, m.want) {
			t.Errorf("MatchLessons(%q, %q) = %v, %v, want %v", m.tokens, m.tool, ids, err, m.want)
		}
	}
	list, err := s.MatchLessons(t.Context(), []string{"reject", "push"}, "", now, 1)
	wantLessons(t, "MatchLessons(the best)", list, err, a)
}

func lessonsRenewed(t *testing.T, s Store) {
	now := at(0)
	a := saveLesson(t, s, lesson("git", "a", now.Add(life)), now)
	b := saveLesson(t, s, lesson("git", "b", now.Add(2*life)), now)
	until := now.Add(life + time.Hour)
	list, err := s.RenewLessons(t.Context(), []int64{b, 999, a}, now, until)
	wantLessons(t, "RenewLessons()", list, err, b, a)
	if len(list) == 2 && (!list[0].ExpiresAt.Equal(now.Add(2*life)) || !list[1].ExpiresAt.Equal(until)) {
		t.Errorf("RenewLessons() = until %v and %v, want no life shortened", list[0].ExpiresAt, list[1].ExpiresAt)
	}
	if got, err := s.Lesson(t.Context(), a, now); err != nil || !got.ExpiresAt.Equal(until) || !got.UpdatedAt.Equal(now) {
		t.Errorf("Lesson() after renewal = %+v, %v, want it to live until %v and no other change", got, err, until)
	}
}

func lessonEdited(t *testing.T, s Store) {
	now := at(0)
	id := saveLesson(t, s, lesson("git", "a", now.Add(life)), now)
	if err := s.EditLesson(t.Context(), id, "act anew", []byte("new key"), now.Add(1)); err != nil {
		t.Fatalf("EditLesson(): %v", err)
	}
	got, err := s.Lesson(t.Context(), id, now)
	if err != nil || got.Action != "act anew" || !got.ExpiresAt.Equal(now.Add(life)) || !got.UpdatedAt.Equal(now.Add(1)) {
		t.Errorf("Lesson() = %+v, %v, want the new action and the old expiry", got, err)
	}
	e := lesson("git", "a", now.Add(life))
	e.Key = []byte("new key")
	if saved, err := s.SaveLesson(t.Context(), e, now); err != nil || saved.ID != id {
		t.Errorf("SaveLesson(the new key) = %+v, %v, want lesson %d", saved, err, id)
	}
	if err := s.EditLesson(t.Context(), 999, "x", []byte("x"), now); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("EditLesson(999) = %v, want ErrNotFound", err)
	}
}

func lessonEditedAlike(t *testing.T, s Store) {
	now := at(0)
	a := saveLesson(t, s, lesson("git", "a", now.Add(life)), now)
	b := saveLesson(t, s, lesson("git", "b", now.Add(life)), now)
	if err := s.EditLesson(t.Context(), b, "act", []byte("gita"), now); !errors.Is(err, memory.ErrConflict) {
		t.Errorf("EditLesson(as lesson %d) = %v, want ErrConflict", a, err)
	}
	if err := s.EditLesson(t.Context(), b, "act", []byte("gitb"), now); err != nil {
		t.Errorf("EditLesson(as it is): %v", err)
	}
}

func lessonsDeleted(t *testing.T, s Store) {
	now := at(0)
	a := saveLesson(t, s, lesson("git", "a", now.Add(life), "word"), now)
	b := saveLesson(t, s, lesson("git", "b", now.Add(1), "word"), now)
	c := saveLesson(t, s, lesson("git", "c", now.Add(2), "word"), now)
	vectors := []memory.Vector{{Ref: a, Values: []float32{1, 0}}, {Ref: b, Values: []float32{1, 0}}, {Ref: c, Values: []float32{1, 0}}}
	if err := s.SaveLessonVectors(t.Context(), plane, vectors, now); err != nil {
		t.Fatalf("SaveLessonVectors(): %v", err)
	}
	if n, err := s.SweepLessons(t.Context(), now.Add(1)); err != nil || n != 1 {
		t.Errorf("SweepLessons() = %d, %v, want 1", n, err)
	}
	if err := s.DeleteLesson(t.Context(), a); err != nil {
		t.Errorf("DeleteLesson(): %v", err)
	}
	if err := s.DeleteLesson(t.Context(), a); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("DeleteLesson(again) = %v, want ErrNotFound", err)
	}
	list, err := s.MatchLessons(t.Context(), []string{"word"}, "", now, 9)
	wantLessons(t, "MatchLessons()", list, err, c)
	hits, err := s.NearestLessons(t.Context(), plane, []float32{1, 0}, now, 9)
	wantLessonHits(t, hits, err, c)
}

func wantLessonHits(t *testing.T, hits []memory.LessonHit, err error, want ...int64) {
	t.Helper()
	got := []int64{}
	for _, h := range hits {
		got = append(got, h.Lesson.ID)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("NearestLessons() = lessons %v, %v, want %v", got, err, want)
	}
}

func lessonVectors(t *testing.T, s Store) {
	now := at(0)
	a := saveLesson(t, s, lesson("git", "a", now.Add(life)), now)
	b := saveLesson(t, s, lesson("git", "b", now.Add(life)), now.Add(1))
	c := saveLesson(t, s, lesson("git", "c", now.Add(life)), now.Add(2))
	list, err := s.LessonsToEmbed(t.Context(), plane, now, 2)
	wantLessons(t, "LessonsToEmbed(2)", list, err, c, b)
	save := func(model memory.EmbeddingModel, vectors ...memory.Vector) {
		t.Helper()
		if err := s.SaveLessonVectors(t.Context(), model, vectors, at(60)); err != nil {
			t.Fatalf("SaveLessonVectors(): %v", err)
		}
	}
	save(plane, memory.Vector{Ref: a, Values: []float32{3, 0}}, memory.Vector{Ref: b, Values: []float32{1, 1}}, memory.Vector{Ref: c}, memory.Vector{Ref: 999, Values: []float32{1, 0}})
	list, err = s.LessonsToEmbed(t.Context(), plane, now, 9)
	wantLessons(t, "LessonsToEmbed(none left)", list, err)
	hits, err := s.NearestLessons(t.Context(), plane, []float32{2, 0}, now, 9)
	wantLessonHits(t, hits, err, a, b)
	if len(hits) == 2 && (hits[0].Score < .999 || hits[1].Score < .70 || hits[1].Score > .71) {
		t.Errorf("NearestLessons() = scores %v and %v, want 1 and .707", hits[0].Score, hits[1].Score)
	}
	solid := memory.EmbeddingModel{Provider: "test", Name: "solid", Dimensions: 3}
	list, err = s.LessonsToEmbed(t.Context(), solid, now, 9)
	wantLessons(t, "LessonsToEmbed(another model)", list, err, c, b, a)
	save(solid, memory.Vector{Ref: a, Values: []float32{0, 0, 1}})
	hits, err = s.NearestLessons(t.Context(), plane, []float32{2, 0}, now, 9)
	wantLessonHits(t, hits, err, b)
	hits, err = s.NearestLessons(t.Context(), solid, []float32{0, 0, 1}, now, 9)
	wantLessonHits(t, hits, err, a)
}

func lessonVectorsLate(t *testing.T, s Store) {
	now, later := at(0), at(60)
	id := saveLesson(t, s, lesson("git", "a", now.Add(life)), now)
	v := []memory.Vector{{Ref: id, Values: []float32{1, 0}}}
	if err := s.SaveLessonVectors(t.Context(), plane, v, now); err != nil {
		t.Fatalf("SaveLessonVectors(): %v", err)
	}
	if _, err := s.SaveLesson(t.Context(), lesson("git", "a", later.Add(life)), later); err != nil {
		t.Fatalf("SaveLesson(): %v", err)
	}
	if err := s.SaveLessonVectors(t.Context(), plane, v, now); err != nil { // of the text before
		t.Fatalf("SaveLessonVectors(): %v", err)
	}
	hits, err := s.NearestLessons(t.Context(), plane, []float32{1, 0}, later, 9)
	wantLessonHits(t, hits, err)
	list, err := s.LessonsToEmbed(t.Context(), plane, later, 9)
	wantLessons(t, "LessonsToEmbed(written again)", list, err, id)
}

func lessonVectorsChecked(t *testing.T, s Store) {
	now := at(0)
	id := saveLesson(t, s, lesson("git", "a", now.Add(life)), now)
	for _, c := range []struct {
		values []float32
		want   error
	}{{[]float32{1}, memory.ErrDimension}, {[]float32{0, 0}, memory.ErrInvalid}} {
		if err := s.SaveLessonVectors(t.Context(), plane, []memory.Vector{{Ref: id, Values: c.values}}, now); !errors.Is(err, c.want) {
			t.Errorf("SaveLessonVectors(%v) = %v, want %v", c.values, err, c.want)
		}
		if _, err := s.NearestLessons(t.Context(), plane, c.values, now, 9); !errors.Is(err, c.want) {
			t.Errorf("NearestLessons(%v) = %v, want %v", c.values, err, c.want)
		}
	}
}
