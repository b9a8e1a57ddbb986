package notes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/notes"
)

// An old fact is found among many newer notes, by its word and by a question.
func TestSearchFindsOldFacts(t *testing.T) {
	t.Parallel()
	d := newDesk(t, options{})
	old := now.AddDate(0, 0, -400).Format(time.DateOnly)
	for i := range 400 {
		day := now.AddDate(0, 0, -i).Format(time.DateOnly)
		d.put(notes.DailyPath(day), fmt.Sprintf("# %s\n\nWe talked about the garden and the harbour, number %d.\n", day, i))
	}
	d.put(notes.DailyPath(old), "# "+old+"\n\nThe dentist's phone number is with Krautmann.\n\n## Holidays\n\nThe family rented a cottage on Rügen for two weeks.\n")
	for query, want := range map[string]string{
		"Krautmann":                               notes.DailyPath(old),
		"where did the family rent a cottage?":    notes.DailyPath(old),
		"who has the phone number of the dentist": notes.DailyPath(old),
	} {
		found := d.search(query)
		if len(found) == 0 || found[0].Path != want {
			t.Errorf("Search(%s) = %s, want %s first", query, paths(found), want)
		}
	}
	if found := d.search("garden"); len(found) != notes.DefaultResults || !found[0].Exact || found[9].Score < .5 {
		t.Errorf("Search(a word that is in every file) = %+v, want %d exact ones", found, notes.DefaultResults)
	}
}

func TestSearchOtherScripts(t *testing.T) {
	t.Parallel()
	d := newDesk(t, options{})
	d.put("knowledge/deploy.md", "# 部署\n\n昨晚部署了新版本，数据库迁移用了三分钟。\n")
	d.put("knowledge/tea.md", "# お茶\n\n友達と京都で抹茶を飲みました。とても美味しかったです。\n")
	d.put("knowledge/other.md", "# Other\n\nNothing of the kind. 天気がいい。今天天气很好。\n")
	for query, want := range map[string]string{
		"数据库迁移用了多久":   "knowledge/deploy.md",
		"部":           "knowledge/deploy.md",
		"京都で何を飲みましたか": "knowledge/tea.md",
		"抹茶":          "knowledge/tea.md",
	} {
		if found := d.search(query); len(found) == 0 || found[0].Path != want {
			t.Errorf("Search(%s) = %s, want %s first", query, paths(found), want)
		}
	}
}

func TestSearchSays(t *testing.T) {
	t.Parallel()
	d := newDesk(t, options{})
	d.put("MEMORY.md", "# Facts\n\n## Ports\n\nThe server listens on port 9000.\n\n## Keys\n\nThe spare key hangs behind the clock. "+strings.Repeat("Filler goes on and on. ", 30)+"\n")
	found := d.search("spare key")
	if len(found) == 0 {
		t.Fatal("Search(spare key) found nothing")
	}
	f := found[0]
	if f.Path != "MEMORY.md" || f.StartLine != 7 || f.EndLine != 9 || !f.Exact || f.Score <= .5 || f.Score > 1 {
		t.Errorf("Search(spare key)[0] = %+v, want lines 7 to 9 of MEMORY.md, exact", f)
	}
	if !strings.Contains(f.Snippet, "behind the clock") || len(f.Snippet) > 500 {
		t.Errorf("Snippet = %q, want a short one around the match", f.Snippet)
	}
	for _, query := range []string{"", "?!", `"`, "zebra AND (", "port*:"} {
		if _, err := d.notes.Search(t.Context(), notes.Request{Query: query}); err != nil {
			t.Errorf("Search(%q): %v, want any text to be a query", query, err)
		}
	}
}

func TestSearchFilters(t *testing.T) {
	t.Parallel()
	d := newDesk(t, options{zone: time.FixedZone("east", 8*3600)})
	d.put("MEMORY.md", "heron core\n")
	d.put("USER.md", "heron profile\n")
	d.put("memory/2026-03-01.md", "heron first\n")
	d.put("memory/2026-03-02.md", "heron second\n")
	d.put("memory/2026-13-45.md", "heron of no day\n")
	d.put("knowledge/birds.md", "heron other\n")
	stamp := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, name := range []string{"MEMORY.md", "USER.md", "memory/2026-13-45.md", "knowledge/birds.md"} {
		if err := os.Chtimes(filepath.Join(d.dir, name), stamp, stamp); err != nil {
			t.Fatal(err)
		}
	}
	second := time.Date(2026, 3, 1, 16, 0, 0, 0, time.UTC) // when 2 March begins there
	for _, c := range []struct {
		filter memory.NoteFilter
		want   int
	}{
		{memory.NoteFilter{}, 6},
		{memory.NoteFilter{Source: memory.NoteCore}, 1},
		{memory.NoteFilter{Source: memory.NoteDaily}, 2},
		{memory.NoteFilter{Source: memory.NoteProfile}, 1},
		{memory.NoteFilter{Source: memory.NoteOther}, 2},
		{memory.NoteFilter{Since: second}, 1},
		{memory.NoteFilter{Since: second.Add(-1)}, 2},
		{memory.NoteFilter{Since: stamp, Until: second}, 5},
		{memory.NoteFilter{Source: memory.NoteDaily, Until: second.Add(1)}, 2},
	} {
		if got := d.find(notes.Request{Query: "heron", Filter: c.filter}); len(got) != c.want {
			t.Errorf("Search(heron, %+v) = %s, want %d", c.filter, paths(got), c.want)
		}
	}
}

// What people do to their files is seen by the next search, in another process
// too.
func TestSearchFollowsTheFiles(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "m.db")
	d := newDesk(t, options{db: db})
	other := newDesk(t, options{dir: d.dir})
	same := newDesk(t, options{dir: d.dir, db: db})
	each := func(query, want string) {
		t.Helper()
		for name, who := range map[string]*desk{"this": d, "another database": other, "another process": same} {
			exact := slices.DeleteFunc(who.search(query), func(f notes.Found) bool { return !f.Exact })
			if got := paths(exact); got != want {
				t.Errorf("Search(%s) by %s = %q, want %q", query, name, got, want)
			}
		}
	}
	d.put("a.md", "the heron\n")
	d.put("sub/b.md", "the walrus\n")
	each("heron", "a.md")
	d.put("a.md", "the goose\n")
	each("heron", "")
	each("goose", "a.md")
	d.put("a.md", "")
	each("goose", "")
	d.put("c.md", "a goose\n")
	each("goose", "c.md")
	if err := os.RemoveAll(filepath.Join(d.dir, "sub")); err != nil {
		t.Fatal(err)
	}
	each("walrus", "")
	if err := os.Rename(filepath.Join(d.dir, "c.md"), filepath.Join(d.dir, "d.md")); err != nil {
		t.Fatal(err)
	}
	each("goose", "d.md")
	if err := os.RemoveAll(d.dir); err != nil {
		t.Fatal(err)
	}
	res, err := d.notes.Search(t.Context(), notes.Request{Query: "goose"})
	if err != nil || len(res.Found) > 0 || !strings.Contains(res.Note, "does not exist") {
		t.Errorf("Search() without a workspace = %+v, %v, want a note that says so", res, err)
	}
}
