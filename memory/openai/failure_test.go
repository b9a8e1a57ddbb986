package openai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"mcp-memory/memory"
	"mcp-memory/memory/openai"
)

// tripper answers requests without a network, which a test whose time is
// virtual needs.
type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func reply(r *http.Request, status int, body string, header http.Header) *http.Response {
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: r}
}

// failedPlaces are the places of a PartialError, in order.
func failedPlaces(t *testing.T, err error) []int {
	t.Helper()
	if err == nil {
		return nil
	}
	var partial *memory.PartialError
	if !errors.As(err, &partial) {
		t.Fatalf("Embed = %v, want a PartialError", err)
	}
	var places []int
	for i := range partial.Failed {
		places = append(places, i)
	}
	slices.Sort(places)
	return places
}

// TestEmbedChecksEachVector answers three texts, a, b and c, with odd replies.
func TestEmbedChecksEachVector(t *testing.T) {
	t.Parallel()
	a, b, c := vectorOf("a"), vectorOf("b"), vectorOf("c")
	nameless := func(v any) string { return strings.Replace(entry(0, v), `"index":0,`, "", 1) }
	for _, test := range []struct {
		name   string
		data   []string
		failed []int
	}{
		{"in order", []string{entry(0, a), entry(1, b), entry(2, c)}, nil},
		{"shuffled", []string{entry(2, c), entry(0, a), entry(1, b)}, nil},
		{"one short", []string{entry(0, a), entry(2, c)}, []int{1}},
		{"one too many", []string{entry(0, a), entry(1, b), entry(2, c), entry(3, a)}, nil},
		{"negative index", []string{entry(-1, b), entry(0, a), entry(2, c)}, []int{1}},
		{"index twice", []string{entry(0, a), entry(1, b), entry(1, c), entry(2, c)}, []int{1}},
		{"no index", []string{nameless(a), entry(1, b), entry(2, c)}, []int{0}},
		{"zero", []string{entry(0, a), entry(1, []int{0, 0, 0, 0}), entry(2, c)}, []int{1}},
		{"null", []string{entry(0, a), entry(1, nil), entry(2, c)}, []int{1}},
		{"null values", []string{entry(0, a), entry(1, []any{nil, 1, 2, 3}), entry(2, c)}, []int{1}},
		{"NaN as a text", []string{entry(0, a), entry(1, []any{"NaN", 1, 2, 3}), entry(2, c)}, []int{1}},
		{"too big for a float", []string{entry(0, a), entry(1, []float64{1e200, 1, 2, 3}), entry(2, c)}, []int{1}},
		{"empty", []string{entry(0, []int{}), entry(1, b), entry(2, c)}, []int{0}},
		{"too short", []string{entry(0, a), entry(1, []int{1, 2, 3}), entry(2, c)}, []int{1}},
		{"too long", []string{entry(0, a), entry(1, b), entry(2, []int{1, 2, 3, 4, 5})}, []int{2}},
		{"an object", []string{entry(0, a), entry(1, map[string]int{"a": 1}), entry(2, c)}, []int{1}},
		{"base64, never asked for", []string{entry(0, a), entry(1, b), entry(2, "//////////////////////==")}, []int{2}},
	} {
		f := newFake(t, func(w http.ResponseWriter, _ call, _ int) { send(w, test.data) })
		texts := []string{"a", "b", "c"}
		got, err := newEmbedder(t, f.config()).Embed(t.Context(), texts)
		if places := failedPlaces(t, err); !slices.Equal(places, test.failed) {
			t.Errorf("%s: failed = %v, want %v", test.name, places, test.failed)
		}
		checkVectors(t, got, texts, test.failed...)
		if s := f.sizes(); s != "[3]" {
			t.Errorf("%s: requests of %s, want [3]", test.name, s)
		}
	}
}

