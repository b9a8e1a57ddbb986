// Package openai talks to endpoints that speak the OpenAI API: OpenAI itself,
// and the many that imitate it (Ollama, LM Studio, vLLM, DashScope and others).
//
// An Embedder gives texts their vectors. It sends nothing but what it was
// configured with: no variable of the environment is read, so that a key which
// lies there for another program sends no text anywhere. What an endpoint gets
// wrong costs the texts it concerns and no others: vectors go by their index,
// each is checked, and a text that spoils its batch is found and left out.
//
// Errors and log lines hold the status of a reply and what the endpoint said,
// never a key, a URL or a text.
package openai
