package budget_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/budget"
)

// exchanges is n exchanges of about 100 tokens.
func exchanges(n int) []object {
	var list []object
	for i := range n {
		list = append(list, user(fmt.Sprintf("question %d", i)), assistant(fmt.Sprintf("answer %d ", i)+strings.Repeat("word ", 90)))
	}
	return list
}

// steps is n tool steps of about 500 tokens.
func steps(n int, name string) []object {
	var list []object
	for i := range n {
		id := fmt.Sprint("c", i)
		list = append(list, calls(fmt.Sprintf(`{"path":"/file%d"}`, i), id+" "+name),
			result(id, fmt.Sprintf("first line %d\n", i)+strings.Repeat("middle ", 500)+fmt.Sprintf("\nlast line %d", i)))
	}
	return list
}

// within is an engine whose models have a budget of so many tokens.
func within(budgetTokens int, change func(*budget.Config)) *budget.Engine {
	c := budget.Config{Windows: &fixed{window: budgetTokens * 5 / 4, learnt: map[string]int{}}}
	if change != nil {
		change(&c)
	}
	return budget.New(c)
}

func TestThresholdIsFourFifthsOfTheWindow(t *testing.T) {
	t.Parallel()
	messages := raw(t, user("x"))
	for _, c := range []struct{ window, max, want int }{{128_000, 0, 102_400}, {0, 0, 102_400}, {1_048_576, 0, 838_860}, {8_000, 1_000, 1_000}, {8_000, 9_000, 6_400}} {
		e := budget.New(budget.Config{Windows: &fixed{window: c.window}})
		if r := must(t, e, budget.Request{Model: "m", Messages: messages, MaxTokens: c.max}); r.Budget != c.want {
			t.Errorf("budget of window %d, max_tokens %d = %d, want %d", c.window, c.max, r.Budget, c.want)
		}
	}
	if r := must(t, budget.New(budget.Config{}), budget.Request{Model: "m", Messages: messages}); r.Window != budget.DefaultWindow || r.Source != "default" {
		t.Errorf("window without a table = %d (%s), want the default", r.Window, r.Source)
	}
}

// What the endpoint counted is the truth; a run that comes back as it was answered
// is not cut for it again.
func TestInputTokensCountMoreThanOurCount(t *testing.T) {
	t.Parallel()
	e := within(4_000, nil)
	q := budget.Request{Model: "m", Messages: raw(t, append(steps(6, "read"), user("go on"))...)}
	if r := must(t, e, q); len(r.Stages) != 0 {
		t.Fatalf("stages of a run of %d tokens = %v, want none", r.TokensBefore, r.Stages)
	}
	q.InputTokens = 6_000
	q.Messages = append(q.Messages, raw(t, user("and now"))...)
	r := must(t, e, q)
	if want := r.TokensBefore * 4_000 / 6_000; r.TokensAfter > want || len(r.Stages) != 1 {
		t.Errorf("after 6,000 input tokens: %d tokens, stages %v; want at most %d", r.TokensAfter, r.Stages, want)
	}
	q.Messages = r.Messages
	if again := must(t, e, q); again.TokensAfter != r.TokensAfter {
		t.Errorf("the same again: %d tokens, want %d", again.TokensAfter, r.TokensAfter)
	}
}

func TestFoldPutsTheSummaryBeforeTheUsersInput(t *testing.T) {
	t.Parallel()
	f := &folder{text: `{"key_decisions":[]}`}
	e := within(2_000, func(c *budget.Config) { c.Folder = f })
	run := slices.Concat([]object{system("rules"), user("Prior summary:\nold")}, exchanges(30), []object{user("now")}, steps(1, "read"))
	r := must(t, e, budget.Request{Model: "m", Messages: raw(t, run...)})
	got := contents(t, r)
	i := slices.Index(got, "now")
	if !slices.Equal(r.Stages, []string{budget.StageFold}) || i < 1 || got[i-1] != "Prior summary:\n"+f.text || slices.Contains(got, "Prior summary:\nold") {
		t.Errorf("stages %v, messages %.60q; want the new summary alone, before the last question", r.Stages, got)
	}
	if f.turns[0].Content != "question 0" || f.turns[1].Role != memory.RoleAssistant || len(f.turns)+len(got) != len(run) {
		t.Errorf("folded %d turns from %.40q; with %d messages left of %d", len(f.turns), f.turns[0].Content, len(got), len(run))
	}
	if r.TokensAfter > r.Budget || r.TokensAfter < r.Budget/2 {
		t.Errorf("%d tokens after, want below %d and not much less", r.TokensAfter, r.Budget)
	}

	// Not again in the same run: what is still too much goes.
	more := slices.Concat(r.Messages, raw(t, exchanges(30)...), raw(t, user("and now")))
	again := must(t, e, budget.Request{Model: "m", Messages: more, PriorStages: r.Stages})
	if f.calls != 1 || !slices.Contains(contents(t, again), "Prior summary:\n"+f.text) || !slices.Equal(again.Stages, []string{budget.StageFold, budget.StageCut}) {
		t.Errorf("the second time: %d folds, stages %v; want the summary kept and the rest cut", f.calls, again.Stages)
	}
}

