package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mcp-memory/memory"
	"mcp-memory/memory/limits"
	"mcp-memory/memory/openai"
)

func TestChatRemovesThoughts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ content, want string }{
		{"  plain\n", "plain"},
		{"<think>\nuser likes {cats}\n</think>\n{\"a\": 1}", `{"a": 1}`},
		{"<think></think>\n\nhello", "hello"},
		{"<thinking>hm</thinking>hello", "hello"},
		{"<THINK>hm</Think> hello", "hello"},
		{"<think>a</think><think>b</think>hello", "hello"},
		{"<think>a <think> b</think> c</think>hello", "hello"},
		{"Sure.\n<think>a\nb</think>\nhello", "Sure.\n\nhello"},
		{"hello\n<think>and then it stops", "hello"},
		{"the user likes {cats}\n</think>\n{\"a\": 1}", `{"a": 1}`},
		{"{cats} are liked\n</think>\n{\"a\": 1}", `{"a": 1}`},
		{"so I say:</think>hello", "hello"},
		{"so I <think>wonder\nand say:</think>hello", "hello"},
		// Tags that are spoken of stay.
		{`{"a": "Do: strip <think> and </think> tags"}`, `{"a": "Do: strip <think> and </think> tags"}`},
		{`{"a": "close with </think>, always"}`, `{"a": "close with </think>, always"}`},
		{"```json\n{\"a\": \"one </think> two\"}\n```", "```json\n{\"a\": \"one </think> two\"}\n```"},
		{"- strip <think>…</think> blocks\n- done", "- strip <think>…</think> blocks\n- done"},
		{"- what comes before `</think>` goes\n- done", "- what comes before `</think>` goes\n- done"},
		{"- open with <think>\n- done", "- open with <think>\n- done"},
		{"<think>I must mention </think>\nDo: strip `<think>` tags", "Do: strip `<think>` tags"},
	} {
		f := newFake(t, says(test.content))
		if reply, err := newChat(t, f.chatConfig()).Chat(t.Context(), ask("a")); err != nil || reply.Text != test.want {
			t.Errorf("Chat() of %q = %q, %v, want %q", test.content, reply.Text, err, test.want)
		}
	}
}

// TestChatReadsOddReplies has answers in forms that some servers give.
func TestChatReadsOddReplies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, body string
		want       memory.Reply
	}{
		{"no usage", `{"choices":[{"message":{"content":"hello"}}]}`,
			memory.Reply{Text: "hello", Usage: memory.Usage{Requests: 1, Input: 9, Output: 2}}},
		{"usage is null", `{"usage":null,"choices":[{"message":{"content":"日本語 ok"},"finish_reason":null}]}`,
			memory.Reply{Text: "日本語 ok", Usage: memory.Usage{Requests: 1, Input: 9, Output: 4}}},
		{"usage of another kind", `{"usage":"free","choices":[{"message":{"content":"hello"}}]}`,
			memory.Reply{Text: "hello", Usage: memory.Usage{Requests: 1, Input: 9, Output: 2}}},
		{"half a usage", `{"usage":{"prompt_tokens":0,"completion_tokens":5},"choices":[{"message":{"content":"hello"}}]}`,
			memory.Reply{Text: "hello", Usage: memory.Usage{Requests: 1, Input: 9, Output: 5}}},
		{"usage makes no sense", `{"usage":{"prompt_tokens":-4,"completion_tokens":1e300},"choices":[{"message":{"content":"hello"}}]}`,
			memory.Reply{Text: "hello", Usage: memory.Usage{Requests: 1, Input: 9, Output: 2}}},
		{"usage as floats", `{"usage":{"prompt_tokens":4.0,"completion_tokens":3.0},"choices":[{"message":{"content":"hello"}}]}`,
			memory.Reply{Text: "hello", Usage: memory.Usage{Requests: 1, Input: 4, Output: 3}}},
		{"reasoning apart", `{"choices":[{"message":{"reasoning_content":"hm","reasoning":"hm","content":"hello","refusal":null},"finish_reason":"stop"}],"error":null}`,
			memory.Reply{Text: "hello", Usage: memory.Usage{Requests: 1, Input: 9, Output: 2}}},
		{"in parts", `{"choices":[{"message":{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"hel"},{"type":"text","text":"lo"}]}}]}`,
			memory.Reply{Text: "hello", Usage: memory.Usage{Requests: 1, Input: 9, Output: 2}}},
		{"two choices", `{"choices":[{"message":{"content":"hello"}},{"message":{"content":"bye"}}]}`,
			memory.Reply{Text: "hello", Usage: memory.Usage{Requests: 1, Input: 9, Output: 2}}},
	} {
		f := newFake(t, func(w http.ResponseWriter, _ call, _ int) {
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, test.body)
		})
		p := ask("日本語の文章 and more") // 6 wide characters and 9 others
		if reply, err := newChat(t, f.chatConfig()).Chat(t.Context(), p); err != nil || reply != test.want {
			t.Errorf("%s: Chat() = %+v, %v, want %+v", test.name, reply, err, test.want)
		}
	}
}