// TestEmbedWithoutAFitVector: an endpoint whose vectors are all unfit does not
// work; that is not held against the texts, and few requests find it out.
func TestEmbedWithoutAFitVector(t *testing.T) {
	t.Parallel()
	a := vectorOf("a")
	for name, test := range map[string]struct {
		entry func(i int) string
		never bool
	}{
		"zeros":                {func(i int) string { return entry(i, []int{0, 0, 0, 0}) }, false},
		"null":                 {func(i int) string { return entry(i, nil) }, false},
		"null values":          {func(i int) string { return entry(i, []any{nil, 1, 2, 3}) }, false},
		"empty":                {func(i int) string { return entry(i, []int{}) }, false},
		"always the same text": {func(int) string { return entry(1, a) }, false},
		"another length":       {func(i int) string { return entry(i, []int{1, 2, 3}) }, true},
	} {
		f := newFake(t, func(w http.ResponseWriter, c call, _ int) {
			var data []string
			for i := range max(2, len(c.Input)) {
				data = append(data, test.entry(i))
			}
			send(w, data)
		})
		c := f.config()
		c.Dimensions = dimensions
		got, err := newEmbedder(t, c).Embed(t.Context(), numbered(40))
		var retry *memory.RetryError
		if !errors.As(err, &retry) || retry.Never != test.never || !errors.Is(err, memory.ErrUnavailable) {
			t.Errorf("%s: Embed = %v, want a RetryError with Never %v", name, err, test.never)
		}
		checkVectors(t, got, numbered(40), all(40)...)
		if s := f.sizes(); s != "[40 40 1]" {
			t.Errorf("%s: requests of %s, want two and a harmless one", name, s)
		}
	}
}

// all is the numbers below n.
func all(n int) []int {
	places := make([]int, n)
	for i := range places {
		places[i] = i
	}
	return places
}

// TestEmbedFindsTheTextWithoutAVector: a text that spoils all vectors of its
// reply is found, and the others have theirs.
func TestEmbedFindsTheTextWithoutAVector(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(w http.ResponseWriter, c call, n int) {
		if !slices.Contains(c.Input, "text 3") {
			good(w, c, n)
			return
		}
		var data []string
		for i := range c.Input {
			data = append(data, entry(i, []int{0, 0, 0, 0}))
		}
		send(w, data)
	})
	got, err := newEmbedder(t, f.config()).Embed(t.Context(), numbered(8))
	if places := failedPlaces(t, err); !slices.Equal(places, []int{3}) {
		t.Errorf("failed = %v, want [3]", places)
	}
	checkVectors(t, got, numbered(8), 3)
}

func TestEmbedTakesBase64AndOneVectorWithoutIndex(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(w http.ResponseWriter, _ call, _ int) {
		// Little-endian float32: 3, 4. Sent as plain text, as some do.
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, `{"data":[{"embedding":"AABAQAAAgEA="}]}`)
	})
	got, err := newEmbedder(t, f.config()).Embed(t.Context(), []string{"a"})
	if err != nil {
		t.Fatalf("Embed: %v", err)
	}
	if want := "[[0.6 0.8]]"; fmt.Sprint(got) != want {
		t.Errorf("Embed = %v, want %s", got, want)
	}
}

