package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// lessonTime is when the lessons of these tests were written.
func lessonTime() time.Time { return time.Unix(1e9, 0).UTC() }

// writeLessons saves n lessons that each hold "common" and a word of their own,
// with vectors.
func writeLessons(t *testing.T, db *sqlite.DB, n int) {
	t.Helper()
	now := lessonTime()
	var vectors []memory.Vector
	for i := range n {
		saved, err := db.SaveLesson(t.Context(), memory.LessonEntry{
			Lesson: memory.Lesson{Tool: "git", Keywords: []string{"k"}, Symptom: fmt.Sprint("symptom ", i), Action: "act",
				Session: "s", Source: "test", ExpiresAt: now.Add(memory.LessonLife)},
			ToolKey: "git", Key: fmt.Append(nil, i), Tokens: []string{"common", fmt.Sprint("word", i)},
		}, now)
		if err != nil {
			t.Fatalf("SaveLesson(): %v", err)
		}
		vectors = append(vectors, memory.Vector{Ref: saved.ID, Values: []float32{1, float32(i)}})
	}
	if err := db.SaveLessonVectors(t.Context(), fixtureModel(), vectors, now); err != nil {
		t.Fatalf("SaveLessonVectors(): %v", err)
	}
}

// matchLessons counts the lessons that hold a token.
func matchLessons(t *testing.T, db *sqlite.DB, token string) int {
	t.Helper()
	list, err := db.MatchLessons(t.Context(), []string{token}, "", lessonTime(), 1000)
	if err != nil {
		t.Fatalf("MatchLessons(%s): %v", token, err)
	}
	return len(list)
}

func fixtureLessons(t *testing.T, db *sqlite.DB) {
	t.Helper()
	writeLessons(t, db, 3)
}

func checkFixtureLessons(t *testing.T, db *sqlite.DB) {
	t.Helper()
	if got := matchLessons(t, db, "common"); got != 3 {
		t.Errorf("MatchLessons(common) = %d, want 3", got)
	}
	hits, err := db.NearestLessons(t.Context(), fixtureModel(), []float32{1, 2}, lessonTime(), 1)
	if err != nil || len(hits) != 1 || hits[0].Score < .9999 || hits[0].Lesson.Symptom != "symptom 2" {
		t.Errorf("NearestLessons() = %+v, %v, want the lesson with this vector", hits, err)
	}
}

// TestDamagedLessons damages the index of lessons: whoever meets that first mends
// it.
func TestDamagedLessons(t *testing.T) {
	t.Parallel()
	for name, meet := range map[string]func(db *sqlite.DB) error{
		"search": func(db *sqlite.DB) error {
			_, err := db.MatchLessons(t.Context(), []string{"common"}, "", lessonTime(), 9)
			return err
		},
		"delete": func(db *sqlite.DB) error { return db.DeleteLesson(t.Context(), 200) },
		"sweep": func(db *sqlite.DB) error {
			_, err := db.SweepLessons(t.Context(), lessonTime().Add(1))
			return err
		},
		"doctor": func(db *sqlite.DB) error {
			repaired(t, db)
			return nil
		},
	} {
		path := fill(t, 1)
		db := open(t, sqlite.Options{Path: path, Analyse: analyse})
		writeLessons(t, db, 200)
		run(t, db, "UPDATE lessons SET expires_at = 1000000000000000001 WHERE id = 100")
		run(t, db, "UPDATE lesson_fts_data SET block = substr(block, 1, 9) WHERE id > 10")
		wantFinding(t, db, "lessons")
		db = open(t, sqlite.Options{Path: path, Analyse: analyse})
		if err := meet(db); err != nil {
			t.Errorf("%s on a damaged index: %v", name, err)
		}
		if got := matchLessons(t, db, "word7"); got != 1 {
			t.Errorf("after %s MatchLessons(word7) = %d, want 1", name, got)
		}
		sound(t, db)
	}
}

// TestLessonsLeaveNothing counts what is left of lessons in all their tables (case
// Q02).
func TestLessonsLeaveNothing(t *testing.T) {
	t.Parallel()
	db := open(t, sqlite.Options{})
	writeLessons(t, db, 20)
	counts := func() []int {
		var list []int
		for _, table := range []string{"lessons", "lesson_fts_docsize", "lesson_vectors"} {
			list = append(list, count(t, db, "SELECT count(*) FROM "+table))
		}
		return list
	}
	if got := counts(); !slices.Equal(got, []int{20, 20, 20}) {
		t.Errorf("rows of lessons, index and vectors = %v, want 20 each", got)
	}
	if n, err := db.SweepLessons(t.Context(), lessonTime().Add(91*24*time.Hour)); err != nil || n != 20 {
		t.Errorf("SweepLessons() = %d, %v, want 20", n, err)
	}
	if got := counts(); !slices.Equal(got, []int{0, 0, 0}) {
		t.Errorf("rows of lessons, index and vectors after a sweep = %v, want none", got)
	}
	sound(t, db)
}

// TestDeletedLessonIsGone looks for a deleted lesson in the bytes of the file.
func TestDeletedLessonIsGone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.db")
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err != nil {
		t.Fatalf("Open(): %v", err)
	}
	writeLessons(t, db, 3)
	const secret = "zanzibar"
	saved, err := db.SaveLesson(t.Context(), memory.LessonEntry{
		Lesson: memory.Lesson{Symptom: secret, Action: secret, ExpiresAt: lessonTime().Add(1)}, Key: []byte("k"), Tokens: []string{secret},
	}, lessonTime())
	if err != nil {
		t.Fatalf("SaveLesson(): %v", err)
	}
	if err := db.DeleteLesson(t.Context(), saved.ID); err != nil {
		t.Errorf("DeleteLesson(): %v", err)
	}
	if err := db.Close(); err != nil { // which empties the log
		t.Errorf("Close(): %v", err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(content), secret); n > 0 {
		t.Errorf("the file holds the deleted lesson %d times", n)
	}
}
