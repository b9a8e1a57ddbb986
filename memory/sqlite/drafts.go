package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"mcp-memory/memory"
)

// SaveSummaryDraft keeps a rebuild that has come from one cursor to the next. It
// is refused with ErrConflict when the session is of another generation, or when
// the draft stands elsewhere; the zero cursor begins a new one. Failures of the
// session are forgotten.
func (db *DB) SaveSummaryDraft(ctx context.Context, session string, generation int64, from memory.SummaryCursor, d memory.SummaryDraft) error {
	body, err := json.Marshal(d.Summary)
	if err != nil {
		return err
	}
	err = db.writer.do(ctx, func(tx tx) error {
		kept, err := tx.change(`
			INSERT INTO summary_drafts(session_id, generation, cursor_seq, part_seq, part_bytes, messages, model, body)
			SELECT s.id, s.generation, ?1, ?2, ?3, ?4, ?5, ?6
			FROM sessions s
			LEFT JOIN summary_drafts d ON d.session_id = s.id AND d.generation = s.generation
			WHERE s.name = ?7 AND s.generation = ?8
			AND ((?9, ?10, ?11) = (0, 0, 0) OR (d.cursor_seq, d.part_seq, d.part_bytes) = (?9, ?10, ?11))
			ON CONFLICT(session_id) DO UPDATE SET
				generation = excluded.generation,
				cursor_seq = excluded.cursor_seq, part_seq = excluded.part_seq, part_bytes = excluded.part_bytes,
				messages = excluded.messages, model = excluded.model, body = excluded.body`,
			d.Cursor.Seq, d.Cursor.Part, d.Cursor.Offset, d.Messages, d.Model, string(body),
			session, generation, from.Seq, from.Part, from.Offset)
		if err == nil && kept == 0 {
			err = memory.Conflictf("session %q has changed while its summary was rebuilt; try again", session)
		}
		if err != nil {
			return err
		}
		return tx.exec(`
			UPDATE summary_state SET failures = 0, not_before = 0, last_error = NULL
			WHERE session_id = (SELECT id FROM sessions WHERE name = ?)`, session)
	})
	return db.translate("keep the draft of the summary", err)
}

// PublishSummaryDraft makes the draft of a session its current summary, if the
// session is still in the state of the mark, else ErrConflict; so it is without a
// draft.
func (db *DB) PublishSummaryDraft(ctx context.Context, session string, mark memory.SummaryMark) (memory.SummaryVersion, error) {
	var saved memory.SummaryVersion
	err := db.writer.do(ctx, func(tx tx) error {
		id, err := unchanged(tx, session, mark)
		if err != nil {
			return err
		}
		var d memory.SummaryDraft
		var body sql.NullString
		err = tx.row(`
			DELETE FROM summary_drafts
			WHERE session_id = ? AND generation = ?
			RETURNING cursor_seq, part_seq, part_bytes, model, body`, []any{id, mark.Generation},
			&d.Cursor.Seq, &d.Cursor.Part, &d.Cursor.Offset, &d.Model, &body)
		if errors.Is(err, sql.ErrNoRows) {
			return memory.Conflictf("the summary of session %q is not being rebuilt any more; try again", session)
		}
		if err := errors.Join(err, readBody(body, &d.Summary)); err != nil {
			return err
		}
		saved, err = db.saveVersion(tx, id, session, d.Summary, d.Model, d.Cursor)
		return err
	})
	return saved, db.translate("publish the rebuilt summary", err)
}