// TestEmbedAsksAgain counts requests and waits of endpoints that recover.
func TestEmbedAsksAgain(t *testing.T) {
	t.Parallel()
	now := newClock().now
	header := func(name, value string) answer {
		return func(w http.ResponseWriter, _ call, _ int) {
			w.Header().Set(name, value)
			refuse(w, 429, "slow down")
		}
	}
	status := func(code int) answer {
		return func(w http.ResponseWriter, _ call, _ int) { refuse(w, code, "later") }
	}
	const half, one, two = 500 * time.Millisecond, time.Second, 2 * time.Second
	for _, test := range []struct {
		name      string
		bad       answer
		times     int
		low, high []time.Duration // of each wait
	}{
		{"Retry-After in seconds", header("Retry-After", "2"), 3, []time.Duration{two, two, two}, []time.Duration{two, two, two}},
		{"Retry-After as a date", header("Retry-After", now.Add(7*time.Second).Format(http.TimeFormat)), 1, []time.Duration{7 * one}, []time.Duration{7 * one}},
		{"Retry-After in milliseconds", header("Retry-After-Ms", "1500"), 1, []time.Duration{one + half}, []time.Duration{one + half}},
		{"Retry-After in the past", header("Retry-After", now.Add(-one).Format(http.TimeFormat)), 1, []time.Duration{half / 2}, []time.Duration{half}},
		{"Retry-After makes no sense", header("Retry-After", "soon"), 1, []time.Duration{half / 2}, []time.Duration{half}},
		{"429", status(429), 3, []time.Duration{half / 2, half, one}, []time.Duration{half, one, two}},
		{"408", status(408), 1, []time.Duration{half / 2}, []time.Duration{half}},
		{"500 once", status(500), 1, []time.Duration{half / 2}, []time.Duration{half}},
		{"502", status(502), 2, []time.Duration{half / 2, half}, []time.Duration{half, one}},
		{"503", status(503), 2, []time.Duration{half / 2, half}, []time.Duration{half, one}},
		{"529", status(529), 2, []time.Duration{half / 2, half}, []time.Duration{half, one}},
		{"a rate in tokens, as 400", func(w http.ResponseWriter, _ call, _ int) {
			refuse(w, 400, "Rate limit reached: limit 40000 tokens per min")
		}, 1, []time.Duration{half / 2}, []time.Duration{half}},
		{"connection cut", func(http.ResponseWriter, call, int) { panic(http.ErrAbortHandler) }, 1, []time.Duration{half / 2}, []time.Duration{half}},
		{"body cut", func(w http.ResponseWriter, _ call, _ int) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"data":[`)
			panic(http.ErrAbortHandler)
		}, 1, []time.Duration{half / 2}, []time.Duration{half}},
		{"no JSON once", func(w http.ResponseWriter, _ call, _ int) { io.WriteString(w, "<html>one moment") }, 1, []time.Duration{half / 2}, []time.Duration{half}},
	} {
		f := newFake(t, func(w http.ResponseWriter, c call, n int) {
			if n <= test.times {
				test.bad(w, c, n)
			} else {
				good(w, c, n)
			}
		})
		clock, c := newClock(), f.config()
		c.Now, c.Sleep = clock.Now, clock.Sleep
		texts := numbered(10)
		got, err := newEmbedder(t, c).Embed(t.Context(), texts)
		if err != nil {
			t.Errorf("%s: Embed: %v", test.name, err)
			continue
		}
		checkVectors(t, got, texts)
		if n := len(f.asked()); n != test.times+1 {
			t.Errorf("%s: %d requests, want %d", test.name, n, test.times+1)
		}
		if len(clock.waits) != len(test.low) {
			t.Errorf("%s: waits = %v, want %d", test.name, clock.waits, len(test.low))
			continue
		}
		for i, wait := range clock.waits {
			if wait < test.low[i] || wait > test.high[i] {
				t.Errorf("%s: wait %d = %v, want %v to %v", test.name, i, wait, test.low[i], test.high[i])
			}
		}
	}
}

// TestEmbedGivesUp counts the requests of endpoints that do not recover. The
// texts are more than one batch, so that each could bring a request.
func TestEmbedGivesUp(t *testing.T) {
	t.Parallel()
	always := func(status int, message string) answer {
		return func(w http.ResponseWriter, _ call, _ int) { refuse(w, status, message) }
	}
	for _, test := range []struct {
		name      string
		reply     answer
		low, high int // requests
		never     bool
		after     time.Duration
	}{
		{"401", always(401, "no"), 1, 1, true, 0},
		{"402", always(402, "no"), 1, 1, true, 0},
		{"403", always(403, "no"), 1, 1, true, 0},
		{"404", always(404, "model not found"), 1, 1, true, 0},
		{"no quota", func(w http.ResponseWriter, _ call, _ int) {
			w.WriteHeader(429)
			io.WriteString(w, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`)
		}, 1, 1, true, 0},
		{"429 for an hour", func(w http.ResponseWriter, _ call, _ int) {
			w.Header().Set("Retry-After", "3600")
			refuse(w, 429, "slow down")
		}, 1, 1, false, time.Hour},
		{"429 for ever", func(w http.ResponseWriter, _ call, _ int) {
			w.Header().Set("Retry-After", "99999999999999999999")
			refuse(w, 429, "slow down")
		}, 1, 1, false, 24 * time.Hour},
		{"503", always(503, "busy"), 6, 11, false, 0},
		{"503 with a negative Retry-After", func(w http.ResponseWriter, _ call, _ int) {
			w.Header().Set("Retry-After", "-5")
			refuse(w, 503, "busy")
		}, 6, 11, false, 0},
		{"429 every 10 s", func(w http.ResponseWriter, _ call, _ int) {
			w.Header().Set("Retry-After", "10")
			refuse(w, 429, "slow down")
		}, 3, 3, false, 10 * time.Second},
		{"500", always(500, "oops"), 3, 3, false, 0}, // the batch twice, the harmless word
		{"400", always(400, "unknown field"), 2, 2, false, 0},
		{"a page", func(w http.ResponseWriter, _ call, _ int) { io.WriteString(w, "<html>log in") }, 3, 3, false, 0},
		{"no data", func(w http.ResponseWriter, _ call, _ int) { io.WriteString(w, `{"ok":true}`) }, 3, 3, false, 0},
		{"one text is too many", always(400, "batch size is invalid"), 8, 8, false, 0},     // 64, 32 … 1, the word
		{"every text is too long", always(400, "context length exceeded"), 8, 8, false, 0}, // the same
	} {
		f := newFake(t, test.reply)
		clock, c := newClock(), f.config()
		c.Now, c.Sleep, c.Concurrency = clock.Now, clock.Sleep, 4
		got, err := newEmbedder(t, c).Embed(t.Context(), numbered(200))
		var retry *memory.RetryError
		if !errors.As(err, &retry) {
			t.Errorf("%s: Embed = %v, want a RetryError", test.name, err)
			continue
		}
		if retry.Never != test.never || retry.After != test.after {
			t.Errorf("%s: RetryError says Never %v, After %v; want %v, %v", test.name, retry.Never, retry.After, test.never, test.after)
		}
		if n := len(f.asked()); n < test.low || n > test.high {
			t.Errorf("%s: %d requests, want %d to %d", test.name, n, test.low, test.high)
		}
		if lost := clock.Now().Sub(newClock().now); lost > 30*time.Second {
			t.Errorf("%s: waited %v, want at most 30s", test.name, lost)
		}
		for i, v := range got {
			if v != nil {
				t.Errorf("%s: vector %d = %v, want none", test.name, i, v)
			}
		}
	}
}

