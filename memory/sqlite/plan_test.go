package sqlite_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// wholeTable is the step of a plan that reads a whole table which grows with
// the messages. Full-text and vector tables are read through an index of their
// own, which SQLite calls a scan too.
var wholeTable = regexp.MustCompile(`^SCAN (messages|message_meta|passages|senders|sessions|embed_queue|lessons|[mnhpql])( |$)`)

// TestPlans asks SQLite how it runs the statements, and checks the first step
// and that no step reads a whole table.
func TestPlans(t *testing.T) {
	t.Parallel()
	db := open(t, sqlite.Options{})
	statements := exercise(t, db)
	const fullText, vectors = "SCAN message_fts VIRTUAL TABLE INDEX", "SCAN vec_message_1 VIRTUAL TABLE INDEX"
	for _, c := range []struct {
		name  string
		part  string // of the statement
		first string // how its plan begins
	}{
		{"Match", "WHERE message_fts MATCH ? ORDER BY message_fts.rank LIMIT", fullText},
		{"Match, newest first", "WHERE message_fts MATCH ? ORDER BY message_fts.rowid DESC", fullText},
		{"Match since", "MATCH ? AND m.sent_at >= ? ORDER", fullText},
		{"Match, every filter", "MATCH ? AND m.sent_at >= ? AND m.sent_at < ? AND NOT m.dropped", fullText},
		{"Match without words in a session", "AND m.session_id = ?", "SEARCH m USING INDEX messages_"},
		{"Count", "count(*) FROM (SELECT 1 FROM message_fts", "CO-ROUTINE"},
		{"Frequencies", "FROM message_terms", "SCAN j VIRTUAL TABLE INDEX"},
		{"Nearest", "embedding MATCH", vectors},
		{"Neighbours, places", "SELECT DISTINCT m.session_id", "SCAN j VIRTUAL TABLE INDEX"},
		{"Neighbours", "m.seq BETWEEN", "SCAN r VIRTUAL TABLE INDEX"},
		{"Neighbours, parts", "CROSS JOIN passages p ON p.id = j.value", "SCAN j VIRTUAL TABLE INDEX"},
		{"Message", "WHERE m.id = ?2", "SEARCH m USING INTEGER PRIMARY KEY"},
		{"Newest", "LIMIT ?3", "SEARCH s USING"},
		{"Page, older", "< (?3, ?4)", "SEARCH s USING"},
		{"Page, newer", "> (?3, ?4)", "SEARCH s USING"},
		{"HotOutline", "SELECT m.sent_at, m.seq, m.role, m.bytes", "SEARCH s USING"},
		{"Append, session", "s.title IS NOT NULL", "SEARCH s USING"},
		{"Append, client id", "client_id = ?", "SEARCH messages USING COVERING INDEX messages_client"},
		{"Append, key", "dedup = ?", "SEARCH messages USING COVERING INDEX messages_dedup"},
		{"Append, sender", "FROM senders WHERE name", "SEARCH senders USING COVERING INDEX"},
		{"Archive", "sum(bytes)", "SEARCH messages USING INDEX messages_order"},
		{"Archive, vectors", "DELETE FROM vec_message_1", vectors},
		{"Archive, queue", "DELETE FROM embed_queue WHERE corpus = 'message' AND ref IN", "SEARCH embed_queue USING"},
		{"Drop", "UPDATE messages SET dropped = ?3", "SEARCH messages USING INTEGER PRIMARY KEY"},
		{"Undrop", "UPDATE messages SET dropped = 0", "SEARCH messages USING INDEX messages_"},
		{"Undrop, queue", "m.dropped = ?2 AND m.features", "SEARCH m USING INDEX messages_"},
		{"Reset, look", "SELECT role, sender_id", "SEARCH messages USING"},
		{"Reset, index", "DELETE FROM message_fts", fullText},
		{"Reset, messages", "DELETE FROM messages", "SEARCH messages USING"},
		{"Reset, word", "SELECT rowid FROM message_fts", fullText},
		{"Reset, word as written", "SELECT m.content\n", fullText},
		{"Reset, words", "DELETE FROM words WHERE word IN", "SEARCH words USING"},
		{"Reset, senders", "DELETE FROM senders", "SEARCH senders USING INTEGER PRIMARY KEY"},
		{"Messages", "SELECT h.messages\n", "SEARCH s USING"},
		{"SaveVectors", "DELETE FROM embed_queue WHERE corpus = 'message' AND ref = ?", "SEARCH embed_queue USING"},
		{"SaveVectors, message", "INSERT INTO vec_message_1", "SEARCH messages USING INTEGER PRIMARY KEY"},
		{"Waiting", "q.not_before", "SEARCH q USING"},
		{"MessagesAfter", "m.seq <= ?4", "SEARCH s USING"},
		{"SummaryState", "LEFT JOIN summary_drafts", "SEARCH s USING"},
		{"LearntLimit", "FROM model_limits", "SEARCH model_limits USING PRIMARY KEY"},
		{"SaveSummary", "SELECT max(version)", "SEARCH"},
		{"MatchLessons", "WHERE lesson_fts MATCH ?", "SCAN lesson_fts VIRTUAL TABLE INDEX"},
		{"SaveLesson", "session = ?, source = ?, updated_at = ?", "SEARCH lessons USING INDEX"},
		{"SweepLessons", "DELETE FROM lessons WHERE expires_at <= ?", "SEARCH lessons USING COVERING INDEX lessons_expiry"},
		{"RenewLessons", "max(l.expires_at, ?)", "SEARCH l USING INTEGER PRIMARY KEY"},
		{"MatchNotes since", "CROSS JOIN note_files f ON f.id = c.file_id WHERE note_fts MATCH ?", "SCAN note_fts VIRTUAL TABLE INDEX"},
		{"NoteChunks", "c.heading, c.content", "SCAN j VIRTUAL TABLE INDEX"},
		{"NewestNoteVersion", "AND NOT undone", "SEARCH note_versions USING INDEX note_versions_path"},
	} {
		plans := plansOf(t, db, statements, c.part)
		if len(plans) == 0 {
			t.Errorf("%s: no statement has %q", c.name, c.part)
		}
		for statement, plan := range plans {
			if !strings.HasPrefix(plan[0], c.first) {
				t.Errorf("%s: the plan of %s\nis %q, want it to begin %q", c.name, statement, plan, c.first)
			}
			if i := slices.IndexFunc(plan, wholeTable.MatchString); i >= 0 {
				t.Errorf("%s: the plan of %s\nhas %q, want no whole table read", c.name, statement, plan[i])
			}
		}
	}
}

