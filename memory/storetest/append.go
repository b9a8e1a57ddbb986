package storetest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"mcp-memory/memory"
)

var appending = theme{
	"keeps the order of a batch":               keepsOrder,
	"numbers rise":                             numbersRise,
	"gives back every field":                   givesBackFields,
	"knows a client id":                        knowsClientID,
	"knows a key":                              knowsKey,
	"adds what has neither":                    addsWithoutKey,
	"adds what is fresh, and knows it later":   addsFresh,
	"knows repeats inside a batch":             knowsRepeatsInBatch,
	"duplicates belong to one session":         duplicatesPerSession,
	"names the first and last of the batch":    namesFirstAndLast,
	"stores all or nothing":                    storesAllOrNothing,
	"a refused batch leaves no session behind": refusedLeavesNothing,
	"counts hot bytes":                         countsHotBytes,
	"titles a session":                         titlesSession,
}

func keepsOrder(t *testing.T, s Store) {
	batch := []memory.Entry{said("one", at(0)), said("two", at(0)), said("three", at(0)), said("four", at(0))}
	done := add(t, s, "s", batch...)
	if done.Added != 4 || done.Duplicates != 0 {
		t.Errorf("Append(4 new) = %+v, want 4 added, no duplicates", done)
	}
	if got, want := contents(transcript(t, s, "s")), []string{"one", "two", "three", "four"}; !slices.Equal(got, want) {
		t.Errorf("order after Append = %q, want %q", got, want)
	}
}

func addsFresh(t *testing.T, s Store) {
	fresh := keyed(said("ok", at(0)))
	fresh.Fresh = true
	for range 2 {
		if done := add(t, s, "s", fresh); done.Added != 1 {
			t.Errorf("Append(fresh) = %+v, want it added", done)
		}
	}
	if done := add(t, s, "s", keyed(said("ok", at(0)))); done.Duplicates != 1 {
		t.Errorf("Append(the same with its time) = %+v, want a duplicate", done)
	}
}

func numbersRise(t *testing.T, s Store) {
	for range 3 {
		add(t, s, "a", said("again", at(1)), said("again", at(0)))
		add(t, s, "b", said("again", at(0)))
	}
	ids := map[int64]bool{}
	for _, session := range []string{"a", "b"} {
		list := transcript(t, s, session)
		slices.SortFunc(list, func(x, y memory.Message) int { return int(x.Seq - y.Seq) })
		for i, m := range list {
			if ids[m.ID] {
				t.Errorf("id %d was given twice", m.ID)
			}
			ids[m.ID] = true
			if m.ID <= 0 || m.Seq <= 0 {
				t.Errorf("message has id %d, seq %d, want both above 0", m.ID, m.Seq)
			}
			if i > 0 && (m.ID <= list[i-1].ID || m.Seq == list[i-1].Seq) {
				t.Errorf("%s: message %d has id %d, seq %d after id %d, seq %d; both must rise", session, i, m.ID, m.Seq, list[i-1].ID, list[i-1].Seq)
			}
		}
	}
	if len(ids) != 9 {
		t.Errorf("%d messages are stored, want 9", len(ids))
	}
}

func givesBackFields(t *testing.T, s Store) {
	messages := []memory.Message{
		{ClientID: "c-1", Role: memory.RoleAssistant, Sender: "小明", Content: "calling", ToolCalls: []byte(`[{"id":"t1","name":"ls"}]`), Source: "mcp"},
		{Role: memory.RoleTool, Content: "a.txt\nb.txt", ToolName: "ls", ToolCallID: "t1", Source: "import"},
		{Role: memory.RoleSystem, Content: "", Source: "demo"},
		{Role: memory.RoleUser, Content: "It's \"quoted\"; DROP TABLE x; -- 100 % \U0001F600", Source: "mcp"},
	}
	var batch []memory.Entry
	for i := range messages {
		messages[i].SentAt = at(i).Add(123456789)
		batch = append(batch, entry(messages[i]))
	}
	add(t, s, "Ünï 🙂 'x'", batch...)
	for i, got := range transcript(t, s, "Ünï 🙂 'x'") {
		want := messages[i]
		want.ID, want.Seq, want.Session, want.Size = got.ID, got.Seq, "Ünï 🙂 'x'", len(want.Content)
		if !sameMessage(got, want) {
			t.Errorf("message %d = %+v, want %+v", i, got, want)
		}
		whole, err := s.Message(t.Context(), got.ID)
		if err != nil || !sameMessage(whole, want) {
			t.Errorf("Message(%d) = %+v, %v, want %+v", got.ID, whole, err, want)
		}
	}
}

