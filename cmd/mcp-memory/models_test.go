package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"mcp-memory/memory"
)

// openAIKey is the key of other programs that lies in the environment.
const openAIKey = "sk-test-0123456789abcdef"

// Without a model's being named no request leaves, whatever lies in the
// environment, and the bundled conversation has its summaries all the same.
func TestSummaryWithoutModel(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	theirs := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(theirs.Close)
	dir := t.TempDir()
	path, file := filepath.Join(dir, "memory.db"), filepath.Join(dir, "demo.jsonl")
	if err := os.WriteFile(file, demoConversation, 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"OPENAI_API_KEY=" + openAIKey, "OPENAI_BASE_URL=" + theirs.URL + "/v1", "MCP_MEMORY_TIME_ZONE=Asia/Taipei"}
	for _, args := range [][]string{{"import", file}, {"job", "run", "summary"}, {"job", "list"}, {"doctor"}} {
		if p := beginWith(t, env, append(args, "--db", path)...); p.code() != exitOK {
			t.Fatalf("%v = %d, %s", args, p.ProcessState.ExitCode(), &p.stderr)
		}
	}
	p := start(t, env, "stdio", "--db", path)
	sessions := p.tool("chat_history", `{"mode":"list"}`).column("sessions", "session_id")
	if len(sessions) != 3 {
		t.Fatalf("sessions = %q, want three", sessions)
	}
	decisions := 0
	for _, session := range sessions {
		s := p.summary("memory://sessions/" + url.PathEscape(session) + "/summary")
		t.Logf("%s:\n%s", session, summaryJSON(s))
		if len(s.PastDiscussions) == 0 || s.CurrentDiscussion.Topic == "" {
			t.Errorf("the summary of %s is %s, want discussions", session, summaryJSON(s))
		}
		decisions += len(s.KeyDecisions)
		for _, d := range s.KeyDecisions {
			if !strings.HasPrefix(d, "Do: ") && !strings.HasPrefix(d, "Don't: ") {
				t.Errorf("decision %q of %s, want it marked", d, session)
			}
		}
		if a := p.tool("get_context", map[string]any{"session_id": session, "query": "what now?"}); a.value["prior_summary"] == nil || !strings.Contains(a.text, "Prior summary:") {
			t.Errorf("get_context of %s = %s, want the summary", session, a.text)
		}
	}
	p.end()
	if decisions == 0 {
		t.Error("no summary has a decision, want the rules that are stated")
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests left although no model is named", n)
	}
}

// A summary that no model wrote is made again once there is one, also when there
// was nothing to quote.
func TestModelReplacesLocalSummary(t *testing.T) {
	t.Parallel()
	list := talk(0, 6, 0)
	path, db := conversation(t, list)
	jobWorks(t, "--db", path)
	if got := stateOf(t, db).Current; got.Model != memory.LocalModel || got.Version != 1 {
		t.Errorf("the summary is %+v, want a local one", got)
	}
	e := newChatEndpoint(t, nil)
	jobWorks(t, e.flags(path)...)
	e.wantCalls(t, "", 1)
	holds(t, db, list, 0)
	if got := stateOf(t, db).Current.Model; got != "m" {
		t.Errorf("the summary is by %q, want the model", got)
	}
}

