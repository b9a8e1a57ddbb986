package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// client talks to the program in a process of its own, over stdio. Every line
// that the program prints must be a message of the protocol.
type client struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *bytes.Buffer
	id     int
	ended  bool
}

// start runs the program with a home folder of its own and says hello.
func start(t *testing.T, env []string, args ...string) *client {
	t.Helper()
	c := launch(t, env, args...)
	if r := c.request("initialize", initializeParams("2025-06-18")); r.Error != nil {
		c.t.Fatalf("initialize = error %+v", r.Error)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

// launch runs the program and says nothing yet.
func launch(t *testing.T, env []string, args ...string) *client {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, cmd: exec.Command(exe, args...), stderr: &bytes.Buffer{}}
	c.cmd.Env = append([]string{asProgram + "=1", "PATH=" + os.Getenv("PATH")}, env...)
	c.cmd.Stderr = c.stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if code := c.end(); code != 0 {
			t.Errorf("exit code %d, want 0; stderr: %s", code, c.stderr)
		}
	})
	return c
}

func initializeParams(version string) string {
	return fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"test","version":"1"}}`, version)
}

// response is what came back for a request.
type response struct {
	JSONRPC string `json:"jsonrpc"`
	ID      json.RawMessage
	Result  json.RawMessage
	Error   *struct {
		Code    int
		Message string
	}
	size int
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatalf("write to the program: %v; stderr: %s", err, c.stderr)
	}
}

func (c *client) receive() response {
	c.t.Helper()
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		c.t.Fatalf("read from the program: %v; stderr: %s", err, c.stderr)
	}
	r := response{size: len(line)}
	if err := json.Unmarshal(line, &r); err != nil || r.JSONRPC != "2.0" {
		c.t.Fatalf("the program printed %.300q, which is no JSON-RPC message", line)
	}
	return r
}

// request sends a request and waits for its answer; params are JSON or "".
func (c *client) request(method, params string) response {
	c.t.Helper()
	c.id++
	if params != "" {
		params = `,"params":` + params
	}
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q%s}`, c.id, method, params))
	return c.receive()
}

// answer is the answer of a tool.
type answer struct {
	text  string
	bad   bool
	size  int
	value map[string]any
}

// tool calls a tool; arguments are JSON, or a value to be written as JSON.
func (c *client) tool(name string, arguments any) answer {
	c.t.Helper()
	raw, ok := arguments.(string)
	if !ok {
		b, err := json.Marshal(arguments)
		if err != nil {
			c.t.Fatal(err)
		}
		raw = string(b)
	}
	return c.answer(c.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, raw)))
}

// answer reads the answer of a tool out of a response.
func (c *client) answer(r response) answer {
	c.t.Helper()
	if r.Error != nil {
		c.t.Fatalf("tool call = error %+v", r.Error)
	}
	var result struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent map[string]any
	}
	if err := json.Unmarshal(r.Result, &result); err != nil {
		c.t.Fatal(err)
	}
	a := answer{bad: result.IsError, size: r.size, value: result.StructuredContent}
	if len(result.Content) > 0 {
		a.text = result.Content[0].Text
	}
	return a
}

// column collects one field of every object in a list of the result.
func (a answer) column(list, field string) []string {
	var out []string
	items, _ := a.value[list].([]any)
	for _, item := range items {
		if v, ok := item.(map[string]any)[field]; ok {
			out = append(out, fmt.Sprint(v))
		}
	}
	return out
}

// end closes the input, as a client does that goes away, and returns the exit
// code. The program must end by itself.
func (c *client) end() int {
	c.t.Helper()
	if c.ended {
		return 0
	}
	c.ended = true
	c.in.Close()
	timer := time.AfterFunc(10*time.Second, func() { _ = c.cmd.Process.Kill() })
	defer timer.Stop()
	rest, err := io.ReadAll(c.out)
	if err != nil {
		c.t.Errorf("read the rest: %v", err)
	}
	for line := range strings.Lines(string(rest)) {
		if !json.Valid([]byte(line)) {
			c.t.Errorf("the program printed %.300q at its end", line)
		}
	}
	err = c.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	if err != nil {
		c.t.Errorf("wait for the program: %v", err)
	}
	return 0
}
