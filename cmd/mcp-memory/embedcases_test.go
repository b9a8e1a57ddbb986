package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A model with other dimensions: the file goes on, says what it does, and has all
// vectors anew.
func TestCaseH01(t *testing.T) {
	t.Parallel()
	contents := topics(25)
	db := filepath.Join(t.TempDir(), "memory.db")
	e := newEndpoint(t, nil)
	p := start(t, nil, e.flags(db, "--embed-dimensions", "384")...)
	p.record(contents[:20]...)
	p.untilComplete("topic3")
	p.end()
	checkVectors(t, db, 384, contents[:20]...)

	free := make(chan struct{})
	e.set(hangs("", free))
	p = start(t, nil, e.flags(db, "--embed-dimensions", "768")...)
	for i, content := range contents[20:] {
		p.tool("add_messages", map[string]any{"session_id": "s1", "messages": []any{msg(fmt.Sprint(21+i), content)}})
	}
	hits, degraded := p.find("semantic", "topic3")
	if len(hits) == 0 || !strings.Contains(degraded, "384 dimensions") || !strings.Contains(degraded, "until those of the configured embedder are complete") {
		t.Errorf("search = %v, degraded %q, want hits and what goes on", hits, degraded)
	}
	if code, stdout, _ := runProgram(t, nil, "doctor", "--db", db); code != exitOK || !strings.Contains(stdout, "384 dimensions") {
		t.Errorf("doctor = %d\n%s", code, stdout)
	}
	close(free)
	p.untilComplete("topic3")
	p.end()
	checkVectors(t, db, 768, contents...)
}

// One failing text of a batch costs the others nothing, and is shown.
func TestCaseH02(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "memory.db")
	e := newEndpoint(t, func(w http.ResponseWriter, _ *http.Request, c embedCall) bool {
		return c.holds("POISON") && refuseWith(w, http.StatusInternalServerError, "cannot do this")
	})
	p := start(t, nil, e.flags(db)...)
	p.record("a1", "POISON", "a3")
	p.until("two of three vectors", "a3", func(degraded string) bool {
		return strings.HasPrefix(degraded, "2 of 3 passages have a vector yet;")
	})
	checkOwn(t, beside(t, db), endpointDimensions, "a1", "a3")
	code, stdout, _ := runProgram(t, nil, append([]string{"doctor"}, e.flags(db)[1:]...)...)
	if code != exitOK || !strings.Contains(stdout, "1 waiting, 1 failed before: message 2: HTTP 500: cannot do this (tries: 1)") {
		t.Errorf("doctor = %d\n%s, want the second message with its reason", code, stdout)
	}
	if !strings.Contains(stdout, fmt.Sprintf("m: answers with %d dimensions", endpointDimensions)) {
		t.Errorf("doctor = %d\n%s, want the endpoint's answer", code, stdout)
	}
	if stored := p.tool("chat_history", `{"session_id":"s1","mode":"read"}`).column("messages", "content"); !slices.Equal(stored, []string{"a1", "POISON", "a3"}) {
		t.Errorf("messages = %q, want all three", stored)
	}
	e.set(nil)
	p.end()
	p = start(t, nil, e.flags(db)...) // which tries again at once
	p.untilComplete("a3")
	p.end()
	checkVectors(t, db, endpointDimensions, "a1", "POISON", "a3")
}

// A busy endpoint is asked again when it wishes, and the backlog is filled.
func TestCaseH03(t *testing.T) {
	t.Parallel()
	contents := topics(10)
	db := filepath.Join(t.TempDir(), "memory.db")
	e := newEndpoint(t, busy(3, func() string { return "2" }))
	p := start(t, nil, e.flags(db)...)
	p.record(contents...)
	if n := e.asked(); n > 3 {
		t.Errorf("adding took until request %d: it has waited for the endpoint", n)
	}
	e.waitGiven(t, contents...)
	p.untilAnsweredBy(e, "topic3")
	p.end()
	checkVectors(t, db, endpointDimensions, contents...)
}

// Vectors that are none are not stored, and their messages stay in reach.
func TestCaseH04(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "memory.db")
	e := newEndpoint(t, func(w http.ResponseWriter, _ *http.Request, c embedCall) bool {
		if c.holds("bad2") {
			return refuseWith(w, http.StatusInternalServerError, "failed to encode response: json: unsupported value: NaN")
		}
		vectors := make([]any, len(c.Input))
		for i, s := range c.Input {
			switch s {
			case "bad1":
				vectors[i] = make([]int, endpointDimensions)
			case "bad3":
				vectors[i] = []any{nil, 1}
			case "bad4":
				vectors[i] = []int{}
			default:
				vectors[i] = wordVector(s, endpointDimensions)
			}
		}
		sendVectors(w, vectors)
		return true
	})
	p := start(t, nil, e.flags(db)...)
	p.record("bad1", "bad2", "good", "bad3", "bad4")
	hits := p.until("the one good vector", "good", func(degraded string) bool {
		return strings.HasPrefix(degraded, "1 of 5 passages have a vector yet;")
	})
	if len(hits) == 0 || hits[0] != "3" {
		t.Errorf("search for good = %v, want 3 first", hits)
	}
	for i, query := range map[string]string{"1": "bad1", "2": "bad2", "4": "bad3", "5": "bad4"} {
		if hits, _ := p.find("keyword", query); !slices.Equal(hits, []string{i}) {
			t.Errorf("search for %s by keyword = %v, want %s", query, hits, i)
		}
	}
	checkOwn(t, beside(t, db), endpointDimensions, "good")
}

