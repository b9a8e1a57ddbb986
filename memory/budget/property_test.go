package budget_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"mcp-memory/memory"
	"mcp-memory/memory/budget"
	"mcp-memory/memory/tokens"
)

func (f *fixed) Window(_ context.Context, model string) (int, string) {
	if n := f.learnt[model]; n > 0 {
		return n, "learnt"
	}
	return f.window, "table"
}

func (f *fixed) Learn(_ context.Context, model string, limit int) error {
	f.learnt[model] = limit
	return nil
}

// folder is a summary that stands in with a fixed text.
type folder struct {
	text  string
	err   error
	turns []memory.Turn
	calls int
}

func (f *folder) Fold(_ context.Context, _ string, turns []memory.Turn, _ string) (string, error) {
	f.turns, f.calls = append(f.turns, turns...), f.calls+1
	return f.text, f.err
}

// reference counts the texts of a message with the library itself: what is said,
// tools' names, arguments and results, and unknown fields.
type reference struct{ tokenizer.Codec }

func (r reference) count(t testing.TB, messages []json.RawMessage) int {
	t.Helper()
	sum := 0
	for _, m := range messages {
		var v map[string]any
		if err := json.Unmarshal(m, &v); err != nil {
			t.Fatal(err)
		}
		delete(v, "role")
		sum += 3 + r.value(t, v)
	}
	return sum
}

func (r reference) value(t testing.TB, v any) int {
	t.Helper()
	sum := 0
	switch v := v.(type) {
	case string:
		if strings.HasPrefix(v, "data:image/") {
			return 765
		}
		n, err := r.Count(v)
		if err != nil {
			t.Fatal(err)
		}
		return n
	case []any:
		for _, one := range v {
			sum += r.value(t, one)
		}
	case map[string]any:
		for key, one := range v {
			if key != "type" && key != "x_seed" {
				sum += r.value(t, one)
			}
		}
	}
	return sum
}

func codec(t testing.TB, name string) *reference {
	t.Helper()
	c, err := tokenizer.Get(tokenizer.Encoding(name))
	if err != nil {
		t.Fatal(err)
	}
	return &reference{c}
}

// Whatever the run: what comes out can be sent, fits, and holds what must survive.
func TestEveryRunIsFittedOrRefused(t *testing.T) {
	t.Parallel()
	runs := 200
	if testing.Short() {
		runs = 60
	}
	models := []counted{{"claude-sonnet", nil}, {"gpt-4", codec(t, tokens.Cl100k)}, {"gpt-4o", codec(t, tokens.O200k)}}
	var counters tokens.Counters
	fitted, largest := 0, 0
	stages := map[string]int{}
	for seed := range uint64(runs) {
		model := models[seed%3]
		e, q := drawn(t, seed, &counters, model.name)
		size := 0
		for _, m := range q.Messages {
			size += len(m)
		}
		largest = max(largest, size)
		r, err := e.Fit(t.Context(), q)
		if err != nil {
			if !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), "tokens") {
				t.Fatalf("seed %d: %v", seed, err)
			}
			continue
		}
		fitted++
		for _, s := range r.Stages {
			stages[s]++
		}
		checkSize(t, seed, model, r)
		checkPairs(t, r.Messages)
		checkSurvivors(t, seed, q, r)
		checkAgain(t, seed, e, q, r)
	}
	t.Logf("seeds 0 to %d, up to %d KB: %d fitted, %d refused, stages %v", runs-1, largest>>10, fitted, runs-fitted, stages)
	if fitted < runs*3/4 || len(stages) < 4 {
		t.Errorf("%d of %d runs fitted, stages %v: want most of them, and every stage", fitted, runs, stages)
	}
}

// counted is a model and what counts its tokens, nil = nothing but the estimate.
type counted struct {
	name string
	*reference
}

