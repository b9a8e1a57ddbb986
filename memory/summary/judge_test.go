package summary_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mcp-memory/memory"
	"mcp-memory/memory/summary"
)

// judged makes an engine whose judge asks a decision model of its own.
func judged(t *testing.T) (f *fixture, decision *model) {
	t.Helper()
	decision = &model{}
	return open(t, func(c *summary.Config) { c.Judge = summary.NewJudge(decision, time.UTC) }), decision
}

// verdicts is a judge's reply that is sure of the ids.
func verdicts(ids ...string) string {
	var list []string
	for _, id := range ids {
		list = append(list, fmt.Sprintf(`{"id":%q,"remove":true,"confidence":0.9}`, id))
	}
	return `{"verdicts":[` + strings.Join(list, ",") + `]}`
}

// answers replies with the texts in turn, the last one again and again.
func answers(list ...string) func(context.Context, int, memory.Prompt) (string, error) {
	return func(_ context.Context, n int, _ memory.Prompt) (string, error) {
		return list[min(n, len(list))-1], nil
	}
}

func TestNoiseIsLeftOut(t *testing.T) {
	t.Parallel()
	f, decision := judged(t)
	decision.answer = answers(`Sure: {"verdicts":[{"id":"1","remove":true,"confidence":0.95},{"id":"2","remove":true,"confidence":0.6},{"id":"4","remove":true,"confidence":0.7}]}`)
	f.say("s", "<hello>", "assistant: <hi>", "<deploy>", "assistant: <done>", "<why>", "assistant: <because>", "<thanks>")
	f.tick()
	f.want("s", "<deploy><done><why><because>", 7)
	f.wantCalls(1)
	if decision.calls() != 1 {
		t.Errorf("%d calls of the decision model, want 1: there is no summary to prune yet", decision.calls())
	}
	if p := decision.prompt(1); p.Purpose != "judge" || !p.JSON || !strings.Contains(p.Turns[0].Content, `{"id":"4","messages":[{"role":"user","time":"2026-03-01 11:00","text":"<thanks>"}]}`) {
		t.Errorf("the decision model is asked %+v, want numbered exchanges", p)
	}
}

// startJudged gives a session a summary with two decisions and a discussion.
func startJudged(t *testing.T) (*fixture, *model) {
	t.Helper()
	f, decision := judged(t)
	decision.answer = answers(verdicts())
	f.model.answer = answers(`{"key_decisions":["Do: one","Do: two"],"past_discussions":[{"topic":"p"}],"current_discussion":{"topic":"now"}}`)
	f.say("s", "<a>")
	f.tick()
	f.model.answer = nil
	return f, decision
}

func TestAllNoise(t *testing.T) {
	t.Parallel()
	f, decision := startJudged(t)
	f.say("s", "<thanks>")
	decision.answer = answers("", verdicts("1"), verdicts())
	f.tick()
	f.wantCalls(1)
	v, err := f.Current(t.Context(), "s")
	if err != nil || v.Version != 1 || v.Cursor != 2 {
		t.Errorf("Current() = %+v, %v, want version 1 with the cursor at 2", v, err)
	}
	f.say("s", "<never mind one, and p is off>")
	decision.answer = answers("", "", "", verdicts("1"), verdicts("D1", "P1", "C"))
	f.tick()
	f.wantCalls(1)
	v, err = f.Current(t.Context(), "s")
	if err != nil || v.Version != 2 || v.Cursor != 3 || fmt.Sprint(v.Summary.KeyDecisions, v.Summary.PastDiscussions) != "[Do: two] []" || v.Summary.CurrentDiscussion.Topic != "now" {
		t.Errorf("Current() = %+v, %v, want it pruned, the current discussion kept, without a call of the main model", v, err)
	}
}

func TestOverturnedEntriesGo(t *testing.T) {
	t.Parallel()
	f, decision := startJudged(t)
	f.say("s", "<not one any more>")
	decision.answer = answers("", verdicts(), verdicts("D1"))
	f.model.answer = func(context.Context, int, memory.Prompt) (string, error) { return "no", nil }
	if err := f.Tick(t.Context()); err == nil {
		t.Error("Tick() with a failed chunk: no error")
	}
	if v, err := f.Current(t.Context(), "s"); err != nil || len(v.Summary.KeyDecisions) != 2 {
		t.Errorf("Current() after a failed chunk = %+v, %v, want the summary as it was", v, err)
	}
	if got := previous(f.model.prompt(2)); fmt.Sprint(got.KeyDecisions) != "[Do: two]" {
		t.Errorf("the main model is given %q, want the pruned decisions", got.KeyDecisions)
	}
}

func TestFailedJudgementKeepsEverything(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(context.Context, int, memory.Prompt) (string, error){
		"an error": func(context.Context, int, memory.Prompt) (string, error) { return "", memory.Unavailablef("down") },
		"garbage":  answers("all of it is noise"),
		"no list":  answers(`{"verdicts":"D1"}`),
	} {
		f, decision := startJudged(t)
		decision.answer = answer
		f.say("s", "<thanks>")
		f.tick()
		if v, err := f.Current(t.Context(), "s"); err != nil || v.Cursor != 2 || len(v.Summary.KeyDecisions) != 2 || v.Summary.CurrentDiscussion.Description != "<thanks>" {
			t.Errorf("%s: Current() = %+v, %v, want everything kept", name, v, err)
		}
	}
}

