package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"mcp-memory/memory"
)

// Finding is one thing that was checked.
type Finding struct {
	Name   string // "file", "full text", …
	Detail string // what was found
	OK     bool
}

// Check looks the file over: SQLite's own integrity check, the references, the
// full-text index, whether the index and the vectors belong to messages that
// exist, what waits for a vector, the lessons with their index, and whether
// anything may be left of what was deleted. It takes the write lock for the
// full-text checks.
func (db *DB) Check(ctx context.Context) ([]Finding, error) {
	checks := []struct {
		name string
		run  func(context.Context) (string, bool, error)
	}{
		{"file", db.checkFile},
		{"references", db.checkReferences},
		{"full text", db.checkFullText},
		{"index", db.checkIndex},
		{"vectors", db.checkVectors},
		{"queue", db.checkQueue},
		{"lessons", db.checkLessons},
		{"deletions", db.checkDeletions},
		{"notes", db.checkNotes},
	}
	var findings []Finding
	for _, c := range checks {
		detail, ok, err := c.run(ctx)
		if err != nil {
			if !corrupt(err) {
				return findings, db.translate("check the "+c.name, err)
			}
			detail, ok = err.Error(), false
		}
		findings = append(findings, Finding{c.name, detail, ok})
	}
	return findings, nil
}

// checkFile does not use a connection that has read before: the check of a
// full-text index goes by what the connection remembers of it.
func (db *DB) checkFile(ctx context.Context) (string, bool, error) {
	var result string
	err := db.apart(ctx, func(conn *sql.Conn) error {
		return conn.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&result)
	})
	return "integrity check: " + result, result == "ok", err
}

func (db *DB) checkReferences(ctx context.Context) (string, bool, error) {
	var broken int
	err := db.reader.row(ctx, "SELECT count(*) FROM pragma_foreign_key_check", nil, &broken)
	return fmt.Sprintf("%d broken", broken), broken == 0, err
}

func (db *DB) checkFullText(ctx context.Context) (string, bool, error) {
	err := db.writer.do(ctx, func(tx tx) error {
		return tx.exec(`INSERT INTO message_fts(message_fts, rank) VALUES('integrity-check', 1)`)
	})
	if err != nil {
		return "", false, err
	}
	var lost int // the integrity check misses a damaged tree over the pages of the index
	err = db.reader.row(ctx, `
		SELECT count(*)
		FROM message_terms listed
		WHERE NOT EXISTS (SELECT 1 FROM message_terms sought WHERE sought.term = listed.term)`, nil, &lost)
	return fmt.Sprintf("structure: ok, %d words in it that a search does not reach", lost), lost == 0, err
}

// checkIndex compares the rows of the full-text index with the messages that
// have text and their parts.
func (db *DB) checkIndex(ctx context.Context) (string, bool, error) {
	var rows, missing, stray, documents, counted int
	err := db.reader.row(ctx, `
		WITH wanted(id) AS (
			SELECT id << 8 FROM messages WHERE features IS NOT NULL
			UNION ALL
			SELECT id FROM passages
		)
		SELECT
			(SELECT count(*) FROM message_fts_docsize),
			(SELECT count(*) FROM wanted w WHERE NOT EXISTS (SELECT 1 FROM message_fts_docsize d WHERE d.id = w.id)),
			(SELECT count(*) FROM message_fts_docsize d WHERE NOT EXISTS (SELECT 1 FROM wanted w WHERE w.id = d.id)),
			(SELECT count(*) FROM messages WHERE features IS NOT NULL),
			(SELECT documents FROM corpus_totals WHERE corpus = 'message')`, nil,
		&rows, &missing, &stray, &documents, &counted)
	detail := fmt.Sprintf("%d messages with text, %d index rows, %d missing, %d without a message", documents, rows, missing, stray)
	return detail, missing == 0 && stray == 0 && documents == counted, err
}

// vectorModel is a model as the check sees it.
type vectorModel struct {
	id     int64
	active bool
	named  string
}

