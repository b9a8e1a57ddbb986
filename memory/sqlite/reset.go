package sqlite

import (
	"context"
	"time"

	"mcp-memory/memory"
)

// Messages counts the messages of a session, the archive included; ErrNotFound
// for an unknown one.
func (db *DB) Messages(ctx context.Context, session string) (int, error) {
	var n int
	err := db.reader.row(ctx, `
		SELECT h.messages
		FROM sessions s
		JOIN message_meta h ON h.session_id = s.id
		WHERE s.name = ?`, []any{session}, &n)
	if none(err) {
		return 0, unknownSession(session)
	}
	return n, db.translate("count the messages of a session", err)
}

// Reset deletes what r says of a session, in one transaction, with everything
// that was made of it: index, vectors, places in queues, senders that nothing else
// has. What stays (the session itself, but for ResetRemove, its
// arrival and version numbers) is of a new generation, so that work in flight
// brings nothing back. It returns how many messages were deleted, and leaves work
// of the kind memory.WipeKind behind until Wipe has succeeded.
//
// ErrNotFound: there is no such session, or it does not have one of the messages.
// ErrConflict: r.Summarised is set and there are messages that are not in the
// summary.
func (db *DB) Reset(ctx context.Context, session string, r memory.Reset) (int, error) {
	removed := 0
	err := db.repairing(ctx, func() error {
		return db.writer.do(ctx, func(tx tx) error {
			d, err := db.beginDeletion(tx, session, r)
			if err != nil {
				return err
			}
			if err := d.run(ctx); err != nil {
				return err
			}
			removed = d.messages
			return nil
		})
	})
	if err != nil {
		removed = 0
	}
	return removed, db.translate("reset the session", err)
}

// deletion is one reset, inside its transaction.
type deletion struct {
	db      *DB
	tx      tx
	name    string
	session int64
	reset   memory.Reset

	condition string // of the messages that go
	args      []any

	messages, documents int // that go, in all and with text
	found               findings
}

// beginDeletion finds the session and checks that r can be done.
func (db *DB) beginDeletion(tx tx, session string, r memory.Reset) (*deletion, error) {
	id, err := knownSession(tx, session)
	if err != nil {
		return nil, err
	}
	d := &deletion{db: db, tx: tx, name: session, session: id, reset: r, condition: `session_id = ?1`, args: []any{id}}
	if r.Mode == memory.ResetMessages {
		list, err := jsonArray(r.Messages)
		if err != nil {
			return nil, err
		}
		d.condition, d.args = `id IN (SELECT value FROM json_each(?2)) AND session_id = ?1`, []any{id, list}
		if err := d.checkMessages(list); err != nil {
			return nil, err
		}
	}
	if r.Summarised {
		err = d.checkSummary()
	}
	return d, err
}

// checkMessages refuses a list with a message that the session does not have.
func (d *deletion) checkMessages(list string) error {
	var unknown string
	err := d.tx.row(`
		SELECT coalesce(min(j.value), '')
		FROM json_each(?2) j
		WHERE NOT EXISTS (SELECT 1 FROM messages WHERE id = j.value AND session_id = ?1)`, []any{d.session, list}, &unknown)
	if err == nil && unknown != "" {
		err = memory.NotFoundf("there is no message %s in session %q: nothing was deleted", unknown, d.name)
	}
	return err
}

// checkSummary refuses while there are messages that are not in the summary.
func (d *deletion) checkSummary() error {
	var left int
	err := d.tx.row(`
		SELECT count(*)
		FROM messages
		WHERE session_id = ?1 AND seq > coalesce((SELECT cursor_seq FROM summary_state WHERE session_id = ?1), 0)`, []any{d.session}, &left)
	if err == nil && left > 0 {
		err = memory.Conflictf("session %q has messages that are not in its summary yet: nothing was deleted; try again", d.name)
	}
	return err
}

// run deletes, what hangs on the messages first.
func (d *deletion) run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		d.survey, d.dropVectors, d.dropIndex, d.dropMessages, d.dropSenders, d.settle, d.doubtWords, d.leaveWipe,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// dropVectors deletes the vectors, their places in the queues, and what a learnt
// model was taught since its training. Of a row that is deleted, sqlite-vec clears
// the bytes.
func (d *deletion) dropVectors(ctx context.Context) error {
	if err := d.db.dropVectors(ctx, d.tx, d.condition, d.args); err != nil {
		return err
	}
	if err := d.tx.exec(`
		DELETE FROM refused_passages
		WHERE passage >> 8 IN (SELECT id FROM messages WHERE `+d.condition+`)`, d.args...); err != nil || d.documents == 0 {
		return err
	}
	return d.tx.exec(`DELETE FROM learnt_words`)
}

// dropIndex deletes the full text.
func (d *deletion) dropIndex(context.Context) error {
	return d.tx.exec(`
		DELETE FROM message_fts
		WHERE rowid IN (
			SELECT id << 8 FROM messages WHERE `+d.condition+` AND features IS NOT NULL
			UNION ALL
			SELECT p.id
			FROM (SELECT id FROM messages WHERE `+d.condition+`) m
			JOIN passages p ON p.message_id = m.id
		)`, d.args...)
}