// The summary never comes between a call and its result.
func TestFoldKeepsBlocksTogether(t *testing.T) {
	t.Parallel()
	e := within(2_000, func(c *budget.Config) { c.Folder = &folder{text: "S"} })
	run := append(exchanges(30),
		object{"role": "assistant", "content": []any{object{"type": "tool_use", "id": "t1", "name": "look", "input": object{}}}},
		object{"role": "user", "content": []any{object{"type": "tool_result", "tool_use_id": "t1", "content": "found"}, object{"type": "text", "text": "be quick"}}})
	r := must(t, e, budget.Request{Model: "m", Messages: raw(t, run...)})
	if n := len(r.Messages); n < 3 || content(t, r.Messages[n-3]) != "Prior summary:\nS" {
		t.Errorf("messages end with %s, want the summary before the step", r.Messages[max(0, n-3):])
	}
	checkPairs(t, r.Messages)
}

func TestWithoutAFoldNothingIsLost(t *testing.T) {
	t.Parallel()
	run := raw(t, slices.Concat(exchanges(30), []object{user("now")})...)
	for name, f := range map[string]*folder{
		"nothing to fold":   {},
		"a failure":         {err: errors.New("down")},
		"a longer summary":  {text: strings.Repeat("much ", 9_000)},
		"a summary of less": {text: " \n"},
	} {
		var dropped []memory.Turn
		e := within(2_000, func(c *budget.Config) {
			c.Folder = f
			c.Dropped = func(_ context.Context, _ string, turns []memory.Turn) error { dropped = turns; return nil }
		})
		r := must(t, e, budget.Request{Model: "m", Messages: run})
		if !slices.Equal(r.Stages, []string{budget.StageCut}) || len(dropped) != len(run)-len(r.Messages) || dropped[0].Content != "question 0" {
			t.Errorf("%s: stages %v, %d messages for the note, %d of %d kept", name, r.Stages, len(dropped), len(r.Messages), len(run))
		}
	}
}

func TestOldestStepsBecomeText(t *testing.T) {
	t.Parallel()
	e := within(3_000, nil)
	run := slices.Concat([]object{user("do it")}, steps(1, "write_todo"), steps(10, "read"))
	r := must(t, e, budget.Request{Model: "m", Messages: raw(t, run...)})
	got := contents(t, r)
	if !slices.Equal(r.Stages, []string{budget.StageSteps}) || len(r.LeftOut) != 1 {
		t.Fatalf("stages %v, left out %v; want the steps alone", r.Stages, r.LeftOut)
	}
	for _, want := range []string{"[Earlier tool step: read]\nread {\"path\":\"/file0\"}\nResult: first line 0", "last line 0", "characters left out"} {
		if !strings.Contains(got[3], want) {
			t.Errorf("the text of the oldest step = %q, want %q in it", got[3], want)
		}
	}
	if string(r.Messages[1]) != string(raw(t, run[1])[0]) || string(r.Messages[len(r.Messages)-1]) != string(raw(t, run[len(run)-1])[0]) {
		t.Errorf("write_todo or the newest step is changed: %.200s", r.Messages)
	}
	if r.TokensAfter > r.Budget || r.TokensAfter < r.Budget-600 {
		t.Errorf("%d tokens after, want at most %d and at most a step less", r.TokensAfter, r.Budget)
	}
}

func TestWriteTodoSurvivesAsText(t *testing.T) {
	t.Parallel()
	e := within(2_000, nil)
	run := slices.Concat([]object{user("do it")}, steps(9, "server__write_todo"), steps(1, "read"))
	r := must(t, e, budget.Request{Model: "m", Messages: raw(t, run...), ProviderError: "prompt is too long"})
	named := 0
	for _, s := range contents(t, r) {
		if strings.HasPrefix(s, "[Earlier tool step: server__write_todo]") {
			named++
		}
	}
	if whole := strings.Count(fmt.Sprintf("%s", r.Messages), `"name":"server__write_todo"`); named+whole != 9 || named == 0 {
		t.Errorf("%d steps of write_todo as text and %d whole, want 9 together", named, whole)
	}
}

