package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// process is the program in a process of its own that ends by itself.
type process struct {
	*exec.Cmd
	stderr bytes.Buffer
}

// begin starts the program with an empty environment.
func begin(t *testing.T, args ...string) *process { return beginWith(t, nil, args...) }

// beginWith starts the program with these variables alone.
func beginWith(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(exe, args...)}
	p.Env = append([]string{asProgram + "=1", "PATH=" + os.Getenv("PATH")}, env...)
	p.Stderr = &p.stderr
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// code waits for the end and returns the exit code, -1 after a kill.
func (p *process) code() int {
	_ = p.Wait()
	return p.ProcessState.ExitCode()
}

// endLeases ends what a killed process still holds, as half a minute would.
func endLeases(t *testing.T, path string) {
	t.Helper()
	file, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.ExecContext(t.Context(), `UPDATE leases SET expires = 0`); err != nil {
		t.Fatal(err)
	}
}

// The program is killed between the model's reply and the save, again and again:
// the summary always is that of the messages before the cursor, each once.
func TestKilledBetweenReplyAndSave(t *testing.T) {
	t.Parallel()
	rounds := 20
	if testing.Short() {
		rounds = 5
	}
	path, db := conversation(t, nil)
	var list []memory.Draft
	e := newChatEndpoint(t, nil)
	flags := append([]string{"job", "run", "summary"}, e.flags(path, "--summary-runes", "400")...)
	saved := 0
	for round := range rounds {
		next := talk(len(list), 8, 0) // two chunks
		say(t, db, "s", next)
		list = append(list, next...)
		kill := make(chan func(), 1)
		e.set(func(w http.ResponseWriter, _ *http.Request, c chatCall) bool {
			answerChat(w, c.perfect(), "stop")
			_ = http.NewResponseController(w).Flush()
			select {
			case f := <-kill: // at the first call of the process
				time.AfterFunc(rand.N(8*time.Millisecond), f)
			default:
			}
			return true
		})
		p := begin(t, flags...)
		kill <- func() { _ = p.Process.Kill() }
		p.code()
		st := stateOf(t, db)
		n := int(st.Mark.Cursor.Seq)
		if got := st.Current.Summary.CurrentDiscussion.Description; got != joined(list[:n]) || st.Current.Cursor != st.Mark.Cursor.Seq {
			t.Fatalf("round %d: the cursor is %+v, that of the summary %d, and it is of %q, want %q", round, st.Mark.Cursor, st.Current.Cursor, got, joined(list[:n]))
		}
		if n > len(list)-len(next) {
			saved++
		}
		endLeases(t, path)
	}
	t.Logf("of %d killed processes, %d had saved a summary", rounds, saved)
	e.set(nil)
	jobWorks(t, e.flags(path)...)
	holds(t, db, list, 0)
}

// Of three processes that have the same tick, one asks the model, and the others
// say that it is at work (case E07).
func TestE07OneOfThreeProcesses(t *testing.T) {
	t.Parallel()
	list := talk(0, 6, 0)
	path, db := conversation(t, list)
	free := make(chan struct{})
	e := newChatEndpoint(t, held(free))
	flags := append([]string{"job", "run", "summary"}, e.flags(path)...)
	ended := make(chan *process, 3)
	for range 3 {
		p := begin(t, flags...)
		go func() {
			p.code()
			ended <- p
		}()
	}
	e.waitCalls(t, "", 1)
	for range 2 {
		if p := <-ended; p.ProcessState.ExitCode() != exitFailure || !strings.Contains(p.stderr.String(), "the job summary is already running") {
			t.Errorf("another process = %d, %s, want that the job is running", p.ProcessState.ExitCode(), &p.stderr)
		}
	}
	close(free)
	if p := <-ended; p.ProcessState.ExitCode() != exitOK {
		t.Errorf("the process at work = %d, %s", p.ProcessState.ExitCode(), &p.stderr)
	}
	e.wantCalls(t, "", 1)
	holds(t, db, list, 0)
}

// looked is when a server has surely looked for missed ticks: it does so within
// four seconds of its start.
const looked = 5 * time.Second

// Servers that start after a tick was missed make up for it: one of them, once,
// also when another starts later (case E06, for the summary).
func TestE06MissedTick(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a server takes its time before it looks for missed ticks")
	}
	list := talk(0, 6, 0)
	path, db := conversation(t, list)
	free := make(chan struct{})
	e := newChatEndpoint(t, held(free))
	flags := append([]string{"stdio"}, e.flags(path, "--summary-schedule", "@yearly")...)
	servers := []*client{start(t, nil, flags...), start(t, nil, flags...), start(t, nil, flags...)}
	<-time.After(looked)
	e.waitCalls(t, "summary", 1)
	close(free)
	waitSaved(t, db, 1)
	for _, p := range servers {
		p.end()
	}
	again := start(t, nil, flags...)
	<-time.After(looked)
	again.end()
	e.wantCalls(t, "", 1)
	holds(t, db, list, 0)
}

