package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Half a surrogate pair becomes a replacement character, and later messages are
// stored (case C02).
func TestC02LoneSurrogate(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "stdio", "--db", filepath.Join(t.TempDir(), "memory.db"))
	p.send(`{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"add_messages","arguments":{"session_id":"s1","messages":[{"role":"user","content":"x\ud800y"}]}}}`)
	if a := p.answer(p.receive()); a.bad {
		t.Fatalf("add_messages = error %q", a.text)
	}
	p.tool("add_messages", `{"session_id":"s1","messages":[{"role":"user","content":"next one"}]}`)
	got := p.tool("chat_history", `{"mode":"read","session_id":"s1"}`).column("messages", "content")
	if !slices.Equal(got, []string{"x\ufffdy", "next one"}) {
		t.Errorf("messages = %q", got)
	}
	if hits := p.tool("chat_history", `{"query":"next","match":"keyword"}`).column("hits", "message_id"); len(hits) != 1 {
		t.Errorf("hits = %v, want 1", hits)
	}
}

// Nothing but protocol on standard output, whatever happens (case L01); the
// client of these tests fails on any other line.
func TestL01OnlyProtocolOnStandardOutput(t *testing.T) {
	t.Parallel()
	p := start(t, []string{"MCP_MEMORY_LOG_LEVEL=debug"}, "stdio", "--db", filepath.Join(t.TempDir(), "memory.db"))
	for _, line := range []string{`not JSON`, `[]`, `{"jsonrpc":"2.0","id":90,"method":"nothing"}`, `{"jsonrpc":"1.0","id":91,"method":"ping"}`} {
		p.send(line)
		p.receive()
	}
	p.tool("add_messages", `{"messages":[{"role":"user","content":"hello"}]}`)
	p.tool("add_messages", `{"messages":[{"role":"nobody","content":"hello"}]}`)
	p.tool("chat_history", `{"query":"hello"}`)
	p.tool("get_context", `{}`)
	p.request("tools/list", "")
	p.request("resources/list", "")
	p.request("resources/templates/list", "")
	p.request("resources/read", `{"uri":"memory://sessions/none/messages"}`)
	if p.end() != 0 || !strings.Contains(p.stderr.String(), "tool call") {
		t.Errorf("stderr = %q, want the log there", p.stderr)
	}
	if strings.Contains(p.stderr.String(), "hello") {
		t.Errorf("the log holds message text: %q", p.stderr)
	}
}

// The program ends when its input does (case L02), and what it has acknowledged
// is there.
func TestL02EndOfInput(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "memory.db")
	p := start(t, nil, "stdio", "--db", db)
	const calls = 50
	for i := range calls {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add_messages","arguments":{"messages":[{"role":"user","content":"note %d"}]}}}`, 100+i, i))
	}
	acknowledged := map[string]bool{}
	for range calls / 2 { // the others are running or waiting when the input ends
		r := p.receive()
		if a := p.answer(r); a.bad {
			t.Fatalf("call %s = error %q", r.ID, a.text)
		}
		id, err := strconv.Atoi(string(r.ID))
		if err != nil {
			t.Fatal(err)
		}
		acknowledged[fmt.Sprintf("note %d", id-100)] = true
	}
	began := time.Now()
	if code := p.end(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the program took %v to end", took)
	}
	if info, err := os.Stat(db + "-wal"); err == nil && info.Size() > 0 {
		t.Errorf("a journal of %d bytes is left", info.Size())
	}
	again := start(t, nil, "stdio", "--db", db)
	stored := again.tool("chat_history", `{"mode":"read","limit":200}`).column("messages", "content")
	for note := range acknowledged {
		if !slices.Contains(stored, note) {
			t.Errorf("%q was acknowledged and is not stored", note)
		}
	}
	if code := launch(t, nil, "--db", db).end(); code != 0 { // no line at all
		t.Errorf("exit code without input %d, want 0", code)
	}
}

// Every version of the protocol is answered with one that the server speaks
// (case L07).
func TestL07ProtocolVersions(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2099-01-01": "2025-11-25",
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			p := launch(t, nil, "stdio", "--db", filepath.Join(t.TempDir(), "memory.db"))
			r := p.request("initialize", initializeParams(version))
			if r.Error != nil || !strings.Contains(string(r.Result), `"protocolVersion":"`+want+`"`) {
				t.Errorf("initialize %s = %+v %s, want %s", version, r.Error, r.Result, want)
			}
		})
	}
}

// Missing arguments are an empty object, any other kind is refused as the
// protocol says (case N03).
func TestN03KindsOfArguments(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "stdio", "--db", filepath.Join(t.TempDir(), "memory.db"))
	for _, params := range []string{`{"name":"chat_history"}`, `{"name":"chat_history","arguments":null}`} {
		if a := p.answer(p.request("tools/call", params)); a.bad {
			t.Errorf("tools/call %s = error %q, want the list", params, a.text)
		}
	}
	if a := p.answer(p.request("tools/call", `{"name":"add_messages"}`)); !a.bad || !strings.Contains(a.text, "messages is missing") {
		t.Errorf("add_messages without arguments = %v %q, want the missing one named", a.bad, a.text)
	}
	for _, params := range []string{`{"name":"chat_history","arguments":[]}`, `{"name":"chat_history","arguments":"x"}`} {
		if r := p.request("tools/call", params); r.Error == nil || r.Error.Code != -32602 {
			t.Errorf("tools/call %s = %+v, want -32602", params, r.Error)
		}
	}
	if r := p.request("ping", ""); r.Error != nil {
		t.Errorf("ping = %+v", r.Error)
	}
}

// A leading ~ and variables in paths are written out (cases O01 and O02).
func TestO01O02PathsAreExpanded(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"~/mm/memory.db": "mm/memory.db", "${HOME}/mm2/memory.db": "mm2/memory.db", "$HOME/mm3/memory.db": "mm3/memory.db"} {
		home := t.TempDir()
		p := start(t, []string{"HOME=" + home, "MCP_MEMORY_DB=" + path, "MCP_MEMORY_WORKSPACE=~/cow"})
		p.tool("add_messages", `{"messages":[{"role":"user","content":"x"}]}`)
		if _, err := os.Stat(filepath.Join(home, want)); err != nil {
			t.Errorf("MCP_MEMORY_DB=%s: %v", path, err)
		}
		p.end()
	}
	entries, err := filepath.Glob("[~$]*")
	if err != nil || len(entries) > 0 {
		t.Errorf("folders named like the text: %v, %v", entries, err)
	}
}

// A signal ends the program as the end of its input does.
func TestSignalsEndTheProgram(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted there")
	}
	p := start(t, nil, "stdio", "--db", filepath.Join(t.TempDir(), "memory.db"))
	p.tool("add_messages", `{"messages":[{"role":"user","content":"x"}]}`)
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if line, err := p.out.ReadString('\n'); !errors.Is(err, io.EOF) { // its output ends with it, the input is still open
		t.Errorf("output after the signal = %q, %v, want its end", line, err)
	}
	if code := p.end(); code != 0 {
		t.Errorf("exit code %d, want 0; stderr: %s", code, p.stderr)
	}
}
