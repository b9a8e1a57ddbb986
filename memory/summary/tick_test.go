package summary_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/summary"
)

// small makes chunks of some six short messages.
func small(c *summary.Config) { c.Runes = 400 }

func TestTicks(t *testing.T) {
	t.Parallel()
	saved := map[string]int{}
	f := open(t, func(c *summary.Config) { c.OnSaved = func(s string) { saved[s]++ } })
	list := talk(0, 56)
	f.say("s", list[:16]...)
	f.tick()
	f.wantCalls(1)
	f.tick()
	f.wantCalls(1)
	f.say("s", list[16:]...)
	f.tick()
	f.wantCalls(2)
	f.want("s", joined(list), 56)
	if got := len(shown(f.model.prompt(2))); got != 40 {
		t.Errorf("the second call shows %d messages, want the 40 new ones", got)
	}
	p := f.model.prompt(1)
	if !p.JSON || p.Purpose != "summary" || len(p.Turns) != 1 || p.Turns[0].Role != memory.RoleUser {
		t.Errorf("the prompt is %+v, want one turn that asks for JSON", p)
	}
	if saved["s"] != 2 {
		t.Errorf("OnSaved was called %d times, want 2", saved["s"])
	}
	v, err := f.Current(t.Context(), "s")
	if err != nil || v.Version != 2 || v.Model != "fake" {
		t.Errorf("Current() = %+v, %v, want version 2 by fake", v, err)
	}
}

func TestTickLeavesAlone(t *testing.T) {
	t.Parallel()
	f := open(t, nil)
	f.say("temp-1", "<a>")
	if _, err := f.db.ImportSummary(t.Context(), "old", ruled("Do: keep"), "agenvoy"); err != nil {
		t.Fatalf("ImportSummary(): %v", err)
	}
	f.say("old", "<b>", "<c>")
	f.tick()
	f.wantCalls(0)
	v, err := f.Current(t.Context(), "old")
	if err != nil || v.Version != 1 || v.Cursor != 2 || v.Summary.KeyDecisions[0] != "Do: keep" {
		t.Errorf("Current(a summary without a cursor) = %+v, %v, want it as it was, the cursor at 2", v, err)
	}
	f.say("old", "<d>")
	f.tick()
	f.wantCalls(1)
	if got := previous(f.model.prompt(1)); got.KeyDecisions[0] != "Do: keep" {
		t.Errorf("the next call hands over %+v, want the imported summary", got)
	}
	if err := f.Update(t.Context(), "temp-1"); err != nil {
		t.Errorf("Update(temp-1): %v", err)
	}
	f.want("temp-1", "<a>", 1)
	if err := f.Update(t.Context(), "unknown"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Update(unknown) = %v, want ErrNotFound", err)
	}
}

func ruled(rules ...string) memory.Summary { return memory.Summary{KeyDecisions: rules} }

// The reply to the second chunk of three is of no use: the first one stays, the
// third is not asked for, and the session waits longer each time.
func TestFailedChunk(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text   string
		err    error
		reason string
	}{
		"an error":          {err: errors.New("boom"), reason: "boom"},
		"a refusal":         {text: "I'm sorry, I can't help with SECRET.", reason: "no JSON object"},
		"half JSON":         {text: `{"key_decisions": ["Do: keep SECRET`, reason: "no JSON object"},
		"an empty object":   {text: "{}", reason: "no JSON object"},
		"null":              {text: "null", reason: "no JSON object"},
		"an empty array":    {text: "[]", reason: "no JSON object"},
		"a wrong type":      {text: `{"key_decisions":[],"past_discussions":[{"topic":"SECRET"},{"topic":1}],"current_discussion":{}}`, reason: "past_discussions[1].topic is a number, not a string"},
		"a missing section": {text: `{"key_decisions":[],"past_discussions":[]}`, reason: "current_discussion is missing"},
		"an emptied one":    {text: `{"key_decisions":[],"past_discussions":[],"current_discussion":{}}`, reason: "it is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := open(t, small)
			list := talk(0, 18)
			f.say("s", list...)
			f.model.answer = func(_ context.Context, n int, _ memory.Prompt) (string, error) {
				if n == 1 {
					return "", nil
				}
				return c.text, c.err
			}
			if err := f.Tick(t.Context()); err == nil || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("Tick() = %v, want an error that says %q", err, c.reason)
			}
			f.wantCalls(2)
			f.want("s", joined(list[:6]), 6)
			failures, err := f.Failures(t.Context())
			if err != nil || len(failures) != 1 || !strings.Contains(failures[0].Reason, c.reason) || strings.Contains(failures[0].Reason, "SECRET") {
				t.Errorf("Failures() = %+v, %v, want one that says %q", failures, err, c.reason)
			}
			f.retries(2)
			f.model.answer = nil
			if err := f.Update(t.Context(), "s"); err != nil {
				t.Errorf("Update(): %v", err)
			}
			f.want("s", joined(list), 18)
		})
	}
}

