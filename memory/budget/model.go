package budget

import (
	"context"
	"fmt"
	"strings"

	"mcp-memory/memory"
	"mcp-memory/prompts"
)

// How much of a step a model is shown, in characters, and of all of them, in bytes.
const (
	shownArguments = 400
	shownResult    = 2_000
	shownSteps     = 24_000
	shownQuery     = 2_000
)

// leastText is the smallest room, in tokens, that a model is asked to fill.
const leastText = 64

// ModelSummariser is a Summariser that asks a model. It fails for more steps than
// one request holds.
func ModelSummariser(model memory.ChatModel) Summariser {
	return func(ctx context.Context, steps []Step, maxTokens int) (string, error) {
		lines, whole := stepLines(steps, shownResult)
		if !whole || maxTokens < leastText {
			return "", fmt.Errorf("%d steps do not fit one request for %d tokens", len(steps), maxTokens)
		}
		reply, err := model.Chat(ctx, memory.Prompt{
			Purpose: "steps",
			System:  prompts.Steps(maxTokens * 2 / 3), // words, of which a token is a part
			Turns:   []memory.Turn{{Role: memory.RoleUser, Content: strings.Join(lines, "\n")}},
		})
		return reply.Text, err
	}
}

// ModelJudge is a Judge that asks a decision model. Parse reads its reply: the ids
// that it is sure are to be removed.
func ModelJudge(model memory.ChatModel, parse func(reply string) (map[string]bool, error)) Judge {
	return func(ctx context.Context, steps []Step, query string) ([]bool, error) {
		unneeded := make([]bool, len(steps))
		lines, _ := stepLines(steps, shortResult) // those that are not shown stay
		reply, err := model.Chat(ctx, memory.Prompt{
			Purpose: "judge",
			System:  prompts.UnneededSteps(),
			Turns: []memory.Turn{{Role: memory.RoleUser, Content: string(encode(map[string]string{"request": clip(query, shownQuery)})) +
				"\n" + strings.Join(lines, "\n")}},
			JSON: true,
		})
		if err != nil {
			return nil, err
		}
		remove, err := parse(reply.Text)
		if err != nil {
			return nil, err
		}
		for i := range lines {
			unneeded[i] = remove[fmt.Sprint(i+1)]
		}
		return unneeded, nil
	}
}

// stepLines shows the oldest steps to a model, a JSON object a line, so that
// nothing in a result can end the quotation; whole is false when not all have room.
func stepLines(steps []Step, result int) (lines []string, whole bool) {
	type shownCall struct {
		Tool      string `json:"tool"`
		Arguments string `json:"arguments"`
		Result    string `json:"result"`
	}
	room := shownSteps
	for i, s := range steps {
		shown := struct {
			ID    string      `json:"id"`
			Said  string      `json:"said,omitempty"`
			Calls []shownCall `json:"calls"`
		}{ID: fmt.Sprint(i + 1), Said: clip(s.Said, shownArguments)}
		for _, c := range s.Calls[:min(len(s.Calls), mostCalls)] {
			shown.Calls = append(shown.Calls, shownCall{c.Name, clip(c.Arguments, shownArguments), clip(c.Result, result)})
		}
		line := string(encode(shown))
		if room -= len(line); room < 0 && i > 0 {
			return lines, false
		}
		lines = append(lines, line)
	}
	return lines, true
}
