package lessons_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/lessons"
	"mcp-memory/memory/text"
)

func start() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

// solved is a draft that can be stored.
func solved(tool, symptom, action string, keywords ...string) lessons.Draft {
	return lessons.Draft{Tool: tool, Symptom: symptom, Action: action, Keywords: keywords, Outcome: lessons.Resolved, Session: "s", Source: "test"}
}

func write(t *testing.T, s *lessons.Lessons, d lessons.Draft) int64 {
	t.Helper()
	w, err := s.Write(t.Context(), d)
	if err != nil || !w.Stored || w.ID == 0 {
		t.Fatalf("Write(%+v) = %+v, %v, want it stored", d, w, err)
	}
	return w.ID
}

func list(t *testing.T, s *lessons.Lessons) []memory.Lesson {
	t.Helper()
	all, err := s.List(t.Context(), 100)
	if err != nil {
		t.Fatalf("List(): %v", err)
	}
	return all
}

func TestWhatIsStored(t *testing.T) {
	t.Parallel()
	s := newLessons(t, lessons.Config{Now: start})
	d := solved(" git\n push ", "\n push rejected ", " pull first\n", " a ", "", "b\tc", "a")
	d.Cause = "behind\x00"
	id := write(t, s, d)
	all := list(t, s)
	if len(all) != 1 {
		t.Fatalf("List() = %+v, want one lesson", all)
	}
	l := all[0]
	if l.ID != id || l.Tool != "git push" || l.Symptom != "push rejected" || l.Cause != "behind\ufffd" || l.Action != "pull first" || strings.Join(l.Keywords, "|") != "a|b c" {
		t.Errorf("the lesson = %+v, want it cleaned", l)
	}
	if l.Session != "s" || l.Source != "test" || !l.CreatedAt.Equal(start()) || !l.ExpiresAt.Equal(start().Add(90*24*time.Hour)) {
		t.Errorf("the lesson = %+v, want where and when it was written, and 90 days", l)
	}
}

func TestOnlyWhatWasSolvedIsStored(t *testing.T) {
	t.Parallel()
	s := newLessons(t, lessons.Config{})
	for _, outcome := range []lessons.Outcome{lessons.Failed, lessons.Abandoned} {
		d := solved("git", "push rejected", "pull first")
		d.Outcome = outcome
		w, err := s.Write(t.Context(), d)
		if err != nil || w.Stored || w.ID != 0 || !strings.Contains(w.Reason, string(outcome)) {
			t.Errorf("Write(%s) = %+v, %v, want it not stored, and why", outcome, w, err)
		}
	}
	if all := list(t, s); len(all) != 0 {
		t.Errorf("List() = %+v, want no trace", all)
	}
}

func TestWhatCannotBeStored(t *testing.T) {
	t.Parallel()
	s := newLessons(t, lessons.Config{})
	long := strings.Repeat("長", lessons.MaxText)
	if w, err := s.Write(t.Context(), solved("git", long, long)); err != nil || !w.Stored {
		t.Errorf("Write(the longest) = %+v, %v, want it stored", w, err)
	}
	for want, change := range map[string]func(*lessons.Draft){
		"outcome must be one of":                    func(d *lessons.Draft) { d.Outcome = "" },
		"tool_name is empty":                        func(d *lessons.Draft) { d.Tool = " " },
		"symptom is empty":                          func(d *lessons.Draft) { d.Symptom = "\n" },
		"action is empty":                           func(d *lessons.Draft) { d.Action = "" },
		"tool_name has 201 characters: at most 200": func(d *lessons.Draft) { d.Tool = strings.Repeat("x", 201) },
		"symptom has 4001 characters: at most 4000": func(d *lessons.Draft) { d.Symptom = long + "長" },
		"cause has 4001 characters: at most 4000":   func(d *lessons.Draft) { d.Cause = long + "長" },
		"action has 4001 characters: at most 4000":  func(d *lessons.Draft) { d.Action = long + "長" },
		"a keyword has 101 characters: at most 100": func(d *lessons.Draft) { d.Keywords = []string{strings.Repeat("x", 101)} },
		"keywords has 21 entries: at most 20 are":   func(d *lessons.Draft) { d.Keywords = make([]string, 21) },
		"session_id must not contain":               func(d *lessons.Draft) { d.Session = "a/b" },
	} {
		d := solved("git", "symptom", "action")
		change(&d)
		if w, err := s.Write(t.Context(), d); !errors.Is(err, memory.ErrInvalid) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Write() = %+v, %v, want ErrInvalid %q", w, err, want)
		}
	}
}

func TestTheSameLessonAgain(t *testing.T) {
	t.Parallel()
	now := start()
	s := newLessons(t, lessons.Config{Now: func() time.Time { return now }})
	id := write(t, s, solved("Git", "cannot lock '/a/b.lock' (pid 41)", "Remove the lock."))
	now = now.Add(24 * time.Hour)
	again := solved("git", "Cannot lock '/c/d.lock' (pid 7)", "remove  the lock", "lock")
	again.Session = "t"
	w, err := s.Write(t.Context(), again)
	if err != nil || w.ID != id || !w.Updated {
		t.Fatalf("Write(again) = %+v, %v, want lesson %d updated", w, err, id)
	}
	if all := list(t, s); len(all) != 1 || all[0].Symptom != again.Symptom || all[0].Session != "t" || !all[0].CreatedAt.Equal(start()) || !all[0].ExpiresAt.Equal(now.Add(90*24*time.Hour)) {
		t.Errorf("List() = %+v, want one lesson as it was written last", all)
	}
	for _, d := range []lessons.Draft{
		solved("svn", "cannot lock '/a/b.lock' (pid 41)", "remove the lock"),
		solved("git", "cannot unlock '/a/b.lock' (pid 41)", "remove the lock"),
		solved("git", "cannot lock '/a/b.lock' (pid 41)", "wait a moment"),
	} {
		if w, err := s.Write(t.Context(), d); err != nil || w.Updated {
			t.Errorf("Write(%+v) = %+v, %v, want another lesson", d, w, err)
		}
	}
}

// Secrets are masked before anything is stored, searched or compared (case P01).
func TestSecretsAreMasked(t *testing.T) {
	t.Parallel()
	db := openDB(t, t.TempDir()+"/memory.db")
	s := newLessons(t, lessons.Config{Store: db, Masker: text.NewRedactor()})
	secret := "ghp_" + strings.Repeat("a1B2c3D4e5", 4)[:36]
	d := solved("curl", "401 with "+secret, "renew "+secret, secret)
	d.Cause = "old " + secret
	w, err := s.Write(t.Context(), d)
	if err != nil || w.Masked != 4 {
		t.Errorf("Write() = %+v, %v, want 4 secrets masked", w, err)
	}
	if l, err := s.Edit(t.Context(), w.ID, "use "+secret); err != nil || strings.Contains(l.Action, secret) {
		t.Errorf("Edit() = %+v, %v, want the secret masked", l, err)
	}
	for _, l := range list(t, s) {
		if strings.Contains(l.Symptom+l.Cause+l.Action+strings.Join(l.Keywords, ""), secret) {
			t.Errorf("the lesson = %+v, want no secret in it", l)
		}
	}
}
