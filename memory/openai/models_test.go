package openai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/openai"
)

// modelsServer answers GET /v1/models and fails the test on anything else.
func modelsServer(t *testing.T, reply http.HandlerFunc) *openai.Chat {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/v1/models" {
			t.Errorf("request = %s %s, want GET /v1/models", r.Method, r.URL.Path)
		}
		if got := r.Header.Get("Authorization"); got != "Bearer secret-key" {
			t.Errorf("Authorization = %q, want the key", got)
		}
		reply(w, r)
	}))
	t.Cleanup(server.Close)
	return newChat(t, openai.ChatConfig{BaseURL: server.URL + "/v1/chat/completions", APIKey: "secret-key", Model: "m"})
}

// TestWindows reads the lists of several vendors.
func TestWindows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		want       string
	}{
		{"OpenAI says nothing", `{"object":"list","data":[{"id":"gpt-4o","object":"model","owned_by":"openai"}]}`, "[]"},
		{"OpenRouter", `{"data":[{"id":"a/b","context_length":131072,"top_provider":{"context_length":65536,"max_completion_tokens":8192}}]}`, "[{a/b 65536}]"},
		{"vLLM", `{"object":"list","data":[{"id":"Qwen/Qwen3-8B","max_model_len":8192,"root":"/models"}]}`, "[{Qwen/Qwen3-8B 8192}]"},
		{"Groq", `{"data":[{"id":"llama-3.1-8b-instant","context_window":131072,"max_completion_tokens":131072}]}`, "[{llama-3.1-8b-instant 131072}]"},
		{"Mistral", `{"data":[{"id":"mistral-large-latest","max_context_length":131072}]}`, "[{mistral-large-latest 131072}]"},
		{"LM Studio", `{"data":[{"id":"q","max_context_length":131072,"loaded_context_length":4096}]}`, "[{q 4096}]"},
		{"Gemini", `{"models":[{"name":"models/gemini-2.5-pro","inputTokenLimit":1048576,"outputTokenLimit":65536}]}`, "[{models/gemini-2.5-pro 1048576}]"},
		{"Copilot", `{"data":[{"id":"c","capabilities":{"limits":{"max_context_window_tokens":128000,"max_output_tokens":4096}}}]}`, "[{c 128000}]"},
		{"llama.cpp", `{"models":[{"name":"l"}],"data":[{"id":"l","meta":{"n_ctx_train":131072,"n_ctx":8192}}]}`, "[{l 8192}]"},
		{"Together, a bare list", `[{"id":"t","context_length":"32768"},{"id":"u","context_length":3.2e4}]`, "[{t 32768} {u 32000}]"},
		{"odd ones beside a good one", `{"data":[null,7,"x",[],{},{"id":5,"context_length":4096},{"id":" ","context_length":4096},` +
			`{"id":"a","context_length":null},{"id":"b","context_length":{"x":1}},{"id":"c","context_length":"many"},{"id":"d","context_length":255},` +
			`{"id":"e","context_length":100000001},{"id":"f","context_length":-1},{"id":"g","context_length":1e400},{"id":"good","context_length":256}]}`, "[{good 256}]"},
		{"nothing in it", `{}`, "[]"},
	} {
		chat := modelsServer(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, c.body) })
		got, err := chat.Windows(t.Context())
		if err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%s: Windows() = %v, %v, want %s", c.name, got, err, c.want)
		}
	}
}

// TestWindowsFailure: an endpoint that has no list is not to be asked again soon,
// one that broke down is.
func TestWindowsFailure(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		status int
		body   string
		never  bool
	}{
		{"not found", 404, `{"error":{"message":"no such path for secret-key"}}`, true},
		{"no right", 401, "", true},
		{"not allowed", 405, "", true},
		{"busy", 429, `{"error":"slow down"}`, false},
		{"broken", 500, "<html>oops</html>", false},
		{"gateway", 502, "", false},
		{"a page", 200, "<html>welcome</html>", false},
		{"a text", 200, `"models"`, false},
		{"wrong type", 200, `{"data":"none"}`, false},
		{"empty", 200, "", false},
		{"endless", 200, `{"data":[` + strings.Repeat(`{"id":"x","context_length":4096},`, 600_000), false},
	} {
		chat := modelsServer(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			io.WriteString(w, c.body)
		})
		got, err := chat.Windows(t.Context())
		var retry *memory.RetryError
		if got != nil || !errors.As(err, &retry) || retry.Never != c.never || !errors.Is(err, memory.ErrUnavailable) {
			t.Errorf("%s: Windows() = %v, %v, want a RetryError with ErrUnavailable, Never %v", c.name, got, err, c.never)
		}
		if err != nil && strings.Contains(err.Error(), "secret-key") {
			t.Errorf("%s: Windows() = %v, which shows the key", c.name, err)
		}
	}
}

// TestWindowsCancelled: the request ends with its context.
func TestWindowsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	chat := modelsServer(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	if got, err := chat.Windows(ctx); got != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("Windows(cancelled) = %v, %v, want context.Canceled", got, err)
	}
}

// FuzzWindows looks for lists that break the rules of every answer.
func FuzzWindows(f *testing.F) {
	f.Add([]byte(`{"data":[{"id":"a","context_length":131072,"meta":{"n_ctx":4096}}]}`))
	f.Add([]byte(`{"models":[{"name":"models/g","inputTokenLimit":"9e9"}]}`))
	f.Add([]byte(`[{"id":"t","context_window":-0.5}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		list, err := openai.ReadModels(body)
		if err != nil && list != nil {
			t.Errorf("readModels(%q) = %v beside %v", body, list, err)
		}
		if i := slices.IndexFunc(list, func(m memory.ModelWindow) bool {
			return m.Model == "" || m.Tokens < memory.MinWindow || m.Tokens > memory.MaxWindow
		}); i >= 0 {
			t.Errorf("readModels(%q) has %+v, want a name and a window", body, list[i])
		}
	})
}
