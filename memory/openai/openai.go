// Package openai talks to endpoints that speak the OpenAI API: OpenAI itself,
// and the many that imitate it (Ollama, LM Studio, vLLM, DashScope and others).
//
// Its clients send nothing but what they were configured with: no variable of
// the environment is read, so that a key which lies there for another program
// sends no text anywhere.
//
// An Embedder gives texts their vectors. What an endpoint gets
// wrong costs the texts it concerns and no others: vectors go by their index,
// each is checked, and a text that spoils its batch is found and left out.
//
// A Chat gets answers to prompts. What an endpoint does not take (a format, the
// name of a parameter) is learnt from its refusals; a model's thoughts are not
// part of its answer, and an answer that is cut, empty or refused is an error. It
// also asks how large the context windows of the endpoint's models are. A
// Meter books in a Ledger what the answers cost, and keeps a daily budget.
//
// Errors and log lines hold the status of a reply and what the endpoint said,
// never a key, a URL, a text or a prompt.
package openai