// TestChatRefusesUselessAnswers wants a reason, no text, the usage, and no
// second request for what has been paid.
func TestChatRefusesUselessAnswers(t *testing.T) {
	t.Parallel()
	const usage = `"usage":{"prompt_tokens":11,"completion_tokens":7}`
	for _, test := range []struct{ name, body, reason string }{
		{"cut", completed(`{"key_decisions":["Do: keep`, "length"), "cut after 7 tokens"},
		{"cut, empty", completed("", "length"), "cut after 7 tokens"},
		{"cut, in capitals", completed("half", "MAX_TOKENS"), "cut after 7 tokens"},
		{"filtered", completed("", "content_filter"), "filter"},
		{"filtered after a while", completed("So far", "content_filter"), "filter"},
		{"refused", `{"choices":[{"message":{"content":null,"refusal":"I cannot"},"finish_reason":"stop"}],` + usage + `}`, "refused"},
		{"empty", completed("", "stop"), "empty"},
		{"blank", completed(" \n ", "stop"), "empty"},
		{"null", `{"choices":[{"message":{"content":null}}],` + usage + `}`, "empty"},
		{"no message", `{"choices":[{}],` + usage + `}`, "empty"},
		{"a tool call", `{"choices":[{"message":{"content":null,"tool_calls":[{"id":"c"}]},"finish_reason":"tool_calls"}],` + usage + `}`, "empty"},
		{"thoughts alone", completed("<think>hm</think>\n", "stop"), "thoughts"},
		{"thoughts without end", completed("<think>hm", "stop"), "thoughts"},
	} {
		f := newFake(t, body(test.body))
		reply, err := newChat(t, f.chatConfig()).Chat(t.Context(), ask("a"))
		var public *memory.PublicError
		var retry *memory.RetryError
		if !errors.Is(err, memory.ErrUnavailable) || !errors.As(err, &public) || errors.As(err, &retry) || !strings.Contains(err.Error(), test.reason) {
			t.Errorf("%s: Chat() = %v, want a PublicError, ErrUnavailable and no RetryError, that says %q", test.name, err, test.reason)
		}
		if want := (memory.Reply{Usage: memory.Usage{Requests: 1, Input: 11, Output: 7}}); reply != want {
			t.Errorf("%s: Chat() = %+v, want %+v", test.name, reply, want)
		}
		if n := len(f.asked()); n != 1 {
			t.Errorf("%s: %d requests, want 1", test.name, n)
		}
	}
}