// drawn is the engine and the request of a seed.
func drawn(t *testing.T, seed uint64, counters *tokens.Counters, model string) (*budget.Engine, budget.Request) {
	t.Helper()
	size := []int{2_000, 60_000, 400_000, 3_000_000}[seed/3%4]
	window := []int{2_000, 8_000, 32_000, 128_000}[seed/5%4]
	e := budget.New(budget.Config{Tokens: counters, Windows: &fixed{window: window, learnt: map[string]int{}}})
	if seed%2 == 0 {
		e.Folder = &folder{text: `{"key_decisions":["Do: ask before noon"]}`}
	}
	q := budget.Request{Model: model, Messages: generate(t, seed, 400, size)}
	if seed%7 == 3 {
		q.PreviousModel = "another"
	}
	if seed%9 == 4 {
		q.ProviderError = "prompt is too long: 208310 tokens > 20000 maximum"
	}
	return e, q
}

// checkSize fails when a result is over its budget, as we count or as the library
// does.
func checkSize(t *testing.T, seed uint64, model counted, r budget.Result) {
	t.Helper()
	if r.TokensAfter > r.Budget {
		t.Fatalf("seed %d: %d tokens after, budget %d", seed, r.TokensAfter, r.Budget)
	}
	if model.reference == nil {
		return
	}
	if n := model.count(t, r.Messages); n > r.Budget+r.Budget/50 {
		t.Fatalf("seed %d: %s counts %d tokens, budget %d", seed, r.Counted, n, r.Budget)
	}
}

// checkAgain fails when a second pass changes anything.
func checkAgain(t *testing.T, seed uint64, e *budget.Engine, q budget.Request, r budget.Result) {
	t.Helper()
	q.ProviderError, q.Messages, q.PriorStages = "", r.Messages, r.Stages
	again := must(t, e, q)
	same := func(a, b json.RawMessage) bool { return string(a) == string(b) }
	if !slices.EqualFunc(again.Messages, r.Messages, same) || !slices.Equal(again.Stages, r.Stages) {
		t.Fatalf("seed %d: a second pass changes %d messages to %d, stages %v to %v", seed, len(r.Messages), len(again.Messages), r.Stages, again.Stages)
	}
}

// checkSurvivors checks order, unchanged bytes and what must survive.
func checkSurvivors(t *testing.T, seed uint64, q budget.Request, r budget.Result) {
	t.Helper()
	at := 0
	kept := map[int]bool{}
	for _, m := range r.Messages {
		if i := slices.IndexFunc(q.Messages[at:], func(o json.RawMessage) bool { return string(o) == string(m) }); i >= 0 {
			kept[at+i], at = true, at+i+1
			continue
		}
		s := content(t, m)
		if !strings.HasPrefix(s, "[Earlier tool step: ") && !strings.HasPrefix(s, "Prior summary") && !strings.HasPrefix(s, "[Earlier messages of") && !strings.Contains(string(m), "and also: ") {
			t.Fatalf("seed %d: %.200s is neither of the run, in order, nor a text for it", seed, m)
		}
	}
	todo, said := 0, 0
	last := -1
	for i, m := range q.Messages {
		var o struct{ Role string }
		if err := json.Unmarshal(m, &o); err != nil {
			t.Fatal(err)
		}
		if o.Role == "system" && !kept[i] {
			t.Fatalf("seed %d: a system message is gone", seed)
		}
		if o.Role == "user" && (len(pairs(t, m)) == 0 || strings.Contains(string(m), "and also: ")) {
			last = i
		}
		if strings.Contains(string(m), `"name":"write_todo"`) {
			todo++
		}
	}
	for _, m := range r.Messages {
		if strings.Contains(string(m), `"name":"write_todo"`) || strings.HasPrefix(content(t, m), "[Earlier tool step:") && strings.Contains(content(t, m), "write_todo ") {
			said++
		}
	}
	if said != todo {
		t.Fatalf("seed %d: %d steps of write_todo in, %d out", seed, todo, said)
	}
	if last >= 0 && !kept[last] && !strings.Contains(string(q.Messages[last]), "and also: ") {
		t.Fatalf("seed %d: the last user message is gone", seed)
	}
}
