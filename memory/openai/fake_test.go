package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-memory/memory/openai"
)

// dimensions is the length of the fake's vectors.
const dimensions = 4

// call is a request as the fake saw it.
type call struct {
	Model          string
	Input          []string
	Dimensions     *int
	EncodingFormat string `json:"encoding_format"`

	Messages            []struct{ Role, Content string }
	ResponseFormat      *struct{ Type string } `json:"response_format"`
	MaxTokens           int                    `json:"max_tokens"`
	MaxCompletionTokens int                    `json:"max_completion_tokens"`

	Fields  string          `json:"-"` // the names of all that was sent, in order
	Header  http.Header     `json:"-"`
	Path    string          `json:"-"`
	Context context.Context `json:"-"` // ends when the client goes away
}

// fake is a server that speaks POST /v1/embeddings and /v1/chat/completions.
// What it answers is up to the test; it keeps what it was asked.
type fake struct {
	*httptest.Server
	mu    sync.Mutex
	calls []call
}

// answer writes the reply to call number n, counted from 1.
type answer func(w http.ResponseWriter, c call, n int)

func newFake(t *testing.T, reply answer) *fake {
	t.Helper()
	f := &fake{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := call{Header: r.Header, Path: r.URL.Path, Context: r.Context()}
		body, err := io.ReadAll(r.Body)
		var fields map[string]json.RawMessage
		if err != nil || json.Unmarshal(body, &c) != nil || json.Unmarshal(body, &fields) != nil {
			t.Errorf("request body %q: not JSON (%v)", body, err)
		}
		c.Fields = fmt.Sprint(slices.Sorted(maps.Keys(fields)))
		f.mu.Lock()
		f.calls = append(f.calls, c)
		n := len(f.calls)
		f.mu.Unlock()
		reply(w, c, n)
	}))
	t.Cleanup(f.Close)
	return f
}

// asked is what the fake was asked so far.
func (f *fake) asked() []call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]call(nil), f.calls...)
}

// sizes is the number of texts of each request.
func (f *fake) sizes() string {
	var sizes []int
	for _, c := range f.asked() {
		sizes = append(sizes, len(c.Input))
	}
	return fmt.Sprint(sizes)
}

// config is an embedder's for the fake, without waits.
func (f *fake) config() openai.EmbedderConfig {
	return openai.EmbedderConfig{BaseURL: f.URL + "/v1", Model: "m", Sleep: noWait, Concurrency: 1}
}

func noWait(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// clock is a time that only its sleeps move.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	waits []time.Duration
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.waits = append(c.waits, d)
	return ctx.Err()
}

func newEmbedder(t *testing.T, c openai.EmbedderConfig) *openai.Embedder {
	t.Helper()
	e, err := openai.NewEmbedder(c)
	if err != nil {
		t.Fatalf("NewEmbedder(%+v): %v", c, err)
	}
	return e
}

// vectorOf is the fake's vector of a text; each text has its own.
func vectorOf(text string) []float64 {
	v := make([]float64, dimensions)
	h := fnv.New64a()
	for i := range v {
		io.WriteString(h, text)
		v[i] = float64(h.Sum64()%1000) + 1
	}
	return v
}

// good answers with the vector of each text.
func good(w http.ResponseWriter, c call, _ int) {
	var data []string
	for i, s := range c.Input {
		data = append(data, entry(i, vectorOf(s)))
	}
	send(w, data)
}

func entry(index int, vector any) string {
	raw, err := json.Marshal(vector)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":%s}`, index, raw)
}

func send(w http.ResponseWriter, data []string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"object":"list","model":"m","data":[%s],"usage":{"prompt_tokens":1,"total_tokens":1}}`, strings.Join(data, ","))
}

// refuse answers with an error in OpenAI's form.
func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": "x"}})
}

// numbered is n texts, no two alike.
func numbered(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("text %d", i)
	}
	return texts
}

// checkVectors wants the unit vector of each text, but nil at the places in
// without.
func checkVectors(t *testing.T, got [][]float32, texts []string, without ...int) {
	t.Helper()
	if len(got) != len(texts) {
		t.Fatalf("Embed gave %d vectors for %d texts", len(got), len(texts))
	}
	missing := map[int]bool{}
	for _, i := range without {
		missing[i] = true
	}
	for i, s := range texts {
		if missing[i] {
			if got[i] != nil {
				t.Errorf("vector %d = %v, want none", i, got[i])
			}
			continue
		}
		checkVector(t, i, got[i], s)
	}
}

func checkVector(t *testing.T, place int, got []float32, text string) {
	t.Helper()
	want := vectorOf(text)
	var length float64
	for _, x := range want {
		length += x * x
	}
	length = math.Sqrt(length)
	if len(got) != len(want) {
		t.Errorf("vector %d has %d values, want %d", place, len(got), len(want))
		return
	}
	for i := range want {
		if math.Abs(float64(got[i])-want[i]/length) > 1e-6 {
			t.Errorf("vector %d = %v, want that of %.40q, scaled to 1", place, got, text)
			return
		}
	}
}
