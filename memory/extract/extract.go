// Package extract says what can be said of a conversation without a model: the
// standing rules that people state, what was talked about, and how it was left.
//
// Everything is quoted from the text, in its own language and script, and the
// same text always gives the same answer. Rules are told by lists of cues for
// English, Chinese in both scripts and Japanese (cues.go holds them all); what
// a conversation is about is told by the weight of its words, in any language.
// Only what people write counts: no code, no quotation, no pasted log, and
// nothing of tools and system messages.
package extract

import (
	"time"

	"mcp-memory/memory"
)

// Options are what a summary needs to know besides the messages.
type Options struct {
	// Location is the time zone of the times in the summary; nil means UTC.
	Location *time.Location
	// Since is when the current discussion of the previous summary was last
	// talked about; zero means the time of the first of the exchanges.
	Since time.Time
}

// timeFormat is how a summary writes times.
const timeFormat = "2006-01-02 15:04"

// format writes a time in the configured zone.
func (o Options) format(t time.Time) string {
	if o.Location == nil {
		return t.UTC().Format(timeFormat)
	}
	return t.In(o.Location).Format(timeFormat)
}

// Summary returns the rolling summary after these exchanges, in order: previous
// with what they add. A rule of previous goes when a newer one replaces it or
// when there are too many, and so does a discussion; the current discussion of
// previous becomes a past one when there is another topic. The key decisions
// are the same whether exchanges come at once or in parts.
//
// previous and the messages stay as they are. The lists are never nil.
func Summary(previous memory.Summary, exchanges [][]memory.Message, o Options) memory.Summary {
	summary := memory.Summary{
		KeyDecisions:    decide(previous.KeyDecisions, exchanges).texts(),
		PastDiscussions: []memory.PastDiscussion{},
	}
	t := discuss(previous, exchanges, o)
	if len(t.list) == 0 {
		return summary
	}
	last := len(t.list) - 1
	for _, d := range t.list[max(0, last-memory.MaxPastDiscussions):last] {
		summary.PastDiscussions = append(summary.PastDiscussions, d.past(t.weights, o))
	}
	summary.CurrentDiscussion = t.list[last].current(t.weights)
	return summary
}

// decide returns the rules in force after the exchanges. Those of the previous
// summary stay as they are among themselves.
func decide(previous []string, exchanges [][]memory.Message) decisions {
	list := make(decisions, 0, len(previous))
	for _, s := range previous {
		if r := parseDecision(s); r.Text != "" {
			list = append(list, decisionOf(r))
		}
	}
	list = list.newest()
	for _, messages := range exchanges {
		for _, m := range messages {
			for _, r := range Rules(m) {
				list = list.add(r)
			}
		}
	}
	return list
}

// maxExchanges is how many of the newest exchanges the discussions are made of:
// older ones would not be among the few that a summary keeps.
const maxExchanges = 200

// discuss returns the discussions after the exchanges.
func discuss(previous memory.Summary, exchanges [][]memory.Message, o Options) threads {
	since := o.Since
	if since.IsZero() {
		since = firstSent(exchanges)
	}
	var read []exchange
	for _, messages := range exchanges[max(0, len(exchanges)-maxExchanges):] {
		if e := exchangeOf(messages); !e.isIdle() {
			read = append(read, e)
		}
	}
	t := newThreads(previous, o.format(since), read)
	for _, e := range read {
		t.add(e)
	}
	return t
}

// firstSent returns when the first message was sent; zero without messages.
func firstSent(exchanges [][]memory.Message) time.Time {
	for _, messages := range exchanges {
		if len(messages) > 0 {
			return messages[0].SentAt
		}
	}
	return time.Time{}
}
