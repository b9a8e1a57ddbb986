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
	"slices"
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
	t := threadsOf(previous, exchanges, o)
	summary := memory.Summary{
		KeyDecisions:    decide(previous.KeyDecisions, exchanges).texts(),
		PastDiscussions: []memory.PastDiscussion{},
	}
	if len(t.list) == 0 {
		return summary
	}
	last := len(t.list) - 1
	for i := max(0, last-memory.MaxPastDiscussions); i < last; i++ {
		d := &t.list[i]
		if len(d.exchanges) > 0 {
			d.last = o.format(d.at)
		}
		summary.PastDiscussions = append(summary.PastDiscussions, memory.PastDiscussion{
			Topic: d.topic, Description: d.describe(t.weights), Direction: d.heading(), LastDiscussed: d.last,
		})
	}
	d := &t.list[last]
	summary.CurrentDiscussion = memory.CurrentDiscussion{
		Topic: d.topic, Description: d.describe(t.weights), Perspectives: d.perspectives(t.weights), Direction: d.heading(),
	}
	return summary
}

// decide returns the rules in force after the exchanges.
func decide(previous []string, exchanges [][]memory.Message) decisions {
	list := make(decisions, 0, len(previous))
	for _, s := range previous {
		list = append(list, decisionOf(parseDecision(s)))
	}
	for _, messages := range exchanges {
		for _, m := range messages {
			for _, r := range Rules(m) {
				list = list.add(r)
			}
		}
	}
	return list
}

// threadsOf returns the discussions after the exchanges.
func threadsOf(previous memory.Summary, exchanges [][]memory.Message, o Options) threads {
	var t threads
	for _, p := range previous.PastDiscussions {
		t.list = append(t.list, pastDiscussion(p))
	}
	if c := previous.CurrentDiscussion; c.Topic != "" {
		t.list = append(t.list, currentDiscussion(c, o.format(since(exchanges, o))))
	}
	var read []exchange
	var bags []bag
	for _, messages := range exchanges {
		if e := exchangeOf(messages); !e.isIdle() {
			read, bags = append(read, e), append(bags, e.terms)
		}
	}
	for _, d := range t.list {
		bags = append(bags, d.terms)
	}
	t.weights = weigh(bags)
	for _, e := range read {
		t.add(e)
	}
	return t
}

// since returns when the current discussion of the previous summary was last
// talked about.
func since(exchanges [][]memory.Message, o Options) time.Time {
	all := slices.Concat(exchanges...)
	if !o.Since.IsZero() || len(all) == 0 {
		return o.Since
	}
	return all[0].SentAt
}
