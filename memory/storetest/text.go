package storetest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

var searching = theme{
	"every part of a query":          matchesQueries,
	"every script":                   matchesScripts,
	"sender and date":                matchesHead,
	"best first":                     ranks,
	"newest first":                   ordersNewest,
	"pages without gap or repeat":    pagesHits,
	"counts up to a limit":           counts,
	"an empty query":                 matchesEverything,
	"nothing in a token is a syntax": survivesHostileTokens,
	"very many and very long tokens": survivesLongQueries,
	"long messages":                  matchesLongMessages,
	"frequencies":                    countsTokens,
	"words":                          listsWords,
	"senders":                        listsSenders,
}

// table is a small session about a dinner.
func table(t *testing.T, s Store) {
	t.Helper()
	add(t, s, "s",
		said("Maria brought a green lamp and a lamp shade", at(1)),
		said("The shade of the lamp was broken", at(2)),
		said("John deployed the new release on Friday", at(3)),
		said("A green door, and near it body or scope not head", at(4)),
		said("Deployment notes: version 41.207 of the release", at(5)))
}

func matchesQueries(t *testing.T, s Store) {
	table(t, s)
	for _, c := range []struct {
		name string
		q    memory.TextQuery
		want string // beginnings of the messages
	}{
		{"all", memory.TextQuery{All: tokens("lamp")}, "Maria The"},
		{"all, several", memory.TextQuery{All: tokens("green lamp")}, "Maria"},
		{"all, in any order", memory.TextQuery{All: tokens("lamp green")}, "Maria"},
		{"all, one missing", memory.TextQuery{All: tokens("green lamp release")}, ""},
		{"any", memory.TextQuery{Any: tokens("lamp door")}, "Maria The A"},
		{"any, none known", memory.TextQuery{Any: tokens("zebra")}, ""},
		{"phrase", memory.TextQuery{Phrases: [][]string{tokens("lamp shade")}}, "Maria"},
		{"phrase, other order", memory.TextQuery{Phrases: [][]string{tokens("shade lamp")}}, ""},
		{"phrase, with stop words", memory.TextQuery{Phrases: [][]string{tokens("shade of the lamp")}}, "The"},
		{"phrases", memory.TextQuery{Phrases: [][]string{tokens("green lamp"), tokens("lamp shade")}}, "Maria"},
		{"prefix", memory.TextQuery{Prefix: []string{"lam"}}, "Maria The"},
		{"prefix of several words", memory.TextQuery{Prefix: []string{"deploy"}}, "John Deployment"},
		{"prefixes", memory.TextQuery{Prefix: []string{"lam", "gree"}}, "Maria"},
		{"one of", memory.TextQuery{OneOf: [][]string{tokens("door broken")}}, "The A"},
		{"one of each", memory.TextQuery{OneOf: [][]string{tokens("door lamp"), tokens("green zebra")}}, "Maria A"},
		{"all and any", memory.TextQuery{All: tokens("lamp"), Any: tokens("broken release")}, "The"},
		{"all and phrase", memory.TextQuery{All: tokens("green"), Phrases: [][]string{tokens("lamp shade")}}, "Maria"},
		{"all and prefix", memory.TextQuery{All: tokens("green"), Prefix: []string{"doo"}}, "A"},
		{"everything", memory.TextQuery{All: tokens("maria"), Any: tokens("zebra shade"), Phrases: [][]string{tokens("green lamp")},
			Prefix: []string{"bro"}, OneOf: [][]string{tokens("lamp")}}, "Maria"},
		{"everything but one", memory.TextQuery{All: tokens("maria"), Any: tokens("zebra"), Phrases: [][]string{tokens("green lamp")}}, ""},
		{"number", memory.TextQuery{Phrases: [][]string{tokens("41.207")}}, "Deployment"},
		{"words of query languages", memory.TextQuery{All: tokens("NEAR OR NOT body scope head")}, "A"},
	} {
		got := match(t, s, c.q, memory.Filter{}, 10)
		for i, content := range got {
			got[i], _, _ = strings.Cut(content, " ")
		}
		if !sameSet(got, strings.Fields(c.want)) {
			t.Errorf("%s: Match(%+v) = %q, want %q", c.name, c.q, got, c.want)
		}
		n, err := s.Count(t.Context(), c.q, memory.Filter{}, 100)
		if want := len(strings.Fields(c.want)); err != nil || n != want {
			t.Errorf("%s: Count(%+v) = %d, %v, want %d", c.name, c.q, n, err, want)
		}
	}
}