// TestEmbedFindsTheSpoiler has texts that break every request they are in.
func TestEmbedFindsTheSpoiler(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		status   int
		message  string
		texts    int
		spoilers []int
		sizes    string // of the requests; "" = not counted
	}{
		{"500", 500, "oops", 3, []int{1}, "[3 3 1 2 1 1 1]"},
		{"500, NaN", 500, "failed to encode response: json: unsupported value: NaN", 3, []int{0}, "[3 3 1 2 1 1 1]"},
		{"400", 400, "bad input", 3, []int{2}, "[3 1 2 1]"},
		{"422", 422, "bad input", 4, []int{0, 3}, "[4 1 2 1 1 2 1 1]"},
		{"alone", 400, "bad input", 1, []int{0}, ""},
		{"first of 64", 400, "bad input", 64, []int{0}, "[64 1 32 16 8 4 2 1 1 2 4 8 16 32]"},
		{"many of 64", 500, "oops", 64, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 33, 63}, ""},
	} {
		isSpoiler := func(s string) bool {
			return slices.ContainsFunc(test.spoilers, func(i int) bool { return s == fmt.Sprintf("text %d", i) })
		}
		f := newFake(t, func(w http.ResponseWriter, c call, n int) {
			if slices.ContainsFunc(c.Input, isSpoiler) {
				refuse(w, test.status, test.message)
			} else {
				good(w, c, n)
			}
		})
		texts := numbered(test.texts)
		got, err := newEmbedder(t, f.config()).Embed(t.Context(), texts)
		if places := failedPlaces(t, err); !slices.Equal(places, test.spoilers) {
			t.Errorf("%s: failed = %v, want %v", test.name, places, test.spoilers)
		}
		if !strings.Contains(err.Error(), test.message) {
			t.Errorf("%s: Embed = %v, want the reason %q in it", test.name, err, test.message)
		}
		checkVectors(t, got, texts, test.spoilers...)
		if s := f.sizes(); test.sizes != "" && s != test.sizes {
			t.Errorf("%s: requests of %s, want %s", test.name, s, test.sizes)
		}
		if n := len(f.asked()); n > 2*test.texts+8 {
			t.Errorf("%s: %d requests for %d texts, want at most two a text and a few", test.name, n, test.texts)
		}
	}
}

