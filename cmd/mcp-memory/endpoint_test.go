package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// endpointDimensions is the length of an endpoint's vectors when none is asked for.
const endpointDimensions = 64

// endpoint is a server that speaks POST /v1/embeddings. Its vectors are made of the
// words of a text, so that texts which share words are near each other. What it
// does instead of answering well, a test says, and may say anew at any time.
type endpoint struct {
	*httptest.Server

	mu       sync.Mutex
	behave   behaviour
	seen     map[string]int  // texts asked for, and how often
	given    map[string]int  // texts answered well, and how often
	keys     map[string]bool // Authorization headers
	requests int
	changed  chan struct{} // closed and replaced at each change of the above
}

// embedCall is a request.
type embedCall struct {
	Model      string
	Input      []string
	Dimensions int
	key        string
	number     int // from 1
}

// behaviour answers a call; nil and false mean well. A handler that blocks must end
// with the request.
type behaviour func(w http.ResponseWriter, r *http.Request, c embedCall) (answered bool)

func newEndpoint(t *testing.T, behave behaviour) *endpoint {
	t.Helper()
	e := &endpoint{behave: behave, seen: map[string]int{}, given: map[string]int{}, keys: map[string]bool{}, changed: make(chan struct{})}
	e.Server = httptest.NewServer(e)
	t.Cleanup(func() {
		e.CloseClientConnections()
		e.Close()
	})
	return e
}

// ServeHTTP answers one request.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var c embedCall
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil || r.URL.Path != "/v1/embeddings" || r.Method != http.MethodPost {
		http.Error(w, "no such request", http.StatusBadRequest)
		return
	}
	c.key = r.Header.Get("Authorization")
	behave := e.note(&c)
	if behave != nil && behave(w, r, c) {
		return
	}
	e.answerWell(w, c)
}

// note counts a call.
func (e *endpoint) note(c *embedCall) behaviour {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests++
	c.number = e.requests
	e.keys[c.key] = true
	for _, s := range c.Input {
		e.seen[s]++
	}
	e.tell()
	return e.behave
}

// tell wakes who waits; the lock is held.
func (e *endpoint) tell() {
	close(e.changed)
	e.changed = make(chan struct{})
}

// set changes what the endpoint does.
func (e *endpoint) set(behave behaviour) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.behave = behave
}

// asked is how many requests there were.
func (e *endpoint) asked() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.requests
}

// answerWell gives every text its vector.
func (e *endpoint) answerWell(w http.ResponseWriter, c embedCall) {
	data := make([]any, len(c.Input))
	for i, s := range c.Input {
		data[i] = wordVector(s, c.dimensions())
	}
	sendVectors(w, data)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range c.Input {
		e.given[s]++
	}
	e.tell()
}

func (c embedCall) dimensions() int {
	if c.Dimensions > 0 {
		return c.Dimensions
	}
	return endpointDimensions
}

// holds says whether a text of the call contains a word.
func (c embedCall) holds(word string) bool {
	return strings.Contains(strings.Join(c.Input, "\n"), word)
}

// wait waits until ok, which is called with the lock held, is true.
func (e *endpoint) wait(t *testing.T, what string, ok func() bool) {
	t.Helper()
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	for {
		e.mu.Lock()
		done, changed := ok(), e.changed
		e.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-limit.C:
			t.Fatalf("the endpoint waits in vain for %s", what)
		}
	}
}

// waitAsked waits until a text with the word was asked for.
func (e *endpoint) waitAsked(t *testing.T, word string) {
	t.Helper()
	e.wait(t, "a request with "+word, func() bool {
		for s := range e.seen {
			if strings.Contains(s, word) {
				return true
			}
		}
		return false
	})
}

// waitGiven waits until every text was answered well.
func (e *endpoint) waitGiven(t *testing.T, texts ...string) {
	t.Helper()
	e.wait(t, "all texts to be asked for", func() bool {
		for _, s := range texts {
			if e.given[s] == 0 {
				return false
			}
		}
		return true
	})
}

// flags are those of a program that takes its vectors from the endpoint.
func (e *endpoint) flags(db string, more ...string) []string {
	return append([]string{"stdio", "--db", db, "--sync", "normal", "--embedder", "openai", "--embed-base-url", e.URL + "/v1", "--embed-model", "m"}, more...)
}

