package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	openaigo "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"mcp-memory/memory"
)

const (
	maxModels    = 16 << 20         // bytes of a list of models; OpenRouter's takes about 1 MB
	modelsWithin = 15 * time.Second // for a list of models
	deepest      = 4                // levels at which a list may say how large a window is
)

// windowFields are the names under which endpoints give the context window of a
// model, in lower case: OpenRouter, Together, DeepInfra, Moonshot; vLLM and
// SGLang; Groq; Mistral and LM Studio; LM Studio for what is loaded; Anthropic;
// Gemini; GitHub Copilot; llama.cpp for what runs and what it was made for.
var windowFields = []string{
	"context_length", "max_model_len", "context_window", "max_context_length", "loaded_context_length",
	"max_input_tokens", "inputtokenlimit", "max_context_window_tokens", "n_ctx", "n_ctx_train",
}

// Windows asks the endpoint's /models how large the context windows of its models
// are. Where it says so in several ways the smallest counts; models of which it
// says nothing are left out, so that the list may be empty. The endpoint is asked
// once. An endpoint that does not answer is a RetryError with ErrUnavailable:
// Never when it has no such list or does not let us see it.
func (c *Chat) Windows(ctx context.Context) ([]memory.ModelWindow, error) {
	client := openaigo.Client{Options: c.options()}
	body, err := c.exchange(ctx, modelsWithin, maxModels, func(ctx context.Context, options ...option.RequestOption) error {
		return client.Get(ctx, "models", nil, nil, options...)
	})
	if err == nil {
		var list []memory.ModelWindow
		if list, err = readModels(body); err == nil {
			return list, nil
		}
	}
	var f *failure
	if errors.As(err, &f) {
		err = &memory.RetryError{
			Err:   fmt.Errorf("ask the %s for its models: %w", c.name, f),
			After: f.after,
			Never: f.kind == final || f.kind == refused,
		}
	}
	return nil, err
}

// readModels reads a list of models: {"data": […]}, {"models": […]} or […]. The
// error is a *failure.
func readModels(body []byte) ([]memory.ModelWindow, error) {
	var models []json.RawMessage
	if json.Unmarshal(body, &models) != nil {
		var reply struct {
			Data   []json.RawMessage `json:"data"`
			Models []json.RawMessage `json:"models"`
		}
		if json.Unmarshal(body, &reply) != nil {
			return nil, unreadable("the reply is not the JSON of a list of models")
		}
		models = append(reply.Data, reply.Models...)
	}
	var list []memory.ModelWindow
	for _, raw := range models {
		if m, ok := readModel(raw); ok {
			list = append(list, m)
		}
	}
	return list, nil
}

// readModel reads one of the list; false when it has no name or no window.
func readModel(raw json.RawMessage) (memory.ModelWindow, bool) {
	var fields map[string]any
	if json.Unmarshal(raw, &fields) != nil {
		return memory.ModelWindow{}, false
	}
	m := memory.ModelWindow{Tokens: smallestWindow(fields, deepest)}
	for _, key := range []string{"id", "name", "model", "key"} {
		if name, ok := fields[key].(string); ok && strings.TrimSpace(name) != "" {
			m.Model = name
			break
		}
	}
	return m, m.Model != "" && m.Tokens > 0
}

// smallestWindow looks through a model's fields, and so many levels deep through
// the objects in them; 0 = nothing is said.
func smallestWindow(fields map[string]any, levels int) int {
	least := 0
	for key, value := range fields {
		n := 0
		if inner, ok := value.(map[string]any); ok && levels > 1 {
			n = smallestWindow(inner, levels-1)
		} else if isWindowField(key) {
			n = tokens(value)
		}
		if n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

func isWindowField(key string) bool {
	for _, field := range windowFields {
		if strings.EqualFold(key, field) {
			return true
		}
	}
	return false
}

// tokens reads a number or the text of one; 0 = no context window.
func tokens(value any) int {
	var n float64
	switch v := value.(type) {
	case float64:
		n = v
	case string:
		n, _ = strconv.ParseFloat(strings.TrimSpace(v), 64) // 0 when it is no number
	}
	if n >= memory.MinWindow && n <= memory.MaxWindow {
		return int(n)
	}
	return 0
}
