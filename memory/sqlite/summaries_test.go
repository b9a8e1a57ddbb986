package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// run executes a statement on the writing connection.
func run(t *testing.T, db *sqlite.DB, statement string) {
	t.Helper()
	err := db.OnWriter(func(conn *sql.Conn) error {
		_, err := conn.ExecContext(t.Context(), statement)
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func count(t *testing.T, db *sqlite.DB, query string) int {
	t.Helper()
	var n int
	if err := db.Readers().QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func ruled(rule string) memory.Summary { return memory.Summary{KeyDecisions: []string{rule}} }

// TestSummaryAfterReset raises the generation of a session, as a reset does:
// what was begun before is void, and no version number comes again.
func TestSummaryAfterReset(t *testing.T) {
	t.Parallel()
	ctx, db := t.Context(), open(t, sqlite.Options{})
	say(t, db, "one")
	say(t, db, "two")
	cursor := memory.SummaryCursor{Seq: 1}
	if _, err := db.SaveSummary(ctx, "s", memory.SummaryMark{}, ruled("Do: a"), "m", cursor); err != nil {
		t.Fatalf("SaveSummary(): %v", err)
	}
	before := memory.SummaryMark{Version: 1, Cursor: cursor}
	begun := memory.SummaryDraft{Summary: ruled("Do: b"), Model: "m", Cursor: cursor, Messages: 1}
	if err := db.SaveSummaryDraft(ctx, "s", 0, memory.SummaryCursor{}, begun); err != nil {
		t.Fatalf("SaveSummaryDraft(): %v", err)
	}
	run(t, db, `UPDATE sessions SET generation = generation + 1`)
	if _, err := db.SaveSummary(ctx, "s", before, ruled("Do: c"), "m", memory.SummaryCursor{Seq: 2}); !errors.Is(err, memory.ErrConflict) {
		t.Errorf("SaveSummary(of before the reset) = %v, want ErrConflict", err)
	}
	if _, err := db.PublishSummaryDraft(ctx, "s", before); !errors.Is(err, memory.ErrConflict) {
		t.Errorf("PublishSummaryDraft(of before the reset) = %v, want ErrConflict", err)
	}
	st, err := db.SummaryState(ctx, "s")
	if err != nil || st.Draft != nil || st.Mark.Generation != 1 {
		t.Fatalf("SummaryState() = %+v, %v, want no draft in generation 1", st, err)
	}
	if _, err := db.PublishSummaryDraft(ctx, "s", st.Mark); !errors.Is(err, memory.ErrConflict) {
		t.Errorf("PublishSummaryDraft(a draft of before the reset) = %v, want ErrConflict", err)
	}
	run(t, db, `DELETE FROM summaries`)
	run(t, db, `UPDATE summary_state SET base = '{"key_decisions":["Do: kept"]}'`)
	if st, err = db.SummaryState(ctx, "s"); err != nil || st.Current.Version != 0 || st.Base.KeyDecisions[0] != "Do: kept" {
		t.Fatalf("SummaryState() = %+v, %v, want the base alone", st, err)
	}
	if v, err := db.SaveSummary(ctx, "s", st.Mark, ruled("Do: d"), "m", memory.SummaryCursor{Seq: 2}); err != nil || v.Version != 2 {
		t.Errorf("SaveSummary(after the versions are gone) = %+v, %v, want version 2", v, err)
	}
}

// TestSummariesGoWithTheirSession removes a session.
func TestSummariesGoWithTheirSession(t *testing.T) {
	t.Parallel()
	ctx, db := t.Context(), open(t, sqlite.Options{})
	say(t, db, "one")
	if _, err := db.SaveSummary(ctx, "s", memory.SummaryMark{}, ruled("Do: a"), "m", memory.SummaryCursor{Seq: 1}); err != nil {
		t.Fatalf("SaveSummary(): %v", err)
	}
	draft := memory.SummaryDraft{Summary: ruled("Do: b"), Model: "m", Cursor: memory.SummaryCursor{Seq: 1}}
	if err := db.SaveSummaryDraft(ctx, "s", 0, memory.SummaryCursor{}, draft); err != nil {
		t.Fatalf("SaveSummaryDraft(): %v", err)
	}
	rows := `SELECT (SELECT count(*) FROM summaries) + (SELECT count(*) FROM summary_state) + (SELECT count(*) FROM summary_drafts)`
	if got := count(t, db, rows); got != 3 {
		t.Fatalf("%d rows of summaries, want 3", got)
	}
	run(t, db, `DELETE FROM sessions`)
	if got := count(t, db, rows); got != 0 {
		t.Errorf("%d rows of summaries are left after their session, want none", got)
	}
}

// TestSummaryOfTwoProcesses saves through two connections over one state.
func TestSummaryOfTwoProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.db")
	one, two := open(t, sqlite.Options{Path: path}), open(t, sqlite.Options{Path: path})
	say(t, one, "one")
	results := make(chan error, 2)
	for _, db := range []*sqlite.DB{one, two} {
		go func() {
			_, err := db.SaveSummary(context.WithoutCancel(t.Context()), "s", memory.SummaryMark{}, ruled("Do: a"), "m", memory.SummaryCursor{Seq: 1})
			results <- err
		}()
	}
	saved, refused := 0, 0
	for range 2 {
		switch err := <-results; {
		case err == nil:
			saved++
		case errors.Is(err, memory.ErrConflict):
			refused++
		default:
			t.Errorf("SaveSummary(): %v", err)
		}
	}
	if saved != 1 || refused != 1 {
		t.Errorf("%d saved and %d refused, want one each", saved, refused)
	}
}

// fixtureSummary gives a fixture a summary, one that failed, and a draft.
func fixtureSummary(t *testing.T, db *sqlite.DB) {
	t.Helper()
	ctx, cursor := t.Context(), memory.SummaryCursor{Seq: 50}
	if _, err := db.SaveSummary(ctx, "s", memory.SummaryMark{}, ruled("Do: keep"), "test", cursor); err != nil {
		t.Fatalf("SaveSummary(): %v", err)
	}
	if err := db.SaveSummaryDraft(ctx, "s", 0, memory.SummaryCursor{}, memory.SummaryDraft{Summary: ruled("Do: draft"), Model: "test", Cursor: cursor}); err != nil {
		t.Fatalf("SaveSummaryDraft(): %v", err)
	}
	if err := db.FailSummary(ctx, "s", 0, time.Unix(2e9, 0), "down"); err != nil {
		t.Fatalf("FailSummary(): %v", err)
	}
}
