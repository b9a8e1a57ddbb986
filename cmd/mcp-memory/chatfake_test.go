package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"mcp-memory/memory"
)

// chatEndpoint is a server that speaks POST /v1/chat/completions. It keeps every
// request. Left alone it is a perfect model: its summary is the one before, with
// the texts that it was shown at the end of the current discussion; it finds
// nothing to remove; and it is ready. What it does instead, a test says.
type chatEndpoint struct {
	*httptest.Server

	mu      sync.Mutex
	behave  chatBehaviour
	calls   []chatCall
	changed chan struct{} // closed and replaced at each call
}

// chatCall is a request.
type chatCall struct {
	Model          string
	Messages       []chatMessage
	ResponseFormat *struct{ Type string } `json:"response_format"`

	key    string // the Authorization header
	number int    // from 1, over all purposes
	nth    int    // from 1, of its purpose
}

// chatMessage is a message of a request.
type chatMessage struct{ Role, Content string }

// chatBehaviour answers a call; nil and false leave it to the perfect model. A
// behaviour that blocks must end with the request.
type chatBehaviour func(w http.ResponseWriter, r *http.Request, c chatCall) (answered bool)

func newChatEndpoint(t *testing.T, behave chatBehaviour) *chatEndpoint {
	t.Helper()
	e := &chatEndpoint{behave: behave, changed: make(chan struct{})}
	e.Server = httptest.NewServer(e)
	t.Cleanup(func() {
		e.CloseClientConnections()
		e.Close()
	})
	return e
}

// ServeHTTP answers one request.
func (e *chatEndpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := chatCall{key: r.Header.Get("Authorization")}
	body, _ := io.ReadAll(r.Body) // to its end, so that the server notices when the client goes
	if err := json.Unmarshal(body, &c); err != nil || r.URL.Path != "/v1/chat/completions" || r.Method != http.MethodPost {
		http.Error(w, "no such request", http.StatusBadRequest)
		return
	}
	behave := e.note(&c)
	if behave != nil && behave(w, r, c) {
		return
	}
	answerChat(w, c.perfect(), "stop")
}

// note keeps a call.
func (e *chatEndpoint) note(c *chatCall) chatBehaviour {
	e.mu.Lock()
	defer e.mu.Unlock()
	c.number, c.nth = len(e.calls)+1, 1
	for _, before := range e.calls {
		if before.purpose() == c.purpose() {
			c.nth++
		}
	}
	e.calls = append(e.calls, *c)
	close(e.changed)
	e.changed = make(chan struct{})
	return e.behave
}

// set changes what the endpoint does.
func (e *chatEndpoint) set(behave chatBehaviour) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.behave = behave
}

// of are the calls of a purpose; "" = all.
func (e *chatEndpoint) of(purpose string) []chatCall {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(e.calls), func(c chatCall) bool { return purpose != "" && c.purpose() != purpose })
}

// wantCalls checks how many calls of a purpose there were; "" = of all.
func (e *chatEndpoint) wantCalls(t *testing.T, purpose string, want int) {
	t.Helper()
	if got := len(e.of(purpose)); got != want {
		t.Errorf("%d calls for %q, want %d", got, purpose, want)
	}
}

// waitCalls waits for so many calls of a purpose.
func (e *chatEndpoint) waitCalls(t *testing.T, purpose string, n int) {
	t.Helper()
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	for {
		e.mu.Lock()
		changed := e.changed
		e.mu.Unlock()
		if len(e.of(purpose)) >= n {
			return
		}
		select {
		case <-changed:
		case <-limit.C:
			t.Fatalf("the endpoint waits in vain for %d calls for %q", n, purpose)
		}
	}
}

// keys are the Authorization headers that came, each once.
func (e *chatEndpoint) keys() []string {
	var list []string
	for _, c := range e.of("") {
		if !slices.Contains(list, c.key) {
			list = append(list, c.key)
		}
	}
	return list
}

// flags are those of a program whose main model is at the endpoint. The job comes
// by hand alone.
func (e *chatEndpoint) flags(db string, more ...string) []string {
	return append([]string{"--db", db, "--sync", "normal", "--embedder", "hashed", "--time-zone", "UTC", "--summary-schedule=",
		"--llm-base-url", e.URL + "/v1", "--llm-model", "m"}, more...)
}

// judging are the flags for a decision model at the same endpoint.
var judging = []string{"--decision-model", "small"}

// purposes tells by its beginning what a system prompt is for.
var purposes = map[string]string{
	"You keep the rolling summary": "summary", "You sort exchanges": "noise",
	"You check the entries": "overturned", "You choose which entries": "relevant", "": "doctor",
}

// purpose is what the call is for.
func (c chatCall) purpose() string {
	for beginning, purpose := range purposes {
		if beginning != "" && strings.HasPrefix(c.system(), beginning) {
			return purpose
		}
	}
	return purposes[""]
}