// TestEmbedFindsWhatCannotBeWritten has a server that writes NaN into its JSON,
// so that the whole reply cannot be read.
func TestEmbedFindsWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(w http.ResponseWriter, c call, n int) {
		if slices.Contains(c.Input, "text 2") {
			send(w, []string{`{"index":0,"embedding":[NaN,1,2,3]}`})
			return
		}
		good(w, c, n)
	})
	texts := numbered(5)
	got, err := newEmbedder(t, f.config()).Embed(t.Context(), texts)
	if places := failedPlaces(t, err); !slices.Equal(places, []int{2}) {
		t.Errorf("failed = %v, want [2]", places)
	}
	checkVectors(t, got, texts, 2)
}

// endless is a reply that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestEmbedReadsNoEndlessReply(t *testing.T) {
	t.Parallel()
	e := newEmbedder(t, openai.EmbedderConfig{
		BaseURL: "http://endpoint.invalid/v1", Model: "m", Sleep: noWait,
		HTTPClient: &http.Client{Transport: tripper(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(endless{}), Request: r}, nil
		})},
	})
	_, err := e.Embed(t.Context(), []string{"a"})
	var retry *memory.RetryError
	if !errors.As(err, &retry) {
		t.Errorf("Embed = %v, want a RetryError", err)
	}
}

func TestEmbedStopsWhenTheEndpointDies(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 500, 503} {
		f := newFake(t, func(w http.ResponseWriter, c call, n int) {
			if n <= 2 {
				good(w, c, n)
			} else {
				refuse(w, status, "gone")
			}
		})
		c := f.config()
		c.Batch = 50
		clock := newClock()
		c.Now, c.Sleep = clock.Now, clock.Sleep
		texts := numbered(200)
		got, err := newEmbedder(t, c).Embed(t.Context(), texts)
		var lost []int
		for i := range texts[100:] {
			lost = append(lost, 100+i)
		}
		if places := failedPlaces(t, err); !slices.Equal(places, lost) {
			t.Errorf("%d: failed = %v, want all from 100 on", status, places)
		}
		checkVectors(t, got, texts, lost...)
		var partial *memory.PartialError
		var retry *memory.RetryError
		if !errors.As(err, &partial) || !errors.As(partial.Failed[199], &retry) {
			t.Errorf("%d: the reason for the last text = %v, want a RetryError", status, partial.Failed[199])
		}
		if n := len(f.asked()); n > 14 {
			t.Errorf("%d: %d requests, want no more than 14", status, n)
		}
	}
}

