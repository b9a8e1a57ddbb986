package openai

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"

	openaigo "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"mcp-memory/memory"
)

// maxAnswer is how many bytes of a reply are read, thoughts and all.
const maxAnswer = 16 << 20

// How endpoints say that they do not know a parameter. OpenAI and DashScope want
// the word JSON in the prompt, which says nothing about the next one.
var (
	formatWords = regexp.MustCompile(`(?i)response[_ ]?format|json_object|json[_ ]mode`)
	jsonWords   = regexp.MustCompile(`(?i)(contain|include)\S*.{0,20}\bjson\b`)
	tokensWords = regexp.MustCompile(`(?i)\bmax_completion_tokens|(unsupported|unknown|unrecognized|not supported|deprecated).{0,60}\bmax_tokens` +
		`|\bmax_tokens.{0,60}(unsupported|not supported|unrecognized|deprecated)`)
)

// manner is which optional parameters go with a request.
type manner struct {
	format    bool // response_format json_object
	newTokens bool // max_completion_tokens for max_tokens
}

// complete asks the model once. When the endpoint refuses a parameter, it asks
// without that; no parameter is given up twice.
func (c *Chat) complete(ctx context.Context, p memory.Prompt) (memory.Reply, error) {
	m := manner{format: p.JSON && !c.noFormat.Load(), newTokens: c.newTokens.Load()}
	for {
		body, err := c.ask(ctx, p, m)
		if err == nil {
			return c.read(body, p)
		}
		var f *failure
		if !errors.As(err, &f) || !c.adapt(f, p, &m) {
			return memory.Reply{}, err
		}
	}
}

// adapt changes the manner as a refusal demands, and remembers it; false when
// there is nothing to change.
func (c *Chat) adapt(f *failure, p memory.Prompt, m *manner) bool {
	if f.kind == transient || f.kind == final || f.kind == tooLong {
		return false
	}
	switch {
	case m.format && formatWords.MatchString(f.heard):
		m.format = false
		if !jsonWords.MatchString(f.heard) {
			c.noFormat.Store(true)
			c.log.Info("the chat endpoint is asked without response_format, which it refuses", "model", c.c.Model)
		}
		return true
	case !m.newTokens && p.MaxTokens > 0 && tokensWords.MatchString(f.heard):
		m.newTokens = true
		c.newTokens.Store(true)
		c.log.Info("the chat endpoint is sent max_completion_tokens, as it wishes", "model", c.c.Model)
		return true
	}
	return false
}

// ask sends one request and returns the body of the reply. The error is a
// *failure, or that of a ctx that ended.
func (c *Chat) ask(ctx context.Context, p memory.Prompt, m manner) ([]byte, error) {
	params := openaigo.ChatCompletionNewParams{Model: c.c.Model, Messages: messages(p)}
	if m.format {
		params.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	}
	switch {
	case p.MaxTokens <= 0:
	case m.newTokens:
		params.MaxCompletionTokens = param.NewOpt(int64(p.MaxTokens))
	default:
		params.MaxTokens = param.NewOpt(int64(p.MaxTokens))
	}
	return c.exchange(ctx, c.c.Timeout, maxAnswer, func(ctx context.Context, options ...option.RequestOption) error {
		_, err := c.service.New(ctx, params, options...)
		return err
	})
}

// messages is a prompt as the API takes it.
func messages(p memory.Prompt) []openaigo.ChatCompletionMessageParamUnion {
	var list []openaigo.ChatCompletionMessageParamUnion
	if p.System != "" {
		list = append(list, openaigo.SystemMessage(p.System))
	}
	for _, t := range p.Turns {
		if t.Role == memory.RoleAssistant {
			list = append(list, openaigo.AssistantMessage(t.Content))
		} else {
			list = append(list, openaigo.UserMessage(t.Content))
		}
	}
	return list
}

// reported is an error that came with status 200. Some routers put the status
// into the error.
func (c *Chat) reported(body []byte, code int) *failure {
	said := message(body)
	f := &failure{kind: spoilt, said: c.presentable(said), heard: said}
	switch {
	case code >= http.StatusBadRequest && code < 600:
		f.kind, f.status = c.classify(code, said), code
	case rateWords.MatchString(said):
		f.kind = transient
	case c.tooLong(said):
		f.kind = tooLong
	}
	if f.said == "" {
		f.said = "the reply is an error without words"
	}
	return f
}

// echo is how many bytes an endpoint may repeat of a prompt by chance.
const echo = 24

// withoutPrompt is what an endpoint said, but nothing when it repeats a part of
// the prompt.
func withoutPrompt(said string, p memory.Prompt) string {
	const withheld = "what it said repeats the prompt and is not shown"
	texts := []string{p.System}
	for _, t := range p.Turns {
		texts = append(texts, t.Content)
	}
	for _, text := range texts {
		text = strings.Join(strings.Fields(text), " ")
		if len(text) >= echo/3 && strings.Contains(said, text) {
			return withheld
		}
		for i := 0; i+echo <= len(said); i++ {
			if strings.Contains(text, said[i:i+echo]) {
				return withheld
			}
		}
	}
	return said
}