func TestCutAfterARefusal(t *testing.T) {
	t.Parallel()
	windows := &fixed{window: 100_000, learnt: map[string]int{}}
	var dropped []memory.Turn
	e := budget.New(budget.Config{
		Windows: windows,
		Judge: func(_ context.Context, steps []budget.Step, query string) ([]bool, error) {
			if query != "now" || len(steps) != 3 || steps[1].Calls[0].Arguments != `{"path":"/file1"}` {
				t.Errorf("judged %v for %q, want the three older steps", steps, query)
			}
			return []bool{false, true, false}, nil
		},
		Dropped: func(_ context.Context, _ string, turns []memory.Turn) error {
			dropped = turns
			return errors.New("disk full")
		},
	})
	run := raw(t, slices.Concat([]object{system("rules")}, exchanges(20), []object{user("now")}, steps(4, "read"))...)
	q := budget.Request{Model: "m", Messages: run, ProviderError: "This model's maximum context length is 3000 tokens. However, your messages resulted in 9000 tokens."}
	r := must(t, e, q)
	if windows.learnt["m"] != 3_000 || r.LearnedLimit != 3_000 || r.Budget != 2_400 || r.TokensAfter > 2_400 {
		t.Errorf("learnt %d, result %d, budget %d, %d tokens; want 3,000 and 2,400", windows.learnt["m"], r.LearnedLimit, r.Budget, r.TokensAfter)
	}
	if len(dropped)%2 != 0 || dropped[0].Content != "question 0" || slices.ContainsFunc(contents(t, r), func(s string) bool { return strings.HasPrefix(s, "first line 1\n") }) {
		t.Errorf("%d messages went to the note, and of the steps %.80q stayed", len(dropped), contents(t, r))
	}
	checkPairs(t, r.Messages)
	q.ProviderError = ""
	if again := must(t, e, q); again.Budget != 2_400 || again.TokensAfter > 2_400 {
		t.Errorf("the second call has the budget %d, want the learnt one", again.Budget)
	}

	// Without a limit in the text, a fifth of the run goes and nothing is learnt.
	q.ProviderError, q.Model = "Your input exceeds the context window of this model", "n"
	r = must(t, e, q)
	if _, learnt := windows.learnt["n"]; learnt || r.TokensAfter > r.TokensBefore*8/10 || r.TokensAfter < r.TokensBefore/2 {
		t.Errorf("without a limit: %d tokens of %d, learnt %v", r.TokensAfter, r.TokensBefore, windows.learnt)
	}
}

// A run that began with the user begins with the user still: some vendors take no
// other.
func TestACutRunBeginsWithTheUser(t *testing.T) {
	t.Parallel()
	e := within(3_000, nil)
	run := slices.Concat([]object{system("rules"), user("read them all")}, steps(5, "read"), []object{user("now"), assistant("yes")})
	q := budget.Request{Model: "m", Messages: raw(t, run...), ProviderError: "prompt is too long"}
	r := must(t, e, q)
	got := contents(t, r)
	if got[0] != "rules" || !strings.HasPrefix(got[1], "[Earlier messages of this conversation were left out") {
		t.Errorf("the cut run begins with %.80q, want a user's message after the system's", got[:2])
	}
	// The next cut does not count it as something that was said.
	q.Messages, q.MaxTokens = slices.Concat(r.Messages, raw(t, user("and now"))), 800
	if again := contents(t, must(t, e, q)); again[1] != got[1] || slices.Index(again[2:], got[1]) >= 0 {
		t.Errorf("cut again, the run begins with %.80q, want the same once", again[:2])
	}
	// One that began otherwise is left so.
	q = budget.Request{Model: "m", Messages: raw(t, run[2:]...), ProviderError: "prompt is too long"}
	if r := must(t, e, q); strings.Contains(string(r.Messages[0]), "left out") {
		t.Errorf("a run that began with a step begins with %s", r.Messages[0])
	}
}

func TestOtherErrorsLeaveTheRunAlone(t *testing.T) {
	t.Parallel()
	windows := &fixed{window: 1_000, learnt: map[string]int{}}
	e := budget.New(budget.Config{Windows: windows})
	run := raw(t, append(exchanges(30), user("now"))...)
	for _, said := range []string{
		"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 342389. The input or output tokens must be reduced in order to run successfully.",
		"ThrottlingException: Too many tokens, please wait before trying again.",
		"Value error, batch size is invalid, it should not be larger than 10.: input.contents",
	} {
		r := must(t, e, budget.Request{Model: "m", Messages: run, ProviderError: said})
		if len(r.Messages) != len(run) || len(r.Stages)+len(r.LeftOut)+r.LearnedLimit+len(windows.learnt) != 0 {
			t.Errorf("after %q: %d messages of %d, stages %v, learnt %v", said, len(r.Messages), len(run), r.Stages, windows.learnt)
		}
	}
}

