package main

import (
	"errors"
	"fmt"
	"log/slog"

	"mcp-memory/memory"
	"mcp-memory/memory/embed"
	"mcp-memory/memory/embed/static"
	"mcp-memory/memory/index"
	"mcp-memory/memory/openai"
	"mcp-memory/memory/sqlite"
)

// What is taken when an endpoint is asked for without saying which.
const (
	openAIBase     = "https://api.openai.com/v1"
	openAIEmbedder = "text-embedding-3-small"
)

// keys are the secrets. They are never flags, which other users can read in the
// list of processes.
type keys struct{ embed string }

// checkEmbedder fills in what an endpoint needs, and refuses what cannot work.
// Without an endpoint's being asked for, none of its variables is looked at.
func (s *settings) checkEmbedder(env environment) (err error) {
	switch {
	case s.EmbedDimensions < 0 || s.EmbedDimensions > memory.MaxDimensions:
		return fmt.Errorf("--embed-dimensions must be 1 to %d, got %d", memory.MaxDimensions, s.EmbedDimensions)
	case s.EmbedBatch < 0:
		return fmt.Errorf("--embed-batch must be 1 or more, got %d", s.EmbedBatch)
	case s.Embedder == "static" && s.StaticDir == "":
		return errors.New("--embedder static needs --static-dir: a folder that model2vec has written")
	case s.Embedder == "static":
		if s.StaticDir, err = env.expand(s.StaticDir); err != nil {
			return fmt.Errorf("--static-dir: %w", err)
		}
	case s.Embedder == "openai":
		s.EmbedBaseURL = first(s.EmbedBaseURL, env["OPENAI_BASE_URL"], openAIBase)
		s.EmbedModel = first(s.EmbedModel, openAIEmbedder)
		s.keys.embed = first(env["MCP_MEMORY_EMBED_API_KEY"], env["OPENAI_API_KEY"])
	}
	return nil
}

// first is the first of the texts that is not empty.
func first(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// embedder is what makes the vectors, nil for the local model, which needs the
// database. Nothing is asked of an endpoint yet: what is wrong here is wrong with
// the settings.
func (s *settings) embedder(log *slog.Logger) (memory.Embedder, error) {
	switch s.Embedder {
	case "openai":
		e, err := openai.NewEmbedder(openai.EmbedderConfig{
			BaseURL: s.EmbedBaseURL, APIKey: s.keys.embed, Model: s.EmbedModel,
			Dimensions: s.EmbedDimensions, Batch: s.EmbedBatch, Log: log,
		})
		if err != nil {
			return nil, usagef("--embedder openai: %w", err)
		}
		return e, nil
	case "static":
		e, err := static.Open(s.StaticDir)
		if err != nil {
			return nil, usagef("--static-dir %s: %w", s.StaticDir, err)
		}
		return e, nil
	case "hashed":
		return embed.NewHashed(0), nil
	}
	return nil, nil
}

// source gives the loop its embedders; e is the one that is configured, nil = the
// local model.
func source(db *sqlite.DB, e memory.Embedder) index.Source {
	local := embed.NewLocal(db)
	if e == nil {
		return local
	}
	return embed.NewFixed(db, e, local)
}
