package summary

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mcp-memory/memory"
	"mcp-memory/prompts"
)

// What the decision model is shown at one go, and how sure it must be.
const (
	judgedRunes     = 16_000 // characters of exchanges a call
	judgedExchanges = 50
	judgedMessage   = 400 // characters of a message
	judgedMessages  = 12  // of an exchange: the first and the last ones
	sureFrom        = .7
)

// ModelJudge is a Judge that asks a model, most often the decision model: a small
// one that is quick and cheap. It is safe for concurrent use.
type ModelJudge struct {
	model    memory.ChatModel
	location *time.Location
}

// NewJudge returns a judge that asks the model and shows it times in loc.
func NewJudge(model memory.ChatModel, loc *time.Location) *ModelJudge {
	return &ModelJudge{model, loc}
}

// Noise says of each exchange whether the model is sure that it is noise.
func (j *ModelJudge) Noise(ctx context.Context, exchanges [][]memory.Message) ([]bool, error) {
	return j.sort(ctx, "judge", prompts.Noise(), exchanges)
}

// Outdated says of each exchange whether the model is sure that it is no longer
// useful. It is for a compaction by hand, which asks the main model.
func (j *ModelJudge) Outdated(ctx context.Context, exchanges [][]memory.Message) ([]bool, error) {
	return j.sort(ctx, "compact", prompts.Outdated(), exchanges)
}

// sort says of each exchange whether it is to go.
func (j *ModelJudge) sort(ctx context.Context, purpose, system string, exchanges [][]memory.Message) ([]bool, error) {
	gone := make([]bool, len(exchanges))
	for first, lines := range j.batches(exchanges) {
		remove, err := j.ask(ctx, purpose, system, strings.Join(lines, "\n"))
		if err != nil {
			return nil, err
		}
		for i := range lines {
			gone[first+i] = remove[fmt.Sprint(first+i+1)]
		}
	}
	return gone, nil
}

// Overturned returns the summary without the key decisions and past discussions
// that the model is sure the exchanges overturn.
func (j *ModelJudge) Overturned(ctx context.Context, s memory.Summary, exchanges [][]memory.Message) (memory.Summary, error) {
	entries := s
	entries.CurrentDiscussion = memory.CurrentDiscussion{}
	gone := map[string]bool{}
	for _, lines := range j.batches(exchanges) {
		remove, err := j.ask(ctx, "judge", prompts.Overturned(), entryLines(entries)+"\n"+strings.Join(lines, "\n"))
		if err != nil {
			return memory.Summary{}, err
		}
		maps.Copy(gone, remove)
	}
	delete(gone, "C") // it was not asked about
	return without(s, gone), nil
}

// Relevant returns the summary without what the model is sure has nothing to do
// with the query.
func (j *ModelJudge) Relevant(ctx context.Context, s memory.Summary, query string) (memory.Summary, error) {
	short, _ := shorten(query, judgedRunes/2)
	remove, err := j.ask(ctx, "judge", prompts.Relevant(), encode(map[string]string{"request": short})+"\n"+entryLines(s))
	if err != nil {
		return memory.Summary{}, err
	}
	return without(s, remove), nil
}

// ask returns the ids that the model is sure are to be removed.
func (j *ModelJudge) ask(ctx context.Context, purpose, system, content string) (map[string]bool, error) {
	reply, err := j.model.Chat(ctx, memory.Prompt{
		Purpose: purpose,
		System:  system,
		Turns:   []memory.Turn{{Role: memory.RoleUser, Content: content}},
		JSON:    true,
	})
	if err != nil {
		return nil, err
	}
	return ParseVerdicts(reply.Text)
}

// errNoVerdicts is the fault of a judge's reply that is none.
var errNoVerdicts = memory.Unavailablef("the model's answer holds no verdicts")

