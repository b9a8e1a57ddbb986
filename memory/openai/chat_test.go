package openai_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/openai"
)

var _ memory.ChatModel = (*openai.Chat)(nil)

func TestNewChatRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]openai.ChatConfig{
		"no URL":    {Model: "m"},
		"no model":  {BaseURL: "http://localhost/v1"},
		"no scheme": {BaseURL: "localhost:11434/v1", Model: "m"},
		"a query":   {BaseURL: "http://localhost/v1?key=hush", Model: "m"},
	} {
		_, err := openai.NewChat(c)
		if !errors.Is(err, memory.ErrInvalid) || !strings.Contains(fmt.Sprint(err), "chat endpoint") {
			t.Errorf("%s: NewChat = %v, want ErrInvalid that names the chat endpoint", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: NewChat = %v: repeats what may be secret", name, err)
		}
	}
}

func TestChatSendsThePrompt(t *testing.T) {
	t.Parallel()
	f := newFake(t, says("hello"))
	c := f.chatConfig()
	c.APIKey, c.BaseURL = " hush\n", f.URL+"/v1/chat/completions"
	chat := newChat(t, c)
	if got := chat.Name(); got != "m" {
		t.Errorf("Name() = %q, want m", got)
	}
	reply, err := chat.Chat(t.Context(), memory.Prompt{
		System: "Answer in JSON.",
		Turns: []memory.Turn{
			{Role: memory.RoleUser, Content: "日本語"}, {Role: memory.RoleAssistant, Content: "はい"}, {Role: memory.RoleUser, Content: "go on"},
		},
		JSON: true, MaxTokens: 500,
	})
	if want := (memory.Reply{Text: "hello", Usage: memory.Usage{Requests: 1, Input: 11, Output: 7}}); err != nil || reply != want {
		t.Errorf("Chat() = %+v, %v, want %+v", reply, err, want)
	}
	got := f.asked()[0]
	if got.Path != "/v1/chat/completions" || got.Model != "m" || got.Header.Get("Authorization") != "Bearer hush" {
		t.Errorf("request = %s, model %q, %q, want /v1/chat/completions, m, Bearer hush", got.Path, got.Model, got.Header.Get("Authorization"))
	}
	if s, want := fmt.Sprint(got.Messages), "[{system Answer in JSON.} {user 日本語} {assistant はい} {user go on}]"; s != want {
		t.Errorf("messages = %s, want %s", s, want)
	}
	if s, want := f.parameters(), `["json_object max 500 "]`; s != want || got.Fields != "[max_tokens messages model response_format]" {
		t.Errorf("parameters = %s of %s, want %s", s, got.Fields, want)
	}

	if _, err := chat.Chat(t.Context(), ask("plain")); err != nil {
		t.Fatalf("Chat: %v", err)
	}
	if s := f.asked()[1].Fields; s != "[messages model]" {
		t.Errorf("fields of a plain prompt = %s, want [messages model]", s)
	}
	if _, err := chat.Chat(t.Context(), memory.Prompt{System: "x"}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("Chat(no message) = %v, want ErrInvalid", err)
	}
}

// TestChatReadsNoEnvironment sets what the library would read by itself.
func TestChatReadsNoEnvironment(t *testing.T) {
	other := newFake(t, says("other"))
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "hush", "OPENAI_ADMIN_KEY": "hush", "OPENAI_ORG_ID": "hush", "OPENAI_PROJECT_ID": "hush",
		"OPENAI_CUSTOM_HEADERS": "X-Custom: hush", "OPENAI_BASE_URL": other.URL,
	} {
		t.Setenv(name, value)
	}
	f := newFake(t, says("mine"))
	if reply, err := newChat(t, f.chatConfig()).Chat(t.Context(), ask("a")); err != nil || reply.Text != "mine" {
		t.Errorf("Chat() = %+v, %v, want mine", reply, err)
	}
	for name, values := range f.asked()[0].Header {
		if name == "Authorization" || strings.Contains(fmt.Sprint(values), "hush") {
			t.Errorf("header %s = %v, want it not sent", name, values)
		}
	}
}

