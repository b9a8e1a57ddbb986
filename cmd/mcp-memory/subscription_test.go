package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// notification is what a server says by itself.
type notification struct {
	ID     json.RawMessage
	Method string
	Params struct {
		URI  string
		Meta map[string]any `json:"_meta"`
	}
}

// next reads the next message, which must come within two seconds.
func (c *client) next() notification {
	c.t.Helper()
	late := time.AfterFunc(2*time.Second, func() { _ = c.cmd.Process.Kill() })
	defer late.Stop()
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		c.t.Fatalf("nothing was told within 2 s: %v; stderr: %s", err, c.stderr)
	}
	var n notification
	if err := json.Unmarshal(line, &n); err != nil {
		c.t.Fatalf("the program printed %.300q, which is no JSON", line)
	}
	return n
}

// hears fails unless the next message is of a change.
func (c *client) hears(uri string) notification {
	c.t.Helper()
	n := c.next()
	if n.Method != "notifications/resources/updated" || n.Params.URI != uri {
		c.t.Errorf("told %s of %q, want a change of %q", n.Method, n.Params.URI, uri)
	}
	return n
}

const noted = `{"session_id":"s","messages":[{"role":"user","content":"noted"}]}`

// A change that another process makes is told within two seconds.
func TestSubscriptionsAcrossProcesses(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "memory.db")
	const uri = "memory://sessions/s/messages"
	p, other := start(t, nil, "stdio", "--db", db), start(t, nil, "stdio", "--db", db)
	if r := p.request("resources/subscribe", `{"uri":"`+uri+`"}`); r.Error != nil {
		t.Fatalf("subscribe = %+v", r.Error)
	}
	for range 3 {
		other.tool("add_messages", noted)
		p.hears(uri)
	}
	p.send(`{"jsonrpc":"2.0","id":"own","method":"tools/call","params":{"name":"add_messages","arguments":` + noted + `}}`)
	if answers := string(p.next().ID) + string(p.next().ID); answers != `"own"` { // and a change, usually after it
		t.Errorf("own messages brought answers %s, want one and a change", answers)
	}
	if r := p.request("resources/subscribe", `{"uri":"memory://nothing"}`); r.Error == nil || !strings.Contains(r.Error.Message, "no such resource") {
		t.Errorf("subscribe to nothing = %+v, want it refused", r.Error)
	}
	if r := p.request("resources/unsubscribe", `{"uri":"`+uri+`"}`); r.Error != nil {
		t.Errorf("unsubscribe = %+v", r.Error)
	}
}

// The same by the protocol of 2026-07-28, where a request stays open.
func TestAStreamAcrossProcesses(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "memory.db")
	const uri = "memory://sessions"
	p, other := launch(t, nil, "stdio", "--db", db), start(t, nil, "stdio", "--db", db)
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"stream","method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientCapabilities":{}},"notifications":{"resourceSubscriptions":[%q]}}}`, uri))
	if r := p.receive(); r.ID != nil {
		t.Fatalf("the stream begins with an answer: %s", r.Result)
	}
	for range 2 {
		other.tool("add_messages", noted)
		if n := p.hears(uri); n.Params.Meta["io.modelcontextprotocol/subscriptionId"] != "stream" {
			t.Errorf("the notification is marked %v, want the stream", n.Params.Meta)
		}
	}
}