func TestAnotherModelReadsTheStepsAsText(t *testing.T) {
	t.Parallel()
	e := within(100_000, nil)
	run := slices.Concat([]object{user("do it")}, steps(3, "read"), []object{assistant("done")})
	q := budget.Request{Model: "m", PreviousModel: "other", Messages: raw(t, run...)}
	r := must(t, e, q)
	got := contents(t, r)
	if !slices.Equal(r.Stages, []string{budget.StageConvert}) || len(got) != 5 || strings.Contains(fmt.Sprintf("%s", r.Messages), "tool_calls") {
		t.Fatalf("stages %v, %d messages; want three texts", r.Stages, len(got))
	}
	if want := run[2]["content"].(string); !strings.Contains(got[1], want) || !strings.HasPrefix(got[1], "[Earlier tool step: read]") {
		t.Errorf("the first text = %.200q, want the whole result in it", got[1])
	}
	q.PreviousModel = "m"
	if r := must(t, e, q); len(r.Stages) != 0 {
		t.Errorf("stages for the same model = %v, want none", r.Stages)
	}
	// Over budget too: the texts become short, the newest stays whole.
	r = must(t, e, budget.Request{Model: "m", PreviousModel: "other", Messages: raw(t, run...), MaxTokens: 900})
	if got := contents(t, r); !slices.Equal(r.Stages, []string{budget.StageConvert, budget.StageSteps}) || len(got[1]) > 1_000 || len(got[3]) < 3_000 {
		t.Errorf("stages %v; texts of %d and %d bytes, want the older one short", r.Stages, len(got[1]), len(got[3]))
	}
}

func TestRunsOfEveryShape(t *testing.T) {
	t.Parallel()
	var tiny []object
	for i := range 10_000 {
		tiny = append(tiny, user(fmt.Sprint("q", i)), assistant(fmt.Sprint("a", i)))
	}
	for name, c := range map[string]struct {
		run  []object
		want string // in what was left out
	}{
		"10,000 exchanges": {tiny, "messages of older conversation: taken out"},
		"only tool steps":  {steps(300, "read"), "older tool steps"},
		"no tool steps":    {exchanges(300), "messages of older conversation: taken out"},
		"images": {slices.Repeat([]object{{"role": "user", "content": []any{object{"type": "image_url",
			"image_url": object{"url": "data:image/png;base64," + strings.Repeat("A", 50_000)}}}}}, 20), "messages of older conversation"},
	} {
		r := must(t, within(8_000, nil), budget.Request{Model: "m", Messages: raw(t, c.run...)})
		if r.TokensAfter > 8_000 || r.TokensAfter < 5_000 || !strings.Contains(strings.Join(r.LeftOut, "; "), c.want) {
			t.Errorf("%s: %d tokens, left out %q; want %q", name, r.TokensAfter, r.LeftOut, c.want)
		}
		checkPairs(t, r.Messages)
	}
}

func TestWhatMustStayIsTooMuch(t *testing.T) {
	t.Parallel()
	run := raw(t, system(strings.Repeat("rule ", 900)), user("q"), assistant("a"), user(strings.Repeat("word ", 400)))
	for _, said := range []string{"", "prompt is too long: 9000 tokens > 1250 maximum"} {
		_, err := within(1_000, nil).Fit(t.Context(), budget.Request{Model: "m", Messages: run, ProviderError: said})
		if !errors.Is(err, memory.ErrInvalid) {
			t.Fatalf("Fit = %v, want ErrInvalid", err)
		}
		for _, want := range []string{"1308 tokens", "budget is 1000 of a window of 1250", "System messages have 904 tokens, the last user message 404"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("Fit = %q, want %q in it", err, want)
			}
		}
	}
	// Refused though it is small, and nothing can go.
	_, err := within(9_000, nil).Fit(t.Context(), budget.Request{Model: "m", Messages: raw(t, user("q")), ProviderError: "prompt is too long"})
	if err == nil || !strings.Contains(err.Error(), "nothing of it can go") {
		t.Errorf("Fit of a refused question = %v, want an error", err)
	}
}

func TestACancelledCallEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	e := within(2_000, func(c *budget.Config) {
		c.Steps = func(context.Context, []budget.Step, int) (string, error) { cancel(); return "", ctx.Err() }
	})
	if _, err := e.Fit(ctx, budget.Request{Model: "m", Messages: raw(t, steps(20, "read")...)}); !errors.Is(err, context.Canceled) {
		t.Errorf("Fit = %v, want context.Canceled", err)
	}
}
