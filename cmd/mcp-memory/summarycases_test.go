package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
)

// sent are the texts of all messages that the main model was shown, sorted.
func (e *chatEndpoint) sent() []string {
	var list []string
	for _, c := range e.of("summary") {
		list = append(list, c.texts()...)
	}
	slices.Sort(list)
	return list
}

// wantSent checks that the main model was shown each of these texts exactly once.
func (e *chatEndpoint) wantSent(t *testing.T, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := e.sent(); !slices.Equal(got, want) {
		t.Errorf("the model was shown %q, want each of %q once", got, want)
	}
}

// adds records messages in session s through the tool.
func (c *client) adds(messages ...map[string]any) {
	c.t.Helper()
	if a := c.tool("add_messages", map[string]any{"session_id": "s", "messages": messages}); a.bad {
		c.t.Fatalf("add_messages = error %q", a.text)
	}
}

// Progress goes by arrival, not by time: what is of the same second is neither
// lost nor summarised twice.
func TestCaseD05(t *testing.T) {
	t.Parallel()
	const second = "2026-03-01T10:00:00Z"
	path := filepath.Join(t.TempDir(), "memory.db")
	e := newChatEndpoint(t, nil)
	p := start(t, nil, append([]string{"stdio"}, e.flags(path)...)...)
	p.adds(msg("f0", "fact 0", "sent_at", second), msg("f1", "fact 1", "sent_at", second), msg("f2", "fact 2", "sent_at", second))
	jobWorks(t, e.flags(path)...)
	p.adds(msg("f3", "fact 3 late", "sent_at", second))
	jobWorks(t, e.flags(path)...)
	jobWorks(t, e.flags(path)...)
	e.wantSent(t, "fact 0", "fact 1", "fact 2", "fact 3 late")
	e.wantCalls(t, "", 2)
}

// Late messages take their place in the history and are summarised at the next
// tick; inside a request they are in order.
func TestCaseD08(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	e := newChatEndpoint(t, nil)
	p := start(t, nil, append([]string{"stdio"}, e.flags(path)...)...)
	p.adds(msg("2", "answer", "role", "assistant", "sent_at", "2026-03-01T10:00:02Z"))
	p.adds(msg("1", "question", "sent_at", "2026-03-01T10:00:01Z"))
	jobWorks(t, e.flags(path)...)
	p.adds(msg("0", "very old note", "sent_at", "2026-02-01T08:00:00Z"))
	jobWorks(t, e.flags(path)...)
	e.wantSent(t, "answer", "question", "very old note")
	if got := e.of("summary")[0].texts(); !slices.Equal(got, []string{"question", "answer"}) {
		t.Errorf("the first call shows %q, want them in order", got)
	}
	if got := p.tool("chat_history", `{"session_id":"s","mode":"read"}`).column("messages", "client_id"); !slices.Equal(got, []string{"0", "1", "2"}) {
		t.Errorf("messages = %q, want 0, 1, 2", got)
	}
}

// Without time, in the future, of long ago, in the same moment, and added while
// the model is at work: every message is summarised exactly once.
func TestEachMessageIsSummarisedOnce(t *testing.T) {
	t.Parallel()
	path, db := conversation(t, nil)
	free := make(chan struct{})
	e := newChatEndpoint(t, at("summary", 1, held(free)))
	p := start(t, nil, append([]string{"stdio"}, e.flags(path)...)...)
	tomorrow, moment := time.Now().Add(24*time.Hour).Format(time.RFC3339), "2026-03-01T10:00:00Z"
	p.adds(msg("1", "in the future", "sent_at", tomorrow), msg("2", "without a time"), msg("3", "same moment a", "sent_at", moment))
	job := begin(t, append([]string{"job", "run", "summary"}, e.flags(path)...)...)
	e.waitCalls(t, "summary", 1)
	p.adds(msg("4", "meanwhile", "role", "assistant"), msg("5", "same moment b", "sent_at", moment), msg("6", "meanwhile, long ago", "sent_at", "2020-01-01T00:00:00Z"))
	close(free)
	if job.code() != exitOK {
		t.Fatalf("job run summary: %s", &job.stderr)
	}
	p.adds(msg("7", "in the same future", "sent_at", tomorrow))
	for range 3 {
		jobWorks(t, e.flags(path)...)
	}
	e.wantSent(t, "in the future", "without a time", "same moment a", "meanwhile", "same moment b", "meanwhile, long ago", "in the same future")
	if st := stateOf(t, db); st.Mark.Cursor.Seq != 7 {
		t.Errorf("the cursor is %+v, want 7", st.Mark.Cursor)
	}
}