// TestChatLearnsParameters has endpoints that refuse a parameter, each in its
// own words, and asks them twice.
func TestChatLearnsParameters(t *testing.T) {
	t.Parallel()
	const withFormat, with = `"json_object max 90 "`, `"max 90 "`
	for _, test := range []struct {
		name   string
		status int
		body   string
		bad    func(c call) bool
		want   string
	}{
		{"LM Studio", 400, `{"error":"'response_format.type' must be 'json_schema' or 'text'"}`, hasFormat, "[" + withFormat + " " + with + " " + with + "]"},
		{"DeepSeek", 400, `{"error":{"message":"This response_format type is unavailable now"}}`, hasFormat, "[" + withFormat + " " + with + " " + with + "]"},
		{"a field too many", 422, `{"detail":[{"loc":["body","response_format"],"msg":"json_object is not supported"}]}`, hasFormat, "[" + withFormat + " " + with + " " + with + "]"},
		{"plain text", 400, `unknown field "response_format"`, hasFormat, "[" + withFormat + " " + with + " " + with + "]"},
		{"as 500", 500, `{"error":{"message":"json_object is not supported by this model"}}`, hasFormat, "[" + withFormat + " " + with + " " + with + "]"},
		{"the word is missing", 400, `{"error":{"message":"'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."}}`, hasFormat,
			"[" + withFormat + " " + with + " " + withFormat + " " + with + "]"},
		{"OpenAI", 400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens","code":"unsupported_parameter"}}`, hasMax,
			"[" + withFormat + ` "json_object new max 90 " "json_object new max 90 "]`},
		{"both", 400, `{"error":{"message":"response_format and max_tokens are not supported, use max_completion_tokens"}}`, func(c call) bool { return hasFormat(c) || hasMax(c) },
			"[" + withFormat + " " + with + ` "new max 90 " "new max 90 "]`},
	} {
		f := newFake(t, func(w http.ResponseWriter, c call, n int) {
			if test.bad(c) {
				w.WriteHeader(test.status)
				fmt.Fprint(w, test.body)
				return
			}
			says("{}")(w, c, n)
		})
		clock, c := newClock(), f.chatConfig()
		c.Now, c.Sleep = clock.Now, clock.Sleep
		chat := newChat(t, c)
		p := ask("give me an object")
		p.JSON, p.MaxTokens = true, 90
		for range 2 {
			if reply, err := chat.Chat(t.Context(), p); err != nil || reply.Text != "{}" {
				t.Errorf("%s: Chat() = %+v, %v, want {}", test.name, reply, err)
			}
		}
		if got := f.parameters(); got != test.want {
			t.Errorf("%s: parameters = %s, want %s", test.name, got, test.want)
		}
		if len(clock.waits) != 0 {
			t.Errorf("%s: waits = %v, want none", test.name, clock.waits)
		}
	}
}

func hasFormat(c call) bool { return c.ResponseFormat != nil }
func hasMax(c call) bool    { return c.MaxTokens > 0 }

// TestChatChangesNoParameterInVain has an endpoint that names parameters in
// every refusal.
func TestChatChangesNoParameterInVain(t *testing.T) {
	t.Parallel()
	f := newFake(t, status(400, "response_format, max_tokens and max_completion_tokens are not supported"))
	p := ask("x")
	p.JSON, p.MaxTokens = true, 90
	if _, err := newChat(t, f.chatConfig()).Chat(t.Context(), p); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("Chat() = %v, want ErrUnavailable", err)
	}
	if n := len(f.asked()); n != 3 {
		t.Errorf("%d requests, want 3: as asked, without the format, with the other name", n)
	}
}

func TestChatErrorsAndLogsHoldNoSecrets(t *testing.T) {
	t.Parallel()
	const key, system, private = "sk-hush-0123456789", "be kind to everyone who asks", "my private text about the harbour in winter"
	for name, reply := range map[string]answer{
		"key repeated": func(w http.ResponseWriter, c call, _ int) {
			refuse(w, 401, "wrong key "+strings.TrimPrefix(c.Header.Get("Authorization"), "Bearer "))
		},
		"prompt repeated":     func(w http.ResponseWriter, c call, _ int) { refuse(w, 400, "bad content: "+c.Messages[1].Content) },
		"part of it repeated": func(w http.ResponseWriter, c call, _ int) { refuse(w, 400, "bad: "+c.Messages[1].Content[3:36]+"…") },
		"system repeated":     func(w http.ResponseWriter, c call, _ int) { refuse(w, 400, "bad: "+c.Messages[0].Content) },
		"too long, repeated": func(w http.ResponseWriter, c call, _ int) {
			refuse(w, 400, "prompt is too long: "+c.Messages[1].Content)
		},
		"repeated with 200": func(w http.ResponseWriter, c call, _ int) {
			fmt.Fprintf(w, `{"error":{"message":%q}}`, c.Messages[1].Content)
		},
		"repeated in a refusal": func(w http.ResponseWriter, c call, _ int) {
			fmt.Fprintf(w, `{"choices":[{"message":{"refusal":%q}}]}`, c.Messages[1].Content)
		},
		"repeated in a page":      func(w http.ResponseWriter, c call, _ int) { fmt.Fprintf(w, "<p>%v", c.Messages) },
		"repeated in a cut":       func(w http.ResponseWriter, c call, _ int) { fmt.Fprint(w, completed(c.Messages[1].Content, "length")) },
		"repeated as the reason":  func(w http.ResponseWriter, c call, _ int) { fmt.Fprint(w, completed("", c.Messages[1].Content)) },
		"no reply":                func(http.ResponseWriter, call, int) { panic(http.ErrAbortHandler) },
		"busy, with the key":      func(w http.ResponseWriter, _ call, _ int) { refuse(w, 503, "busy "+key) },
		"parameter, with the key": func(w http.ResponseWriter, _ call, _ int) { refuse(w, 400, "response_format? "+key) },
	} {
		f := newFake(t, reply)
		var log bytes.Buffer
		c := f.chatConfig()
		c.BaseURL = strings.Replace(c.BaseURL, "://", "://me:hush@", 1)
		c.APIKey, c.Log = key, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		clock := newClock()
		c.Now, c.Sleep = clock.Now, clock.Sleep
		p := ask(private)
		p.System, p.JSON = system, true
		_, err := newChat(t, c).Chat(t.Context(), p)
		if err == nil {
			t.Errorf("%s: Chat succeeded, want an error", name)
			continue
		}
		for _, secret := range []string{key, private, private[3:36], system, "hush", strings.TrimPrefix(f.URL, "http://")} {
			if strings.Contains(err.Error()+log.String(), secret) {
				t.Errorf("%s: error %q, log %q: hold %q", name, err, log.String(), secret)
			}
		}
	}
}

