package lessons_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/lessons"
)

const day = 24 * time.Hour

// related asks and returns the ids of what was found.
func related(t *testing.T, s *lessons.Lessons, tool, query string, limit int) []int64 {
	t.Helper()
	found, err := s.Related(t.Context(), tool, query, limit)
	if err != nil {
		t.Fatalf("Related(%s, %s): %v", tool, query, err)
	}
	ids := []int64{}
	for _, f := range found {
		ids = append(ids, f.ID)
	}
	return ids
}

func wantRelated(t *testing.T, s *lessons.Lessons, tool, query string, want ...int64) {
	t.Helper()
	if got := related(t, s, tool, query, 0); !slices.Equal(got, want) {
		t.Errorf("Related(%q, %q) = lessons %v, want %v", tool, query, got, want)
	}
}

// TestFoundElsewhere: what was learnt in one session is found by another engine on
// another connection, as in another process, when the error comes in other words.
func TestFoundElsewhere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	here := newLessons(t, lessons.Config{Store: openDB(t, path)})
	elsewhere := newLessons(t, lessons.Config{Store: openDB(t, path)})
	push := write(t, here, solved("git", "push rejected: the branch is behind its remote counterpart", "pull --rebase", "push", "non-fast-forward"))
	lock := write(t, here, solved("git", "Unable to create index.lock: File exists", "remove the lock", "index.lock"))
	wantRelated(t, elsewhere, "git", "! [rejected] main -> main (non-fast-forward)\nerror: failed to push some refs to 'git@host:app.git'", push)
	wantRelated(t, elsewhere, "GIT", "Another git process seems to be running: .git/index.lock exists", lock)
	wantRelated(t, elsewhere, "git", "fatal: bad object HEAD")
	wantRelated(t, elsewhere, "git", "!!! ???")
	wantRelated(t, elsewhere, "", "non-fast-forward", push)
}

func TestThreeAtMostBestFirst(t *testing.T) {
	t.Parallel()
	s := newLessons(t, lessons.Config{})
	other := write(t, s, solved("docker", "pulling the image timed out at the registry", "log in"))
	far := write(t, s, solved("npm", "the registry certificate timed out while the package tree was resolved from a cold cache", "warm it"))
	near := write(t, s, solved("npm", "pulling the package timed out at the registry", "use the mirror"))
	exact := write(t, s, solved("npm", "pulling the image timed out at the registry mirror", "wait"))
	if got := related(t, s, "npm", "pulling the image timed out at the registry mirror", 10); !slices.Equal(got, []int64{exact, near, far, other}) {
		t.Errorf("Related(10) = %v, want those of npm, best first, then the other: %v", got, []int64{exact, near, far, other})
	}
	wantRelated(t, s, "npm", "pulling the image timed out at the registry mirror", exact, near, far)
	for i := range 60 {
		write(t, s, solved("npm", "pulling the image timed out at the registry", fmt.Sprint("way ", i)))
	}
	if got := related(t, s, "npm", "pulling the image timed out at the registry", 1000); len(got) > lessons.MaxLimit {
		t.Errorf("Related(1000) = %d lessons, want at most %d", len(got), lessons.MaxLimit)
	}
}

// TestLife follows a lesson: found on day 89 it lives to day 179; never found it is
// gone on day 91, and what was not like it renewed nothing (case Q07).
func TestLife(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		s := newLessons(t, lessons.Config{})
		push := write(t, s, solved("git", "rejected non-fast-forward", "pull --rebase"))
		disk := write(t, s, solved("bash", "no space left on device", "empty the cache"))
		time.Sleep(89 * day)
		list(t, s)
		wantRelated(t, s, "bash", "unrelated nonsense about the weather")
		wantRelated(t, s, "", "non-fast-forward", push)
		if got := list(t, s); len(got) != 2 || !expires(got, push).Equal(began.Add(179*day)) || !expires(got, disk).Equal(began.Add(90*day)) {
			t.Errorf("List() on day 89 = %+v, want %d to live to day 179 and %d to day 90", got, push, disk)
		}
		time.Sleep(2 * day) // day 91
		wantRelated(t, s, "bash", "no space left on device")
		if n, err := s.Sweep(t.Context()); err != nil || n != 1 {
			t.Errorf("Sweep() on day 91 = %d, %v, want 1", n, err)
		}
		time.Sleep(87 * day) // day 178
		wantRelated(t, s, "git", "non-fast-forward", push)
		if l, err := s.Edit(t.Context(), push, "fetch, then rebase"); err != nil || !l.ExpiresAt.Equal(began.Add(268*day)) {
			t.Errorf("Edit() = %+v, %v, want the expiry kept at day 268", l, err)
		}
		time.Sleep(90*day - time.Nanosecond)
		if got := list(t, s); len(got) != 1 {
			t.Errorf("List() at the end of day 267 = %+v, want one lesson", got)
		}
		time.Sleep(time.Nanosecond)
		wantRelated(t, s, "git", "non-fast-forward")
		if n, err := s.Sweep(t.Context()); err != nil || n != 1 {
			t.Errorf("Sweep() on day 268 = %d, %v, want 1", n, err)
		}
	})
}

