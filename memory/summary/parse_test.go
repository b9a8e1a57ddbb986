package summary_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/summary"
)

// good is a summary as a model should write it.
const good = `{"key_decisions":["Do: use {braces} \"well\"","Don't: shout"],` +
	`"past_discussions":[{"topic":"a","description":"b","direction":"c","last_discussed":"2026-03-01 10:00"}],` +
	`"current_discussion":{"topic":"部署","description":"e","perspectives":"f","direction":"g"}}`

func goodSummary() memory.Summary {
	return memory.Summary{
		KeyDecisions:      []string{`Do: use {braces} "well"`, "Don't: shout"},
		PastDiscussions:   []memory.PastDiscussion{{Topic: "a", Description: "b", Direction: "c", LastDiscussed: "2026-03-01 10:00"}},
		CurrentDiscussion: memory.CurrentDiscussion{Topic: "部署", Description: "e", Perspectives: "f", Direction: "g"},
	}
}

func TestParseFindsTheSummary(t *testing.T) {
	t.Parallel()
	want := reply(goodSummary())
	for name, text := range map[string]string{
		"alone":                 good,
		"a byte order mark":     "\ufeff" + good,
		"a fence":               "```json\n" + good + "\n```",
		"a fence in prose":      "Here is it:\n```\n" + good + "\n```\nExplanation: done.",
		"a tag":                 "<summary>" + good + "</summary>",
		"braces in prose":       "About {travel}: " + good + " hope {that} helps",
		"an open brace before":  "the { is odd, and so is \"this: " + good,
		"thoughts":              "<think>\nuser likes {cats} and {\"key_decisions\":[\"Do: wrong\"]}\n</think>\n" + good,
		"the end of thoughts":   "{\"key_decisions\":[\"Do: wrong\"]} hm </think>\n" + good,
		"thoughts in its text":  strings.Replace(good, "部署", "部署", 1) + " </think>",
		"another object before": `{"plan":["read","write"]}` + good,
		"an example before":     `{"key_decisions":"rules"}` + good,
		"inside another":        `{"summary":` + good + `,"done":true}`,
		"unknown keys":          strings.Replace(good, `{"key`, `{"version":3,"key`, 1),
		"another one after":     good + `{"key_decisions":["Do: wrong"],"past_discussions":[],"current_discussion":{}}`,
		"perspectives as list":  strings.Replace(good, `"f"`, `["f"]`, 1),
		"marks in other forms":  strings.NewReplacer("Do:", "- do：", "Don't:", "Do not:").Replace(good),
		"blanks and empty ones": strings.NewReplacer(`["Do`, `["  ","Do:","Do`, `[{`, `[{},{`, `"a"`, `"  a\n"`).Replace(good),
	} {
		if got, err := summary.Parse(text, memory.Summary{}); err != nil || reply(got) != want {
			t.Errorf("Parse(%s) = %s, %v, want %s", name, reply(got), err, want)
		}
	}
	text := strings.Replace(good, "部署", "cut at <think> and </think>", 1)
	if got, err := summary.Parse(text, memory.Summary{}); err != nil || got.CurrentDiscussion.Topic != "cut at <think> and </think>" {
		t.Errorf("Parse(a summary about tags) = %+v, %v, want it as it is", got, err)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const none = "it holds no JSON object with key_decisions"
	for text, want := range map[string]string{
		"":                                   none,
		"I'm sorry, I can't help with that.": none,
		"{}":                                 none,
		"null":                               none,
		"[]":                                 none,
		`{"key_decisions":null,"past_discussions":null}`: none,
		good[:len(good)-2]:                                         none,
		"<think>" + good:                                           none,
		`{"key_decisions":"Do: x"}`:                                "key_decisions is a string, not an array",
		`{"key_decisions":["Do: x",5]}`:                            "key_decisions[1] is a number, not a string",
		`{"key_decisions":[null]}`:                                 "key_decisions[0] is null, not a string",
		`{"key_decisions":["Do: x"],"past_discussions":{}}`:        "past_discussions is an object, not an array",
		`{"past_discussions":["x"]}`:                               "past_discussions[0] is a string, not an object",
		`{"past_discussions":[{"topic":"x"},{"topic":true}]}`:      "past_discussions[1].topic is a boolean, not a string",
		`{"current_discussion":[]}`:                                "current_discussion is an array, not an object",
		`{"current_discussion":{"direction":{}}}`:                  "current_discussion.direction is an object, not a string",
		`{"current_discussion":{"topic":["x"]}}`:                   "current_discussion.topic is an array, not a string",
		`{"current_discussion":{"perspectives":["x",1]}}`:          "current_discussion.perspectives[1] is a number, not a string",
		`{"key_decisions":["Do: x","要: y"]}`:                       "key_decisions[1] does not begin with Do: or Don't:",
		`{"key_decisions":["Domino: x"]}`:                          "key_decisions[0] does not begin with Do: or Don't:",
		`{"key_decisions":["x"],"past_discussions":[{"topic":1}]}`: "past_discussions[0].topic is a number, not a string",
	} {
		if got, err := summary.Parse(text, memory.Summary{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Parse(%q) = %+v, %v, want the error %q", text, got, err, want)
		}
	}
}

// What the summary before had may shrink, but not be left out or be all gone.
func TestParseAfterAnother(t *testing.T) {
	t.Parallel()
	const current = `"current_discussion":{"topic":"x"}`
	for text, want := range map[string]string{
		`{"key_decisions":[],"past_discussions":[],` + current + `}`:                   "",
		`{"past_discussions":[],` + current + `}`:                                      "key_decisions is missing, although the summary before has it",
		`{"key_decisions":[],"past_discussions":null,` + current + `}`:                 "past_discussions is missing, although the summary before has it",
		`{"key_decisions":["Do: x"],"past_discussions":[]}`:                            "current_discussion is missing, although the summary before has it",
		`{"key_decisions":[],"past_discussions":[],"current_discussion":{"topic":""}}`: "it is empty, although the summary before is not",
	} {
		got, err := summary.Parse(text, goodSummary())
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("Parse(%s) = %+v, %v, want the error %q", text, got, err, want)
		}
	}
	empty := `{"key_decisions":[],"past_discussions":[],"current_discussion":{}}`
	if _, err := summary.Parse(empty, memory.Summary{}); err != nil {
		t.Errorf("Parse(an empty one after an empty one): %v", err)
	}
}

func TestParseKeepsTheNewest(t *testing.T) {
	t.Parallel()
	var s memory.Summary
	for i := range 12 {
		s.KeyDecisions = append(s.KeyDecisions, fmt.Sprint("Do: ", i))
		s.PastDiscussions = append(s.PastDiscussions, memory.PastDiscussion{Topic: fmt.Sprint(i)})
	}
	got, err := summary.Parse(reply(s), memory.Summary{})
	if err != nil || len(got.KeyDecisions) != 8 || got.KeyDecisions[0] != "Do: 4" || len(got.PastDiscussions) != 8 || got.PastDiscussions[7].Topic != "11" {
		t.Errorf("Parse(12 of each) = %+v, %v, want the last 8 of each", got, err)
	}
}

func TestParseVerdicts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"verdicts":[{"id":"D1","remove":true,"confidence":0.7},{"id":"D2","remove":true,"confidence":0.69},{"id":"P1","remove":false,"confidence":1}]}`: "map[D1:true]",
		"```json\n{\"verdicts\":[{\"id\":3,\"remove\":true,\"confidence\":1}]}\n```":                                                                      "map[3:true]",
		`{"verdicts":[{"id":"1","remove":true,"confidence":95},{"id":"2","remove":"yes","confidence":1},{"id":"3","remove":true},5]}`:                     "map[]",
		`{"verdicts":[]}`: "map[]",
	} {
		if got, err := summary.ParseVerdicts(text); err != nil || fmt.Sprint(got) != want {
			t.Errorf("ParseVerdicts(%s) = %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "all noise", "{}", `{"verdicts":null}`, `{"verdicts":"none"}`, `[{"id":"1","remove":true,"confidence":1}]`} {
		if got, err := summary.ParseVerdicts(text); err == nil {
			t.Errorf("ParseVerdicts(%s) = %v, want an error", text, got)
		}
	}
}

// FuzzParse checks what must hold of every reply: a summary that is taken keeps
// the limits and the marks, and reads the same once it is kept.
func FuzzParse(f *testing.F) {
	for _, text := range []string{good, "About {travel}: " + good, "<think>{" + good, `{"key_decisions":["x"]}`, `{"a":{"a":{"a":{`, "{\"key_decisions\":[\"Do: \\u0000\"]}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := summary.Parse(text, memory.Summary{})
		var unmarked *summary.UnmarkedError
		if err != nil {
			if errors.As(err, &unmarked) && unmarked.Index < 0 || !got.Empty() {
				t.Errorf("Parse(%q) = %+v, %v", text, got, err)
			}
			return
		}
		if len(got.KeyDecisions) > memory.MaxKeyDecisions || len(got.PastDiscussions) > memory.MaxPastDiscussions {
			t.Errorf("Parse(%q) = %+v, which is over the limits", text, got)
		}
		for _, d := range got.KeyDecisions {
			if !strings.HasPrefix(d, "Do: ") && !strings.HasPrefix(d, "Don't: ") {
				t.Errorf("Parse(%q) has the key decision %q, want a mark", text, d)
			}
		}
		body, err := json.Marshal(got)
		if err != nil || strings.ContainsRune(string(body), 0) {
			t.Fatalf("Marshal(%+v) = %q, %v", got, body, err)
		}
		if again, err := summary.Parse(string(body), got); err != nil || reply(again) != string(body) {
			t.Errorf("Parse(%s) = %s, %v, want it as it is", body, reply(again), err)
		}
	})
}
