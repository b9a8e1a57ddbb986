package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const plan = `{"messages":[{"role":"user","content":"the zanzibar plan is secret"},{"role":"assistant","content":"understood"}]}`

// leftOf counts the copies of a word in a database and beside it.
func leftOf(t *testing.T, db, word string) int {
	t.Helper()
	n := 0
	for _, suffix := range []string{"", "-wal", "-shm"} {
		content, err := os.ReadFile(db + suffix)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		n += bytes.Count(bytes.ToLower(content), []byte(word))
	}
	return n
}

// startAsking runs the program for a client that can ask its person.
func startAsking(t *testing.T, args ...string) *client {
	t.Helper()
	c := launch(t, nil, args...)
	if r := c.request("initialize", strings.Replace(initializeParams("2025-06-18"), `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1)); r.Error != nil {
		t.Fatalf("initialize = error %+v", r.Error)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

// asks calls reset, which is to ask the person, and answers for him. It returns
// the question and the answer of the tool.
func (c *client) asks(arguments, action string) (question string, a answer) {
	c.t.Helper()
	c.id++
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"reset","arguments":%s}}`, c.id, arguments))
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	var asked struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Message         string
			RequestedSchema map[string]any
		}
	}
	if err := json.Unmarshal(line, &asked); err != nil || asked.Method != "elicitation/create" || asked.Params.RequestedSchema["type"] != "object" {
		c.t.Fatalf("reset(%s) = %s, want a question to the person", arguments, line)
	}
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":%q,"content":{}}}`, asked.ID, action))
	return asked.Params.Message, c.answer(c.receive())
}

// Where the client can ask, the person decides, whatever the model says.
func TestResetAsksThePerson(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "memory.db")
	c := startAsking(t, "stdio", "--db", db)
	c.tool("add_messages", plan)
	for _, action := range []string{"decline", "cancel"} {
		question, a := c.asks(`{"mode":"all","confirm":true}`, action)
		if !strings.Contains(question, "Delete 2 messages of session default and its rolling summary? This cannot be undone.") {
			t.Errorf("the question is %q, want it to say what goes", question)
		}
		if !a.bad || !strings.Contains(a.text, "did not agree") || leftOf(t, db, "zanzibar") == 0 {
			t.Errorf("reset after %s = %q, want nothing done", action, a.text)
		}
	}
	if a := c.tool("reset", `{"mode":"all","session_id":"none"}`); !a.bad || !strings.Contains(a.text, `there is no session "none"`) {
		t.Errorf("reset of an unknown session = %q, want it refused before anybody is asked", a.text)
	}
	_, a := c.asks(`{"mode":"all"}`, "accept")
	if a.bad || a.value["removed"] != 2. || a.value["wiped"] != true {
		t.Errorf("reset after a yes = %v %q, want 2 removed", a.value, a.text)
	}
	if n := leftOf(t, db, "zanzibar"); n != 0 {
		t.Errorf("%d copies are left, want none", n)
	}
}

// The same by the protocol of 2026-07-28: the question is an answer, and the call
// comes again with what the person said.
func TestResetAsksInRoundTrips(t *testing.T) {
	t.Parallel()
	c := launch(t, nil, "stdio", "--db", filepath.Join(t.TempDir(), "memory.db"))
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
	call := func(tool, arguments, more string) response {
		return c.request("tools/call", fmt.Sprintf(`{%s,"name":%q,"arguments":%s%s}`, meta, tool, arguments, more))
	}
	c.answer(call("add_messages", plan, ""))
	var asked struct {
		ResultType    string
		RequestState  string
		InputRequests map[string]struct {
			Method string
			Params struct{ Message string }
		}
	}
	if err := json.Unmarshal(call("reset", `{"mode":"all"}`, "").Result, &asked); err != nil || len(asked.InputRequests) != 1 || asked.RequestState == "" {
		t.Fatalf("reset = %+v, %v, want a question", asked, err)
	}
	said := func(action, state string) string {
		for id := range asked.InputRequests {
			return fmt.Sprintf(`,"inputResponses":{%q:{"action":%q,"content":{}}},"requestState":%q`, id, action, state)
		}
		return ""
	}
	var again struct{ InputRequests map[string]any }
	if err := json.Unmarshal(call("reset", `{"mode":"remove"}`, said("accept", asked.RequestState)).Result, &again); err != nil || len(again.InputRequests) != 1 {
		t.Errorf("reset(remove) with the yes to reset(all) = %+v, %v, want a question of its own", again, err)
	}
	if a := c.answer(call("reset", `{"mode":"all"}`, said("decline", asked.RequestState))); !a.bad {
		t.Errorf("reset after a no = %v, want an error", a.value)
	}
	if a := c.answer(call("reset", `{ "mode" : "all" }`, said("accept", asked.RequestState))); a.bad || a.value["removed"] != 2. {
		t.Errorf("reset after a yes = %v %q, want 2 removed", a.value, a.text)
	}
}

