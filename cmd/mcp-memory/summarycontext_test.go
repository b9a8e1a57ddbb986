package main

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
)

// What an agent gets of the summary is what the decision model finds relevant for
// the query; all of it when that fails; nothing when nothing is relevant.
func TestRelevantContext(t *testing.T) {
	t.Parallel()
	s := memory.Summary{
		KeyDecisions:      []string{"Do: write in French", "Do: use port 8080"},
		PastDiscussions:   []memory.PastDiscussion{{Topic: "the holidays", Description: "in June"}},
		CurrentDiscussion: memory.CurrentDiscussion{Topic: "the invoices"},
	}
	path, _ := conversation(t, talk(0, 2, 0))
	e := newChatEndpoint(t, saying(summaryJSON(s)))
	jobWorks(t, e.flags(path)...)
	p := start(t, nil, append(append([]string{"stdio", "--session", "s"}, e.flags(path)...), judging...)...)
	for name, c := range map[string]struct {
		behave chatBehaviour
		query  string
		holds  []string
		lacks  []string
	}{
		"some":         {saying(`{"verdicts":[{"id":"D2","remove":true,"confidence":0.9},{"id":"P1","remove":true,"confidence":0.8}]}`), "Who pays?", []string{"French", "invoices"}, []string{"8080", "holidays"}},
		"none judged":  {saying(`{"verdicts":[]}`), "Who pays?", []string{"French", "8080", "holidays", "invoices"}, nil},
		"no query":     {failing(500, "not to be asked", "60"), "", []string{"French", "8080", "holidays", "invoices"}, nil},
		"down":         {failing(503, "loading", "60"), "Who pays?", []string{"French", "8080", "holidays", "invoices"}, nil},
		"garbage":      {saying("no idea"), "Who pays?", []string{"French", "8080", "holidays", "invoices"}, nil},
		"nothing":      {saying(`{"verdicts":[{"id":"D1","remove":true,"confidence":1},{"id":"D2","remove":true,"confidence":1},{"id":"P1","remove":true,"confidence":1},{"id":"C","remove":true,"confidence":1}]}`), "Who pays?", nil, []string{"Prior summary", "French"}},
		"an invention": {saying(`{"verdicts":[{"id":"D9","remove":true,"confidence":1},{"id":"D1","remove":true,"confidence":70}]}`), "Who pays?", []string{"French", "8080", "holidays", "invoices"}, nil},
	} {
		e.set(c.behave)
		a := p.tool("get_context", map[string]any{"query": c.query})
		if a.bad {
			t.Fatalf("%s: get_context = error %q", name, a.text)
		}
		for _, word := range c.holds {
			if !strings.Contains(a.text, word) {
				t.Errorf("%s: the context lacks %q", name, word)
			}
		}
		for _, word := range c.lacks {
			if strings.Contains(a.text, word) {
				t.Errorf("%s: the context holds %q", name, word)
			}
		}
	}
	for _, c := range e.of("relevant") {
		if c.Model != "small" || !strings.HasPrefix(c.Messages[1].Content, `{"request":"Who pays?"}`+"\n") {
			t.Errorf("the judge %s was asked %q", c.Model, c.Messages[1].Content)
		}
	}
}

// The language of summaries can be set.
func TestReplyLanguage(t *testing.T) {
	t.Parallel()
	for flag, want := range map[string]string{"auto": "Language: write in the language that the conversation is held in.", "Japanese": "Language: write in Japanese."} {
		path, _ := conversation(t, talk(0, 2, 0))
		e := newChatEndpoint(t, nil)
		jobWorks(t, e.flags(path, "--reply-lang", flag)...)
		if got := e.of("summary")[0].system(); !strings.Contains(got, want) {
			t.Errorf("--reply-lang %s: the system prompt lacks %q", flag, want)
		}
	}
}

// Neither keys nor what was said comes into the log or into an answer, also when
// the endpoint repeats it.
func TestFailuresShowNoSecrets(t *testing.T) {
	t.Parallel()
	const said = "the CANARY sings at midnight in the old tower"
	path, _ := conversation(t, []memory.Draft{{Role: memory.RoleUser, Content: said}})
	e := newChatEndpoint(t, nil)
	e.set(failing(400, "cannot do this for "+openAIKey+": "+said, ""))
	env := []string{"MCP_MEMORY_LLM_API_KEY=" + openAIKey, "MCP_MEMORY_LOG_LEVEL=debug"}
	job := beginWith(t, env, append([]string{"job", "run", "summary"}, e.flags(path)...)...)
	if job.code() != exitFailure || !strings.Contains(job.stderr.String(), "HTTP 400") {
		t.Errorf("job run summary = %d, %s, want the failure", job.ProcessState.ExitCode(), &job.stderr)
	}
	p := start(t, env, append([]string{"stdio", "--session", "s"}, e.flags(path)...)...)
	a := p.tool("compact", `{"action":"summary"}`)
	if !a.bad || !strings.Contains(a.text, "HTTP 400") {
		t.Errorf("compact = %q, want the endpoint's refusal", a.text)
	}
	p.end()
	for where, text := range map[string]string{"the job": job.stderr.String(), "an answer": a.text, "the log": p.stderr.String()} {
		if strings.Contains(text, openAIKey) || strings.Contains(text, "CANARY") {
			t.Errorf("%s shows a secret: %s", where, text)
		}
	}
}

// A job that is interrupted gives up its turn: another one works at once, and
// nothing counts as failed.
func TestInterruptedJob(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted there")
	}
	list := talk(0, 4, 0)
	path, db := conversation(t, list)
	e := newChatEndpoint(t, held(nil))
	job := begin(t, append([]string{"job", "run", "summary"}, e.flags(path)...)...)
	e.waitCalls(t, "summary", 1)
	began := time.Now()
	if err := job.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := job.code(); code == exitOK || time.Since(began) > 5*time.Second {
		t.Errorf("an interrupted job = %d after %v, want an error at once", code, time.Since(began))
	}
	if st := stateOf(t, db); st.Failures != 0 {
		t.Errorf("%d failures after an interrupt, want none", st.Failures)
	}
	e.set(nil)
	jobWorks(t, e.flags(path)...)
	holds(t, db, list, 0)
}

// The same when a server ends in the middle of its job, because its client goes.
func TestServerEndsDuringJob(t *testing.T) {
	t.Parallel()
	list := talk(0, 4, 0)
	path, db := conversation(t, list)
	e := newChatEndpoint(t, held(nil))
	p := start(t, nil, append([]string{"stdio"}, e.flags(path, "--summary-schedule", "@yearly")...)...)
	e.waitCalls(t, "summary", 1) // the tick that was missed
	if code := p.end(); code != exitOK {
		t.Errorf("exit code %d, want 0; stderr: %s", code, p.stderr)
	}
	e.set(nil)
	jobWorks(t, e.flags(path)...)
	holds(t, db, list, 0)
}
