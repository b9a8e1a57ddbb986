package main

import (
	"errors"
	"fmt"
	"log/slog"

	"mcp-memory/memory"
	"mcp-memory/memory/jobs"
	"mcp-memory/memory/openai"
	"mcp-memory/memory/sqlite"
	"mcp-memory/memory/summary"
	"mcp-memory/memory/windows"
)

// keys are the secrets. They are never flags, which other users can read in the
// list of processes.
type keys struct{ embed, llm, decision string }

// openAIBase is the endpoint when one is asked for without saying which.
const openAIBase = "https://api.openai.com/v1"

// endpoint is the URL and the key of an endpoint. The key that lies in the
// environment for other programs goes only where their variables say.
func (env environment) endpoint(configured, keyVariable string) (base, key string) {
	if configured != "" {
		return configured, env[keyVariable]
	}
	return first(env["OPENAI_BASE_URL"], openAIBase), first(env[keyVariable], env["OPENAI_API_KEY"])
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

// checkModels fills in what the chat models need. Without a model's being named,
// none of its variables is looked at.
func (s *settings) checkModels(env environment) error {
	switch {
	case s.LLMBaseURL != "" && s.LLMModel == "" && s.DecisionModel == "":
		return errors.New("--llm-base-url needs --llm-model: the name of a model there")
	case s.DecisionBaseURL != "" && s.DecisionModel == "":
		return errors.New("--decision-base-url needs --decision-model: the name of a model there")
	case s.DailyTokens < 0:
		return fmt.Errorf("--daily-tokens must be 0 or more, got %d", s.DailyTokens)
	case s.SummaryRunes < summary.LeastRunes:
		return fmt.Errorf("--summary-runes must be %d or more, got %d", summary.LeastRunes, s.SummaryRunes)
	}
	if err := jobs.CheckSchedule(s.SummarySchedule); err != nil {
		return fmt.Errorf("--summary-schedule: %w", err)
	}
	if s.LLMModel == "" && s.DecisionModel == "" {
		return nil
	}
	configured := s.LLMBaseURL
	s.LLMBaseURL, s.keys.llm = env.endpoint(configured, "MCP_MEMORY_LLM_API_KEY")
	if s.DecisionBaseURL == "" {
		s.DecisionBaseURL, s.keys.decision = s.LLMBaseURL, first(env["MCP_MEMORY_DECISION_API_KEY"], s.keys.llm)
		return nil
	}
	s.keys.decision = env["MCP_MEMORY_DECISION_API_KEY"]
	return nil
}

// models are the chat models that are configured; nil = none is.
type models struct {
	main, decision memory.ChatModel
	reporters      []windows.Reporter // the endpoints, that say how large the windows of their models are
}

// models builds the chat models. Nothing is asked of an endpoint yet: what is wrong
// here is wrong with the settings.
func (s *settings) models(log *slog.Logger) (models, error) {
	var m models
	for _, one := range []struct {
		flag, base, name, key string
		model                 *memory.ChatModel
	}{
		{"llm", s.LLMBaseURL, s.LLMModel, s.keys.llm, &m.main},
		{"decision", s.DecisionBaseURL, s.DecisionModel, s.keys.decision, &m.decision},
	} {
		if one.name == "" {
			continue
		}
		chat, err := openai.NewChat(openai.ChatConfig{BaseURL: one.base, APIKey: one.key, Model: one.name, Log: log})
		if err != nil {
			return models{}, usagef("--%s-base-url: %w", one.flag, err)
		}
		*one.model = chat
		m.reporters = append(m.reporters, chat)
	}
	return m, nil
}

// metered books what the models cost in the database, and keeps the day's budget.
func (m models) metered(s *settings, db *sqlite.DB, log *slog.Logger) (models, error) {
	for _, model := range []*memory.ChatModel{&m.main, &m.decision} {
		if *model == nil {
			continue
		}
		meter, err := openai.NewMeter(openai.MeterConfig{Model: *model, Ledger: db, Daily: s.DailyTokens, Location: s.zone, Log: log})
		if err != nil {
			return models{}, fmt.Errorf("build the meter: %w", err)
		}
		*model = meter
	}
	return m, nil
}
