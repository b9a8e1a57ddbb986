package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// step is a call of a case and what must come of it.
type step struct {
	tool    string
	args    any
	restart bool     // end the program and start it again on the same file
	hits    []string // client ids of the hits, in any order; nil = not looked at
	never   []string // client ids that must not come
	rows    []string // client ids of the messages read, in order
	count   int      // number of messages read or hits; 0 = not looked at
	refused bool     // an error that names what is wrong
	under   int      // bytes that the reply must stay under; 0 = not looked at
	holds   string   // what the text must hold
}

// add records messages.
func add(session string, messages ...map[string]any) step {
	return step{tool: "add_messages", args: map[string]any{"session_id": session, "messages": messages}}
}

// msg is a message of the user with an id; more sets further fields.
func msg(id, content string, more ...string) map[string]any {
	m := map[string]any{"role": "user", "content": content, "id": id}
	for i := 0; i < len(more); i += 2 {
		m[more[i]] = more[i+1]
	}
	return m
}

// find searches session s1 by keyword and expects exactly these hits.
func find(query string, hits ...string) step { return findIn("s1", "keyword", query, hits...) }

func findIn(session, match, query string, hits ...string) step {
	return step{tool: "chat_history", hits: append([]string{}, hits...), args: map[string]any{"session_id": session, "mode": "search", "match": match, "query": query}}
}

// works searches and looks only at whether that is an error.
func works(query string, never ...string) step {
	s := find(query)
	s.hits, s.never = nil, never
	return s
}

// read reads session s1 and expects these messages.
func read(rows ...string) step {
	return step{tool: "chat_history", rows: rows, args: map[string]any{"session_id": "s1", "mode": "read", "limit": 50}}
}

// numbered records n messages of a size in session s1.
func numbered(n, size int) step {
	var list []map[string]any
	for i := range n {
		content := fmt.Sprintf("n%d n ", i)
		list = append(list, map[string]any{"role": "user", "content": content + strings.Repeat("filler ", max(0, size-len(content))/7)})
	}
	return step{tool: "add_messages", args: map[string]any{"session_id": "s1", "messages": list}}
}

// search is a search for "n" with one argument more, as JSON.
func search(argument string) step {
	return step{tool: "chat_history", args: `{"session_id":"s1","mode":"search","match":"keyword","query":"n"` + argument + `}`}
}

func (s step) counts(n int) step      { s.count = n; return s }
func (s step) fails(with string) step { s.refused, s.holds = true, with; return s }

