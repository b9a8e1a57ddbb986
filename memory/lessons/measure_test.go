package lessons_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"mcp-memory/memory/lessons"
)

// labelled is an error in the words of one time, and, in a pair, the lesson about
// it in the words of another. Strangers have no lesson.
type labelled struct {
	Lang     string
	Tool     string
	Symptom  string
	Keywords []string
	Query    string
}

func readLabelled(t *testing.T, name string) []labelled {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []labelled
	for s := bufio.NewScanner(f); s.Scan(); {
		var one labelled
		if err := json.Unmarshal(s.Bytes(), &one); err != nil {
			t.Fatalf("%s: %v in %s", name, err, s.Text())
		}
		list = append(list, one)
	}
	return list
}

// score counts, of the errors of one language, those whose lesson came first, those
// whose lesson came at all, and those that brought others up.
type score struct{ errors, first, found, others int }

// ask puts all errors to a memory that holds the lessons of all pairs and counts
// the answers by language.
func ask(t *testing.T, s *lessons.Lessons, errors []labelled, ids map[string]int64, tool func(labelled) string) map[string]score {
	t.Helper()
	scores := map[string]score{}
	for _, e := range errors {
		found, err := s.Related(t.Context(), tool(e), e.Query, 0)
		if err != nil {
			t.Fatalf("Related(%s): %v", e.Query, err)
		}
		n := scores[e.Lang]
		n.errors++
		for i, f := range found {
			switch {
			case f.ID != ids[e.Query]:
				n.others++
				t.Logf("%.2f %s | %s: %s", f.Score, e.Query, f.Tool, f.Symptom)
			case i == 0:
				n.first++
				fallthrough
			default:
				n.found++
			}
		}
		scores[e.Lang] = n
	}
	return scores
}

// TestLabelledErrors holds the figures of docs/lessons.md: how many reworded errors
// find their lesson among all, and what unrelated ones find.
func TestLabelledErrors(t *testing.T) {
	t.Parallel()
	pairs, strangers := readLabelled(t, "pairs.jsonl"), readLabelled(t, "strangers.jsonl")
	for _, keywords := range []bool{true, false} {
		s := newLessons(t, lessons.Config{})
		ids := map[string]int64{}
		for _, p := range pairs {
			d := lessons.Draft{Tool: p.Tool, Symptom: p.Symptom, Action: "solved by " + p.Symptom, Outcome: lessons.Resolved}
			if keywords {
				d.Keywords = p.Keywords
			}
			w, err := s.Write(t.Context(), d)
			if err != nil || !w.Stored || w.Updated {
				t.Fatalf("Write(%s) = %+v, %v, want a new lesson", p.Symptom, w, err)
			}
			ids[p.Query] = w.ID
		}
		same := func(e labelled) string { return e.Tool }
		none := func(labelled) string { return "" }
		t.Logf("keywords %v: same tool %+v", keywords, ask(t, s, pairs, ids, same))
		t.Logf("keywords %v: no tool %+v", keywords, ask(t, s, pairs, ids, none))
		t.Logf("keywords %v: strangers, same tool %+v", keywords, ask(t, s, strangers, ids, same))
		t.Logf("keywords %v: strangers, no tool %+v", keywords, ask(t, s, strangers, ids, none))
	}
}