// waitSaved waits until session s has a version of its summary.
func waitSaved(t *testing.T, db *sqlite.DB, version int64) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for limit := time.Now().Add(time.Minute); stateOf(t, db).Mark.Version < version; <-tick.C {
		if time.Now().After(limit) {
			t.Fatalf("version %d of the summary does not come", version)
		}
	}
}

// Another process saves a summary: a subscriber is told within two seconds, once,
// and reads the new text.
func TestSummarySubscription(t *testing.T) {
	t.Parallel()
	const uri = "memory://summary"
	path, db := conversation(t, nil)
	e := newChatEndpoint(t, nil)
	p := start(t, nil, "stdio", "--db", path, "--session", "s", "--embedder", "hashed", "--summary-schedule=")
	if got := p.summary(uri); !got.Empty() {
		t.Errorf("the summary before the first one is %+v, want the empty shape", got)
	}
	if r := p.request("resources/subscribe", `{"uri":"`+uri+`"}`); r.Error != nil {
		t.Fatalf("subscribe = %+v", r.Error)
	}
	var list []memory.Draft
	for range 3 {
		next := talk(len(list), 2, 0)
		say(t, db, "s", next) // which is no change of the summary
		list = append(list, next...)
		if other := begin(t, append([]string{"job", "run", "summary"}, e.flags(path)...)...); other.code() != exitOK {
			t.Fatalf("job run summary: %s", &other.stderr)
		}
		p.hears(uri)
		if got := p.summary(uri).CurrentDiscussion.Description; got != joined(list) { // and nothing comes before the answer
			t.Errorf("the summary that is read is of %q, want %q", got, joined(list))
		}
	}
	p.send(`{"jsonrpc":"2.0","id":"own","method":"tools/call","params":{"name":"compact","arguments":{"action":"restore"}}}`)
	a, b := p.next(), p.next() // the answer and the change, in any order
	if string(a.ID)+string(b.ID) != `"own"` || a.Params.URI+b.Params.URI != uri {
		t.Errorf("restore brought %+v and %+v, want an answer and a change of %s", a, b, uri)
	}
	if got := p.summary(uri).CurrentDiscussion.Description; got != joined(list[:4]) {
		t.Errorf("the restored summary is of %q, want %q", got, joined(list[:4]))
	}
}

// summary reads a summary as a resource; nothing else may come before the answer.
func (c *client) summary(uri string) memory.Summary {
	c.t.Helper()
	r := c.request("resources/read", fmt.Sprintf(`{"uri":%q}`, uri))
	var result struct {
		Contents []struct{ Text string }
	}
	if err := json.Unmarshal(r.Result, &result); err != nil || len(result.Contents) != 1 {
		c.t.Fatalf("read %s = %s %s, %v", uri, r.ID, r.Result, err)
	}
	var s memory.Summary
	if err := json.Unmarshal([]byte(result.Contents[0].Text), &s); err != nil {
		c.t.Fatal(err)
	}
	return s
}

// A cancelled call of compact ends the request to the model within two seconds.
func TestCancelledCompact(t *testing.T) {
	t.Parallel()
	path, db := conversation(t, talk(0, 4, 0))
	gone := make(chan struct{})
	e := newChatEndpoint(t, func(_ http.ResponseWriter, r *http.Request, _ chatCall) bool {
		<-r.Context().Done()
		close(gone)
		return true
	})
	p := start(t, nil, append([]string{"stdio", "--session", "s"}, e.flags(path)...)...)
	p.send(`{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"compact","arguments":{"action":"summary"}}}`)
	e.waitCalls(t, "summary", 1)
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"slow"}}`)
	select {
	case <-gone:
	case <-time.After(2 * time.Second):
		t.Error("the request to the model goes on after the call was cancelled")
	}
	if st := stateOf(t, db); st.Mark.Version != 0 || st.Failures != 0 {
		t.Errorf("state = %+v, want nothing saved and no failure", st)
	}
}

// A server whose client goes away in the middle of a rebuild ends at once; the
// rebuild goes on where it was.
func TestRebuildSurvivesItsServer(t *testing.T) {
	t.Parallel()
	list := talk(0, 12, 100)
	path, db := conversation(t, list)
	e := newChatEndpoint(t, at("summary", 2, held(nil)))
	flags := append([]string{"stdio", "--session", "s"}, e.flags(path, "--summary-runes", "700")...)
	p := start(t, nil, flags...)
	p.send(`{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"compact","arguments":{"action":"summary"}}}`)
	e.waitCalls(t, "summary", 2)
	began := time.Now()
	p.end()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the server took %v to end", took)
	}
	if st := stateOf(t, db); st.Mark.Version != 0 || st.Draft == nil {
		t.Errorf("state = %+v, want a draft and no summary", st)
	}
	e.set(nil)
	a := start(t, nil, flags...).tool("compact", `{"action":"summary"}`)
	if a.bad || fmt.Sprint(a.value["count"]) != "12" || a.value["running"] != nil {
		t.Errorf("compact = %s %v, want 12 messages", a.text, a.value)
	}
	holds(t, db, list, 0)
	if first, third := e.of("summary")[0], e.of("summary")[2]; first.texts()[0] == third.texts()[0] {
		t.Error("the rebuild began anew, want it to go on")
	}
}