// ParseVerdicts reads a judge's reply and returns the ids whose removal it is
// sure of, with a confidence from 0.7 to 1. One that is not understood keeps what
// it is about.
func ParseVerdicts(reply string) (map[string]bool, error) {
	for object := range objects(reply) {
		var answer struct {
			Verdicts []json.RawMessage `json:"verdicts"`
		}
		if json.Unmarshal(object, &answer) != nil || answer.Verdicts == nil {
			continue
		}
		remove := map[string]bool{}
		for _, raw := range answer.Verdicts {
			var v struct {
				ID         any     `json:"id"`
				Remove     bool    `json:"remove"`
				Confidence float64 `json:"confidence"`
			}
			if json.Unmarshal(raw, &v) == nil && v.Remove && v.Confidence >= sureFrom && v.Confidence <= 1 {
				remove[fmt.Sprint(v.ID)] = true
			}
		}
		return remove, nil
	}
	return nil, errNoVerdicts
}

// without is the summary without the entries of the ids.
func without(s memory.Summary, ids map[string]bool) memory.Summary {
	kept := memory.Summary{KeyDecisions: []string{}, PastDiscussions: []memory.PastDiscussion{}}
	for i, d := range s.KeyDecisions {
		if !ids[fmt.Sprint("D", i+1)] {
			kept.KeyDecisions = append(kept.KeyDecisions, d)
		}
	}
	for i, p := range s.PastDiscussions {
		if !ids[fmt.Sprint("P", i+1)] {
			kept.PastDiscussions = append(kept.PastDiscussions, p)
		}
	}
	if !ids["C"] {
		kept.CurrentDiscussion = s.CurrentDiscussion
	}
	return kept
}

// entryLines shows the entries of a summary with their ids, a line each.
func entryLines(s memory.Summary) string {
	type entry struct {
		ID    string `json:"id"`
		Entry any    `json:"entry"`
	}
	var lines []string
	for i, d := range s.KeyDecisions {
		lines = append(lines, encode(entry{fmt.Sprint("D", i+1), d}))
	}
	for i, p := range s.PastDiscussions {
		lines = append(lines, encode(entry{fmt.Sprint("P", i+1), p}))
	}
	if s.CurrentDiscussion != (memory.CurrentDiscussion{}) {
		lines = append(lines, encode(entry{"C", s.CurrentDiscussion}))
	}
	return strings.Join(lines, "\n")
}

// batches shows exchanges, a line each, in groups that are not too large: the
// place of the first one, and the lines.
func (j *ModelJudge) batches(exchanges [][]memory.Message) iter.Seq2[int, []string] {
	return func(yield func(int, []string) bool) {
		var lines []string
		first, runes := 0, 0
		for i, x := range exchanges {
			line := j.exchangeLine(i, x)
			n := utf8.RuneCountInString(line)
			if len(lines) > 0 && (len(lines) == judgedExchanges || runes+n > judgedRunes) {
				if !yield(first, lines) {
					return
				}
				first, lines, runes = i, nil, 0
			}
			lines, runes = append(lines, line), runes+n
		}
		if len(lines) > 0 {
			yield(first, lines)
		}
	}
}

// exchangeLine shows one exchange: its messages shortened, the middle of many left
// out.
func (j *ModelJudge) exchangeLine(i int, messages []memory.Message) string {
	shown := struct {
		ID       string `json:"id"`
		Messages []line `json:"messages"`
		LeftOut  string `json:"left_out,omitempty"`
	}{ID: fmt.Sprint(i + 1)}
	if n := len(messages) - judgedMessages; n > 0 {
		shown.LeftOut = fmt.Sprintf("%d messages", n)
		messages = slices.Concat(messages[:judgedMessages/2], messages[len(messages)-judgedMessages/2:])
	}
	for _, m := range messages {
		l := describe(&m, j.location)
		var text, calls int
		l.Text, text = shorten(m.Content, judgedMessage)
		l.Calls, calls = shorten(string(m.ToolCalls), judgedMessage)
		if text+calls > 0 {
			l.LeftOut = fmt.Sprintf("%d characters", text+calls)
		}
		shown.Messages = append(shown.Messages, l)
	}
	return encode(shown)
}