// retries ticks for two days, with failures only, and checks when the model is
// asked: after 1, 2, 4, 8, 16 and then each 24 ticks.
func (f *fixture) retries(calls int) {
	f.t.Helper()
	var at []int
	for tick := range 2 * 96 {
		f.now = f.now.Add(15*time.Minute + time.Duration(tick%3-1)*time.Second)
		before := f.model.calls()
		err := f.Tick(f.t.Context())
		if asked := f.model.calls() > before; asked {
			at = append(at, tick+1)
		} else if err != nil {
			f.t.Errorf("Tick() without a call: %v", err)
		}
	}
	if got, want := fmt.Sprint(at), "[1 3 7 15 31 55 79 103 127 151 175]"; got != want {
		f.t.Errorf("the model was asked at ticks %s, want %s", got, want)
	}
	f.wantCalls(calls + len(at))
}

// Who asks for it does not wait with a session that has failed.
func TestTickNow(t *testing.T) {
	t.Parallel()
	f := open(t, small)
	f.say("s", talk(0, 6)...)
	f.model.answer = answers("no")
	for range 2 {
		if err := f.TickNow(t.Context()); err == nil {
			t.Error("TickNow() with garbage: no error")
		}
	}
	f.model.answer = nil
	f.tick()
	f.wantCalls(2)
	if err := f.TickNow(t.Context()); err != nil {
		t.Errorf("TickNow(): %v", err)
	}
	f.want("s", joined(talk(0, 6)), 6)
}

// A try that saves a chunk before it fails begins the waiting anew.
func TestProgressEndsTheWaiting(t *testing.T) {
	t.Parallel()
	f := open(t, small)
	f.say("s", talk(0, 18)...)
	f.model.answer = answers("no")
	for range 3 {
		if err := f.Update(t.Context(), "s"); err == nil {
			t.Error("Update() with garbage: no error")
		}
	}
	f.model.answer = func(_ context.Context, n int, _ memory.Prompt) (string, error) {
		if n == 5 {
			return "no", nil
		}
		return "", nil
	}
	if err := f.Update(t.Context(), "s"); err == nil {
		t.Error("Update() with garbage in the second chunk: no error")
	}
	f.now = noon.Add(15 * time.Minute)
	f.tick()
	f.want("s", joined(talk(0, 18)), 18)
}

func TestOneFailureDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	f := open(t, nil)
	for _, s := range []string{"a", "b", "c"} {
		f.say(s, "<"+s+">")
	}
	f.model.answer = func(_ context.Context, _ int, p memory.Prompt) (string, error) {
		if texts(shown(p)) == "<b>" {
			return "no", nil
		}
		return "", nil
	}
	if err := f.Tick(t.Context()); err == nil || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("Tick() = %v, want an error that names the session", err)
	}
	f.want("a", "<a>", 1)
	f.want("b", "", 0)
	f.want("c", "<c>", 1)
}

func TestEndpointThatDoesNotWork(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		wait time.Duration // of the session that was tried
	}{
		"unavailable":    {memory.Unavailablef("down"), 15 * time.Minute},
		"never":          {&memory.RetryError{Err: errors.New("no such key"), Never: true}, 15 * time.Minute},
		"the day's over": {&memory.RetryError{Err: memory.Unavailablef("no tokens left"), After: 9 * time.Hour}, 9 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := open(t, nil)
			for _, s := range []string{"a", "b", "c"} {
				f.say(s, "<"+s+">")
			}
			f.model.answer = func(context.Context, int, memory.Prompt) (string, error) { return "", c.err }
			if err := f.Tick(t.Context()); !errors.Is(err, c.err) {
				t.Errorf("Tick() = %v, want %v", err, c.err)
			}
			f.wantCalls(1)
			f.model.answer = nil
			f.now = noon.Add(c.wait - 10*time.Minute)
			f.tick()
			f.wantCalls(3)
			f.want("a", "", 0)
			f.now = noon.Add(c.wait)
			f.tick()
			f.wantCalls(4)
			f.want("a", "<a>", 1)
		})
	}
}