// system is the system prompt, "" without one.
func (c chatCall) system() string {
	if len(c.Messages) == 0 || c.Messages[0].Role != "system" {
		return ""
	}
	return c.Messages[0].Content
}

// transcript is what the user's first message shows between its frame, a line a
// message.
func (c chatCall) transcript() []string {
	lines := strings.Split(c.Messages[1].Content, "\n")
	return lines[1 : len(lines)-1]
}

// frame is the first and the last line of the user's first message.
func (c chatCall) frame() [2]string {
	lines := strings.Split(c.Messages[1].Content, "\n")
	return [2]string{lines[0], lines[len(lines)-1]}
}

// chatLine is a message as a model is shown it.
type chatLine struct{ Role, Time, Part, Text string }

// shown are the messages that a call for a summary shows.
func (c chatCall) shown() []chatLine {
	var list []chatLine
	for _, line := range c.transcript() {
		var l chatLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			panic(fmt.Sprintf("the transcript has a line that is no JSON object: %q", line))
		}
		list = append(list, l)
	}
	return list
}

// texts are the texts of the messages that the call shows.
func (c chatCall) texts() []string {
	var list []string
	for _, l := range c.shown() {
		list = append(list, l.Text)
	}
	return list
}

// runes is the length of the transcript.
func (c chatCall) runes() int {
	return utf8.RuneCountInString(strings.Join(c.transcript(), "\n")) + 1
}

// previous is the summary that the call hands over.
func (c chatCall) previous() memory.Summary {
	var s memory.Summary
	_, body, _ := strings.Cut(c.system(), "The summary so far:\n")
	if err := json.Unmarshal([]byte(body), &s); err != nil {
		panic(fmt.Sprintf("the prompt holds no summary: %v", err))
	}
	return s
}

// perfect is the answer of the perfect model.
func (c chatCall) perfect() string {
	switch c.purpose() {
	case "summary":
		return summaryJSON(c.summarised())
	case "doctor":
		return "ready"
	}
	return `{"verdicts":[]}`
}

// summarised is the summary of the perfect model.
func (c chatCall) summarised() memory.Summary {
	s := c.previous()
	s.CurrentDiscussion.Description += strings.Join(c.texts(), "")
	return s
}

func summaryJSON(s memory.Summary) string {
	body, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings always encode
	}
	return string(body)
}

// What an answer is said to have cost.
const (
	promptTokens = 100
	answerTokens = 20
)

// answerChat answers with a text.
func answerChat(w http.ResponseWriter, content, finish string) bool {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{
		"object": "chat.completion", "model": "m",
		"choices": []any{map[string]any{"index": 0, "finish_reason": finish, "message": map[string]any{"role": "assistant", "content": content}}},
		"usage":   map[string]int{"prompt_tokens": promptTokens, "completion_tokens": answerTokens, "total_tokens": promptTokens + answerTokens},
	})
	return true
}

// saying answers every call with a text.
func saying(content string) chatBehaviour {
	return func(w http.ResponseWriter, _ *http.Request, _ chatCall) bool { return answerChat(w, content, "stop") }
}

// cutShort answers every call with a text that the output limit has cut.
func cutShort(content string) chatBehaviour {
	return func(w http.ResponseWriter, _ *http.Request, _ chatCall) bool { return answerChat(w, content, "length") }
}

// sending answers every call with a body.
func sending(body string) chatBehaviour {
	return func(w http.ResponseWriter, _ *http.Request, _ chatCall) bool {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, body)
		return true
	}
}

// failing answers every call with an error. later, unless "", is when to come
// again, in seconds: with a minute nobody waits for it.
func failing(status int, message, later string) chatBehaviour {
	return func(w http.ResponseWriter, _ *http.Request, _ chatCall) bool {
		if later != "" {
			w.Header().Set("Retry-After", later)
		}
		return refuseWith(w, status, message)
	}
}

// hangsUp breaks the connection off.
func hangsUp(http.ResponseWriter, *http.Request, chatCall) bool {
	panic(http.ErrAbortHandler)
}

// at gives one call of a purpose to a behaviour.
func at(purpose string, nth int, behave chatBehaviour) chatBehaviour {
	return func(w http.ResponseWriter, r *http.Request, c chatCall) bool {
		return c.purpose() == purpose && c.nth == nth && behave(w, r, c)
	}
}

// always gives all calls of a purpose to a behaviour.
func always(purpose string, behave chatBehaviour) chatBehaviour {
	return func(w http.ResponseWriter, r *http.Request, c chatCall) bool {
		return c.purpose() == purpose && behave(w, r, c)
	}
}

// held leaves calls to the perfect model once free is closed.
func held(free <-chan struct{}) chatBehaviour {
	return func(_ http.ResponseWriter, r *http.Request, _ chatCall) bool {
		select {
		case <-free:
			return false
		case <-r.Context().Done():
			return true
		}
	}
}