// cases are faults that people reported of such systems, each with the right
// behaviour. They are named by theme and number.
var cases = []struct {
	id    string
	what  string
	steps []step
}{
	{"A01", "a hyphen is text", []step{
		add("s1", msg("m1", "the pre-flight list is ready"), msg("m2", "unrelated")),
		find("pre-flight", "m1"), find("pre-flight-list", "m1"),
	}},
	{"A02", "a colon is text", []step{
		add("s1", msg("m1", "NOTE: ship on Monday"), msg("m2", "error:timeout in std::chrono"), msg("m3", "deploy notes")),
		find("NOTE: ship", "m1"), find("std::chrono", "m2"), works("content:deploy"),
	}},
	{"A03", "quotes and apostrophes are text", []step{
		add("s1", msg("m1", "can't reach the \"staging\" host")),
		find("can't", "m1"), find("\"staging", "m1"), works("\"staging host\""),
	}},
	{"A04", "versions, units, addresses and paths are text", []step{
		add("s1", msg("m1", "part 41.207 at 90 km/h, ticket #42, C++ build 100% done, mail user@example.com, file ~/cow/MEMORY.md")),
		find("41.207", "m1"), find("km/h", "m1"), find("#42", "m1"), find("C++", "m1"), find("100%", "m1"),
		find("user@example.com", "m1"), find("~/cow/MEMORY.md", "m1"),
	}},
	{"A05", "a query without words never means recent messages", []step{
		add("s1", msg("m1", "launch party 🎉"), msg("m2", "other")),
		works("").fails("query is empty"), works("   ").fails("query is empty"),
		works("!!!", "m2"), works(`""`, "m2"), works("--", "m2"), works("🎉", "m2"),
	}},
	{"A06", "words need not be neighbours, and operators are words", []step{
		add("s1", msg("m1", "the migration of our main database is done"), msg("m2", "use tea AND coffee, NOT water")),
		find("database migration", "m1"), find("AND coffee", "m2"), find("NOT water", "m2"), works("NEAR"),
	}},
	{"B01", "one Chinese character is enough", []step{
		add("s1", msg("m1", "昨晚我们确认了部署步骤和数据库备份"), msg("m2", "吃饭")),
		find("部", "m1"), find("部署", "m1"), find("部署步", "m1"), find("数据库备份", "m1"),
	}},
	{"B02", "Latin words inside Chinese text", []step{
		add("s1", msg("m1", "补跑job-qx7之后还剩30条空引用")),
		find("qx7", "m1"), find("job-qx7", "m1"), find("空引用", "m1"),
	}},
	{"B03", "scripts without spaces", []step{
		add("s1", msg("m1", "昨日は家族でトランプ遊びをした"), msg("m2", "検証サーバー設定の見直し"), msg("m3", "ระบบความจำของตัวแทนทำงานได้ดี")),
		find("トランプ", "m1"), find("サーバー", "m2"), find("ความจำ", "m3"),
	}},
	{"B04", "all scripts, case and accents folded", []step{
		add("s1", msg("m1", "Besuch im Café mit Frau Schröder"), msg("m2", "Наталья готовит отчёт")),
		find("schröder", "m1"), find("SCHRODER", "m1"), find("cafe", "m1"), find("наталья", "m2"), find("НАТАЛЬЯ", "m2"),
	}},
	{"B05", "composed and decomposed letters", []step{
		add("s1", msg("m1", "cafe\u0301 list"), msg("m2", "caf\u00e9 plan")),
		find("caf\u00e9", "m1", "m2"), find("cafe\u0301", "m1", "m2"), read("m1", "m2"),
	}},
	{"C01", "a NUL in the text", []step{
		add("s1", msg("m1", "alpha\x00omega")),
		find("omega", "m1"), find("om", "m1"), works("a\x00b"),
	}},
	{"C04", "lines of several MB", []step{
		add("s1", msg("m1", strings.Repeat("word ", 250_000))),
		add("s1", msg("m2", strings.Repeat("word ", 1_000_000))),
		{tool: "chat_history", args: `{"session_id":"s1","mode":"search","match":"keyword","query":"word","limit":1}`, count: 1, under: 10_000},
		add("s1", msg("m3", strings.Repeat("x", 17<<20))).fails("16 MiB"),
		find("x"),
	}},
	{"D01", "a retry changes nothing", []step{
		add("s1", msg("c-1", "hello", "sent_at", "2026-03-01T10:00:00Z"), msg("c-2", "world", "sent_at", "2026-03-01T10:00:01Z")),
		add("s1", msg("c-1", "hello", "sent_at", "2026-03-01T10:00:00Z"), msg("c-2", "world", "sent_at", "2026-03-01T10:00:01Z")),
		add("s1", msg("c-1", "hello"), msg("c-2", "world")),
		read("c-1", "c-2"),
	}},
	{"D02", "real repeats are kept", []step{
		add("s1", msg("c-1", "ok", "sent_at", "2026-03-01T10:00:00Z"), msg("c-2", "ok", "sent_at", "2026-03-01T10:05:00Z")),
		{tool: "add_messages", args: `{"session_id":"s1","messages":[{"role":"user","content":"ok","sent_at":"2026-03-01T10:09:00Z"}]}`},
		read().counts(3),
	}},
	{"D03", "a growing history adds only its tail, also after a restart", []step{
		add("s1", msg("1", "a"), msg("2", "b")),
		add("s1", msg("1", "a"), msg("2", "b"), msg("3", "c")),
		{restart: true},
		add("s1", msg("1", "a"), msg("2", "b"), msg("3", "c"), msg("4", "d")),
		read("1", "2", "3", "4"),
	}},
	{"D08", "late messages take their place", []step{
		add("s1", msg("2", "answer", "role", "assistant", "sent_at", "2026-03-01T10:00:02Z")),
		add("s1", msg("1", "question", "sent_at", "2026-03-01T10:00:01Z")),
		add("s1", msg("0", "very old note", "sent_at", "2026-02-01T08:00:00Z")),
		read("0", "1", "2"), find("very old note", "0"),
	}},
	{"N01", "numbers as strings, empty strings for nothing", []step{
		numbered(30, 0),
		search(`,"limit":"20"`).counts(20), search(`,"limit":20.0`).counts(20), search(`,"limit":""`).counts(8),
		search(`,"limit":"abc"`).fails("limit must be a whole number"),
	}},
	{"N02", "null for nothing", []step{
		add("s1", msg("m1", "a null pointer"), msg("m2", "n")),
		search(`,"limit":null`).counts(2),
		{tool: "chat_history", args: `{"session_id":"s1","mode":"search","match":"null","query":"n"}`},
		find("null", "m1"),
	}},
	{"N06", "replies stay small and say how to go on", []step{
		numbered(150, 4000), numbered(150, 4000),
		{tool: "chat_history", args: `{"session_id":"s1","mode":"search","match":"keyword","query":"n","limit":50}`, count: 50, under: 80_000, holds: "mode read"},
		{tool: "chat_history", args: `{"session_id":"s1","mode":"read","limit":300}`, under: 80_000, holds: "call again with cursor"},
	}},
	{"Q04", "every way to search stays in its session", []step{
		add("A", msg("a1", "canary-A secret plan")), add("B", msg("b1", "hello")),
		findIn("B", "keyword", "canary-A"), findIn("B", "keyword", "ca"), findIn("B", "semantic", "secret plan", "b1"),
	}},
}

