package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mcp-memory/memory"
)

// DueSummaries lists the sessions that the summary job is to work on now: those
// with messages after their cursor and, when relearn is set, those whose current
// summary no model wrote. Sessions named "temp-…" and those that wait after a
// failure are left out.
func (db *DB) DueSummaries(ctx context.Context, now time.Time, relearn bool) ([]string, error) {
	list, err := collect(ctx, db.reader, `
		SELECT s.name
		FROM sessions s
		JOIN message_meta h ON h.session_id = s.id
		LEFT JOIN summary_state t ON t.session_id = s.id
		WHERE substr(s.name, 1, 5) <> 'temp-'
		AND coalesce(t.not_before, 0) <= ?1
		AND (
			h.next_seq - 1 > coalesce(t.cursor_seq, 0)
			AND EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id AND m.seq > coalesce(t.cursor_seq, 0))
			OR ?2 AND ?3 = (SELECT v.model FROM summaries v WHERE v.session_id = s.id ORDER BY v.version DESC LIMIT 1)
		)
		ORDER BY s.id`, []any{now.UnixNano(), relearn, memory.LocalModel},
		func(rows *sql.Rows) (string, error) {
			var name string
			err := rows.Scan(&name)
			return name, err
		})
	return list, db.translate("list sessions to summarise", err)
}

// SummaryState reads what the work on the summary of a session starts from;
// ErrNotFound for an unknown session.
func (db *DB) SummaryState(ctx context.Context, session string) (memory.SummaryState, error) {
	st := memory.SummaryState{Current: memory.SummaryVersion{Session: session}}
	var body, base, draftBody, draftModel sql.NullString
	var saved, notBefore int64
	var draft memory.SummaryDraft
	err := db.reader.row(ctx, `
		SELECT s.generation, h.next_seq - 1,
			coalesce(t.cursor_seq, 0), coalesce(t.part_seq, 0), coalesce(t.part_bytes, 0),
			coalesce(t.failures, 0), coalesce(t.not_before, 0), t.base,
			coalesce(v.version, 0), coalesce(v.cursor_seq, 0), coalesce(v.created_at, 0), coalesce(v.model, ''), v.body,
			coalesce(d.cursor_seq, 0), coalesce(d.part_seq, 0), coalesce(d.part_bytes, 0), coalesce(d.messages, 0), d.model, d.body
		FROM sessions s
		JOIN message_meta h ON h.session_id = s.id
		LEFT JOIN summary_state t ON t.session_id = s.id
		LEFT JOIN summaries v ON v.id = (SELECT id FROM summaries WHERE session_id = s.id ORDER BY version DESC LIMIT 1)
		LEFT JOIN summary_drafts d ON d.session_id = s.id AND d.generation = s.generation
		WHERE s.name = ?`, []any{session},
		&st.Mark.Generation, &st.LastSeq,
		&st.Mark.Cursor.Seq, &st.Mark.Cursor.Part, &st.Mark.Cursor.Offset,
		&st.Failures, &notBefore, &base,
		&st.Current.Version, &st.Current.Cursor, &saved, &st.Current.Model, &body,
		&draft.Cursor.Seq, &draft.Cursor.Part, &draft.Cursor.Offset, &draft.Messages, &draftModel, &draftBody)
	if errors.Is(err, sql.ErrNoRows) {
		return st, memory.NotFoundf("there is no session %q", session)
	}
	if err != nil {
		return st, db.translate("read the summary", err)
	}
	st.Mark.Version = st.Current.Version
	if saved != 0 {
		st.Current.SavedAt = time.Unix(0, saved).UTC()
	}
	if notBefore != 0 {
		st.NotBefore = time.Unix(0, notBefore).UTC()
	}
	if draftBody.Valid {
		draft.Model, st.Draft = draftModel.String, &draft
	}
	return st, errors.Join(readBody(body, &st.Current.Summary), readBody(base, &st.Base), readBody(draftBody, &draft.Summary))
}

// readBody reads a summary as it is kept; NULL is the empty one.
func readBody(body sql.NullString, into *memory.Summary) error {
	if !body.Valid {
		return nil
	}
	if err := json.Unmarshal([]byte(body.String), into); err != nil {
		return fmt.Errorf("read a kept summary: %w", err)
	}
	return nil
}