func matchesScripts(t *testing.T, s Store) {
	texts := []string{
		"昨晚我们部署了新版本",
		"プロジェクトのデプロイが終わった",
		"데이터베이스 백업을 확인했다",
		"เราสำรองฐานข้อมูลแล้ว",
		"Мы проверили резервную копию",
		"Ça coûte 5 € à Zürich 😀",
		"نسخة احتياطية من قاعدة البيانات",
	}
	for i, content := range texts {
		add(t, s, "s", said(content, at(i)))
	}
	for i, part := range []string{"部署", "デプロイ", "백업을", "ฐานข้อมูล", "резервную", "ZURICH", "قاعدة"} {
		q := memory.TextQuery{All: text.Terms(part)}
		if got := match(t, s, q, memory.Filter{}, 10); !slices.Equal(got, texts[i:i+1]) {
			t.Errorf("Match(%q as %q) = %q, want %q", part, q.All, got, texts[i])
		}
	}
	for part, want := range map[string]string{"署": texts[0], "백": texts[2]} {
		if got := match(t, s, memory.TextQuery{Prefix: []string{part}}, memory.Filter{}, 10); !slices.Equal(got, []string{want}) {
			t.Errorf("Match(prefix %q) = %q, want %q: one character is enough", part, got, want)
		}
	}
	if got := match(t, s, memory.TextQuery{All: tokens("😀")}, memory.Filter{}, 10); !slices.Equal(got, texts[5:6]) {
		t.Errorf("Match(😀) = %q, want %q", got, texts[5])
	}
}

func matchesHead(t *testing.T, s Store) {
	caroline := by("Caroline", said("I painted a sunrise", at(1)))
	add(t, s, "s", caroline, by("Melanie", said("Caroline saw it", at(2))))
	anywhere := memory.TextQuery{Any: tokens("Caroline")}
	if got, want := match(t, s, anywhere, memory.Filter{}, 10), []string{"I painted a sunrise", "Caroline saw it"}; !sameSet(got, want) {
		t.Errorf("Match(any Caroline) = %q, want both: the sender counts", got)
	}
	inText := memory.TextQuery{All: tokens("Caroline")}
	if got := match(t, s, inText, memory.Filter{}, 10); !slices.Equal(got, []string{"Caroline saw it"}) {
		t.Errorf("Match(all Caroline) = %q, want only the one whose text has it", got)
	}
	date := memory.TextQuery{All: tokens("sunrise"), Any: caroline.Passages[0].Head}
	if got := match(t, s, date, memory.Filter{}, 10); !slices.Equal(got, []string{"I painted a sunrise"}) {
		t.Errorf("Match(all sunrise, any %q) = %q, want the message", date.Any, got)
	}
}

func ranks(t *testing.T, s Store) {
	add(t, s, "s", numbered(30, 0, "common talk about the weather %d")...)
	add(t, s, "s", said("weather and volcano", at(40)), said("common volcano weather report", at(41)))
	q := memory.TextQuery{Any: tokens("common volcano")}
	hits, err := s.Match(t.Context(), q, memory.Filter{}, memory.BestFirst, 0, 10)
	if err != nil || len(hits) != 10 {
		t.Fatalf("Match(common volcano) = %d hits, %v, want 10", len(hits), err)
	}
	for i := 1; i < len(hits); i++ {
		if hits[i].Score > hits[i-1].Score {
			t.Errorf("score %d = %v is above score %d = %v, want best first", i, hits[i].Score, i-1, hits[i-1].Score)
		}
	}
	if got := found(t, s, hits[:2]); !sameSet(got, []string{"weather and volcano", "common volcano weather report"}) {
		t.Errorf("first two hits = %q, want those with the rare word", got)
	}
	if hits[1].Score <= hits[2].Score {
		t.Errorf("score with the rare word = %v, without = %v; want the first larger", hits[1].Score, hits[2].Score)
	}
}