// Every endpoint gets its own key and no other: that of OpenAI's variables goes
// only where these point to.
func TestKeysStayApart(t *testing.T) {
	t.Parallel()
	const openAI, own, judge = "Bearer " + openAIKey, "Bearer own", "Bearer judge"
	llmKey, judgeKey := "MCP_MEMORY_LLM_API_KEY=own", "MCP_MEMORY_DECISION_API_KEY=judge"
	for name, c := range map[string]struct {
		flags        []string // {ours} is the URL of an endpoint that no variable names
		env          []string
		theirs, ours []string // keys that come
	}{
		"OpenAI's":                        {flags: []string{"--llm-model", "m"}, theirs: []string{openAI}},
		"OpenAI's, a key of its own":      {flags: []string{"--llm-model", "m"}, env: []string{llmKey}, theirs: []string{own}},
		"another":                         {flags: []string{"--llm-model", "m", "--llm-base-url", "{ours}"}, ours: []string{""}},
		"another with its key":            {flags: []string{"--llm-model", "m", "--llm-base-url", "{ours}"}, env: []string{llmKey}, ours: []string{own}},
		"both models there":               {flags: []string{"--llm-model", "m", "--llm-base-url", "{ours}", "--decision-model", "d"}, env: []string{llmKey}, ours: []string{own}},
		"both models there, a key each":   {flags: []string{"--llm-model", "m", "--llm-base-url", "{ours}", "--decision-model", "d"}, env: []string{llmKey, judgeKey}, ours: []string{judge, own}},
		"the judge elsewhere":             {flags: []string{"--llm-model", "m", "--decision-model", "d", "--decision-base-url", "{ours}"}, env: []string{llmKey}, theirs: []string{own}, ours: []string{""}},
		"the judge elsewhere, with a key": {flags: []string{"--llm-model", "m", "--decision-model", "d", "--decision-base-url", "{ours}"}, env: []string{judgeKey}, theirs: []string{openAI}, ours: []string{judge}},
		"the judge alone":                 {flags: []string{"--decision-model", "d", "--decision-base-url", "{ours}"}, ours: []string{""}},
		"the judge alone, OpenAI's":       {flags: []string{"--decision-model", "d"}, theirs: []string{openAI}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, db := conversation(t, talk(0, 4, 0))
			theirs, ours := newChatEndpoint(t, nil), newChatEndpoint(t, nil)
			args := []string{"job", "run", "summary", "--db", path}
			for _, flag := range c.flags {
				args = append(args, strings.ReplaceAll(flag, "{ours}", ours.URL+"/v1"))
			}
			env := append([]string{"OPENAI_API_KEY=" + openAIKey, "OPENAI_BASE_URL=" + theirs.URL + "/v1"}, c.env...)
			if p := beginWith(t, env, args...); p.code() != exitOK {
				t.Fatalf("job run summary: %s", &p.stderr)
			}
			if got := theirs.keys(); !slices.Equal(got, c.theirs) {
				t.Errorf("OpenAI's endpoint got the keys %q, want %q", got, c.theirs)
			}
			if got := ours.keys(); !slices.Equal(got, c.ours) {
				t.Errorf("the other endpoint got the keys %q, want %q", got, c.ours)
			}
			if st := stateOf(t, db); st.Mark.Cursor.Seq != 4 {
				t.Errorf("the cursor is %+v, want 4", st.Mark.Cursor)
			}
		})
	}
}

// The same for embeddings.
func TestKeysOfEmbeddings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  []string
		want string
	}{
		"no key":         {nil, ""},
		"a key":          {[]string{"MCP_MEMORY_EMBED_API_KEY=own"}, "Bearer own"},
		"another's keys": {[]string{"MCP_MEMORY_LLM_API_KEY=llm", "MCP_MEMORY_DECISION_API_KEY=judge"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, _ := conversation(t, talk(0, 2, 0))
			e := newEndpoint(t, nil)
			env := append([]string{"OPENAI_API_KEY=" + openAIKey, "OPENAI_BASE_URL=" + e.URL + "/other/v1"}, c.env...)
			if p := beginWith(t, env, append([]string{"doctor"}, e.flags(path)[1:]...)...); p.code() != exitOK {
				t.Fatalf("doctor: %s", &p.stderr)
			}
			if got := slices.Collect(maps.Keys(e.keys)); !slices.Equal(got, []string{c.want}) {
				t.Errorf("the endpoint got the keys %q, want %q", got, c.want)
			}
		})
	}
}

