package extract_test

import (
	"slices"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/extract"
)

// says makes an exchange of one user message each.
func says(contents ...string) [][]memory.Message {
	var list [][]memory.Message
	for _, c := range contents {
		list = append(list, []memory.Message{{Role: memory.RoleUser, Content: c}})
	}
	return list
}

func TestKeyDecisions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		previous []string
		said     []string
		want     []string
	}{
		{"nothing", nil, nil, []string{}},
		{"earlier ones stay", []string{"Do: answer in French", "Don't: use emoji"}, []string{"Hello"}, []string{"Do: answer in French", "Don't: use emoji"}},
		{"earlier ones may seem to contradict", []string{"Do: use tabs in Go", "Don't: use tabs in YAML, Go"}, nil, []string{"Do: use tabs in Go", "Don't: use tabs in YAML, Go"}},
		{"foreign prefixes", []string{"要：用中文", "不要: 用表格", "する:敬語", "しない：略語", "Don’t: shout", "Never use goto.", "", "Do:"}, nil,
			[]string{"Do: 用中文", "Don't: 用表格", "Do: 敬語", "Don't: 略語", "Don't: shout", "Don't: Never use goto."}},
		{"the same again moves to the end", nil, []string{"Always use tabs.", "Never use goto.", "ALWAYS use tabs!"}, []string{"Don't: Never use goto.", "Do: ALWAYS use tabs!"}},
		{"the opposite", []string{"Do: always use tabs"}, []string{"From now on, never use tabs."}, []string{"Don't: From now on, never use tabs."}},
		{"about something else", []string{"Do: always run the tests before you push to main"}, []string{"Never push to main."}, []string{"Do: always run the tests before you push to main", "Don't: Never push to main."}},
		{"instead", []string{"Do: We decided to use MySQL."}, []string{"Let's use Postgres instead of MySQL."}, []string{"Do: Let's use Postgres instead of MySQL."}},
		{"中文", nil, []string{"以後一律用表格回覆。", "以後不要用表格回覆。"}, []string{"Don't: 以後不要用表格回覆。"}},
		{"中文 instead", nil, []string{"我们决定用 Redis 当缓存。", "以后改用 Memcached 代替 Redis。"}, []string{"Do: 以后改用 Memcached 代替 Redis。"}},
		{"日本語", nil, []string{"これからは表を使ってください。", "これからは表を使わないでください。"}, []string{"Don't: これからは表を使わないでください。"}},
		{"eight at most", []string{"Do: 1", "Do: 2", "Do: 3", "Do: 4", "Do: 5", "Do: 6", "Do: 7", "Do: 8", "Do: 9"}, []string{"Always use tabs."},
			[]string{"Do: 3", "Do: 4", "Do: 5", "Do: 6", "Do: 7", "Do: 8", "Do: 9", "Do: Always use tabs."}},
	} {
		previous := slices.Clone(test.previous)
		got := extract.Summary(memory.Summary{KeyDecisions: previous}, says(test.said...), extract.Options{}).KeyDecisions
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: KeyDecisions = %q, want %q", test.name, got, test.want)
		}
		if got == nil || !slices.Equal(previous, test.previous) {
			t.Errorf("%s: KeyDecisions = %#v, previous = %q; want not nil, %q", test.name, got, previous, test.previous)
		}
	}
}
