package openai

import "mcp-memory/memory"

// ReadModels is readModels.
func ReadModels(body []byte) ([]memory.ModelWindow, error) { return readModels(body) }