// The day's budget ends the paying, is shown, and is no reason to lose anything.
func TestDailyTokens(t *testing.T) {
	t.Parallel()
	list := talk(0, 12, 200)
	path, db := conversation(t, list)
	e := newChatEndpoint(t, nil)
	flags := e.flags(path, "--summary-runes", "1300")
	limited := append(slices.Clone(flags), "--daily-tokens", "150")
	code, stderr := jobRun(t, limited...)
	if code != exitFailure || !strings.Contains(stderr, "the day's budget of 150 tokens is used up; it begins anew at 00:00 UTC") {
		t.Errorf("job run summary = %d, %s, want the budget used up", code, stderr)
	}
	e.wantCalls(t, "", 2)
	if st := stateOf(t, db); st.Mark.Cursor.Seq != 8 || st.Failures != 1 {
		t.Errorf("the cursor is %+v after %d failures, want 8 and one", st.Mark.Cursor, st.Failures)
	}
	code, stdout, _ := runProgram(t, nil, append([]string{"doctor"}, limited...)...)
	used := 2 * (promptTokens + answerTokens)
	for _, want := range []string{
		fmt.Sprintf("BAD  tokens       %d of 150 today (summary with m %d), %d in 7 days, 2 requests", used, used, used),
		"BAD  main model   m: the day's budget", "BAD  summary      s: failed once", "BAD  job summary  failed (1 in a row)",
	} {
		if code != exitFailure || !strings.Contains(stdout, want) {
			t.Errorf("doctor = %d\n%swant %q", code, stdout, want)
		}
	}
	e.wantCalls(t, "", 2)
	jobWorks(t, flags...)
	holds(t, db, list, 0)
	code, stdout, stderr = runProgram(t, nil, append([]string{"doctor"}, flags...)...)
	if want := fmt.Sprintf("%d today (doctor with m %d, summary with m %d)", 4*120, 120, 3*120); code != exitOK || !strings.Contains(stdout, want) {
		t.Errorf("doctor = %d, %s\n%swant %q", code, stderr, stdout, want)
	}
}

// Doctor names the model that does not work, and shows no key.
func TestDoctorAsksTheModels(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		behave chatBehaviour
		code   int
		want   []string
	}{
		"both work": {nil, exitOK, []string{"ok  main model      m: answers", "ok  decision model  small: answers"}},
		"a wrong key": {func(w http.ResponseWriter, _ *http.Request, c chatCall) bool {
			return c.Model == "m" && refuseWith(w, http.StatusUnauthorized, "no such key: "+strings.TrimPrefix(c.key, "Bearer "))
		}, exitFailure, []string{"BAD  main model      m: the chat endpoint gave no answer: HTTP 401: no such key: [key]", "ok   decision model  small: answers"}},
		"no such model": {func(w http.ResponseWriter, _ *http.Request, c chatCall) bool {
			return c.Model == "small" && refuseWith(w, http.StatusNotFound, "model small not found")
		}, exitFailure, []string{"ok   main model      m: answers", "BAD  decision model  small: the chat endpoint gave no answer: HTTP 404: model small not found"}},
		"busy": {failing(429, "slow down", "60"), exitFailure, []string{"BAD  main model      m: the chat endpoint gave no answer: HTTP 429: slow down"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, _ := conversation(t, talk(0, 2, 0))
			e := newChatEndpoint(t, c.behave)
			code, stdout, stderr := runProgram(t, []string{"MCP_MEMORY_LLM_API_KEY=" + openAIKey}, append([]string{"doctor"}, append(e.flags(path), judging...)...)...)
			for _, want := range c.want {
				if code != c.code || !strings.Contains(stdout, want) {
					t.Errorf("doctor = %d, %s\n%swant %d and %q", code, stderr, stdout, c.code, want)
				}
			}
			if strings.Contains(stdout+stderr, openAIKey) {
				t.Errorf("doctor shows the key: %s%s", stdout, stderr)
			}
		})
	}
}