// A cancelled tick is no failure, and ends the call.
func TestCancelledTick(t *testing.T) {
	t.Parallel()
	f := open(t, nil)
	f.say("a", "<a>")
	f.say("b", "<b>")
	ctx, cancel := context.WithCancel(t.Context())
	f.model.answer = func(ctx context.Context, _ int, _ memory.Prompt) (string, error) {
		cancel()
		<-ctx.Done()
		return "", ctx.Err()
	}
	if err := f.Tick(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Tick(cancelled) = %v, want context.Canceled", err)
	}
	if list, err := f.Failures(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("Failures() = %+v, %v, want none", list, err)
	}
	f.model.answer = nil
	f.tick()
	f.want("b", "<b>", 1)
}

func TestWithoutModel(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *summary.Config) { c.Model = nil })
	f.say("s", "<a>")
	f.tick()
	if err := f.Update(t.Context(), "s"); err != nil {
		t.Errorf("Update() without a model: %v", err)
	}
	if _, err := f.Rebuild(t.Context(), "s"); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("Rebuild() without a model = %v, want ErrUnavailable", err)
	}
	f.want("s", "", 0)
}

// local is a summary without a model that quotes everything.
func local(previous memory.Summary, talked time.Time, exchanges [][]memory.Message) memory.Summary {
	previous.CurrentDiscussion.Perspectives = "before: " + talked.UTC().Format(time.DateTime)
	previous.CurrentDiscussion.Topic = fmt.Sprintf("local, %d exchanges", len(exchanges))
	for _, x := range exchanges {
		for _, m := range x {
			previous.CurrentDiscussion.Description += m.Content
		}
	}
	return previous
}

// A summary without a model is made in place of one, and made again from the
// beginning once there is a model.
func TestLocalSummary(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/m.db"
	f := openFile(t, path, func(c *summary.Config) { c.Model, c.Local, c.Runes = nil, local, 400 })
	list := append(talk(0, 5), strings.Repeat("long.", 500))
	f.sayAt("s", noon.Add(-2*time.Hour), list[:2]...)
	f.tick()
	wantLocal(t, f, "local, 1 exchanges", "before: 0001-01-01 00:00:00")
	f.say("s", list[2:]...)
	f.tick()
	f.want("s", joined(list), 6)
	wantLocal(t, f, "local, 3 exchanges", "before: "+noon.Add(-2*time.Hour).UTC().Format(time.DateTime))
	m := openFile(t, path, nil)
	m.model.answer = func(context.Context, int, memory.Prompt) (string, error) { return "no", nil }
	if err := m.Tick(t.Context()); err == nil {
		t.Error("Tick() with a model that fails: no error")
	}
	m.want("s", joined(list), 6)
	m.model.answer, m.now = nil, noon.Add(time.Hour)
	m.tick()
	m.want("s", joined(list), 6)
	if v, err := m.Current(t.Context(), "s"); err != nil || v.Model != "fake" || v.Summary.CurrentDiscussion.Topic != "" {
		t.Errorf("Current() = %+v, %v, want it made again by the model alone", v, err)
	}
	m.tick()
	m.wantCalls(2)
}

// wantLocal looks for a summary that was made without a model.
func wantLocal(t *testing.T, f *fixture, topic, perspectives string) {
	t.Helper()
	v, err := f.Current(t.Context(), "s")
	if d := v.Summary.CurrentDiscussion; err != nil || v.Model != memory.LocalModel || d.Topic != topic || d.Perspectives != perspectives {
		t.Fatalf("Current() = %+v, %v, want a local summary with %q and %q", v, err, topic, perspectives)
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	f := open(t, nil)
	list := talk(0, 3)
	for _, text := range list {
		f.say("s", text)
		f.tick()
	}
	v, err := f.Restore(t.Context(), "s", 1)
	if err != nil || v.Version != 4 || v.Cursor != 3 {
		t.Errorf("Restore(1) = %+v, %v, want version 4 with the cursor at 3", v, err)
	}
	f.want("s", joined(list[:1]), 3)
	f.tick()
	f.wantCalls(3)
	all, err := f.Versions(t.Context(), "s")
	if err != nil || len(all) != 4 || all[0].Version != 4 || all[3].Version != 1 {
		t.Errorf("Versions() = %+v, %v, want 4 to 1", all, err)
	}
	if _, err := f.Restore(t.Context(), "s", 9); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Restore(9) = %v, want ErrNotFound", err)
	}
	if _, err := f.Restore(t.Context(), "unknown", 1); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Restore(unknown) = %v, want ErrNotFound", err)
	}
	empty, err := f.Current(t.Context(), "unknown")
	if err != nil || reply(empty.Summary) != `{"key_decisions":[],"past_discussions":[],"current_discussion":{"topic":"","description":"","perspectives":"","direction":""}}` {
		t.Errorf("Current(unknown) = %s, %v, want the empty shape", reply(empty.Summary), err)
	}
}
