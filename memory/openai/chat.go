package openai

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	openaigo "github.com/openai/openai-go/v3"

	"mcp-memory/memory"
	"mcp-memory/memory/limits"
)

// ChatConfig configures a Chat.
type ChatConfig struct {
	BaseURL string        // required: where the API is, with its version: http://localhost:11434/v1
	APIKey  string        // sent as a bearer token; "" = no Authorization header
	Model   string        // required: the model's name, as the endpoint knows it
	Timeout time.Duration // of one request; 0 = 120 s
	MaxWait time.Duration // what a Chat may lose to failed requests and to the waits after them; 0 = 30 s

	Now        func() time.Time                           // nil = time.Now
	Sleep      func(context.Context, time.Duration) error // waits, or returns the error of a context that ended; nil = a timer
	Log        *slog.Logger                               // nil = discarded
	HTTPClient *http.Client                               // nil = one of its own
}

// Chat asks the model of an endpoint's /chat/completions. It is a
// memory.ChatModel. Temperature and effort are left to the endpoint.
type Chat struct {
	endpoint
	c       ChatConfig
	service openaigo.ChatCompletionService

	// What the endpoint has taught, for the life of the Chat.
	noFormat  atomic.Bool // it refuses response_format json_object
	newTokens atomic.Bool // it wants max_completion_tokens instead of max_tokens
}

// NewChat checks the configuration. It sends nothing.
func NewChat(c ChatConfig) (*Chat, error) {
	chat := &Chat{c: c, endpoint: endpoint{
		name: "chat endpoint", key: c.APIKey, tooLong: longForChat,
		now: c.Now, sleep: c.Sleep, log: c.Log, client: c.HTTPClient,
	}}
	if err := chat.connect(c.BaseURL, "/chat/completions"); err != nil {
		return nil, err
	}
	if c.Model == "" {
		return nil, memory.Invalidf("the chat endpoint needs the name of a model")
	}
	chat.c.Timeout = orDefault(c.Timeout, 120*time.Second)
	chat.c.MaxWait = orDefault(c.MaxWait, 30*time.Second)
	chat.service = openaigo.NewChatCompletionService(chat.options()...)
	return chat, nil
}

// longForChat says whether a refused prompt was too long.
func longForChat(said string) bool {
	_, is := limits.ContextError(said)
	return is
}

// Name is the name of the model.
func (c *Chat) Name() string { return c.c.Model }

// Chat asks the model.
//
// A prompt that is too long is ErrTooLong; the text of that error names the
// limit if the endpoint did. An endpoint that does not work is a RetryError with
// ErrUnavailable: Never for a key, an account, a right or a name that is wrong,
// After as the endpoint wished. An answer that is of no use (cut, empty,
// refused, nothing but thoughts) is ErrUnavailable, not a RetryError, and comes
// with the Usage that it cost.
//
// A busy or unreachable endpoint is asked again for up to MaxWait. The request
// ends with ctx, whose error is returned as it is.
func (c *Chat) Chat(ctx context.Context, p memory.Prompt) (memory.Reply, error) {
	if len(p.Turns) == 0 {
		return memory.Reply{}, memory.Invalidf("a prompt needs a message")
	}
	var reply memory.Reply
	lost := patience{most: c.c.MaxWait}
	err := c.persist(ctx, &lost, worthAnother, func() (err error) {
		reply, err = c.complete(ctx, p)
		return err
	})
	var f *failure
	if errors.As(err, &f) {
		err = c.failed(f, p)
	}
	return reply, err
}

// worthAnother says whether a prompt is sent again after failed try number n. A
// reply that cannot be read gets one more: it may have been paid for.
func worthAnother(f *failure, n int) bool {
	return f.kind == transient || f.kind == spoilt && (f.status >= http.StatusInternalServerError || n == 1)
}

// failed is the error of Chat that stands for f.
func (c *Chat) failed(f *failure, p memory.Prompt) error {
	shown := *f
	shown.said = withoutPrompt(f.said, p)
	if f.kind == tooLong {
		return fmt.Errorf("ask the chat model: %w: %s", memory.ErrTooLong, shown.Error())
	}
	return &memory.RetryError{
		Err:   memory.Unavailablef("the chat endpoint gave no answer: %s", shown.Error()),
		After: f.after,
		Never: f.kind == final,
	}
}