func (db *DB) checkVectors(ctx context.Context) (string, bool, error) {
	models, err := collect(ctx, db.reader, `
		SELECT id, active, format('%s %s (%d dimensions)', provider, name, dimensions)
		FROM embedding_models
		ORDER BY active DESC`, nil, func(rows *sql.Rows) (vectorModel, error) {
		var m vectorModel
		err := rows.Scan(&m.id, &m.active, &m.named)
		return m, err
	})
	if err != nil || len(models) == 0 {
		return "none yet", true, err
	}
	ok := true
	details := make([]string, len(models))
	for i, m := range models {
		detail, sound, err := db.checkModelVectors(ctx, m)
		if err != nil {
			return "", false, err
		}
		details[i], ok = detail, ok && sound
	}
	return strings.Join(details, "; "), ok, nil
}

// checkModelVectors counts the vectors of a model and compares that with what is
// noted of it, in one statement: other processes may be adding some.
func (db *DB) checkModelVectors(ctx context.Context, m vectorModel) (string, bool, error) {
	var stored, stray, noted int64
	err := db.reader.row(ctx, `
		SELECT
			count(*),
			count(*) FILTER (WHERE NOT EXISTS (SELECT 1 FROM messages WHERE messages.id = passage_id >> 8)),
			(SELECT vectors FROM embedding_models WHERE id = ?)
		FROM `+vectorTable(m.id), []any{m.id}, &stored, &stray, &noted)
	if err != nil {
		if known, lookErr := db.hasModel(ctx, m.id); lookErr == nil && !known {
			return m.named + ": has just been replaced", true, nil
		}
		return "", false, err
	}
	detail := fmt.Sprintf("%s: %d vectors, %d without a message", m.named, stored, stray)
	if !m.active {
		detail = "to replace it, " + detail
	}
	return detail, stored == noted && stray == 0, nil
}

func (db *DB) hasModel(ctx context.Context, id int64) (bool, error) {
	var n int
	err := db.reader.row(ctx, `SELECT count(*) FROM embedding_models WHERE id = ?`, []any{id}, &n)
	return n > 0, err
}

// checkDeletions looks for what may be left of deleted messages: a log that could
// not be emptied, words and senders without a message.
func (db *DB) checkDeletions(ctx context.Context) (string, bool, error) {
	var waiting, words, senders int
	err := db.reader.row(ctx, `
		SELECT
			(SELECT count(*) FROM work WHERE kind = ?),
			(SELECT count(*) FROM words w WHERE NOT EXISTS (SELECT 1 FROM message_terms t WHERE t.term = w.token)),
			(SELECT count(*) FROM senders s WHERE NOT EXISTS (SELECT 1 FROM messages WHERE sender_id = s.id))`,
		[]any{memory.WipeKind}, &waiting, &words, &senders)
	if err != nil {
		return "", false, err
	}
	log := "all are wiped"
	if waiting > 0 {
		log = "the log may hold deleted text until no other process reads the file"
	}
	return fmt.Sprintf("%s; %d words and %d senders without a message", log, words, senders), waiting+words+senders == 0, nil
}

// checkNotes compares the full-text index of the notes with their chunks.
func (db *DB) checkNotes(ctx context.Context) (string, bool, error) {
	err := db.writer.do(ctx, func(tx tx) error {
		return tx.exec(`INSERT INTO note_fts(note_fts, rank) VALUES('integrity-check', 1)`)
	})
	if err != nil {
		return "", false, err
	}
	var files, chunks, rows, counted int
	err = db.reader.row(ctx, `
		SELECT
			(SELECT count(*) FROM note_files),
			(SELECT count(*) FROM note_chunks),
			(SELECT count(*) FROM note_fts_docsize),
			(SELECT documents FROM corpus_totals WHERE corpus = 'note')`, nil, &files, &chunks, &rows, &counted)
	return fmt.Sprintf("%d files in %d chunks, %d index rows", files, chunks, rows), rows == chunks && counted == chunks, err
}

// repairNotes forgets the notes when their index is not sound: the next search
// reads the files anew.
func (db *DB) repairNotes(ctx context.Context) error {
	if _, ok, err := db.checkNotes(ctx); ok || err != nil && !corrupt(err) {
		return err
	}
	return db.forgetNotes(ctx)
}