// MessagesAfter reads messages of a session in order of arrival, the archive
// included: those with arrival numbers above after and up to upTo, at most n.
// It ends early once their contents pass maxBytes; the first always comes.
func (db *DB) MessagesAfter(ctx context.Context, session string, after, upTo int64, n, maxBytes int) ([]memory.Message, error) {
	rows, err := db.reader.query(ctx, `SELECT`+messageColumns+`
		FROM sessions s
		JOIN message_meta h ON h.session_id = s.id
		CROSS JOIN messages m INDEXED BY messages_arrival ON m.session_id = s.id
		LEFT JOIN senders n ON n.id = m.sender_id
		WHERE s.name = ?2 AND m.seq > ?3 AND m.seq <= ?4
		ORDER BY m.seq
		LIMIT ?5`, int64(whole), session, after, upTo, n)
	if err != nil {
		return nil, db.translate("read messages to summarise", err)
	}
	defer rows.Close()
	var list []memory.Message
	for bytes := 0; bytes <= maxBytes && rows.Next(); {
		m, err := scanMessage(rows)
		if err != nil {
			return nil, db.translate("read messages to summarise", err)
		}
		list = append(list, m)
		bytes += m.Size
	}
	return list, db.translate("read messages to summarise", rows.Err())
}

// SaveSummary makes a summary the current one of its session and moves the
// cursor, if the session is still in the state of the mark, else ErrConflict;
// failures are forgotten. A summary equal to the current one only moves the
// cursor. The result is the current version.
func (db *DB) SaveSummary(ctx context.Context, session string, mark memory.SummaryMark, s memory.Summary, model string, cursor memory.SummaryCursor) (memory.SummaryVersion, error) {
	var saved memory.SummaryVersion
	err := db.writer.do(ctx, func(tx tx) error {
		id, err := unchanged(tx, session, mark)
		if err != nil {
			return err
		}
		saved, err = db.saveVersion(tx, id, session, s, model, cursor)
		return err
	})
	return saved, db.translate("save the summary", err)
}

// unchanged returns the session's number, or ErrConflict when the session is not
// in the state of the mark any more.
func unchanged(tx tx, session string, mark memory.SummaryMark) (int64, error) {
	var id int64
	var now memory.SummaryMark
	err := tx.row(`
		SELECT s.id, s.generation,
			coalesce((SELECT max(version) FROM summaries WHERE session_id = s.id), 0),
			coalesce(t.cursor_seq, 0), coalesce(t.part_seq, 0), coalesce(t.part_bytes, 0)
		FROM sessions s
		LEFT JOIN summary_state t ON t.session_id = s.id
		WHERE s.name = ?`, []any{session},
		&id, &now.Generation, &now.Version, &now.Cursor.Seq, &now.Cursor.Part, &now.Cursor.Offset)
	if errors.Is(err, sql.ErrNoRows) || err == nil && now != mark {
		return 0, memory.Conflictf("the summary of session %q has changed meanwhile; try again", session)
	}
	return id, err
}

// saveVersion writes the summary and the cursor of a session.
func (db *DB) saveVersion(tx tx, id int64, session string, s memory.Summary, model string, cursor memory.SummaryCursor) (memory.SummaryVersion, error) {
	v := memory.SummaryVersion{Session: session, Summary: s, Model: model, Cursor: cursor.Seq}
	body, err := json.Marshal(s)
	if err != nil {
		return v, err
	}
	var created int64
	err = tx.row(`
		UPDATE summaries SET cursor_seq = ?1
		WHERE session_id = ?2 AND model = ?3 AND body = ?4 AND version = (SELECT max(version) FROM summaries WHERE session_id = ?2)
		RETURNING version, created_at`, []any{cursor.Seq, id, model, string(body)}, &v.Version, &created)
	if errors.Is(err, sql.ErrNoRows) {
		created = db.opts.Now().UnixNano()
		v.Version, err = addVersion(tx, id, v, string(body), created)
	}
	if err != nil {
		return v, err
	}
	v.SavedAt = time.Unix(0, created).UTC()
	return v, tx.exec(`
		INSERT INTO summary_state(session_id, last_version, cursor_seq, part_seq, part_bytes) VALUES(?, ?, ?, ?, ?)
		ON CONFLICT(session_id) DO UPDATE SET
			last_version = max(last_version, excluded.last_version),
			cursor_seq = excluded.cursor_seq, part_seq = excluded.part_seq, part_bytes = excluded.part_bytes,
			failures = 0, not_before = 0, last_error = NULL`, id, v.Version, cursor.Seq, cursor.Part, cursor.Offset)
}