// wordVector is the vector of a text: each of its words stands for a few numbers,
// which are added.
func wordVector(s string, dimensions int) []float32 {
	v := make([]float32, dimensions)
	for _, word := range strings.Fields(strings.ToLower(s)) {
		sum := sha256.Sum256([]byte(word))
		for pair := range slices.Chunk(sum[:16], 2) {
			at := int(binary.LittleEndian.Uint16(pair)) % dimensions
			v[at] += 1 - float32(pair[1]>>7)*2
		}
	}
	v[0] += .01 // never zero
	return v
}

// sendVectors writes a reply with these vectors, or what stands for them, in order.
func sendVectors(w http.ResponseWriter, vectors []any) {
	data := make([]map[string]any, len(vectors))
	for i, v := range vectors {
		data[i] = map[string]any{"object": "embedding", "index": i, "embedding": v}
	}
	sendData(w, data)
}

func sendData(w http.ResponseWriter, data []map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": "m", "data": data, "usage": map[string]int{"prompt_tokens": 1, "total_tokens": 1}})
}

// refuseWith answers with an error in OpenAI's form.
func refuseWith(w http.ResponseWriter, status int, message string) bool {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": message, "type": "x"}})
	return true
}

// refuses answers every call with a status.
func refuses(status int, message string) behaviour {
	return func(w http.ResponseWriter, _ *http.Request, _ embedCall) bool { return refuseWith(w, status, message) }
}

// busy answers the first n calls with 429 and a header that says when to come again.
func busy(n int, when func() string) behaviour {
	return func(w http.ResponseWriter, _ *http.Request, c embedCall) bool {
		if c.number > n {
			return false
		}
		w.Header().Set("Retry-After", when())
		return refuseWith(w, http.StatusTooManyRequests, "slow down")
	}
}

// gives answers every call with something in place of each vector.
func gives(v any) behaviour {
	return func(w http.ResponseWriter, _ *http.Request, c embedCall) bool {
		vectors := make([]any, len(c.Input))
		for i := range vectors {
			vectors[i] = v
		}
		sendVectors(w, vectors)
		return true
	}
}

// replies answers every call with a text.
func replies(body string) behaviour {
	return func(w http.ResponseWriter, _ *http.Request, _ embedCall) bool {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, body)
		return true
	}
}

// hangs answers a call with the word when free is closed, and then well.
func hangs(word string, free <-chan struct{}) behaviour {
	return func(_ http.ResponseWriter, r *http.Request, c embedCall) bool {
		if !c.holds(word) {
			return false
		}
		select {
		case <-free:
			return false
		case <-r.Context().Done():
			return true
		}
	}
}

// inBase64 answers well, but in the other encoding.
func inBase64(w http.ResponseWriter, _ *http.Request, c embedCall) bool {
	vectors := make([]any, len(c.Input))
	for i, s := range c.Input {
		var b []byte
		for _, x := range wordVector(s, c.dimensions()) {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		vectors[i] = base64.StdEncoding.EncodeToString(b)
	}
	sendVectors(w, vectors)
	return true
}

// backwards answers well, the last text first.
func backwards(w http.ResponseWriter, _ *http.Request, c embedCall) bool {
	var data []map[string]any
	for i := len(c.Input) - 1; i >= 0; i-- {
		data = append(data, map[string]any{"index": i, "embedding": wordVector(c.Input[i], c.dimensions())})
	}
	sendData(w, data)
	return true
}

// short leaves the second text of a batch out.
func short(w http.ResponseWriter, _ *http.Request, c embedCall) bool {
	var data []map[string]any
	for i, s := range c.Input {
		if i != 1 {
			data = append(data, map[string]any{"index": i, "embedding": wordVector(s, c.dimensions())})
		}
	}
	sendData(w, data)
	return true
}

// crooked gives the second text of a batch a vector of another length.
func crooked(w http.ResponseWriter, _ *http.Request, c embedCall) bool {
	vectors := make([]any, len(c.Input))
	for i, s := range c.Input {
		vectors[i] = wordVector(s, c.dimensions()+i%2)
	}
	sendVectors(w, vectors)
	return true
}