// A message that is in the summary in part is gone on with, even if its exchange
// is judged to be noise.
func TestBegunMessageIsNoNoise(t *testing.T) {
	t.Parallel()
	decision := &model{answer: answers(verdicts(), verdicts("1"))}
	f := open(t, func(c *summary.Config) { c.Runes, c.Judge = 1000, summary.NewJudge(decision, time.UTC) })
	long := strings.Repeat("0123456789", 300)
	f.say("s", long)
	f.model.answer = answers("", "no")
	if err := f.Tick(t.Context()); err == nil {
		t.Error("Tick() with a part that fails: no error")
	}
	f.model.answer = nil
	if err := f.Update(t.Context(), "s"); err != nil {
		t.Errorf("Update(): %v", err)
	}
	f.want("s", long, 1)
}

// Many and long exchanges are judged in groups, each of a bounded size.
func TestJudgeInGroups(t *testing.T) {
	t.Parallel()
	decision := &model{answer: answers(verdicts("1", "120", "200", "999"))}
	j := summary.NewJudge(decision, time.UTC)
	var exchanges [][]memory.Message
	for i := range 200 {
		x := []memory.Message{{Role: memory.RoleUser, Content: fmt.Sprintf("<m%d>", i)}}
		for range i % 40 {
			x = append(x, memory.Message{Role: memory.RoleTool, Content: strings.Repeat("結果", 5000)})
		}
		exchanges = append(exchanges, x)
	}
	noise, err := j.Noise(t.Context(), exchanges)
	if err != nil || len(noise) != 200 || !noise[0] || !noise[119] || !noise[199] || noise[1] {
		t.Errorf("Noise(200 exchanges) = %v, %v, want those of the ids 1, 120 and 200", noise, err)
	}
	if decision.calls() < 4 {
		t.Errorf("%d calls, want groups", decision.calls())
	}
	seen := 0
	for n := 1; n <= decision.calls(); n++ {
		content := decision.prompt(n).Turns[0].Content
		seen += strings.Count(content, "<m")
		if size := utf8.RuneCountInString(content); size > 22_000 {
			t.Errorf("call %d has %d characters, want it bounded", n, size)
		}
	}
	if seen != 200 {
		t.Errorf("the decision model saw %d exchanges, want each of 200 once", seen)
	}
}

func TestRelevant(t *testing.T) {
	t.Parallel()
	f, decision := judged(t)
	all := goodSummary()
	decision.answer = answers(verdicts("D2", "P1"))
	got := f.Relevant(t.Context(), all, "how do I use \"braces\"?")
	if fmt.Sprint(got.KeyDecisions, got.PastDiscussions) != `[Do: use {braces} "well"] []` || got.CurrentDiscussion != all.CurrentDiscussion {
		t.Errorf("Relevant() = %+v, want it without D2 and P1", got)
	}
	content := decision.prompt(1).Turns[0].Content
	for _, line := range []string{`{"request":"how do I use \"braces\"?"}`, `{"id":"D2","entry":"Don't: shout"}`, `{"id":"C","entry":{"topic":"部署"`} {
		if !strings.Contains(content, line) {
			t.Errorf("the decision model is asked\n%s\nwant %s in it", content, line)
		}
	}
	decision.answer = answers(verdicts("D1", "D2", "P1", "C"))
	if got := f.Relevant(t.Context(), all, "x"); !got.Empty() {
		t.Errorf("Relevant(nothing) = %+v, want the empty summary", got)
	}
	decision.answer = func(context.Context, int, memory.Prompt) (string, error) { return "", errors.New("boom") }
	if got := f.Relevant(t.Context(), all, "x"); reply(got) != reply(all) {
		t.Errorf("Relevant() of a judge that fails = %+v, want all", got)
	}
	if got := f.Relevant(t.Context(), all, ""); reply(got) != reply(all) {
		t.Errorf("Relevant(no request) = %+v, want all", got)
	}
	if decision.calls() != 3 {
		t.Errorf("%d calls of the decision model, want 3: none without a request", decision.calls())
	}
}

// The main model says what is no longer useful, for a compaction by hand.
func TestOutdated(t *testing.T) {
	t.Parallel()
	main := &model{answer: answers(verdicts("2"))}
	exchanges := [][]memory.Message{
		{{Role: memory.RoleUser, Content: "deploy", SentAt: noon}, {Role: memory.RoleAssistant, Content: "done", SentAt: noon}},
		{{Role: memory.RoleUser, Content: "thanks", SentAt: noon}},
	}
	got, err := summary.NewJudge(main, time.UTC).Outdated(t.Context(), exchanges)
	if err != nil || len(got) != 2 || got[0] || !got[1] {
		t.Errorf("Outdated() = %v, %v, want the second", got, err)
	}
	if p := main.prompt(1); p.Purpose != "compact" || !strings.Contains(p.System, "no longer useful") || !strings.Contains(p.Turns[0].Content, `"text":"deploy"`) {
		t.Errorf("the model is asked %+v, want the exchanges", p)
	}
	main.answer = answers("I would rather not.")
	if _, err := summary.NewJudge(main, time.UTC).Outdated(t.Context(), exchanges); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("Outdated(no verdicts) = %v, want ErrUnavailable", err)
	}
}