// TestChatEndsWithItsContext cancels a call while the endpoint works on it, and
// wants the endpoint to see that.
func TestChatEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	noticed := make(chan time.Duration, 1)
	f := newFake(t, func(_ http.ResponseWriter, c call, _ int) {
		start := time.Now()
		cancel()
		<-c.Context.Done()
		noticed <- time.Since(start)
	})
	start := time.Now()
	if _, err := newChat(t, f.chatConfig()).Chat(ctx, ask("a")); err != context.Canceled {
		t.Errorf("Chat with a cancelled context = %v, want %v as it is", err, context.Canceled)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("Chat took %v, want it to end at once", took)
	}
	if took := <-noticed; took > 2*time.Second {
		t.Errorf("the endpoint saw the end after %v, want at once", took)
	}
	if n := len(f.asked()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// virtualChat is a chat whose endpoint answers in virtual time.
func virtualChat(t *testing.T, answer tripper) *openai.Chat {
	t.Helper()
	return newChat(t, openai.ChatConfig{
		BaseURL: "http://endpoint.invalid/v1", Model: "m", HTTPClient: &http.Client{Transport: answer},
	})
}

func TestChatWaitsNoLongerThanConfigured(t *testing.T) {
	t.Parallel()
	hangs := func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	busy := func(r *http.Request) (*http.Response, error) { return reply(r, 503, "{}", nil), nil }
	for _, test := range []struct {
		name      string
		answer    tripper
		low, high time.Duration
	}{
		{"hangs", hangs, 2 * time.Minute, 2 * time.Minute},
		{"is busy", busy, 15 * time.Second, 30 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			_, err := virtualChat(t, test.answer).Chat(t.Context(), ask("a"))
			var retry *memory.RetryError
			if !errors.As(err, &retry) || retry.Never || !errors.Is(err, memory.ErrUnavailable) {
				t.Errorf("%s: Chat = %v, want a RetryError with ErrUnavailable", test.name, err)
			}
			if took := time.Since(start); took < test.low || took > test.high {
				t.Errorf("%s: Chat took %v, want %v to %v", test.name, took, test.low, test.high)
			}
		})
	}
}

// TestChatGivesASlowAnswerItsTime has an endpoint that is busy at first and then
// takes longer than there is patience with failures.
func TestChatGivesASlowAnswerItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := 0
		chat := virtualChat(t, func(r *http.Request) (*http.Response, error) {
			if n++; n <= 2 {
				return reply(r, 503, "{}", nil), nil
			}
			select {
			case <-time.After(100 * time.Second):
				return reply(r, 200, completed("at last", "stop"), nil), nil
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		})
		if reply, err := chat.Chat(t.Context(), ask("a")); err != nil || reply.Text != "at last" {
			t.Errorf("Chat() = %+v, %v, want the answer", reply, err)
		}
	})
}

func TestChatEndsWhileItWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		chat := virtualChat(t, func(r *http.Request) (*http.Response, error) {
			time.AfterFunc(time.Second, cancel)
			return reply(r, 429, "{}", http.Header{"Retry-After": {"20"}}), nil
		})
		start := time.Now()
		if _, err := chat.Chat(ctx, ask("a")); err != context.Canceled {
			t.Errorf("Chat = %v, want %v", err, context.Canceled)
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("Chat took %v, want 1s", took)
		}
	})
}