// dropMessages deletes the messages, with their parts, and counts them off. The
// mean length of what stays is taken to be that of all.
func (d *deletion) dropMessages(context.Context) error {
	if err := d.tx.exec(`DELETE FROM messages WHERE `+d.condition, d.args...); err != nil {
		return err
	}
	return d.tx.exec(`
		UPDATE corpus_totals SET
			terms     = CAST(round(terms * (1 - ?1 / max(1.0, documents))) AS INTEGER),
			documents = documents - ?1
		WHERE corpus = 'message'`, d.documents)
}

// settle brings what stays of the session into order.
func (d *deletion) settle(context.Context) error {
	if err := d.tx.exec(`UPDATE resets SET generation = generation + 1`); err != nil {
		return err
	}
	if err := d.tx.exec(`DELETE FROM work WHERE session = ?`, d.name); err != nil {
		return err
	}
	if d.reset.Mode == memory.ResetRemove {
		// A session that is made later under this name counts from 1 again.
		if err := d.tx.exec(`DELETE FROM daily_sections WHERE session = ?`, d.name); err != nil {
			return err
		}
		if err := d.tx.exec(`DELETE FROM sessions WHERE id = ?`, d.session); err != nil {
			return err
		}
		// Names of leases hold names of sessions.
		return d.tx.exec(`DELETE FROM leases WHERE expires <= ?`, d.db.opts.Now().UnixNano())
	}
	if err := d.tx.exec(`UPDATE sessions SET generation = (SELECT generation FROM resets) WHERE id = ?`, d.session); err != nil {
		return err
	}
	if err := d.tx.exec(`DELETE FROM summary_drafts WHERE session_id = ?`, d.session); err != nil {
		return err
	}
	if d.reset.Mode == memory.ResetMessages {
		return d.settleRest()
	}
	return d.settleEmpty()
}

// settleEmpty is settle for a session whose messages are all gone. Numbers are not
// given again.
func (d *deletion) settleEmpty() error {
	if err := d.tx.exec(`UPDATE sessions SET title = NULL WHERE id = ?`, d.session); err != nil {
		return err
	}
	if err := d.tx.exec(`
		UPDATE message_meta SET
			messages = 0, first_at = 0, last_at = 0, hot_bytes = 0,
			start_at = -9223372036854775808, start_seq = 0
		WHERE session_id = ?`, d.session); err != nil {
		return err
	}
	base := `(SELECT body FROM summaries WHERE session_id = ?1 ORDER BY version DESC LIMIT 1)`
	if d.reset.Mode == memory.ResetAll {
		if err := d.tx.exec(`DELETE FROM summaries WHERE session_id = ?`, d.session); err != nil {
			return err
		}
		base = `NULL`
	}
	return d.tx.exec(`
		UPDATE summary_state SET
			cursor_seq = (SELECT next_seq - 1 FROM message_meta WHERE session_id = ?1), part_seq = 0, part_bytes = 0,
			failures = 0, not_before = 0, last_error = NULL, base = `+base+`
		WHERE session_id = ?1`, d.session)
}

// settleRest is settle for a session of which some messages are gone.
func (d *deletion) settleRest() error {
	if err := d.tx.exec(`
		UPDATE message_meta SET (messages, first_at, last_at, hot_bytes) = (
			SELECT count(*), coalesce(min(m.sent_at), 0), coalesce(max(m.sent_at), 0),
				coalesce(sum(m.bytes) FILTER (WHERE NOT m.dropped AND (m.sent_at, m.seq) >= (start_at, start_seq)), 0)
			FROM messages m
			WHERE m.session_id = ?1
		)
		WHERE session_id = ?1`, d.session); err != nil {
		return err
	}
	if err := d.tx.exec(`UPDATE summary_state SET last_error = NULL WHERE session_id = ?`, d.session); err != nil {
		return err
	}
	return d.retitle()
}

// retitle names the session after the first user message that it still has.
func (d *deletion) retitle() error {
	if !d.found.user {
		return nil
	}
	title := ""
	for seq := int64(0); title == ""; {
		var beginning string
		err := d.tx.row(`
			SELECT seq, substr(content, 1, ?)
			FROM messages
			WHERE session_id = ? AND seq > ? AND role = ?
			ORDER BY seq
			LIMIT 1`, []any{8 * titleRunes, d.session, seq, roleCode(memory.RoleUser)}, &seq, &beginning)
		if none(err) {
			break
		}
		if err != nil {
			return err
		}
		title = titleOf(beginning)
	}
	return d.tx.exec(`UPDATE sessions SET title = ? WHERE id = ?`, orNull(title), d.session)
}

// wipeSoon is when a job takes the wipe over that the reset itself begins with.
const wipeSoon = 5 * time.Second

// leaveWipe notes that what was deleted is still to be wiped.
func (d *deletion) leaveWipe(context.Context) error {
	now := d.db.opts.Now()
	return d.tx.exec(`
		INSERT INTO work(kind, key, payload, not_before, added_at) VALUES(?, '', x'', ?, ?)
		ON CONFLICT(kind, key) DO UPDATE SET payload = excluded.payload, version = version + 1, not_before = excluded.not_before`,
		memory.WipeKind, now.Add(wipeSoon).UnixNano(), now.UnixNano())
}
