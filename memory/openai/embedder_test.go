package openai_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"mcp-memory/memory"
	"mcp-memory/memory/openai"
)

func TestNewEmbedderRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]openai.EmbedderConfig{
		"no URL":              {Model: "m"},
		"no model":            {BaseURL: "http://localhost/v1"},
		"no scheme":           {BaseURL: "localhost:11434/v1", Model: "m"},
		"no HTTP":             {BaseURL: "ftp://localhost/v1", Model: "m"},
		"a query":             {BaseURL: "http://localhost/v1?key=hush", Model: "m"},
		"no URL at all":       {BaseURL: "http://user:hush@local host/v1", Model: "m"},
		"negative dimensions": {BaseURL: "http://localhost/v1", Model: "m", Dimensions: -1},
	} {
		_, err := openai.NewEmbedder(c)
		if !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%s: NewEmbedder = %v, want ErrInvalid", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: NewEmbedder = %v: repeats what may be secret", name, err)
		}
	}
}

func TestModelNamesEndpointAndDimensions(t *testing.T) {
	t.Parallel()
	model := func(base string) memory.EmbeddingModel {
		return newEmbedder(t, openai.EmbedderConfig{BaseURL: base, Model: "bge-m3"}).Model()
	}
	got := model("http://localhost:11434/v1")
	if got.Provider != "openai" || !strings.HasPrefix(got.Name, "bge-m3@") || got.Dimensions != 0 {
		t.Errorf("Model() = %+v, want openai, bge-m3@…, 0 dimensions", got)
	}
	if strings.Contains(got.Name, "localhost") {
		t.Errorf("Model().Name = %q, want no part of the URL", got.Name)
	}
	for _, same := range []string{"http://localhost:11434/v1/", "http://LOCALHOST:11434/v1/embeddings", "http://me:hush@localhost:11434/v1"} {
		if m := model(same); m != got {
			t.Errorf("Model() with %q = %+v, want %+v", same, m, got)
		}
	}
	if m := model("http://localhost:1234/v1"); m == got {
		t.Errorf("Model() of another server = %+v, want another name", m)
	}
}

func TestEmbedSendsWhatIsConfigured(t *testing.T) {
	t.Parallel()
	f := newFake(t, good)
	c := f.config()
	c.APIKey, c.MaxRunes = " hush\n", 5
	e := newEmbedder(t, c)
	if _, err := e.Embed(t.Context(), []string{"日本語の文章", "abc"}); err != nil {
		t.Fatalf("Embed: %v", err)
	}
	got := f.asked()[0]
	if got.Path != "/v1/embeddings" || got.Model != "m" || got.EncodingFormat != "float" || got.Dimensions != nil {
		t.Errorf("request = %+v, want /v1/embeddings, model m, floats, no dimensions", got)
	}
	if a := got.Header.Get("Authorization"); a != "Bearer hush" {
		t.Errorf("Authorization = %q, want Bearer hush", a)
	}
	if want := []string{"日本語の文", "abc"}; fmt.Sprint(got.Input) != fmt.Sprint(want) {
		t.Errorf("input = %q, want %q", got.Input, want)
	}

	c.Dimensions = dimensions
	if _, err := newEmbedder(t, c).Embed(t.Context(), []string{"a"}); err != nil {
		t.Fatalf("Embed: %v", err)
	}
	if d := f.asked()[1].Dimensions; d == nil || *d != dimensions {
		t.Errorf("dimensions sent = %v, want %d", d, dimensions)
	}
}

// TestEmbedReadsNoEnvironment sets what the library would read by itself.
func TestEmbedReadsNoEnvironment(t *testing.T) {
	other := newFake(t, good)
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "hush", "OPENAI_ADMIN_KEY": "hush", "OPENAI_ORG_ID": "hush", "OPENAI_PROJECT_ID": "hush",
		"OPENAI_CUSTOM_HEADERS": "X-Custom: hush", "OPENAI_BASE_URL": other.URL,
	} {
		t.Setenv(name, value)
	}
	f := newFake(t, good)
	if _, err := newEmbedder(t, f.config()).Embed(t.Context(), []string{"a"}); err != nil {
		t.Fatalf("Embed: %v", err)
	}
	for name, values := range f.asked()[0].Header {
		if name == "Authorization" || strings.Contains(fmt.Sprint(values), "hush") {
			t.Errorf("header %s = %v, want it not sent", name, values)
		}
	}
	if _, err := openai.NewEmbedder(openai.EmbedderConfig{Model: "m"}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("NewEmbedder without a base URL = %v, want ErrInvalid", err)
	}
	if n := len(other.asked()); n != 0 {
		t.Errorf("the server of OPENAI_BASE_URL got %d requests, want 0", n)
	}
}