// sound is a summary with something in it.
var sound = memory.Summary{
	KeyDecisions:      []string{"Do: keep backups"},
	PastDiscussions:   []memory.PastDiscussion{},
	CurrentDiscussion: memory.CurrentDiscussion{Topic: "backups", Description: "where {they} go"},
}

// A summary is found in a fence, in prose and behind thoughts, of which nothing is
// kept.
func TestCasesI01I02I03(t *testing.T) {
	t.Parallel()
	body := summaryJSON(sound)
	for name, reply := range map[string]string{
		"I01 a fence":           "```json\n" + body + "\n```",
		"I01 a fence in prose":  "Here is it:\n```\n" + body + "\n```\nExplanation: done.",
		"I02 braces in prose":   "About {travel}: " + body + " hope {that} helps",
		"I03 thoughts":          "<think>\nuser likes {CANARY}\n</think>\n" + body,
		"I03 only their end":    "user likes {\"key_decisions\":[\"Do: CANARY\"]}</think>" + body,
		"I03 thoughts and tags": "<thinking>CANARY</thinking><answer>" + body + "</answer>",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, db := conversation(t, talk(0, 4, 0))
			e := newChatEndpoint(t, saying(reply))
			jobWorks(t, e.flags(path)...)
			e.wantCalls(t, "", 1)
			if got := summaryJSON(stateOf(t, db).Current.Summary); got != body {
				t.Errorf("the summary is %s, want %s", got, body)
			}
			checkNowhere(t, path, "CANARY")
		})
	}
}

// A reply that is cut or empty (I05), or no JSON at all (I06), is a failure: the
// summary of before and the cursor stay, the failure is shown, and nothing of the
// reply is sound. The same for every other failure is in TestSecondChunkFails.
func TestCasesI05I06(t *testing.T) {
	t.Parallel()
	for name, behave := range map[string]chatBehaviour{
		"I05 cut":         cutShort(`{"key_decisions":["Do: CANARY`),
		"I05 cut, whole":  cutShort(summaryJSON(memory.Summary{KeyDecisions: []string{"Do: CANARY"}})),
		"I05 empty":       cutShort(""),
		"I06 a refusal":   saying("I'm sorry, I can't help with that CANARY."),
		"I06 nothing":     saying(""),
		"I06 an object":   saying("{}"),
		"I06 null":        saying("null"),
		"I06 a list":      saying("[]"),
		"I06 a long text": saying("CANARY " + strings.Repeat("{", 5_000)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, db := conversation(t, talk(0, 2, 0))
			e := newChatEndpoint(t, saying(summaryJSON(sound)))
			jobWorks(t, e.flags(path)...)
			say(t, db, "s", talk(2, 4, 0))
			e.set(behave)
			if code, stderr := jobRun(t, e.flags(path)...); code != exitFailure || strings.Contains(stderr, "CANARY") {
				t.Errorf("job run summary = %d, %s, want a failure without the reply", code, stderr)
			}
			st := stateOf(t, db)
			if summaryJSON(st.Current.Summary) != summaryJSON(sound) || st.Mark.Cursor.Seq != 2 || st.Mark.Version != 1 || st.Failures != 1 {
				t.Errorf("state = %+v, want the summary and the cursor of before, and a failure", st)
			}
			code, stdout, _ := runProgram(t, nil, append([]string{"doctor"}, e.flags(path)...)...)
			if code != exitFailure || !strings.Contains(stdout, "BAD  summary") || !strings.Contains(stdout, "s: failed once") {
				t.Errorf("doctor = %d\n%s, want the failure", code, stdout)
			}
			checkNowhere(t, path, "CANARY")
		})
	}
}

// An endpoint that refuses response_format is asked without, and not asked with
// it again.
func TestCaseI08(t *testing.T) {
	t.Parallel()
	path, db := conversation(t, talk(0, 4, 0))
	e := newChatEndpoint(t, func(w http.ResponseWriter, _ *http.Request, c chatCall) bool {
		return c.ResponseFormat != nil && c.ResponseFormat.Type == "json_object" &&
			refuseWith(w, http.StatusBadRequest, "'response_format.type' must be 'json_schema' or 'text'")
	})
	a := openApp(t, e.flags(path)...)
	for round := range 2 {
		if err := a.jobs.RunNow(t.Context(), "summary"); err != nil {
			t.Fatal(err)
		}
		waitSaved(t, db, int64(round+1))
		say(t, db, "s", talk(4+round*4, 4, 0))
	}
	var formats []bool
	for _, c := range e.of("") {
		formats = append(formats, c.ResponseFormat != nil)
	}
	if !slices.Equal(formats, []bool{true, false, false}) {
		t.Errorf("calls with response_format: %v, want only the first", formats)
	}
}

