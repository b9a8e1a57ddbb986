package summary

import (
	"context"
	"errors"
	"time"

	"mcp-memory/memory"
	"mcp-memory/prompts"
)

// merge makes the summary that follows on the previous one after a chunk. An
// ErrTooLong comes back as it is; any other fault of the model is a failure.
// talked is when the last message in the previous summary was sent.
func (e *Engine) merge(ctx context.Context, previous memory.Summary, talked time.Time, c *chunk) (memory.Summary, error) {
	if e.model == nil {
		return e.local(previous, talked, c.messages()), nil
	}
	prompt := memory.Prompt{
		Purpose: "summary",
		System:  prompts.Summary{Previous: encode(shaped(previous)), Language: e.language}.System(),
		Turns:   []memory.Turn{{Role: memory.RoleUser, Content: prompts.SummaryMessages(c.transcript())}},
		JSON:    true,
	}
	reply, err := e.model.Chat(ctx, prompt)
	if err != nil {
		return memory.Summary{}, refused(err)
	}
	s, err := Parse(reply.Text, previous)
	if _, ok := errors.AsType[*UnmarkedError](err); ok {
		prompt.Turns = append(prompt.Turns,
			memory.Turn{Role: memory.RoleAssistant, Content: reply.Text},
			memory.Turn{Role: memory.RoleUser, Content: prompts.SummaryAgain(err.Error())})
		if reply, err = e.model.Chat(ctx, prompt); err != nil {
			return memory.Summary{}, refused(err)
		}
		s, err = Parse(reply.Text, previous)
	}
	if err != nil {
		return memory.Summary{}, unusable(err)
	}
	return s, nil
}

// shaped returns the summary with lists that are not nil, so that JSON shows them
// as lists.
func shaped(s memory.Summary) memory.Summary {
	if s.KeyDecisions == nil {
		s.KeyDecisions = []string{}
	}
	if s.PastDiscussions == nil {
		s.PastDiscussions = []memory.PastDiscussion{}
	}
	return s
}