// Repair rebuilds what can be made again from the messages (the full text, the
// words, the parts) and from the lessons, lets a damaged index of the notes be
// made again from their files, wipes what was deleted, then checks the file.
func (db *DB) Repair(ctx context.Context) ([]Finding, error) {
	if err := db.rebuildIndex(ctx); err != nil {
		return nil, db.translate("rebuild the full-text index", err)
	}
	if err := db.rebuildLessons(ctx); err != nil {
		return nil, db.translate("rebuild the index of lessons", err)
	}
	if err := db.repairNotes(ctx); err != nil {
		return nil, db.translate("repair the notes", err)
	}
	if _, err := db.Wipe(ctx); err != nil {
		return nil, err
	}
	return db.Check(ctx)
}

// repairing runs fn; when it meets a damaged full-text index, the index is
// rebuilt from the messages and fn runs once more.
func (db *DB) repairing(ctx context.Context, fn func() error) error {
	err := fn()
	if !corrupt(err) {
		return err
	}
	db.opts.Log.Warn("the full-text index is damaged and is being rebuilt from the messages")
	if rebuildErr := db.rebuildIndex(ctx); rebuildErr != nil {
		db.opts.Log.Error("rebuild the full-text index", "error", rebuildErr)
		return memory.Unavailablef("the database %s is damaged and could not be mended by itself: run mcp-memory doctor", db.opts.Path)
	}
	return fn()
}

// rebuildBatch is how many messages are indexed again between two looks at the
// context.
const rebuildBatch = 500

// rebuildIndex makes the full text of all messages again, in one transaction:
// another process sees the old index or the new one.
func (db *DB) rebuildIndex(ctx context.Context) error {
	if db.opts.Analyse == nil {
		return memory.Unavailablef("no analyser is set to rebuild the index with")
	}
	db.rebuild.Lock()
	defer db.rebuild.Unlock()
	return db.writer.do(ctx, func(tx tx) error {
		if err := tx.script(`
			DELETE FROM words;
			DELETE FROM passages;
			UPDATE corpus_totals SET documents = 0, terms = 0 WHERE corpus = 'message';
			INSERT INTO message_fts(message_fts) VALUES('delete-all');`); err != nil {
			return err
		}
		for last := int64(0); ; {
			n, err := db.reindexAfter(tx, &last)
			if err != nil || n == 0 {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	})
}

// reindexAfter indexes the next batch of messages and moves last past it.
func (db *DB) reindexAfter(tx tx, last *int64) (int, error) {
	batch, err := readForIndex(tx, *last)
	if err != nil {
		return 0, err
	}
	for _, b := range batch {
		*last = b.row.id
		e := db.opts.Analyse(b.message)
		if len(e.Passages) == 0 {
			if err := tx.exec(`UPDATE messages SET features = NULL WHERE id = ?`, b.row.id); err != nil {
				return 0, err
			}
			continue
		}
		if err := tx.exec(`UPDATE messages SET features = ? WHERE id = ?`, e.Passages[0].Features, b.row.id); err != nil {
			return 0, err
		}
		if err := indexEntry(tx, &b.row, &e); err != nil {
			return 0, err
		}
		if err := addTotals(tx, 1, e.Passages[0].Terms); err != nil {
			return 0, err
		}
	}
	return len(batch), nil
}

type stored struct {
	row     messageRow
	message memory.Message
}

func readForIndex(tx tx, after int64) ([]stored, error) {
	st, err := tx.statement(`
		SELECT m.id, m.session_id, m.role, m.sent_at, coalesce(n.name, ''), coalesce(m.tool_name, ''), m.content
		FROM messages m
		LEFT JOIN senders n ON n.id = m.sender_id
		WHERE m.id > ?
		ORDER BY m.id
		LIMIT ?`)
	if err != nil {
		return nil, err
	}
	rows, err := st.Query(after, rebuildBatch)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var batch []stored
	for rows.Next() {
		var b stored
		var role int
		if err := rows.Scan(&b.row.id, &b.row.session, &role, &b.row.sentAt, &b.message.Sender, &b.message.ToolName, &b.message.Content); err != nil {
			return nil, err
		}
		b.row.role = roles[role]
		b.message.Role, b.message.SentAt = b.row.role, time.Unix(0, b.row.sentAt).UTC()
		batch = append(batch, b)
	}
	return batch, rows.Err()
}