func expires(list []memory.Lesson, id int64) time.Time {
	for _, l := range list {
		if l.ID == id {
			return l.ExpiresAt
		}
	}
	return time.Time{}
}

// Without an error there is nothing to compare with: lessons are listed, and none
// is renewed.
func TestListing(t *testing.T) {
	t.Parallel()
	now := start()
	s := newLessons(t, lessons.Config{Now: func() time.Time { return now }})
	git := write(t, s, solved("git", "push rejected", "pull"))
	now = now.Add(day)
	npm := write(t, s, solved("npm", "tree not resolved", "force"))
	now = now.Add(day)
	wantRelated(t, s, "", " ", npm, git)
	wantRelated(t, s, "Git", "", git)
	wantRelated(t, s, "go", "")
	found, err := s.Related(t.Context(), "", "", 1)
	if err != nil || len(found) != 1 || found[0].Score != 0 || !found[0].ExpiresAt.Equal(start().Add(91*day)) {
		t.Errorf("Related(nothing, 1) = %+v, %v, want the newest, not renewed", found, err)
	}
}

func TestEditAndForget(t *testing.T) {
	t.Parallel()
	s := newLessons(t, lessons.Config{})
	a := write(t, s, solved("git", "push rejected", "pull"))
	b := write(t, s, solved("git", "push rejected", "rebase"))
	if _, err := s.Edit(t.Context(), b, "Pull!"); !errors.Is(err, memory.ErrConflict) {
		t.Errorf("Edit(as lesson %d) = %v, want ErrConflict", a, err)
	}
	if l, err := s.Edit(t.Context(), b, " fetch \n"); err != nil || l.Action != "fetch" {
		t.Errorf("Edit() = %+v, %v, want the new action", l, err)
	}
	if w, err := s.Write(t.Context(), solved("git", "push rejected", "fetch")); err != nil || w.ID != b {
		t.Errorf("Write(the edited lesson) = %+v, %v, want lesson %d", w, err, b)
	}
	for _, action := range []string{" ", strings.Repeat("x", lessons.MaxText+1)} {
		if _, err := s.Edit(t.Context(), a, action); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("Edit(%d bytes) = %v, want ErrInvalid", len(action), err)
		}
	}
	if err := s.Forget(t.Context(), a); err != nil {
		t.Errorf("Forget(): %v", err)
	}
	wantRelated(t, s, "git", "push rejected", b)
	if err := s.Forget(t.Context(), a); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Forget(again) = %v, want ErrNotFound", err)
	}
	if _, err := s.Edit(t.Context(), a, "x"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Edit(forgotten) = %v, want ErrNotFound", err)
	}
}

// The words of an abbreviation count.
func TestAbbreviationsAreSpelledOut(t *testing.T) {
	t.Parallel()
	s := newLessons(t, lessons.Config{})
	port := write(t, s, solved("node", "Error: listen EADDRINUSE 0.0.0.0:3000", "stop the other server"))
	file := write(t, s, solved("node", "no such file or directory", "create it first"))
	wantRelated(t, s, "node", "the address is already in use", port)
	wantRelated(t, s, "node", "ENOENT, open '/tmp/x'", file)
}

// Any text is a legal error.
func TestOddErrors(t *testing.T) {
	t.Parallel()
	s := newLessons(t, lessons.Config{})
	id := write(t, s, solved("git", "push rejected: non-fast-forward \"quoted' OR * NEAR(", "pull"))
	for _, query := range []string{"\x00", "\xff\xfe", "\"", "* OR (", "NEAR(a b)", "-- ; DROP TABLE lessons", "🎉", strings.Repeat("/a/b:1 ", 20_000), strings.Repeat("x", 2<<20)} {
		if _, err := s.Related(t.Context(), "git\x00", query, 0); err != nil {
			t.Errorf("Related(%.20q…): %v", query, err)
		}
	}
	wantRelated(t, s, "git", "\x00push\xff rejected\x00", id)
}
