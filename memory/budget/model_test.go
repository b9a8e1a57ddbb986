package budget_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/budget"
)

// scripted is a model that answers with a text, and keeps what it was asked.
type scripted struct {
	answer string
	err    error
	asked  []memory.Prompt
}

func (s *scripted) Name() string { return "scripted" }

func (s *scripted) Chat(_ context.Context, p memory.Prompt) (memory.Reply, error) {
	s.asked = append(s.asked, p)
	return memory.Reply{Text: s.answer}, s.err
}

func TestAModelSummarisesTheSteps(t *testing.T) {
	t.Parallel()
	m := &scripted{answer: "Eight files were read; file3 holds the key 4711."}
	e := within(2_000, func(c *budget.Config) { c.Steps = budget.ModelSummariser(m) })
	run := slices.Concat([]object{user("do it")}, steps(9, "read"))
	r := must(t, e, budget.Request{Model: "m", Messages: raw(t, run...)})
	got := contents(t, r)
	if len(m.asked) != 1 || !slices.Contains(got, "[Earlier tool step: read]\n"+m.answer) || !slices.Equal(r.Stages, []string{budget.StageSteps}) {
		t.Fatalf("asked %d times, messages %.80q; want one text for all old steps", len(m.asked), got)
	}
	asked := m.asked[0].Turns[0].Content
	if !strings.HasPrefix(asked, `{"id":"1","calls":[{"tool":"read","arguments":"{\"path\":\"/file0\"}","result":"first line 0`) {
		t.Errorf("the model was shown %.200q", asked)
	}

	for name, bad := range map[string]*scripted{
		"a failure": {err: errors.New("down")}, "nothing": {answer: " "}, "a longer text": {answer: strings.Repeat("much ", 5_000)},
	} {
		e := within(2_000, func(c *budget.Config) { c.Steps = budget.ModelSummariser(bad) })
		r := must(t, e, budget.Request{Model: "m", Messages: raw(t, run...)})
		if got := contents(t, r); r.TokensAfter > 2_000 || !strings.Contains(got[1], "Result: first line 0") {
			t.Errorf("%s: %d tokens, the first text %.100q; want the rules", name, r.TokensAfter, got[1])
		}
	}
}

func TestAModelJudgesTheSteps(t *testing.T) {
	t.Parallel()
	m := &scripted{answer: "2, 4"}
	parse := func(reply string) (map[string]bool, error) {
		if reply != m.answer {
			return nil, errors.New("no verdicts")
		}
		return map[string]bool{"2": true, "4": true}, nil
	}
	judge := budget.ModelJudge(m, parse)
	list := make([]budget.Step, 60)
	for i := range list {
		list[i] = budget.Step{Said: strings.Repeat("x", 300), Calls: []budget.Call{{Name: "read", Result: strings.Repeat("y", 3_000), Answered: true}}}
	}
	got, err := judge(t.Context(), list, "which one?")
	if err != nil || len(got) != 60 || !got[1] || !got[3] || slices.Index(got, true) != 1 || slices.Contains(got[4:], true) {
		t.Errorf("judge = %v, %v; want the second and the fourth", got, err)
	}
	asked := m.asked[0].Turns[0].Content
	if first, _, _ := strings.Cut(asked, "\n"); first != `{"request":"which one?"}` || len(asked) > 30_000 || !m.asked[0].JSON {
		t.Errorf("the model was shown %d bytes, the first line %q", len(asked), first)
	}
	m.answer, m.err = "", errors.New("down")
	if _, err := judge(t.Context(), list, ""); err == nil {
		t.Error("judge without a model = nil, want its error")
	}
}