// A request that is too long for the model is halved until it fits, which is no
// failure, and every message is covered once.
func TestCaseJ11(t *testing.T) {
	t.Parallel()
	list := talk(0, 300, 2000)
	path, db := conversation(t, list)
	e := newChatEndpoint(t, func(w http.ResponseWriter, _ *http.Request, c chatCall) bool {
		tokens := (len(c.system()) + len(c.Messages[1].Content)) / 4
		return tokens > 8000 && refuseWith(w, http.StatusBadRequest,
			fmt.Sprintf("This model's maximum context length is 8000 tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", tokens))
	})
	e.set(inShort(e.behave)) // the perfect summary of all would be too long itself
	jobWorks(t, e.flags(path)...)
	st := stateOf(t, db)
	if st.Mark.Cursor != (memory.SummaryCursor{Seq: 300}) || st.Failures != 0 {
		t.Errorf("the cursor is %+v after %d failures, want 300 and none", st.Mark.Cursor, st.Failures)
	}
	if got, want := st.Current.Summary.CurrentDiscussion.Description, names(list); got != want {
		t.Errorf("the summary has %s, want each message once", got)
	}
}

// inShort answers what a behaviour leaves alone with a summary that names the
// messages in it.
func inShort(behave chatBehaviour) chatBehaviour {
	return func(w http.ResponseWriter, r *http.Request, c chatCall) bool {
		if behave(w, r, c) {
			return true
		}
		s := c.previous()
		for _, text := range c.texts() {
			s.CurrentDiscussion.Description += name(text)
		}
		return answerChat(w, summaryJSON(s), "stop")
	}
}

// name is what a message of a talk begins with.
func name(text string) string {
	before, _, _ := strings.Cut(text, ">")
	return before + ">"
}

func names(list []memory.Draft) string {
	var b strings.Builder
	for _, d := range list {
		b.WriteString(name(d.Content))
	}
	return b.String()
}

// When the model cannot be reached, nothing is lost and nothing is marked as done:
// the messages are found, the summary stays, and the next tick covers them.
func TestCaseK01(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		behave chatBehaviour
		slow   bool
	}{
		"500":                 {behave: failing(500, "out of memory", "60")},
		"503":                 {behave: failing(503, "loading", "60")},
		"a broken connection": {behave: hangsUp, slow: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.slow && testing.Short() {
				t.Skip("the endpoint is asked again for half a minute")
			}
			list := talk(0, 60, 0)
			path, db := conversation(t, list[:2])
			e := newChatEndpoint(t, nil)
			jobWorks(t, e.flags(path)...)
			say(t, db, "s", list[2:])
			e.set(c.behave)
			if code, stderr := jobRun(t, e.flags(path)...); code != exitFailure {
				t.Errorf("job run summary = %d, %s, want a failure", code, stderr)
			}
			holds(t, db, list[:2], 1)
			p := start(t, nil, append([]string{"stdio"}, e.flags(path)...)...)
			if !c.slow { // else the answer is that it goes on
				if a := p.tool("compact", `{"session_id":"s","action":"summary"}`); !a.bad {
					t.Errorf("compact = %q, want the failure", a.text)
				}
			}
			if got := len(p.tool("chat_history", `{"session_id":"s","mode":"read","limit":200}`).column("messages", "id")); got != 60 {
				t.Errorf("%d messages are read, want 60", got)
			}
			if got := p.tool("chat_history", `{"session_id":"s","match":"keyword","query":"m31"}`).column("hits", "message_id"); len(got) != 1 {
				t.Errorf("search for m31 = %q, want it", got)
			}
			p.end()
			if got := stateOf(t, db).Current.Summary.CurrentDiscussion.Description; got != joined(list[:2]) {
				t.Errorf("the summary is of %q, want it as it was", got)
			}
			e.set(nil)
			jobWorks(t, e.flags(path)...)
			holds(t, db, list, 0)
		})
	}
}

// Without new messages no model is asked, and the summary stays as it is.
func TestCaseK04(t *testing.T) {
	t.Parallel()
	path, db := conversation(t, talk(0, 4, 0))
	e := newChatEndpoint(t, always("summary", saying(summaryJSON(sound))))
	jobWorks(t, append(e.flags(path), judging...)...)
	before, calls := stateOf(t, db), len(e.of(""))
	e.set(saying(summaryJSON(memory.Summary{})))
	for range 2 {
		jobWorks(t, append(e.flags(path), judging...)...)
	}
	e.wantCalls(t, "", calls)
	if after := stateOf(t, db); fmt.Sprintf("%+v", after) != fmt.Sprintf("%+v", before) {
		t.Errorf("state = %+v, want %+v", after, before)
	}
}