func TestCases(t *testing.T) {
	t.Parallel()
	for _, c := range cases {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			db := filepath.Join(t.TempDir(), "memory.db")
			p := start(t, nil, "stdio", "--db", db, "--sync", "normal")
			for i, s := range c.steps {
				if s.restart {
					p.end()
					p = start(t, nil, "stdio", "--db", db)
					continue
				}
				s.check(t, i, p.tool(s.tool, s.args))
			}
		})
	}
}

// check compares an answer with what the step wants.
func (s step) check(t *testing.T, i int, a answer) {
	t.Helper()
	args, err := json.Marshal(s.args)
	if err != nil {
		t.Fatal(err)
	}
	call := fmt.Sprintf("step %d, %s(%.200s)", i, s.tool, args)
	if a.bad != s.refused || !strings.Contains(a.text, s.holds) {
		t.Fatalf("%s = error %v %.300q, want error %v and %q", call, a.bad, a.text, s.refused, s.holds)
	}
	hits := a.column("hits", "client_id")
	slices.Sort(hits)
	if s.hits != nil && !slices.Equal(hits, s.hits) {
		t.Errorf("%s = hits %v, want %v", call, hits, s.hits)
	}
	for _, id := range s.never {
		if slices.Contains(hits, id) {
			t.Errorf("%s = hits %v, want none of %v", call, hits, s.never)
		}
	}
	rows := a.column("messages", "client_id")
	if len(s.rows) > 0 && !slices.Equal(rows, s.rows) {
		t.Errorf("%s = messages %v, want %v", call, rows, s.rows)
	}
	if n := len(a.column("hits", "message_id")) + len(a.column("messages", "id")); s.count > 0 && n != s.count {
		t.Errorf("%s = %d, want %d", call, n, s.count)
	}
	if s.under > 0 && a.size >= s.under {
		t.Errorf("%s = %d bytes, want under %d", call, a.size, s.under)
	}
	for _, leak := range []string{"fts5", "SQL logic error", "no such column"} {
		if strings.Contains(a.text, leak) {
			t.Errorf("%s leaks %q: %q", call, leak, a.text)
		}
	}
}