func TestEmbedBatches(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		texts, batch int
		sizes        string
	}{
		{0, 0, "[]"},
		{1, 0, "[1]"},
		{64, 0, "[64]"},
		{130, 0, "[64 64 2]"},
		{25, 10, "[10 10 5]"},
	} {
		f := newFake(t, good)
		c := f.config()
		c.Batch = test.batch
		texts := numbered(test.texts)
		got, err := newEmbedder(t, c).Embed(t.Context(), texts)
		if err != nil {
			t.Errorf("Embed(%d texts): %v", test.texts, err)
		}
		checkVectors(t, got, texts)
		if s := f.sizes(); s != test.sizes {
			t.Errorf("Embed(%d texts), batches of %d: requests of %s, want %s", test.texts, test.batch, s, test.sizes)
		}
	}
}

func TestEmbedLeavesBlankTextsOut(t *testing.T) {
	t.Parallel()
	f := newFake(t, good)
	texts := []string{"", "a", " \n\t", "b"}
	got, err := newEmbedder(t, f.config()).Embed(t.Context(), texts)
	if err != nil {
		t.Fatalf("Embed: %v", err)
	}
	checkVectors(t, got, texts, 0, 2)
	if s := f.sizes(); s != "[2]" {
		t.Errorf("requests of %s, want [2]", s)
	}
}

// TestEmbedAsksInParallel holds every request until as many have come as may
// come at a time, so that it hangs when fewer are sent.
func TestEmbedAsksInParallel(t *testing.T) {
	t.Parallel()
	const limit = 3
	var now, most atomic.Int32
	full := make(chan struct{})
	f := newFake(t, func(w http.ResponseWriter, c call, n int) {
		running := now.Add(1)
		for old := most.Load(); running > old && !most.CompareAndSwap(old, running); old = most.Load() {
		}
		if n == 1+limit {
			close(full)
		}
		if n > 1 { // the first batch goes alone
			<-full
		}
		now.Add(-1)
		good(w, c, n)
	})
	c := f.config()
	c.Batch, c.Concurrency = 2, limit
	texts := numbered(20)
	got, err := newEmbedder(t, c).Embed(t.Context(), texts)
	if err != nil {
		t.Fatalf("Embed: %v", err)
	}
	checkVectors(t, got, texts)
	if m := most.Load(); m != limit {
		t.Errorf("requests at a time = %d, want %d", m, limit)
	}
}

func TestProbeLearnsDimensions(t *testing.T) {
	t.Parallel()
	f := newFake(t, good)
	e := newEmbedder(t, f.config())
	if err := e.Probe(t.Context()); err != nil {
		t.Fatalf("Probe: %v", err)
	}
	if d := e.Model().Dimensions; d != dimensions {
		t.Errorf("Model().Dimensions after Probe = %d, want %d", d, dimensions)
	}

	c := f.config()
	c.Dimensions = 3
	e = newEmbedder(t, c)
	if d := e.Model().Dimensions; d != 3 {
		t.Errorf("Model().Dimensions when configured = %d, want 3", d)
	}
	err := e.Probe(t.Context())
	var retry *memory.RetryError
	if !errors.Is(err, memory.ErrDimension) || !errors.As(err, &retry) || !retry.Never {
		t.Errorf("Probe of an endpoint with other dimensions = %v, want a RetryError with ErrDimension and Never", err)
	}
}

func TestProbeOfADeadEndpoint(t *testing.T) {
	t.Parallel()
	f := newFake(t, good)
	f.Close()
	c := newClock()
	config := f.config()
	config.Now, config.Sleep = c.Now, c.Sleep
	err := newEmbedder(t, config).Probe(t.Context())
	var retry *memory.RetryError
	if !errors.As(err, &retry) || retry.Never || !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("Probe of a closed port = %v, want a RetryError with ErrUnavailable", err)
	}
}

