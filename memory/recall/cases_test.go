package recall_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/recall"
)

// TestKeywordCases are faults that people reported of such systems, as cases:
// each row records its messages as m1, m2, … into a session and searches it.
func TestKeywordCases(t *testing.T) {
	t.Parallel()
	type search struct {
		query string
		want  string // ids in any order, separated by blanks
	}
	tests := []struct {
		name     string
		messages []string
		searches []search
	}{
		{"A01 hyphen", []string{"the pre-flight list is ready", "unrelated"},
			[]search{{"pre-flight", "m1"}, {"pre-flight-list", "m1"}}},
		{"A02 colon", []string{"NOTE: ship on Monday", "error:timeout in std::chrono", "deploy notes"},
			[]search{{"NOTE: ship", "m1"}, {"std::chrono", "m2"}, {"error:timeout", "m2"}, {"scope:s1", ""}, {"body:ship", "m1"}}},
		{"A03 quotes", []string{`can't reach the "staging" host`, "nothing"},
			[]search{{"can't", "m1"}, {`"staging`, "m1"}, {`"staging host"`, "m1"}, {`"host staging"`, "m1"}, {`staging"`, "m1"}, {`'staging'`, "m1"}, {`""staging""`, "m1"}}},
		{"A04 signs", []string{"part 41.207 at 90 km/h, ticket #42, C++ build 100% done, mail user@example.com, file ~/cow/MEMORY.md", "another"},
			[]search{{"41.207", "m1"}, {"km/h", "m1"}, {"#42", "m1"}, {"C++", "m1"}, {"100%", "m1"}, {"user@example.com", "m1"}, {"~/cow/MEMORY.md", "m1"}}},
		{"A05 nothing to look for", []string{"launch party 🎉", "other"},
			[]search{{"", ""}, {"   ", ""}, {"!!!", ""}, {`""`, ""}, {"--", ""}, {"*", ""}, {"🎉", "m1"}, {"🎈", ""}}},
		{"A06 and, not, near", []string{"the migration of our main database is done", "use tea AND coffee, NOT water"},
			[]search{{"database migration", "m1"}, {"AND coffee", "m2"}, {"NOT water", "m2"}, {"tea OR", "m2"}, {"NEAR(tea coffee)", "m2"}, {"NEAR", ""}}},
		{"B01 Chinese", []string{"昨晚我们确认了部署步骤和数据库备份", "吃饭"},
			[]search{{"部", "m1"}, {"份", "m1"}, {"部署", "m1"}, {"部署步", "m1"}, {"数据库备份", "m1"}, {"饭", "m2"}}},
		{"B02 Latin inside Chinese", []string{"补跑job-qx7之后还剩30条空引用", "其他"},
			[]search{{"qx7", "m1"}, {"job-qx7", "m1"}, {"空引用", "m1"}, {"补跑job-qx7之后", "m1"}, {"跑job", "m1"}, {"qx7之", "m1"}, {"30条", "m1"}}},
		{"B03 Japanese and Thai", []string{"昨日は家族でトランプ遊びをした", "検証サーバー設定の見直し", "ระบบความจำของตัวแทนทำงานได้ดี"},
			[]search{{"トランプ", "m1"}, {"サーバー", "m2"}, {"ความจำ", "m3"}, {"族", "m1"}, {"証", "m2"}, {"ร", "m3"}}},
		{"B03 Korean", []string{"데이터베이스를 백업했습니다", "점심"},
			[]search{{"백업", "m1"}, {"업", "m1"}, {"데이터베이스", "m1"}, {"심", "m2"}}},
		{"B04 accents and scripts", []string{"Besuch im Café mit Frau Schröder", "Наталья готовит отчёт", "Ο Γιώργος ήρθε", "שלום עולם", "مرحبا بالعالم"},
			[]search{{"schröder", "m1"}, {"SCHRODER", "m1"}, {"cafe", "m1"}, {"наталья", "m2"}, {"НАТАЛЬЯ", "m2"}, {"отчет", "m2"}, {"γιωργος", "m3"}, {"עולם", "m4"}, {"مرحبا", "m5"}}},
		{"B05 normal forms", []string{"café list", "cafe\u0301 plan"},
			[]search{{"café", "m1 m2"}, {"cafe\u0301", "m1 m2"}, {"ＣＡＦＥ", "m1 m2"}}},
		{"C01 NUL", []string{"alpha\x00omega", "beta"},
			[]search{{"omega", "m1"}, {"om", "m1"}, {"alpha\x00omega", "m1"}, {"x\x00y", ""}, {"\x00", ""}, {"\xff\xfe", ""}}},
		{"names with signs", []string{"we write C++ here", "and node.js there", "C# too", "plain c"},
			[]search{{"C++", "m1"}, {"c++", "m1"}, {"node.js", "m2"}, {"C#", "m3"}}},
		{"emoji", []string{"ok 👍🏽", "no 👎", "👩‍👩‍👧 home", "🇯🇵 trip"},
			[]search{{"👍", "m1"}, {"👎", "m2"}, {"👩‍👩‍👧", "m3"}, {"🇯🇵", "m4"}, {"🇨🇳", ""}}},
		{"stop words only", []string{"to be or not to be, that is the question", "nothing"},
			[]search{{"to be or not to be", "m1"}, {`"or not"`, "m1"}, {"that", "m1"}, {"the of", "m1"}}},
	}
	w := newWorld(t, 0)
	for _, tt := range tests {
		drafts := make([]memory.Draft, len(tt.messages))
		for i, content := range tt.messages {
			drafts[i] = memory.Draft{Role: memory.RoleUser, Content: content, ClientID: fmt.Sprint("m", i+1)}
		}
		w.record(tt.name, drafts...)
		for _, s := range tt.searches {
			found := w.search(recall.Request{Query: s.query, Match: recall.Keyword, Filter: memory.Filter{Session: tt.name}})
			if got, want := sorted(ids(found)), strings.Fields(s.want); !slices.Equal(got, want) {
				t.Errorf("%s: Search(%q) = %q, want %q", tt.name, s.query, got, want)
			}
		}
	}
}

// TestKeywordKeepsBytes: what is compared folded comes back as it was (B05).
func TestKeywordKeepsBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.say("s1", "cafe\u0301 plan")
	if got := w.keyword("café").Hits[0].Message.Content; got != "cafe\u0301 plan" {
		t.Errorf("Search gives back %q, want the bytes that were recorded", got)
	}
}

// TestSessionsStayApart is case Q04: no path of a search leaves its session,
// neither in hits nor in what surrounds them.
func TestSessionsStayApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.say("A", "canary-A secret plan", "canary canary canary")
	w.say("B", "hello", "the canyon")
	w.say("A", "the secret canyon")
	w.embed()
	for _, match := range []recall.Match{recall.Keyword, recall.Semantic} {
		for _, query := range []string{"canary-A", "ca", "can", "secret plan", "c", "the", "hello secret", `"secret plan"`} {
			found := w.search(recall.Request{Query: query, Match: match, Limit: 50, Filter: memory.Filter{Session: "B"}})
			for _, s := range found.Segments {
				if s.Session != "B" {
					t.Errorf("Search(%q, %s) in session B shows a segment of session %s", query, match, s.Session)
				}
			}
		}
	}
	found := w.search(recall.Request{Query: "secret", Match: recall.Keyword, Filter: memory.Filter{Session: "nobody"}})
	if len(found.Hits) > 0 {
		t.Errorf("Search in an unknown session = %q, want nothing", ids(found))
	}
}