func sameMessage(a, b memory.Message) bool {
	return a.ID == b.ID && a.Seq == b.Seq && a.ClientID == b.ClientID && a.Session == b.Session && a.Role == b.Role &&
		a.Sender == b.Sender && a.SentAt.Equal(b.SentAt) && a.Content == b.Content && a.Size == b.Size &&
		a.ToolName == b.ToolName && a.ToolCallID == b.ToolCallID && string(a.ToolCalls) == string(b.ToolCalls) &&
		a.Source == b.Source && a.Archived == b.Archived
}

func knowsClientID(t *testing.T, s Store) {
	first := add(t, s, "s", called("m1", said("hello", at(0))))
	again := add(t, s, "s", called("m1", keyed(of(memory.RoleTool, said("other words", at(9))))))
	if again.Added != 0 || again.Duplicates != 1 || again.FirstID != first.FirstID {
		t.Errorf("Append(known client id) = %+v, want one duplicate of id %d", again, first.FirstID)
	}
	if got := contents(transcript(t, s, "s")); !slices.Equal(got, []string{"hello"}) {
		t.Errorf("contents = %q, want the first one alone, unchanged", got)
	}
	other := add(t, s, "s", called("M1", said("hello", at(0))))
	if other.Added != 1 {
		t.Errorf("Append(client id in another case) = %+v, want one added", other)
	}
}

func knowsKey(t *testing.T, s Store) {
	first := add(t, s, "s", keyed(said("hello", at(0))))
	again := add(t, s, "s", keyed(said("hello", at(0))), keyed(said("hello", at(1))), keyed(of(memory.RoleAssistant, said("hello", at(0)))))
	if again.Added != 2 || again.Duplicates != 1 || again.FirstID != first.FirstID {
		t.Errorf("Append(same, other time, other role) = %+v, want 2 added and a duplicate of id %d", again, first.FirstID)
	}
	named := add(t, s, "s", called("new", keyed(said("hello", at(0)))))
	if named.Added != 1 {
		t.Errorf("Append(same key, new client id) = %+v, want one added: the client's id decides", named)
	}
	unnamed := add(t, s, "s", keyed(said("hello", at(0))))
	if unnamed.Added != 0 {
		t.Errorf("Append(same key, no client id) = %+v, want a duplicate", unnamed)
	}
}

func addsWithoutKey(t *testing.T, s Store) {
	for range 3 {
		if done := add(t, s, "s", said("ping", at(0))); done.Added != 1 || done.Duplicates != 0 {
			t.Errorf("Append(no id, no key) = %+v, want one added", done)
		}
	}
}

func knowsRepeatsInBatch(t *testing.T, s Store) {
	done := add(t, s, "s",
		called("x", said("one", at(0))), called("x", said("two", at(1))),
		keyed(said("three", at(2))), keyed(said("three", at(2))),
		said("four", at(3)), said("four", at(3)))
	if done.Added != 4 || done.Duplicates != 2 {
		t.Errorf("Append(repeats in a batch) = %+v, want 4 added, 2 duplicates", done)
	}
	if got, want := contents(transcript(t, s, "s")), []string{"one", "three", "four", "four"}; !slices.Equal(got, want) {
		t.Errorf("contents = %q, want %q", got, want)
	}
}

func duplicatesPerSession(t *testing.T, s Store) {
	for _, session := range []string{"s", "S", "t"} {
		done := add(t, s, session, called("x", said("one", at(0))), keyed(said("two", at(1))))
		if done.Added != 2 {
			t.Errorf("Append(%s) = %+v, want 2 added: another session's messages are no duplicates", session, done)
		}
	}
}

func namesFirstAndLast(t *testing.T, s Store) {
	add(t, s, "s", called("a", said("one", at(0))), called("b", said("two", at(1))), called("c", said("three", at(2))))
	ids := idsByContent(transcript(t, s, "s"))
	done := add(t, s, "s", called("b", said("again", at(5))), called("d", said("four", at(3))), called("a", said("again", at(5))))
	if done.FirstID != ids["two"] || done.LastID != ids["one"] {
		t.Errorf("Append(known, new, known) = %+v, want first id %d, last id %d", done, ids["two"], ids["one"])
	}
	done = add(t, s, "s", called("c", said("again", at(5))), called("e", said("five", at(4))))
	if ids = idsByContent(transcript(t, s, "s")); done.FirstID != ids["three"] || done.LastID != ids["five"] {
		t.Errorf("Append(known, new) = %+v, want first id %d, last id %d", done, ids["three"], ids["five"])
	}
}