// exercise calls what is to be looked at and returns the statements that were
// prepared for it.
func exercise(t *testing.T, db *sqlite.DB) (statements []string) {
	t.Helper()
	ctx, at := t.Context(), time.Unix(1e9, 0)
	model := memory.EmbeddingModel{Provider: "test", Name: "plane", Dimensions: 2}
	named := analyse(memory.Message{ClientID: "a", Role: memory.RoleUser, Content: "hello again", Sender: "Ann", SentAt: at})
	keyed := named
	keyed.Message.ClientID, keyed.Key = "", []byte("key")
	running := analyse(memory.Message{Role: memory.RoleUser, Content: "running", SentAt: at})
	word := memory.TextQuery{All: []string{"hello"}}
	every := memory.Filter{Session: "s", Role: memory.RoleUser, Since: at, Until: at.Add(1), HotOnly: true}
	match := func(q memory.TextQuery, f memory.Filter, order memory.Order) error {
		_, err := db.Match(ctx, q, f, order, 0, 10)
		return err
	}
	nearest := func(f memory.Filter) error {
		statement, err := db.NearestStatement(ctx, f)
		statements = append(statements, statement)
		return err
	}
	for i, call := range []func() error{
		func() error { return db.UseModel(ctx, model) },
		func() error { _, err := db.Append(ctx, "s", []memory.Entry{named, keyed}); return err },
		func() error { _, err := db.Waiting(ctx, 10); return err },
		func() error { return db.SaveVectors(ctx, model, []memory.Vector{{Ref: 256, Values: []float32{1, 0}}}) },
		func() error { return match(word, memory.Filter{}, memory.BestFirst) },
		func() error { return match(word, memory.Filter{}, memory.NewestFirst) },
		func() error { return match(word, memory.Filter{Since: at}, memory.BestFirst) },
		func() error { return match(word, every, memory.BestFirst) },
		func() error { return match(memory.TextQuery{}, memory.Filter{Session: "s"}, memory.NewestFirst) },
		func() error { _, err := db.Count(ctx, word, memory.Filter{Until: at}, 10); return err },
		func() error { _, err := db.Frequencies(ctx, []string{"hello"}); return err },
		func() error { return nearest(memory.Filter{}) },
		func() error { every.HotOnly = false; return nearest(every) },
		func() error { _, err := db.Neighbours(ctx, []memory.Hit{{MessageID: 1, Ord: 1}}, 2); return err },
		func() error { _, err := db.Around(ctx, 1, 2, 2, 100); return err },
		func() error { _, err := db.Newest(ctx, "s", 16); return err },
		func() error { _, err := db.HotOutline(ctx, "s"); return err },
		func() error { _, err := db.MessagesAfter(ctx, "s", 0, 9, 10, 100); return err },
		func() error { _, err := db.SummaryState(ctx, "s"); return err },
		func() error { _, _, err := db.LearntLimit(ctx, "m"); return err },
		func() error {
			_, err := db.SaveSummary(ctx, "s", memory.SummaryMark{}, memory.Summary{KeyDecisions: []string{"Do: a"}}, "m", memory.SummaryCursor{Seq: 1})
			return err
		},
		func() error {
			_, err := db.SaveLesson(ctx, memory.LessonEntry{Key: []byte("k"), Tokens: []string{"hello"}, Lesson: memory.Lesson{ExpiresAt: at}}, at)
			return err
		},
		func() error { _, err := db.MatchLessons(ctx, []string{"hello"}, "t", at, 9); return err },
		func() error { _, err := db.RenewLessons(ctx, []int64{1}, at, at); return err },
		func() error { _, err := db.SweepLessons(ctx, at); return err },
		func() error {
			_, err := db.MatchNotes(ctx, word, memory.NoteFilter{Since: at}, memory.BestFirst, 10)
			return err
		},
		func() error { _, err := db.NoteChunks(ctx, []int64{1}); return err },
		func() error {
			if _, err := db.NewestNoteVersion(ctx, "a.md"); !errors.Is(err, memory.ErrNotFound) {
				return err
			}
			return nil
		},
		func() error { _, err := db.Archive(ctx, "s", memory.Position{SentAt: 1}, false); return err },
		func() error { _, err := db.Drop(ctx, "s", []int64{1}, false); return err },
		func() error { _, err := db.Undrop(ctx, "s"); return err },
		func() error { _, err := db.Messages(ctx, "s"); return err },
		func() error { _, err := db.Append(ctx, "s", []memory.Entry{running}); return err },
		func() error {
			_, err := db.Reset(ctx, "s", memory.Reset{Mode: memory.ResetMessages, Messages: []int64{1}})
			return err
		},
		func() error { _, err := db.Reset(ctx, "s", memory.Reset{Mode: memory.ResetAll}); return err },
		func() error { _, err := db.Wipe(ctx); return err },
	} {
		if err := call(); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
		statements = append(statements, db.Statements()...)
	}
	slices.Sort(statements)
	return slices.Compact(statements)
}

