package recall_test

import (
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/recall"
)

// FuzzSearch: any text is a legal query for both matches, never an error, and
// what it finds is in order.
func FuzzSearch(f *testing.F) {
	for _, s := range []string{
		"", "needle", `"`, `"a b" c`, "AND OR NOT NEAR(", "content:x", "a* ^b -c", "部", "数据库 backup", "C++ node.js #42 100%",
		"🎉👩‍👩‍👧", "cafe\u0301", "x\x00y", "\xff\xfe", "can't stop", "to be or not to be", "ความจำ", "{head body} : x", "ployment", "n",
	} {
		f.Add(s)
	}
	w := newWorld(f, 60)
	w.say("s1",
		"the needle of the deployment", "昨晚我们确认了部署步骤和数据库备份 backup", "C++ and node.js at 100% #42 🎉", "Café 検証サーバー",
		"ระบบความจำของตัวแทน", "can't say x\x00y", "to be or not to be", "", "n1 n2 n3")
	w.embed()
	f.Fuzz(func(t *testing.T, query string) {
		for _, match := range []recall.Match{recall.Keyword, recall.Semantic} {
			req := recall.Request{Query: query, Match: match, Limit: 3, Filter: memory.Filter{Session: "s1"}}
			found, err := w.recall.Search(t.Context(), req)
			if err != nil {
				t.Fatalf("Search(%q, %s): %v", query, match, err)
			}
			checkResult(t, req, found)
		}
	})
}