func idsByContent(list []memory.Message) map[string]int64 {
	ids := map[string]int64{}
	for _, m := range list {
		ids[m.Content] = m.ID
	}
	return ids
}

func storesAllOrNothing(t *testing.T, s Store) {
	add(t, s, "s", said("before", at(0)))
	before, err := s.Frequencies(t.Context(), nil)
	if err != nil {
		t.Fatalf("Frequencies(): %v", err)
	}
	bad := of("wizard", said("bad apple", at(3)))
	if done, err := s.Append(t.Context(), "s", []memory.Entry{by("Zoe", said("good apple", at(2))), bad, said("late apple", at(4))}); err == nil {
		t.Fatalf("Append(a bad entry) = %+v, want an error", done)
	}
	if got := contents(transcript(t, s, "s")); !slices.Equal(got, []string{"before"}) {
		t.Errorf("contents after a refused batch = %q, want what was there before", got)
	}
	if got := match(t, s, memory.TextQuery{Any: tokens("apple")}, memory.Filter{}, 10); len(got) != 0 {
		t.Errorf("Match(a word of the refused batch) = %q, want nothing", got)
	}
	after, err := s.Frequencies(t.Context(), nil)
	if err != nil || after.Documents != before.Documents || after.MeanTerms != before.MeanTerms {
		t.Errorf("Frequencies() = %+v, %v, want %+v as before", after, err, before)
	}
	if names, err := s.Senders(t.Context()); err != nil || len(names) != 0 {
		t.Errorf("Senders() = %q, %v, want none", names, err)
	}
	if done := add(t, s, "s", said("after", at(5))); done.Added != 1 || done.HotBytes != int64(len("before")+len("after")) {
		t.Errorf("Append() after a refused batch = %+v, want one added and 11 hot bytes", done)
	}
}

func refusedLeavesNothing(t *testing.T, s Store) {
	if _, err := s.Append(t.Context(), "new", []memory.Entry{of("wizard", said("x", at(0)))}); err == nil {
		t.Fatal("Append(a bad entry) = nil, want an error")
	}
	if list, err := s.Sessions(t.Context(), nil, 10); err != nil || len(list) != 0 {
		t.Errorf("Sessions() = %+v, %v, want none", list, err)
	}
	if _, err := s.Message(t.Context(), 1); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Message(1) = %v, want ErrNotFound", err)
	}
}

func countsHotBytes(t *testing.T, s Store) {
	for i, want := range []int64{3, 3, 9} {
		batch := [][]memory.Entry{{called("a", said("abc", at(0)))}, {called("a", said("long duplicate", at(1)))}, {said("部署", at(2))}}[i]
		if done := add(t, s, "s", batch...); done.HotBytes != want {
			t.Errorf("Append(%q) = %+v, want %d hot bytes", batch[0].Message.Content, done, want)
		}
	}
	if done := add(t, s, "t", said("x", at(0))); done.HotBytes != 1 {
		t.Errorf("Append(another session) = %+v, want 1 hot byte", done)
	}
}

func titlesSession(t *testing.T, s Store) {
	add(t, s, "s", of(memory.RoleSystem, said("Be brief.", at(0))), of(memory.RoleAssistant, said("Hi!", at(1))))
	if got := titleOf(t, s, "s"); got != "" {
		t.Errorf("title before a user message = %q, want none", got)
	}
	add(t, s, "s", said("  How do I\n\tdeploy the thing? ", at(2)), said("Second question", at(3)))
	add(t, s, "s", said("Third question", at(4)))
	if got := titleOf(t, s, "s"); got != "How do I deploy the thing?" {
		t.Errorf("title = %q, want the first user message on one line", got)
	}
	add(t, s, "long", said(strings.Repeat("王小明", 500), at(5)))
	got := titleOf(t, s, "long")
	begin := strings.TrimSuffix(got, "…")
	if begin == got || begin == "" || !strings.HasPrefix(strings.Repeat("王小明", 500), begin) || len([]rune(got)) > 200 {
		t.Errorf("title of a long message = %q, want its beginning, whole characters, then …", got)
	}
}

func titleOf(t *testing.T, s Store, session string) string {
	t.Helper()
	list, err := s.Sessions(t.Context(), nil, 100)
	if err != nil {
		t.Fatalf("Sessions(): %v", err)
	}
	for _, one := range list {
		if one.ID == session {
			return one.Title
		}
	}
	t.Fatalf("Sessions() = %+v, want %q among them", list, session)
	return ""
}