// TestChatAsksAgain counts the requests and waits of endpoints that recover.
func TestChatAsksAgain(t *testing.T) {
	t.Parallel()
	now := newClock().now
	later := func(value string) answer {
		return func(w http.ResponseWriter, _ call, _ int) {
			w.Header().Set("Retry-After", value)
			refuse(w, 429, "slow down")
		}
	}
	const half, one = 500 * time.Millisecond, time.Second
	for _, test := range []struct {
		name      string
		bad       answer
		times     int
		low, high time.Duration // of all waits
	}{
		{"Retry-After in seconds", later("7"), 2, 14 * one, 14 * one},
		{"Retry-After as a date", later(now.Add(9 * one).Format(http.TimeFormat)), 1, 9 * one, 9 * one},
		{"Retry-After of a moment", later("0.000001"), 2, half/2 + half, half + one},
		{"429", status(429, "later"), 2, half/2 + half, half + one},
		{"500", status(500, "oops"), 3, half/2 + half + one, half + one + 2*one},
		{"502", status(502, "later"), 1, half / 2, half},
		{"503 that speaks of the context", status(503, "maximum context length is 4096 tokens"), 1, half / 2, half},
		{"529", status(529, "overloaded"), 1, half / 2, half},
		{"a rate in tokens", status(429, "Request too large on tokens per min (TPM): Limit 30000, Requested 342389"), 1, half / 2, half},
		{"a rate in tokens, as 413", status(413, "Request too large on tokens per minute (TPM): Limit 6000"), 1, half / 2, half},
		{"a rate in tokens, as 400", status(400, "Rate limit reached: limit 40000 tokens per min"), 1, half / 2, half},
		{"connection cut", func(http.ResponseWriter, call, int) { panic(http.ErrAbortHandler) }, 2, half/2 + half, half + one},
		{"a page", body("<html>one moment"), 1, half / 2, half},
		{"an error with 200", body(`{"error":{"message":"internal","type":"x"}}`), 1, half / 2, half},
		{"a busy server with 200", body(`{"error":{"message":"Provider returned error","code":429}}`), 2, half/2 + half, half + one},
		{"a rate with 200", body(`{"error":{"message":"rate limit"}}`), 2, half/2 + half, half + one},
		{"an error in the choice", body(`{"choices":[{"finish_reason":"error","error":{"code":502,"message":"upstream"},"message":{"content":"ha"}}]}`), 2, half/2 + half, half + one},
		{"no choices", body(`{"choices":[]}`), 1, half / 2, half},
	} {
		f := newFake(t, func(w http.ResponseWriter, c call, n int) {
			if n <= test.times {
				test.bad(w, c, n)
			} else {
				says("good")(w, c, n)
			}
		})
		clock, c := newClock(), f.chatConfig()
		c.Now, c.Sleep = clock.Now, clock.Sleep
		reply, err := newChat(t, c).Chat(t.Context(), ask("a"))
		if err != nil || reply.Text != "good" {
			t.Errorf("%s: Chat() = %+v, %v, want good", test.name, reply, err)
		}
		if n := len(f.asked()); n != test.times+1 {
			t.Errorf("%s: %d requests, want %d", test.name, n, test.times+1)
		}
		if waited := clock.Now().Sub(now); waited < test.low || waited > test.high {
			t.Errorf("%s: waited %v, want %v to %v", test.name, waited, test.low, test.high)
		}
	}
}