func ordersNewest(t *testing.T, s Store) {
	add(t, s, "s", said("lamp lamp lamp", at(5)), said("a lamp among other things", at(9)))
	add(t, s, "s", said("an old lamp, told late", at(1)))
	q := memory.TextQuery{Any: tokens("lamp")}
	hits, err := s.Match(t.Context(), q, memory.Filter{}, memory.NewestFirst, 0, 10)
	want := []string{"an old lamp, told late", "a lamp among other things", "lamp lamp lamp"}
	if got := found(t, s, hits); err != nil || !slices.Equal(got, want) {
		t.Errorf("Match(lamp, newest first) = %q, %v, want %q, by arrival", got, err, want)
	}
	hits, err = s.Match(t.Context(), memory.TextQuery{}, memory.Filter{}, memory.NewestFirst, 0, 2)
	if got := found(t, s, hits); err != nil || !slices.Equal(got, want[:2]) {
		t.Errorf("Match(everything, newest first, 2) = %q, %v, want %q", got, err, want[:2])
	}
}

func pagesHits(t *testing.T, s Store) {
	add(t, s, "s", numbered(40, 0, "the same lamp %d")...)
	add(t, s, "other", numbered(7, 60, "lamp %d, another lamp")...)
	for name, q := range map[string]memory.TextQuery{"lamp": {Any: tokens("lamp")}, "everything": {}} {
		for _, f := range []memory.Filter{{}, {Session: "s"}, {Since: at(3), HotOnly: true}} {
			for _, order := range []memory.Order{memory.BestFirst, memory.NewestFirst} {
				once, err := s.Match(t.Context(), q, f, order, 0, 100)
				if err != nil {
					t.Fatalf("Match(%s, %+v): %v", name, f, err)
				}
				var paged []memory.Hit
				for more := true; more; {
					page, err := s.Match(t.Context(), q, f, order, len(paged), 6)
					if err != nil {
						t.Fatalf("Match(%s, %+v, offset %d): %v", name, f, len(paged), err)
					}
					paged, more = append(paged, page...), len(page) > 0 && len(paged) < 100
				}
				if !slices.Equal(paged, once) {
					t.Errorf("Match(%s, %+v, order %d) in pages = %d hits, at once %d; want the same in the same order", name, f, order, len(paged), len(once))
				}
			}
		}
	}
}

func counts(t *testing.T, s Store) {
	add(t, s, "s", numbered(50, 0, "lamp %d")...)
	add(t, s, "other", numbered(5, 0, "lamp %d")...)
	for _, c := range []struct {
		f           memory.Filter
		limit, want int
	}{
		{memory.Filter{}, 1000, 55},
		{memory.Filter{}, 55, 55},
		{memory.Filter{}, 10, 10},
		{memory.Filter{Session: "other"}, 10, 5},
		{memory.Filter{Session: "nobody"}, 10, 0},
		{memory.Filter{Since: at(45)}, 1000, 5},
	} {
		for name, q := range map[string]memory.TextQuery{"lamp": {All: tokens("lamp")}, "everything": {}} {
			if n, err := s.Count(t.Context(), q, c.f, c.limit); err != nil || n != c.want {
				t.Errorf("Count(%s, %+v, limit %d) = %d, %v, want %d", name, c.f, c.limit, n, err, c.want)
			}
		}
	}
}

func matchesEverything(t *testing.T, s Store) {
	add(t, s, "s", said("one", at(1)), said("", at(2)), said("?!", at(3)), said("部", at(4)), said(long(3), at(5)))
	hits, err := s.Match(t.Context(), memory.TextQuery{}, memory.Filter{}, memory.BestFirst, 0, 10)
	if err != nil || len(hits) != 3 {
		t.Fatalf("Match(nothing asked) = %+v, %v, want the 3 messages with text, each once", hits, err)
	}
	for _, h := range hits {
		if h.Ord != 0 {
			t.Errorf("Match(nothing asked) has part %d of message %d, want whole messages", h.Ord, h.MessageID)
		}
	}
}

