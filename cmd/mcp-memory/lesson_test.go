package main

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// learns writes a lesson with the outcome given.
func (c *client) learns(session, outcome string, lesson map[string]any) answer {
	c.t.Helper()
	lesson["session_id"], lesson["outcome"] = session, outcome
	a := c.tool("write_error", lesson)
	if a.bad {
		c.t.Fatalf("write_error(%v) = error %q", lesson, a.text)
	}
	return a
}

func pushLesson() map[string]any {
	return map[string]any{
		"tool_name": "git", "keywords": []string{"push", "non-fast-forward"},
		"symptom": "push rejected: the tip of the branch is behind its remote counterpart", "action": "git pull --rebase, then push again",
	}
}

// finds asks for the lessons that bear on an error and expects these ids.
func (c *client) finds(arguments map[string]any, want ...string) answer {
	c.t.Helper()
	a := c.tool("find_errors", arguments)
	if got := a.column("related_errors", "id"); a.bad || !slices.Equal(got, want) {
		c.t.Errorf("find_errors(%v) = %v %v %q, want %v", arguments, a.bad, got, a.text, want)
	}
	return a
}

// A lesson of one session is found by another process, when the same tool fails in
// other words; an unrelated error finds none, and renews none.
func TestLessonsAcrossProcesses(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "memory.db")
	one := start(t, nil, "stdio", "--db", db)
	for _, outcome := range []string{"failed", "abandoned"} {
		if a := one.learns("a", outcome, pushLesson()); a.value["stored"] != false || a.value["id"] != nil {
			t.Errorf("write_error(%s) = %v, want it not stored", outcome, a.value)
		}
	}
	one.finds(map[string]any{})
	if a := one.learns("a", "resolved", pushLesson()); a.value["id"] != "1" {
		t.Errorf("write_error() = %v, want lesson 1", a.value)
	}
	two := start(t, nil, "stdio", "--db", db, "--session", "b")
	found := two.finds(map[string]any{"tool_name": "git", "query": "! [rejected] main -> main (non-fast-forward)\nerror: failed to push some refs to 'git@host:app.git'"}, "1")
	expires := found.column("related_errors", "expires_at")
	two.finds(map[string]any{"tool_name": "git", "query": "fatal: bad object HEAD, the repository looks corrupt"})
	two.finds(map[string]any{"tool_name": "weather", "query": "no forecast for this city"})
	two.finds(map[string]any{"tool_name": "npm", "query": "non-fast-forward push"}, "1")
	if a := two.finds(map[string]any{}, "1"); a.column("related_errors", "expires_at")[0] <= expires[0] {
		t.Errorf("the lesson expires at %v, want it renewed since %v", a.value, expires)
	}
	last := two.finds(map[string]any{}, "1").column("related_errors", "expires_at")
	two.finds(map[string]any{"tool_name": "git", "query": "unrelated nonsense"})
	if a := two.finds(map[string]any{}, "1"); !slices.Equal(a.column("related_errors", "expires_at"), last) {
		t.Errorf("the lesson expires at %v, want %v as before the unrelated error", a.value, last)
	}
	if r := two.request("resources/read", `{"uri":"memory://lessons"}`); r.Error != nil || !strings.Contains(string(r.Result), "pull --rebase") {
		t.Errorf("memory://lessons = %s %+v, want the lesson", r.Result, r.Error)
	}
}

// A subscriber hears of a lesson that another process has written.
func TestLessonsAreToldAcrossProcesses(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "memory.db")
	p, other := start(t, nil, "stdio", "--db", db), start(t, nil, "stdio", "--db", db)
	if r := p.request("resources/subscribe", `{"uri":"memory://lessons"}`); r.Error != nil {
		t.Fatalf("subscribe = %+v", r.Error)
	}
	other.learns("a", "resolved", pushLesson())
	p.hears("memory://lessons")
}

// sameTopic gives all texts that hold one of the words the same vector.
func sameTopic(words ...string) behaviour {
	return func(w http.ResponseWriter, _ *http.Request, c embedCall) bool {
		data := make([]any, len(c.Input))
		for i, s := range c.Input {
			v := wordVector(s, c.dimensions())
			if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(s, word) }) {
				v = make([]float32, c.dimensions())
				v[c.dimensions()-1] = 1
			}
			data[i] = v
		}
		sendVectors(w, data)
		return true
	}
}

// With an endpoint that knows what words mean, a lesson is found that shares none
// with the error. A secret in the error does not go there (case P01).
func TestLessonsByMeaning(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "memory.db")
	e := newEndpoint(t, sameTopic("disk", "磁盘"))
	p := start(t, nil, e.flags(db)...)
	p.record("hello there")
	p.untilComplete("hello")
	lesson := pushLesson()
	lesson["symptom"], lesson["keywords"] = "磁盘写满了", []string{}
	p.learns("a", "resolved", lesson)
	secret := "ghp_" + strings.Repeat("a1B2c3D4e5", 4)[:36]
	p.finds(map[string]any{"tool_name": "tar", "query": "the disk is full, token " + secret}, "1")
	p.finds(map[string]any{"tool_name": "tar", "query": "an archive of another kind"})
	e.mu.Lock()
	defer e.mu.Unlock()
	for s := range e.seen {
		if strings.Contains(s, secret) {
			t.Errorf("the endpoint was asked for %q, which holds a secret", s)
		}
	}
}