// addVersion gives a new version its number, and drops the ones that are too old.
// A session without a summary gets none for an empty one, but for one that no
// model wrote: it tells that a model is yet to read the messages.
func addVersion(tx tx, id int64, v memory.SummaryVersion, body string, now int64) (int64, error) {
	var last, kept int64
	if err := tx.row(`
		SELECT coalesce((SELECT last_version FROM summary_state WHERE session_id = ?1), 0), count(*)
		FROM summaries
		WHERE session_id = ?1`, []any{id}, &last, &kept); err != nil {
		return 0, err
	}
	if kept == 0 && v.Summary.Empty() && v.Model != memory.LocalModel {
		return 0, nil
	}
	if err := tx.exec(`INSERT INTO summaries(session_id, version, cursor_seq, created_at, model, body) VALUES(?, ?, ?, ?, ?, ?)`,
		id, last+1, v.Cursor, now, v.Model, body); err != nil {
		return 0, err
	}
	return last + 1, tx.exec(`DELETE FROM summaries WHERE session_id = ? AND version <= ?`, id, last+1-memory.KeptSummaries)
}

// ImportSummary gives a session that has none a summary made elsewhere, without a
// cursor; the session is made when it is new. False = it had a summary, and
// nothing was changed.
func (db *DB) ImportSummary(ctx context.Context, session string, s memory.Summary, model string) (bool, error) {
	done := false
	err := db.writer.do(ctx, func(tx tx) error {
		a, err := beginAppend(tx, session, db.opts.Now())
		if err != nil {
			return err
		}
		var known int
		if err := tx.row(`SELECT count(*) FROM summaries WHERE session_id = ?`, []any{a.session}, &known); err != nil || known > 0 {
			return err
		}
		_, err = db.saveVersion(tx, a.session, session, s, model, memory.SummaryCursor{})
		done = err == nil
		return err
	})
	return done && err == nil, db.translate("import the summary", err)
}

// SummaryVersions returns the versions of a session's summary that are kept, the
// newest first; none for an unknown session.
func (db *DB) SummaryVersions(ctx context.Context, session string) ([]memory.SummaryVersion, error) {
	list, err := collect(ctx, db.reader, `
		SELECT v.version, v.cursor_seq, v.created_at, v.model, v.body
		FROM sessions s
		JOIN summaries v ON v.session_id = s.id
		WHERE s.name = ?
		ORDER BY v.version DESC`, []any{session},
		func(rows *sql.Rows) (memory.SummaryVersion, error) {
			v := memory.SummaryVersion{Session: session}
			var saved int64
			var body sql.NullString
			if err := rows.Scan(&v.Version, &v.Cursor, &saved, &v.Model, &body); err != nil {
				return v, err
			}
			v.SavedAt = time.Unix(0, saved).UTC()
			return v, readBody(body, &v.Summary)
		})
	return list, db.translate("read the versions of the summary", err)
}

// FailSummary notes a failed try of the given generation; the job leaves the
// session alone until the time given. A session that was reset or removed since
// is left as it is.
func (db *DB) FailSummary(ctx context.Context, session string, generation int64, until time.Time, reason string) error {
	err := db.writer.do(ctx, func(tx tx) error {
		return tx.exec(`
			INSERT INTO summary_state(session_id, failures, not_before, last_error)
			SELECT id, 1, ?, ?
			FROM sessions
			WHERE name = ? AND generation = ?
			ON CONFLICT(session_id) DO UPDATE SET
				failures = failures + 1, not_before = excluded.not_before, last_error = excluded.last_error`,
			until.UnixNano(), reason, session, generation)
	})
	return db.translate("note the failed summary", err)
}

// SummaryFailures lists the sessions whose last try failed.
func (db *DB) SummaryFailures(ctx context.Context) ([]memory.SummaryFailure, error) {
	list, err := collect(ctx, db.reader, `
		SELECT s.name, t.failures, t.not_before, coalesce(t.last_error, '')
		FROM summary_state t
		JOIN sessions s ON s.id = t.session_id
		WHERE t.failures > 0
		ORDER BY s.id`, nil,
		func(rows *sql.Rows) (memory.SummaryFailure, error) {
			var f memory.SummaryFailure
			var until int64
			err := rows.Scan(&f.Session, &f.Failures, &until, &f.Reason)
			f.NotBefore = time.Unix(0, until).UTC()
			return f, err
		})
	return list, db.translate("list failed summaries", err)
}