// Where the client cannot ask, the agent must have asked.
func TestResetWithConfirm(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "memory.db")
	c := start(t, nil, "stdio", "--db", db)
	c.tool("add_messages", plan)
	c.tool("memory_write", `{"target":"daily","content":"Long talk in session default about the harbour."}`)
	c.tool("memory_write", `{"target":"core","content":"The harbour is deep."}`)
	if a := c.tool("reset", `{"mode":"remove"}`); !a.bad || !strings.Contains(a.text, "confirm: true") || leftOf(t, db, "zanzibar") == 0 {
		t.Errorf("reset without a yes = %q, want it to ask for one", a.text)
	}
	a := c.tool("reset", `{"mode":"remove","confirm":true}`)
	if a.bad || a.value["removed"] != 2. || a.value["wiped"] != true || leftOf(t, db, "zanzibar") != 0 {
		t.Errorf("reset = %v %q with %d copies left, want 2 removed and none left", a.value, a.text, leftOf(t, db, "zanzibar"))
	}
	if named, _ := a.value["notes"].([]any); len(named) != 1 || !strings.HasPrefix(fmt.Sprint(named[0]), "memory/") {
		t.Errorf("notes that name the session = %v, want that of the day", a.value["notes"])
	}
	if a := c.tool("chat_history", `{"query":"zanzibar"}`); len(a.column("hits", "message_id")) != 0 {
		t.Errorf("what was deleted is still found: %v", a.value)
	}
	if code, stdout, stderr := runProgram(t, nil, "doctor", "--db", db); code != exitOK || !strings.Contains(stdout, "ok  deletions") {
		t.Errorf("doctor = %d, %s%s, want the deletions well", code, stdout, stderr)
	}
}

// A wipe that a reader was in the way of is finished by itself.
func TestTheWipeIsFinished(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "memory.db")
	c := start(t, nil, "stdio", "--db", db)
	c.tool("add_messages", plan)
	release := holdSnapshot(t, db)
	if a := c.tool("reset", `{"mode":"all","confirm":true}`); a.bad || a.value["wiped"] != false || !strings.Contains(a.text, "copies in its log go as soon as that ends") {
		t.Errorf("reset beside a reader = %v %q, want it not wiped", a.value, a.text)
	}
	if leftOf(t, db, "zanzibar") == 0 {
		t.Error("nothing is left: the reader was in nobody's way")
	}
	release()
	code, stdout, stderr := runProgram(t, nil, "doctor", "--fix", "--db", db)
	if code != exitOK || leftOf(t, db, "zanzibar") != 0 {
		t.Errorf("doctor --fix = %d, %s%s, with %d copies left, want none", code, stdout, stderr, leftOf(t, db, "zanzibar"))
	}
}

// holdSnapshot reads the file as another program does that does not stop, until
// release is called.
func holdSnapshot(t *testing.T, db string) (release func()) {
	t.Helper()
	pool, err := sql.Open("sqlite", "file:"+db)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := pool.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := tx.QueryRowContext(t.Context(), `SELECT count(*) FROM messages`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	release = sync.OnceFunc(func() {
		if err := errors.Join(tx.Rollback(), pool.Close()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(release)
	return release
}