// TestEmbedLearnsTheBatchSize has endpoints that take fewer texts than they are
// sent, each saying so in its own words.
func TestEmbedLearnsTheBatchSize(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status  int
		message string
		takes   int
		sizes   string
	}{
		{400, "Value error, batch size is invalid, it should not be larger than 10.: input.contents", 10, "[25 10 10 5]"},
		{422, "batch size 25 > maximum allowed batch size 8", 8, "[25 8 8 8 1]"},
		{422, "batch size 25 > maximum allowed batch size 8 (1 request waiting)", 8, "[25 8 8 8 1]"},
		{413, "input batch size 25 > maximum allowed batch size 20", 20, "[25 20 5]"},
		{400, "Too many inputs. The max number of inputs is 16.", 16, "[25 16 9]"},
		{400, "Invalid 'input': array too long. Expected an array with maximum length 20, but got an array with length 25 instead.", 20, "[25 20 5]"},
		{400, "invalid request: total number of texts must be at most 12", 12, "[25 12 12 1]"},
		{400, "at most 20 requests can be in one batch", 20, "[25 20 5]"},
		{400, "input数组最大不得超过 9 条", 9, "[25 9 9 7]"},
		{400, "Too many inputs in request, split into more batches", 7, "[25 12 6 6 6 6 1]"},
	} {
		f := newFake(t, func(w http.ResponseWriter, c call, n int) {
			if len(c.Input) > test.takes {
				refuse(w, test.status, test.message)
			} else {
				good(w, c, n)
			}
		})
		e := newEmbedder(t, f.config())
		texts := numbered(25)
		got, err := e.Embed(t.Context(), texts)
		if err != nil {
			t.Errorf("%q: Embed: %v", test.message, err)
		}
		checkVectors(t, got, texts)
		if s := f.sizes(); s != test.sizes {
			t.Errorf("%q: requests of %s, want %s", test.message, s, test.sizes)
		}
		before := len(f.asked())
		if _, err := e.Embed(t.Context(), texts); err != nil {
			t.Errorf("%q: Embed again: %v", test.message, err)
		}
		for _, c := range f.asked()[before:] {
			if len(c.Input) > test.takes {
				t.Errorf("%q: the second time a request of %d, want it remembered", test.message, len(c.Input))
			}
		}
	}
}

// TestEmbedCutsWhatIsTooLong has endpoints that refuse long texts, each in its
// own words.
func TestEmbedCutsWhatIsTooLong(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("${{ x }}: ", 400) // 4,000 runes
	for _, test := range []struct {
		status int
		body   string
	}{
		{400, `{"error":"the input length exceeds the context length"}`},
		{500, `{"error":"the input length exceeds the context length"}`},
		{400, `{"error":{"message":"This model's maximum context length is 8192 tokens, however you requested 9000","code":"context_length_exceeded"}}`},
		{400, `{"object":"error","message":"Input is too long. Max length is 512"}`},
		{413, `{"error":"inputs must have less than 512 tokens. Given: 1201","error_type":"Validation"}`},
		{413, `<html>413 Request Entity Too Large`},
		{500, `{"error":{"code":500,"message":"input is too large to process. increase the physical batch size"}}`},
		{400, `{"detail":"Input length 513 exceeds maximum allowed token size 512"}`},
		{400, `{"message":"Range of input length should be [1, 2048]"}`},
		{422, `{"detail":[{"msg":"too many tokens","input":"x"}]}`},
	} {
		f := newFake(t, func(w http.ResponseWriter, c call, n int) {
			if slices.ContainsFunc(c.Input, func(s string) bool { return len(s) > 2000 }) {
				w.WriteHeader(test.status)
				io.WriteString(w, test.body)
				return
			}
			good(w, c, n)
		})
		texts := []string{"a", long, "c"}
		got, err := newEmbedder(t, f.config()).Embed(t.Context(), texts)
		if err != nil {
			t.Errorf("%s: Embed: %v", test.body, err)
			continue
		}
		checkVectors(t, got, []string{"a", long[:2000], "c"})
		if s, want := f.sizes(), "[3 2 1 1 1 1]"; s != want {
			t.Errorf("%s: requests of %s, want %s", test.body, s, want)
		}
	}
}