// More vectors than a query of the vector index may ask for: the session that is
// asked for has all its hits.
func TestCaseH05(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	db := beside(t, path)
	many := make([]string, 5_000)
	for i := range many {
		many[i] = fmt.Sprintf("x item%d", i)
	}
	keep(t, db, "s2", many...)
	keep(t, db, "s1", "one x far away", "two x far away", "three x far away", "four x far away", "five x far away")
	e := newEndpoint(t, nil)
	p := start(t, nil, e.flags(path)...)
	p.untilComplete("x")
	for _, limit := range []int{5, 50} {
		a := p.tool("chat_history", map[string]any{"session_id": "s1", "query": "x", "limit": limit})
		hits := a.column("hits", "client_id")
		slices.Sort(hits)
		if want := []string{"s10", "s11", "s12", "s13", "s14"}; a.bad || !slices.Equal(hits, want) {
			t.Errorf("search for x in s1, limit %d = error %v, %v, want all of s1", limit, a.bad, hits)
		}
	}
}

// An endpoint that takes few texts at a time gets few, and all have vectors.
func TestCaseH06(t *testing.T) {
	t.Parallel()
	contents := topics(25)
	db := filepath.Join(t.TempDir(), "memory.db")
	e := newEndpoint(t, func(w http.ResponseWriter, _ *http.Request, c embedCall) bool {
		return len(c.Input) > 10 &&
			refuseWith(w, http.StatusBadRequest, "Value error, batch size is invalid, it should not be larger than 10.: input.contents")
	})
	p := start(t, nil, e.flags(db)...)
	p.record(contents...)
	p.untilComplete("topic3")
	p.end()
	checkVectors(t, db, endpointDimensions, contents...)
}

// A text that the model finds too long is cut, and harms no other of its batch.
func TestCaseH07(t *testing.T) {
	t.Parallel()
	for _, longest := range []int{2000, 300} {
		t.Run(fmt.Sprint(longest), func(t *testing.T) {
			t.Parallel()
			db := filepath.Join(t.TempDir(), "memory.db")
			e := newEndpoint(t, func(w http.ResponseWriter, _ *http.Request, c embedCall) bool {
				return slices.ContainsFunc(c.Input, func(s string) bool { return len(s) > longest }) &&
					refuseWith(w, http.StatusBadRequest, "the input length exceeds the context length")
			})
			p := start(t, nil, e.flags(db)...)
			p.record(strings.Repeat("${{ x }}: ", 400), "short")
			if hits := p.untilComplete("short"); len(hits) == 0 || hits[0] != "2" {
				t.Errorf("search for short = %v, want 2 first", hits)
			}
			p.end()
			checkOwn(t, beside(t, db), endpointDimensions, "short")
			if _, stdout, _ := runProgram(t, nil, "doctor", "--db", db); !strings.Contains(stdout, "0 waiting, 0 failed before") {
				t.Errorf("doctor shows\n%s, want an empty queue", stdout)
			}
		})
	}
}

// Two servers of a file send each text once, whoever recorded it.
func TestEachTextIsSentOnce(t *testing.T) {
	t.Parallel()
	contents := topics(600)
	path := filepath.Join(t.TempDir(), "memory.db")
	keep(t, beside(t, path), "s1", contents[:400]...)
	e := newEndpoint(t, nil)
	servers := []*client{start(t, nil, e.flags(path)...), start(t, nil, e.flags(path)...)}
	for i, content := range contents[400:] {
		servers[i%2].tool("add_messages", map[string]any{"session_id": "s1", "messages": []any{msg(fmt.Sprint("new", i), content)}})
	}
	for _, p := range servers {
		p.untilComplete("topic3")
		p.end()
	}
	for _, content := range contents {
		if n := e.seen[content]; n != 1 {
			t.Errorf("%q was sent %d times, want once", content, n)
		}
	}
	checkVectors(t, path, endpointDimensions, contents...)
}

// Doctor shows the model that is being made, and an endpoint that hangs or is gone.
func TestDoctorShowsTheEndpoint(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "memory.db")
	p := start(t, nil, "stdio", "--db", db)
	p.record(topics(20)...)
	p.untilComplete("topic3")
	p.end()
	e := newEndpoint(t, hangs("note", nil))
	p = start(t, nil, e.flags(db)...)
	e.waitAsked(t, "note")
	args := append([]string{"doctor"}, e.flags(db)[1:]...)
	code, stdout, _ := runProgram(t, nil, args...)
	for _, want := range []string{"20 vectors", "to replace it, openai m@", "(64 dimensions): 0 vectors", "0 waiting, 0 failed before", "m: answers with 64 dimensions"} {
		if code != exitOK || !strings.Contains(stdout, want) {
			t.Errorf("doctor = %d\n%s, want %q", code, stdout, want)
		}
	}
	p.end()
	e.set(refuses(http.StatusNotFound, "model m not found"))
	code, stdout, stderr := runProgram(t, nil, args...)
	if code != exitFailure || !strings.Contains(stdout, "BAD  endpoint    m: ask the embeddings endpoint: HTTP 404: model m not found") || strings.Contains(stderr, "--fix") {
		t.Errorf("doctor = %d\n%s%s, want the endpoint named, and no word of mending the file", code, stdout, stderr)
	}
}
