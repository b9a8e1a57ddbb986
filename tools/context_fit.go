package tools

import (
	"fmt"

	"mcp-memory/memory"
	"mcp-memory/memory/tokens"
)

// dropper leaves one thing out of a context and returns how many tokens that
// frees; 0 = there is nothing left that may go.
type dropper struct {
	what string
	of   string
	drop func(*GetContextResult) int
}

// droppers are in the order in which things are left out. Rules, key decisions and
// the last user message never are.
var droppers = [...]dropper{
	{"message", " of the window", dropMessage},
	{"past discussion", " of the summary", dropDiscussion},
}

// fit leaves things out until the context has at most limit tokens, or nothing is
// left that may go.
func (r *GetContextResult) fit(limit int) {
	r.Tokens = r.size()
	for _, d := range droppers {
		dropped := 0
		for r.Tokens > limit {
			freed := d.drop(r)
			if freed == 0 {
				break
			}
			r.Tokens -= freed
			dropped++
		}
		if dropped > 0 {
			r.LeftOut = append(r.LeftOut, count(dropped, d.what)+d.of)
		}
	}
	if last := lastUser(r.Messages); last >= 0 && r.Messages[last].Size > 0 {
		r.LeftOut = append(r.LeftOut, fmt.Sprintf("the rest of the last user message, %d bytes in all", r.Messages[last].Size))
	}
}

// size estimates the tokens of everything.
func (r *GetContextResult) size() int {
	n := tokens.Estimate(r.Rules)
	for _, m := range r.Messages {
		n += messageTokens(m)
	}
	if s := r.PriorSummary; s != nil {
		for _, d := range s.KeyDecisions {
			n += tokens.Estimate(d)
		}
		for _, d := range s.PastDiscussions {
			n += discussionTokens(d)
		}
		c := s.CurrentDiscussion
		n += tokens.Estimate(c.Topic + c.Description + c.Perspectives + c.Direction)
	}
	return n
}

func discussionTokens(d memory.PastDiscussion) int {
	return tokens.Estimate(d.Topic+d.Description+d.Direction+d.LastDiscussed) + 8
}

// dropMessage leaves out the oldest message but the last user message.
func dropMessage(r *GetContextResult) int {
	last := lastUser(r.Messages)
	for i, m := range r.Messages {
		if i != last {
			r.Messages = append(r.Messages[:i:i], r.Messages[i+1:]...)
			return messageTokens(m)
		}
	}
	return 0
}

// dropDiscussion leaves out the oldest past discussion.
func dropDiscussion(r *GetContextResult) int {
	if r.PriorSummary == nil || len(r.PriorSummary.PastDiscussions) == 0 {
		return 0
	}
	s := *r.PriorSummary
	oldest := s.PastDiscussions[0]
	s.PastDiscussions = s.PastDiscussions[1:]
	r.PriorSummary = &s
	return discussionTokens(oldest)
}