func TestEmbedCutsNoTextBelow64Runes(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(w http.ResponseWriter, c call, n int) {
		if slices.ContainsFunc(c.Input, func(s string) bool { return strings.Contains(s, "語") }) {
			refuse(w, 400, "the input length exceeds the context length")
			return
		}
		good(w, c, n)
	})
	texts := []string{"a", strings.Repeat("語", 300), "短語"}
	got, err := newEmbedder(t, f.config()).Embed(t.Context(), texts)
	if places := failedPlaces(t, err); !slices.Equal(places, []int{1, 2}) {
		t.Errorf("failed = %v, want [1 2]", places)
	}
	checkVectors(t, got, texts, 1, 2)
	var runes []int
	for _, c := range f.asked() {
		if len(c.Input) == 1 && strings.HasPrefix(c.Input[0], "語") {
			runes = append(runes, utf8.RuneCountInString(c.Input[0]))
		}
	}
	if want := "[300 150 75 64]"; fmt.Sprint(runes) != want {
		t.Errorf("runes sent = %v, want %s", runes, want)
	}
}

// virtual is an embedder whose endpoint answers in virtual time.
func virtual(t *testing.T, answer tripper) *openai.Embedder {
	t.Helper()
	return newEmbedder(t, openai.EmbedderConfig{
		BaseURL: "http://endpoint.invalid/v1", Model: "m", HTTPClient: &http.Client{Transport: answer},
	})
}

func TestEmbedLosesNoMoreThanHalfAMinute(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		answer   tripper
		requests int // at least
		low      time.Duration
	}{
		{"hangs", func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, 1, 30 * time.Second},
		{"is busy", func(r *http.Request) (*http.Response, error) {
			return reply(r, 503, "{}", nil), nil
		}, 6, 15 * time.Second},
		{"is slow and busy", func(r *http.Request) (*http.Response, error) {
			select {
			case <-time.After(9 * time.Second):
				return reply(r, 503, "{}", nil), nil
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		}, 3, 25 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			requests := 0
			e := virtual(t, func(r *http.Request) (*http.Response, error) {
				requests++
				return test.answer(r)
			})
			start := time.Now()
			_, err := e.Embed(t.Context(), numbered(200))
			var retry *memory.RetryError
			if !errors.As(err, &retry) || retry.Never {
				t.Errorf("%s: Embed = %v, want a RetryError", test.name, err)
			}
			if took := time.Since(start); took < test.low || took > 31*time.Second {
				t.Errorf("%s: Embed took %v, want %v to 31s", test.name, took, test.low)
			}
			if requests < test.requests {
				t.Errorf("%s: %d requests, want at least %d", test.name, requests, test.requests)
			}
		})
	}
}

// TestEmbedDoesNotWaitBeyondItsDeadline is a search, which would rather go by
// words than wait for an endpoint.
func TestEmbedDoesNotWaitBeyondItsDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		e := virtual(t, func(r *http.Request) (*http.Response, error) {
			return reply(r, 429, "{}", http.Header{"Retry-After": {"8"}}), nil
		})
		start := time.Now()
		_, err := e.Embed(ctx, []string{"a"})
		var retry *memory.RetryError
		if !errors.As(err, &retry) || retry.After != 8*time.Second {
			t.Errorf("Embed = %v, want a RetryError after 8s", err)
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("Embed took %v, want it at once", took)
		}
	})
}

func TestEmbedEndsWhileItWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		e := virtual(t, func(r *http.Request) (*http.Response, error) {
			time.AfterFunc(time.Second, cancel)
			return reply(r, 429, "{}", http.Header{"Retry-After": {"20"}}), nil
		})
		start := time.Now()
		if _, err := e.Embed(ctx, []string{"a"}); err != context.Canceled {
			t.Errorf("Embed = %v, want %v", err, context.Canceled)
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("Embed took %v, want 1s", took)
		}
	})
}