func survivesHostileTokens(t *testing.T, s Store) {
	table(t, s)
	for _, token := range []string{
		`"`, `""`, `'`, `''`, "*", "lam*", "^lamp", "-lamp", "+", "lamp AND", "AND", "OR", "NOT", "NEAR", "NEAR(lamp shade)",
		"body:lamp", "{body}", "content", "rowid", "rank", "(", ")", "()", "[", "]", ":", ";", "--", "/*", `\`, `\"`, "%", "_", "?", "?1", "$1", ":x",
		"", " ", "\t\n", "\x00", "lamp\x00shade", "\xff\xfe", "\u202e", "\ufeff", "\U0001F600", "<script>", "🏳️‍🌈", "\uf8ffs1",
	} {
		for name, q := range map[string]memory.TextQuery{
			"all":     {All: []string{token}},
			"any":     {Any: []string{"lamp", token}},
			"phrase":  {Phrases: [][]string{{token, token}}},
			"prefix":  {Prefix: []string{token}},
			"one of":  {OneOf: [][]string{{token, "lamp"}}},
			"several": {All: []string{"lamp", token}, Prefix: []string{"lam", token}},
		} {
			if _, err := s.Match(t.Context(), q, memory.Filter{}, memory.BestFirst, 0, 10); err != nil {
				t.Errorf("Match(%s %q): %v", name, token, err)
			}
			if _, err := s.Count(t.Context(), q, memory.Filter{Role: memory.RoleUser}, 10); err != nil {
				t.Errorf("Count(%s %q): %v", name, token, err)
			}
		}
		if got := match(t, s, memory.TextQuery{Any: []string{"lamp", token}}, memory.Filter{}, 10); len(got) < 2 {
			t.Errorf("Match(any lamp, %q) = %q, want the two with lamp at least", token, got)
		}
		if _, err := s.Frequencies(t.Context(), []string{token}); err != nil {
			t.Errorf("Frequencies(%q): %v", token, err)
		}
		if _, err := s.Words(t.Context(), token, 10); err != nil {
			t.Errorf("Words(%q): %v", token, err)
		}
		f := memory.Filter{Session: token}
		if got := match(t, s, memory.TextQuery{Any: tokens("lamp")}, f, 10); len(got) != 0 && token != "" {
			t.Errorf("Match(lamp in session %q) = %q, want nothing", token, got)
		}
	}
	for name, q := range map[string]memory.TextQuery{
		"phrase": {Phrases: [][]string{{}}},
		"one of": {OneOf: [][]string{{}}},
	} {
		if got := match(t, s, q, memory.Filter{}, 10); len(got) != 0 {
			t.Errorf("Match(empty %s) = %q, want nothing: there is nothing that could occur", name, got)
		}
	}
}

func survivesLongQueries(t *testing.T, s Store) {
	table(t, s)
	many := make([]string, 300)
	for i := range many {
		many[i] = fmt.Sprintf("word%d", i)
	}
	huge := strings.Repeat("x", 100_000)
	for name, q := range map[string]memory.TextQuery{
		"many, any":    {Any: append(many, "door")},
		"many, one of": {OneOf: [][]string{append(many, "door")}},
		"long, any":    {Any: []string{huge, "door"}},
		"long, one of": {OneOf: [][]string{{huge, "door"}}},
	} {
		if got := match(t, s, q, memory.Filter{}, 10); len(got) != 1 {
			t.Errorf("Match(%s) = %q, want the one message with door", name, got)
		}
	}
	for name, q := range map[string]memory.TextQuery{
		"many, all":      {All: many},
		"many, prefixes": {Prefix: many},
		"long, all":      {All: []string{huge}},
		"long, phrase":   {Phrases: [][]string{many}},
	} {
		if got := match(t, s, q, memory.Filter{}, 10); len(got) != 0 {
			t.Errorf("Match(%s) = %q, want nothing", name, got)
		}
	}
}

