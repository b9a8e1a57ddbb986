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

// openAIEmbedder is the model when an endpoint is asked for without saying which.
const openAIEmbedder = "text-embedding-3-small"

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
		s.EmbedBaseURL, s.keys.embed = env.endpoint(s.EmbedBaseURL, "MCP_MEMORY_EMBED_API_KEY")
		s.EmbedModel = first(s.EmbedModel, openAIEmbedder)
	}
	return nil
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
func source(db *sqlite.DB, e memory.Embedder, local *embed.Local) index.Source {
	if e == nil {
		return local
	}
	return embed.NewFixed(db, e, local)
}
