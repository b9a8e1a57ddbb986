package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcp-memory/memory"
)

// lessonColumns are what scanLesson reads, of the table lessons as l.
const lessonColumns = `
	l.id, l.tool, l.keywords, l.symptom, l.cause, l.action, l.session, l.source, l.created_at, l.updated_at, l.expires_at`

func scanLesson(row interface{ Scan(...any) error }, more ...any) (memory.Lesson, error) {
	var l memory.Lesson
	var keywords string
	var created, updated, expires int64
	into := []any{&l.ID, &l.Tool, &keywords, &l.Symptom, &l.Cause, &l.Action, &l.Session, &l.Source, &created, &updated, &expires}
	if err := row.Scan(append(into, more...)...); err != nil {
		return l, err
	}
	l.CreatedAt, l.UpdatedAt, l.ExpiresAt = time.Unix(0, created).UTC(), time.Unix(0, updated).UTC(), time.Unix(0, expires).UTC()
	if err := json.Unmarshal([]byte(keywords), &l.Keywords); err != nil {
		return l, fmt.Errorf("read the keywords of a lesson: %w", err)
	}
	return l, nil
}

func scanLessonRow(rows *sql.Rows) (memory.Lesson, error) { return scanLesson(rows) }

// SaveLesson stores a lesson that lives until its ExpiresAt. One with the same key
// that has not expired by now takes it in: it keeps its id and CreatedAt, all else
// is replaced, its vector goes.
func (db *DB) SaveLesson(ctx context.Context, e memory.LessonEntry, now time.Time) (memory.SavedLesson, error) {
	var saved memory.SavedLesson
	keywords, err := json.Marshal(append([]string{}, e.Lesson.Keywords...))
	if err != nil {
		return saved, err
	}
	l, tokens := e.Lesson, strings.Join(e.Tokens, " ")
	err = db.mendingLessons(ctx, func(tx tx) error {
		if err := tx.exec(`DELETE FROM lessons WHERE key = ? AND expires_at <= ?`, e.Key, now.UnixNano()); err != nil {
			return err
		}
		saved = memory.SavedLesson{Updated: true}
		err := tx.row(`
			UPDATE lessons SET tool_key = ?, tool = ?, keywords = ?, symptom = ?, cause = ?, action = ?, tokens = ?,
				session = ?, source = ?, updated_at = ?, expires_at = max(expires_at, ?)
			WHERE key = ?
			RETURNING id`, []any{e.ToolKey, l.Tool, string(keywords), l.Symptom, l.Cause, l.Action, tokens,
			l.Session, l.Source, now.UnixNano(), l.ExpiresAt.UnixNano(), e.Key}, &saved.ID)
		if err == nil {
			return tx.exec(`DELETE FROM lesson_vectors WHERE lesson_id = ?`, saved.ID)
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		saved.Updated = false
		return tx.row(`
			INSERT INTO lessons(key, tool_key, tool, keywords, symptom, cause, action, tokens, session, source, created_at, updated_at, expires_at)
			VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			RETURNING id`, []any{e.Key, e.ToolKey, l.Tool, string(keywords), l.Symptom, l.Cause, l.Action, tokens, l.Session, l.Source,
			now.UnixNano(), now.UnixNano(), l.ExpiresAt.UnixNano()}, &saved.ID)
	})
	return saved, db.translate("save the lesson", err)
}

// Lessons lists up to n lessons that have not expired by now, those written last
// first: of the tool with this key, of all tools when it is "".
func (db *DB) Lessons(ctx context.Context, toolKey string, now time.Time, n int) ([]memory.Lesson, error) {
	where, args := "", []any{now.UnixNano()}
	if toolKey != "" {
		where, args = `AND l.tool_key = ?`, append(args, toolKey)
	}
	list, err := collect(ctx, db.reader, `SELECT`+lessonColumns+`
		FROM lessons l
		WHERE l.expires_at > ? `+where+`
		ORDER BY l.updated_at DESC, l.id DESC
		LIMIT ?`, append(args, n), scanLessonRow)
	return list, db.translate("list lessons", err)
}

// Lesson reads one lesson; ErrNotFound when it has expired by now.
func (db *DB) Lesson(ctx context.Context, id int64, now time.Time) (memory.Lesson, error) {
	list, err := collect(ctx, db.reader, `SELECT`+lessonColumns+`
		FROM lessons l
		WHERE l.id = ? AND l.expires_at > ?`, []any{id, now.UnixNano()}, scanLessonRow)
	switch {
	case err != nil:
		return memory.Lesson{}, db.translate("read the lesson", err)
	case len(list) == 0:
		return memory.Lesson{}, noLesson(id)
	}
	return list[0], nil
}

func noLesson(id int64) error { return memory.NotFoundf("there is no lesson %d", id) }

// EditLesson gives a lesson another action, and the key that goes with it; when it
// expires stays. ErrNotFound when it has expired by now; ErrConflict when another
// lesson says the same.
func (db *DB) EditLesson(ctx context.Context, id int64, action string, key []byte, now time.Time) error {
	err := db.writer.do(ctx, func(tx tx) error {
		if err := tx.exec(`DELETE FROM lessons WHERE key = ? AND expires_at <= ? AND id <> ?`, key, now.UnixNano(), id); err != nil {
			return err
		}
		var other int64
		err := tx.row(`SELECT id FROM lessons WHERE key = ? AND id <> ?`, []any{key, id}, &other)
		if err == nil {
			return memory.Conflictf("lesson %d says the same already: forget one of the two", other)
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		changed, err := tx.change(`UPDATE lessons SET action = ?, key = ?, updated_at = ? WHERE id = ? AND expires_at > ?`,
			action, key, now.UnixNano(), id, now.UnixNano())
		if err == nil && changed == 0 {
			return noLesson(id)
		}
		return err
	})
	return db.translate("edit the lesson", err)
}

// DeleteLesson deletes a lesson with its index entry and vector; ErrNotFound when
// there is none.
func (db *DB) DeleteLesson(ctx context.Context, id int64) error {
	err := db.mendingLessons(ctx, func(tx tx) error {
		gone, err := tx.change(`DELETE FROM lessons WHERE id = ?`, id)
		if err == nil && gone == 0 {
			return noLesson(id)
		}
		return err
	})
	return db.translate("delete the lesson", err)
}

// SweepLessons deletes the lessons that have expired by now, with their index
// entries and vectors, and returns how many they were.
func (db *DB) SweepLessons(ctx context.Context, now time.Time) (int, error) {
	var gone int64
	err := db.mendingLessons(ctx, func(tx tx) error {
		var err error
		gone, err = tx.change(`DELETE FROM lessons WHERE expires_at <= ?`, now.UnixNano())
		return err
	})
	return int(gone), db.translate("delete expired lessons", err)
}

// MatchLessons returns up to n lessons that hold any of the tokens and have not
// expired by now, the best by BM25 first: of the tool with this key, of all tools
// when it is "".
func (db *DB) MatchLessons(ctx context.Context, tokens []string, toolKey string, now time.Time, n int) ([]memory.Lesson, error) {
	where, args := "", []any{anyOf(tokens), now.UnixNano()}
	if toolKey != "" {
		where, args = `AND l.tool_key = ?`, append(args, toolKey)
	}
	var list []memory.Lesson
	err := db.repairingLessons(ctx, func() error {
		var err error
		list, err = collect(ctx, db.reader, `SELECT`+lessonColumns+`
			FROM lesson_fts
			CROSS JOIN lessons l ON l.id = lesson_fts.rowid
			WHERE lesson_fts MATCH ? AND l.expires_at > ? `+where+`
			ORDER BY lesson_fts.rank
			LIMIT ?`, append(args, n), scanLessonRow)
		return err
	})
	return list, db.translate("search lessons", err)
}

// RenewLessons lets those of the lessons that have not expired by now live until
// the given time, if that is longer, and returns them as they are then, in the
// order of ids.
func (db *DB) RenewLessons(ctx context.Context, ids []int64, now, until time.Time) ([]memory.Lesson, error) {
	list := make([]memory.Lesson, 0, len(ids))
	err := db.writer.do(ctx, func(tx tx) error {
		list = list[:0]
		for _, id := range ids {
			st, err := tx.statement(`
				UPDATE lessons AS l SET expires_at = max(l.expires_at, ?)
				WHERE l.id = ? AND l.expires_at > ?
				RETURNING` + strings.ReplaceAll(lessonColumns, "l.", ""))
			if err != nil {
				return err
			}
			l, err := scanLesson(st.QueryRowContext(ctx, until.UnixNano(), id, now.UnixNano()))
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			list = append(list, l)
		}
		return nil
	})
	return list, db.translate("renew lessons", err)
}

// mendingLessons is a write transaction that may touch the index of lessons.
func (db *DB) mendingLessons(ctx context.Context, fn func(tx) error) error {
	return db.repairingLessons(ctx, func() error { return db.writer.do(ctx, fn) })
}

// repairingLessons runs fn; when it meets a damaged index of lessons, that is made
// again and fn runs once more.
func (db *DB) repairingLessons(ctx context.Context, fn func() error) error {
	err := fn()
	if !corrupt(err) {
		return err
	}
	db.opts.Log.Warn("the index of lessons is damaged and is being made again")
	if rebuildErr := db.rebuildLessons(ctx); rebuildErr != nil {
		db.opts.Log.Error("rebuild the index of lessons", "error", rebuildErr)
		return memory.Unavailablef("the database %s is damaged and could not be mended by itself: run mcp-memory doctor", db.opts.Path)
	}
	return fn()
}

// rebuildLessons makes the index of lessons again from their table.
func (db *DB) rebuildLessons(ctx context.Context) error {
	return db.writer.do(ctx, func(tx tx) error {
		return tx.exec(`INSERT INTO lesson_fts(lesson_fts) VALUES('rebuild')`)
	})
}

// checkLessons compares the index of lessons with their table.
func (db *DB) checkLessons(ctx context.Context) (string, bool, error) {
	if err := db.writer.do(ctx, func(tx tx) error {
		return tx.exec(`INSERT INTO lesson_fts(lesson_fts, rank) VALUES('integrity-check', 1)`)
	}); err != nil {
		return "", false, err
	}
	var lessons, rows, vectors int
	err := db.reader.row(ctx, `
		SELECT (SELECT count(*) FROM lessons), (SELECT count(*) FROM lesson_fts_docsize), (SELECT count(*) FROM lesson_vectors)`, nil,
		&lessons, &rows, &vectors)
	return fmt.Sprintf("%d lessons, %d index rows, %d vectors", lessons, rows, vectors), lessons == rows, err
}