func matchesLongMessages(t *testing.T, s Store) {
	parted := said(long(8), at(1))
	done := add(t, s, "s", parted, said("short", at(2)))
	spread := memory.TextQuery{All: []string{spelled(0), spelled(7)}, OneOf: [][]string{{spelled(3), "nothing"}}}
	hits, err := s.Match(t.Context(), spread, memory.Filter{}, memory.BestFirst, 0, 10)
	if err != nil || len(hits) != 1 || hits[0].MessageID != done.FirstID || hits[0].Ord != 0 {
		t.Errorf("Match(words of different parts) = %+v, %v, want the whole of message %d", hits, err, done.FirstID)
	}
	for i := range 8 {
		hits, err := s.Match(t.Context(), memory.TextQuery{Any: []string{spelled(i)}}, memory.Filter{Session: "s"}, memory.BestFirst, 0, 10)
		if err != nil {
			t.Fatalf("Match(any %s): %v", spelled(i), err)
		}
		var parts []int
		for _, h := range hits {
			if h.Ord > 0 {
				parts = append(parts, h.Ord)
			}
		}
		want := slices.IndexFunc(parted.Passages, func(p memory.Passage) bool { return p.Ord > 0 && slices.Contains(p.Tokens, spelled(i)) })
		if !slices.Equal(parts, []int{want}) {
			t.Errorf("Match(any %s) has parts %v, want part %d", spelled(i), parts, want)
		}
	}
}

func countsTokens(t *testing.T, s Store) {
	batch := []memory.Entry{by("Lampard", said("a lamp and another lamp", at(1))), said("lamp post", at(2)), said("", at(3)), said("nothing here", at(4))}
	add(t, s, "s", batch...)
	got, err := s.Frequencies(t.Context(), []string{"lamp", "post", "lampard", "zebra", `"`})
	if err != nil {
		t.Fatalf("Frequencies(): %v", err)
	}
	terms := 0
	for _, e := range batch {
		if len(e.Passages) > 0 {
			terms += e.Passages[0].Terms
		}
	}
	if want := float64(terms) / 3; got.Documents != 3 || math.Abs(got.MeanTerms-want) > 1e-9 {
		t.Errorf("Frequencies() = %d documents with %v terms, want 3 with %v", got.Documents, got.MeanTerms, want)
	}
	for token, want := range map[string]int{"lamp": 2, "post": 1, "lampard": 1, "zebra": 0, `"`: 0} {
		if got.ByToken[token] != want {
			t.Errorf("Frequencies(%s) = %d, want %d", token, got.ByToken[token], want)
		}
	}
}

func listsWords(t *testing.T, s Store) {
	if words, err := s.Words(t.Context(), "a", 5); err != nil || len(words) != 0 {
		t.Errorf("Words() of an empty store = %v, %v, want none", words, err)
	}
	add(t, s, "s", said("Deployments were redeployed", at(1)), said("He deploys; deployments go on. 部署 deploy_all", at(2)))
	words, err := s.Words(t.Context(), "deploy", 10)
	if err != nil {
		t.Fatalf("Words(deploy): %v", err)
	}
	var names []string
	for _, w := range words {
		names = append(names, w.Text)
		if !slices.Contains(tokens(w.Text), w.Token) {
			t.Errorf("Words(deploy) has %q with token %q, want one of %q", w.Text, w.Token, tokens(w.Text))
		}
	}
	if want := []string{"deploy", "deploys", "redeployed", "deployments"}; !slices.Equal(names, want) {
		t.Errorf("Words(deploy) = %q, want %q, shortest first", names, want)
	}
	if words, err = s.Words(t.Context(), "ploy", 2); err != nil || len(words) != 2 || words[0].Text != "deploy" {
		t.Errorf("Words(ploy, 2) = %v, %v, want the two shortest", words, err)
	}
	if words, err = s.Words(t.Context(), "%", 2); err != nil || len(words) != 0 {
		t.Errorf("Words(%%) = %v, %v, want none: nothing is a wildcard", words, err)
	}
}

func listsSenders(t *testing.T, s Store) {
	add(t, s, "s", by("Ann", said("one", at(1))), by("小明", said("two", at(2))), said("three", at(3)))
	add(t, s, "t", by("Ann", said("four", at(4))), by("ann", said("five", at(5))))
	if names, err := s.Senders(t.Context()); err != nil || !sameSet(names, []string{"Ann", "小明", "ann"}) {
		t.Errorf("Senders() = %q, %v, want Ann, 小明 and ann, each once", names, err)
	}
}
