package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/openai"
)

// chatConfig is a chat's for the fake, without waits.
func (f *fake) chatConfig() openai.ChatConfig {
	return openai.ChatConfig{BaseURL: f.URL + "/v1", Model: "m", Sleep: noWait}
}

func newChat(t *testing.T, c openai.ChatConfig) *openai.Chat {
	t.Helper()
	chat, err := openai.NewChat(c)
	if err != nil {
		t.Fatalf("NewChat(%+v): %v", c, err)
	}
	return chat
}

// ask is a prompt of one message.
func ask(text string) memory.Prompt {
	return memory.Prompt{Purpose: "test", Turns: []memory.Turn{{Role: memory.RoleUser, Content: text}}}
}

// completed is the JSON of a reply. An empty finish reason is left out.
func completed(content, finish string) string {
	message := map[string]any{"role": "assistant", "content": content}
	choice := map[string]any{"index": 0, "message": message}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	raw, err := json.Marshal(map[string]any{
		"object": "chat.completion", "model": "m", "choices": []any{choice},
		"usage": map[string]int{"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
	})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// says answers every request with the same text.
func says(content string) answer { return body(completed(content, "stop")) }

// body answers every request with the same body.
func body(s string) answer {
	return func(w http.ResponseWriter, _ call, _ int) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, s)
	}
}

// status answers every request with an error.
func status(code int, message string) answer {
	return func(w http.ResponseWriter, _ call, _ int) { refuse(w, code, message) }
}

// parameters is what went with each request.
func (f *fake) parameters() string {
	var list []string
	for _, c := range f.asked() {
		s := ""
		if c.ResponseFormat != nil {
			s += c.ResponseFormat.Type + " "
		}
		if c.MaxTokens > 0 {
			s += fmt.Sprintf("max %d ", c.MaxTokens)
		}
		if c.MaxCompletionTokens > 0 {
			s += fmt.Sprintf("new max %d ", c.MaxCompletionTokens)
		}
		list = append(list, s)
	}
	return fmt.Sprintf("%q", list)
}