func TestErrorsAndLogsHoldNoSecrets(t *testing.T) {
	t.Parallel()
	const key, private = "sk-hush-0123456789", "my private text"
	for name, reply := range map[string]answer{
		"key repeated": func(w http.ResponseWriter, c call, _ int) {
			refuse(w, 401, "wrong key "+strings.TrimPrefix(c.Header.Get("Authorization"), "Bearer "))
		},
		"text repeated in a page": func(w http.ResponseWriter, c call, _ int) {
			w.WriteHeader(500)
			fmt.Fprintf(w, "<p>%v", c.Input)
		},
		"text repeated in a detail": func(w http.ResponseWriter, c call, _ int) {
			w.WriteHeader(422)
			fmt.Fprintf(w, `{"detail":[{"loc":["body"],"msg":"bad","input":%q}]}`, c.Input[0])
		},
		"no reply": func(w http.ResponseWriter, c call, _ int) { panic(http.ErrAbortHandler) },
		"busy":     func(w http.ResponseWriter, c call, _ int) { refuse(w, 503, "busy "+key) },
	} {
		f := newFake(t, reply)
		var log bytes.Buffer
		c := f.config()
		c.BaseURL = strings.Replace(c.BaseURL, "://", "://me:hush@", 1)
		c.APIKey, c.Log = key, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		_, err := newEmbedder(t, c).Embed(t.Context(), []string{private})
		if err == nil {
			t.Errorf("%s: Embed succeeded, want an error", name)
			continue
		}
		for _, secret := range []string{key, private, "hush", strings.TrimPrefix(f.URL, "http://")} {
			if strings.Contains(err.Error()+log.String(), secret) {
				t.Errorf("%s: error %q, log %q: hold %q", name, err, log.String(), secret)
			}
		}
	}
}

func TestEmbedEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	f := newFake(t, func(http.ResponseWriter, call, int) {
		cancel()
		<-release
	})
	defer close(release)
	got, err := newEmbedder(t, f.config()).Embed(ctx, numbered(200))
	if err != context.Canceled {
		t.Errorf("Embed with a cancelled context = %v, want %v as it is", err, context.Canceled)
	}
	for i, v := range got {
		if v != nil {
			t.Errorf("vector %d = %v, want none", i, v)
		}
	}
	if n := len(f.asked()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// FuzzReply lets an endpoint answer anything.
func FuzzReply(f *testing.F) {
	for _, body := range []string{
		`{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[null,2]}]}`,
		`{"data":[{"index":1,"embedding":"AAAAPwAAgL4="},{"embedding":[]}]}`,
		`{"error":{"message":"maximum context length is 8 tokens","code":"context_length_exceeded"}}`,
		`{"error":"batch size is invalid, it should not be larger than 1"}`,
		`{"detail":[{"msg":"at most 1 items"}]}`, `{"data":[{"index":0,"embedding":[NaN]}]}`, `<html>`, ``,
	} {
		for _, status := range []int{200, 400, 413, 429, 500} {
			f.Add(status, body, "1")
		}
	}
	f.Fuzz(func(t *testing.T, status int, body, after string) {
		if status < 200 || status > 599 {
			t.Skip("no status of HTTP")
		}
		e := newEmbedder(t, openai.EmbedderConfig{
			BaseURL: "http://endpoint.invalid/v1", Model: "m", Sleep: noWait, Concurrency: 1,
			HTTPClient: &http.Client{Transport: tripper(func(r *http.Request) (*http.Response, error) {
				return reply(r, status, body, http.Header{"Retry-After": {after}}), nil
			})},
		})
		texts := []string{"one", strings.Repeat("two ", 100), "three"}
		got, err := e.Embed(t.Context(), texts)
		var partial *memory.PartialError
		var retry *memory.RetryError
		if err != nil && !errors.As(err, &partial) && !errors.As(err, &retry) {
			t.Fatalf("Embed with reply %d %q = %v, want a PartialError or a RetryError", status, body, err)
		}
		if err != nil && !utf8.ValidString(err.Error()) {
			t.Errorf("error %q is not UTF-8", err)
		}
		for i := range texts {
			if has := got[i] != nil; err == nil && !has || partial != nil && has == (partial.Failed[i] != nil) {
				t.Errorf("Embed with reply %d %q = %v, %v: text %d has neither a vector nor a reason, or both", status, body, got, err, i)
			}
		}
	})
}
