package main

import (
	"errors"
	"fmt"

	"mcp-memory/memory"
	"mcp-memory/memory/embed"
	"mcp-memory/memory/embed/static"
	"mcp-memory/memory/index"
	"mcp-memory/memory/openai"
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
	case s.EmbedDimensions < 0:
		return fmt.Errorf("--embed-dimensions must be 1 or more, got %d", s.EmbedDimensions)
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

// embedders gives what makes the vectors. Nothing is asked of an endpoint yet.
func (a *app) embedders(p *program) (index.Source, error) {
	local := embed.NewLocal(a.db)
	var e memory.Embedder
	var err error
	switch a.settings.Embedder {
	case "openai":
		e, err = openai.NewEmbedder(openai.EmbedderConfig{
			BaseURL: a.settings.EmbedBaseURL, APIKey: a.settings.keys.embed, Model: a.settings.EmbedModel,
			Dimensions: a.settings.EmbedDimensions, Batch: a.settings.EmbedBatch, Log: p.log,
		})
	case "static":
		e, err = static.Open(a.settings.StaticDir)
	case "hashed":
		e = embed.NewHashed(0)
	default:
		return local, nil
	}
	if err != nil {
		return nil, fmt.Errorf("--embedder %s: %w", a.settings.Embedder, err)
	}
	return embed.NewFixed(a.db, e, local), nil
}