// TestChatGivesUp counts the requests of endpoints that do not recover.
func TestChatGivesUp(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		reply     answer
		low, high int // requests
		never     bool
		after     time.Duration
		reason    string
	}{
		{"400", status(400, "no such voice"), 1, 1, false, 0, "HTTP 400: no such voice"},
		{"an output limit", status(400, "max_tokens is too large: 100000. This model supports at most 16384 completion tokens"), 1, 1, false, 0, "16384"},
		{"401", status(401, "no"), 1, 1, true, 0, "HTTP 401: no"},
		{"402", status(402, "no"), 1, 1, true, 0, "402"},
		{"403", status(403, "no"), 1, 1, true, 0, "403"},
		{"404", status(404, "model not found"), 1, 1, true, 0, "model not found"},
		{"no quota", func(w http.ResponseWriter, _ call, _ int) {
			w.WriteHeader(429)
			io.WriteString(w, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`)
		}, 1, 1, true, 0, "quota"},
		{"429 for an hour", func(w http.ResponseWriter, _ call, _ int) {
			w.Header().Set("Retry-After", "3600")
			refuse(w, 429, "slow down")
		}, 1, 1, false, time.Hour, "slow down"},
		{"503", status(503, "busy"), 6, 11, false, 0, "busy"},
		{"500", status(500, "oops"), 6, 11, false, 0, "oops"},
		{"a page", body("<html>log in"), 2, 2, false, 0, "not the JSON"},
		{"an error with 200", body(`{"error":"it broke"}`), 2, 2, false, 0, "it broke"},
		{"an error without words", body(`{"error":{}}`), 2, 2, false, 0, "without words"},
		{"an account with 200", body(`{"error":{"code":402,"message":"no credits"}}`), 1, 1, true, 0, "no credits"},
		{"MiniMax with 200", body(`{"choices":null,"base_resp":{"status_code":1004,"status_msg":"login fail"}}`), 2, 2, false, 0, "login fail"},
		{"behind a router", status(400, "Provider returned error"), 1, 1, false, 0, "Provider returned error"},
		{"no choices", body(`{"choices":[]}`), 2, 2, false, 0, "no answer"},
		{"a list", body(`[]`), 2, 2, false, 0, "not the JSON"},
		{"nothing", body(``), 2, 2, false, 0, ""},
	} {
		f := newFake(t, test.reply)
		clock, c := newClock(), f.chatConfig()
		c.Now, c.Sleep = clock.Now, clock.Sleep
		reply, err := newChat(t, c).Chat(t.Context(), ask("a"))
		var retry *memory.RetryError
		var public *memory.PublicError
		if !errors.As(err, &retry) || !errors.As(err, &public) || !errors.Is(err, memory.ErrUnavailable) || errors.Is(err, memory.ErrTooLong) {
			t.Errorf("%s: Chat() = %v, want a public RetryError with ErrUnavailable", test.name, err)
			continue
		}
		if retry.Never != test.never || retry.After != test.after || !strings.Contains(err.Error(), test.reason) {
			t.Errorf("%s: Chat() = %v, Never %v, After %v; want %q, %v, %v", test.name, err, retry.Never, retry.After, test.reason, test.never, test.after)
		}
		if n := len(f.asked()); n < test.low || n > test.high {
			t.Errorf("%s: %d requests, want %d to %d", test.name, n, test.low, test.high)
		}
		if waited := clock.Now().Sub(newClock().now); waited > 30*time.Second {
			t.Errorf("%s: waited %v, want at most 30s", test.name, waited)
		}
		if reply != (memory.Reply{}) {
			t.Errorf("%s: Chat() = %+v, want nothing", test.name, reply)
		}
	}
}

// TestChatTellsWhatIsTooLong has context errors as they arrive; package limits
// knows the words of more vendors.
func TestChatTellsWhatIsTooLong(t *testing.T) {
	t.Parallel()
	quoted := func(text string) string {
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatalf("Marshal(%q): %v", text, err)
		}
		return string(raw)
	}
	const anthropic = "prompt is too long: 208310 tokens > 200000 maximum"
	for _, test := range []struct {
		name   string
		status int
		body   string
		limit  int
	}{
		{"OpenAI", 400, `{"error":{"message":"This model's maximum context length is 4097 tokens. However, your messages resulted in 192871 tokens.","code":"context_length_exceeded"}}`, 4097},
		{"Kimi", 400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)","type":"invalid_request_error"}}`, 262144},
		{"Anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":` + quoted(anthropic) + `}}`, 200000},
		{"Anthropic, bytes", 413, `{"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, 0},
		{"Ollama", 400, `{"error":"prompt too long; exceeded max context length by 512 tokens"}`, 0},
		{"Ollama, as 500", 500, `{"error":"the input length exceeds the context length"}`, 0},
		{"Gemini, a list", 400, `[{"error":{"code":400,"message":"The input token count (132478) exceeds the maximum number of tokens allowed (131072).","status":"INVALID_ARGUMENT"}}]`, 131072},
		{"plain text", 400, "Range of input length should be [1, 30720]", 0},
		{"a page", 413, "<html><h1>413 Request Entity Too Large</h1></html>", 0},
		{"OpenRouter", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"provider_name":"x","raw":` + quoted(`{"error":{"message":`+quoted(anthropic)+`}}`) + `}}}`, 200000},
		{"with 200", 200, `{"error":{"message":` + quoted(anthropic) + `,"code":400}}`, 200000},
		{"with 200 and no code", 200, `{"error":` + quoted(anthropic) + `}`, 200000},
		{"MiniMax", 200, `{"choices":null,"base_resp":{"status_code":2013,"status_msg":"invalid params, context window exceeds limit (2013)"}}`, 0},
		{"Z.ai", 200, completed("half of", "model_context_window_exceeded"), 0},
		{"names response_format", 400, `{"error":{"message":"maximum context length is 4096 tokens, response_format included"}}`, 4096},
	} {
		f := newFake(t, func(w http.ResponseWriter, _ call, _ int) {
			w.WriteHeader(test.status)
			io.WriteString(w, test.body)
		})
		p := ask("a")
		p.JSON = true
		_, err := newChat(t, f.chatConfig()).Chat(t.Context(), p)
		var retry *memory.RetryError
		if !errors.Is(err, memory.ErrTooLong) || errors.Is(err, memory.ErrUnavailable) || errors.As(err, &retry) {
			t.Errorf("%s: Chat() = %v, want ErrTooLong alone", test.name, err)
			continue
		}
		if limit, _ := limits.ContextError(err.Error()); limit != test.limit {
			t.Errorf("%s: the limit in %q is read as %d, want %d", test.name, err, limit, test.limit)
		}
		if n := len(f.asked()); n != 1 {
			t.Errorf("%s: %d requests, want 1", test.name, n)
		}
	}
}

func TestChatReadsNoEndlessReply(t *testing.T) {
	t.Parallel()
	chat := newChat(t, openai.ChatConfig{
		BaseURL: "http://endpoint.invalid/v1", Model: "m", Sleep: noWait,
		HTTPClient: &http.Client{Transport: tripper(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(endless{}), Request: r}, nil
		})},
	})
	_, err := chat.Chat(t.Context(), ask("a"))
	var retry *memory.RetryError
	if !errors.As(err, &retry) {
		t.Errorf("Chat() = %v, want a RetryError", err)
	}
}

// FuzzAnswer lets an endpoint answer anything.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{
		completed("<think>hm</think>hello", "stop"), completed("hm</think>\nhello", "length"), completed("", "content_filter"),
		`{"choices":[{"message":{"content":[{"type":"text","text":"a"}],"refusal":7}}],"usage":{"prompt_tokens":1e99}}`,
		`{"error":{"message":"maximum context length is 8000 tokens","code":400}}`, `{"error":{"metadata":{"raw":"{}"}}}`,
		`{"error":"response_format"}`, `{"error":"use max_completion_tokens"}`, `{"choices":[{"error":{"code":"x"}}]}`,
		`{"base_resp":{"status_msg":"x"}}`, `{"detail":[{"msg":"x"}]}`, `<html>`, `null`, ``,
	} {
		for _, status := range []int{200, 400, 413, 429, 500} {
			f.Add(status, body, "1")
		}
	}
	f.Fuzz(func(t *testing.T, status int, body, after string) {
		if status < 200 || status > 599 {
			t.Skip("no status of HTTP")
		}
		clock := newClock()
		chat := newChat(t, openai.ChatConfig{
			BaseURL: "http://endpoint.invalid/v1", Model: "m", Now: clock.Now, Sleep: clock.Sleep,
			HTTPClient: &http.Client{Transport: tripper(func(r *http.Request) (*http.Response, error) {
				return reply(r, status, body, http.Header{"Retry-After": {after}}), nil
			})},
		})
		p := ask("a question")
		p.JSON, p.MaxTokens = true, 9
		got, err := chat.Chat(t.Context(), p)
		switch {
		case err == nil && (strings.TrimSpace(got.Text) == "" || got.Text != strings.TrimSpace(got.Text)):
			t.Errorf("Chat() of %d %q = %q, want a text, trimmed", status, body, got.Text)
		case err != nil && (got.Text != "" || !errors.Is(err, memory.ErrUnavailable) && !errors.Is(err, memory.ErrTooLong)):
			t.Errorf("Chat() of %d %q = %+v, %v, want ErrUnavailable or ErrTooLong and no text", status, body, got, err)
		case err != nil && !utf8.ValidString(err.Error()):
			t.Errorf("error %q is not UTF-8", err)
		}
		if u := got.Usage; u.Requests < 0 || u.Input < 0 || u.Output < 0 || err == nil && u.Requests != 1 {
			t.Errorf("Chat() of %d %q costs %s", status, body, fmt.Sprintf("%+v", u))
		}
	})
}