// TestPlansWithoutSort looks at the lists of all messages and all sessions:
// they must be read in the order of an index, so that the limit ends them.
func TestPlansWithoutSort(t *testing.T) {
	t.Parallel()
	db := open(t, sqlite.Options{})
	if _, err := db.Match(t.Context(), memory.TextQuery{}, memory.Filter{Role: memory.RoleUser}, memory.NewestFirst, 0, 10); err != nil {
		t.Fatalf("Match(): %v", err)
	}
	if _, err := db.Sessions(t.Context(), &memory.SessionMark{LastAt: 5, ID: "s"}, 10); err != nil {
		t.Fatalf("Sessions(): %v", err)
	}
	plans := plansOf(t, db, db.Statements(), "LIMIT")
	if len(plans) != 2 {
		t.Errorf("%d statements with a limit, want those of Match and Sessions", len(plans))
	}
	for statement, plan := range plans {
		if slices.ContainsFunc(plan, func(step string) bool { return strings.Contains(step, "TEMP B-TREE") }) {
			t.Errorf("the plan of %s\nis %q, want no sort", statement, plan)
		}
	}
}

// plansOf explains those of the statements that hold part. What their
// parameters are plays no part.
func plansOf(t *testing.T, db *sqlite.DB, statements []string, part string) map[string][]string {
	t.Helper()
	plans := map[string][]string{}
	for _, statement := range statements {
		if !strings.Contains(statement, part) {
			continue
		}
		rows, err := db.Readers().QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+statement, make([]any, 20)...)
		if err != nil {
			t.Fatalf("EXPLAIN QUERY PLAN %s: %v", statement, err)
		}
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatalf("Scan(): %v", err)
			}
			plans[statement] = append(plans[statement], detail)
		}
		if err := rows.Err(); err != nil || len(plans[statement]) == 0 {
			t.Fatalf("EXPLAIN QUERY PLAN %s = %q, %v, want steps", statement, plans[statement], err)
		}
		rows.Close()
	}
	return plans
}
