package sqlite

import (
	"context"

	"mcp-memory/memory"
)

// AddNoteVersion remembers what a file was before a write, gives the version its
// number and forgets the oldest beyond keep. A number is never used again.
func (db *DB) AddNoteVersion(ctx context.Context, v memory.NoteVersion, keep int) (int, error) {
	var version int
	err := db.writer.do(ctx, func(tx tx) error {
		if err := tx.row(`
			INSERT INTO note_versions(path, version, created_at, after, before)
			SELECT ?1, coalesce(max(version), 0) + 1, ?2, ?3, ?4 FROM note_versions WHERE path = ?1
			RETURNING version`, []any{v.Path, v.At.UnixNano(), v.After, v.Before}, &version); err != nil {
			return err
		}
		return tx.exec(`DELETE FROM note_versions WHERE path = ? AND version <= ?`, v.Path, version-keep)
	})
	return version, db.translate("remember a version of a note", err)
}

// NewestNoteVersion returns the newest version of a path that was not undone;
// ErrNotFound: there is none.
func (db *DB) NewestNoteVersion(ctx context.Context, path string) (memory.NoteVersion, error) {
	v := memory.NoteVersion{Path: path}
	var at int64
	var existed bool
	err := db.reader.row(ctx, `
		SELECT version, created_at, after, before, before IS NOT NULL
		FROM note_versions
		WHERE path = ? AND NOT undone
		ORDER BY version DESC
		LIMIT 1`, []any{path}, &v.Version, &at, &v.After, &v.Before, &existed)
	if err != nil {
		return v, db.translate("look up the versions of a note", err)
	}
	v.At = utc(at)
	if existed && v.Before == nil { // an empty blob reads as nil
		v.Before = []byte{}
	}
	return v, nil
}

// EndNoteVersion marks a version undone; what the file was then is not needed any
// more, only its number.
func (db *DB) EndNoteVersion(ctx context.Context, path string, version int) error {
	err := db.writer.do(ctx, func(tx tx) error {
		return tx.exec(`UPDATE note_versions SET undone = 1, before = NULL WHERE path = ? AND version = ?`, path, version)
	})
	return db.translate("undo a version of a note", err)
}

// HasDailySection says whether a section was written into the note of its day.
func (db *DB) HasDailySection(ctx context.Context, s memory.DailySection) (bool, error) {
	var has bool
	err := db.reader.row(ctx, `
		SELECT EXISTS (SELECT 1 FROM daily_sections WHERE day = ? AND session = ? AND from_seq = ? AND to_seq = ?)`,
		[]any{s.Day, s.Session, s.From, s.To}, &has)
	return has, db.translate("look for a section of a daily note", err)
}

// AddDailySection notes that a section was written; again changes nothing.
func (db *DB) AddDailySection(ctx context.Context, s memory.DailySection) error {
	err := db.writer.do(ctx, func(tx tx) error {
		return tx.exec(`
			INSERT OR IGNORE INTO daily_sections(day, session, from_seq, to_seq, written_at)
			VALUES(?, ?, ?, ?, ?)`, s.Day, s.Session, s.From, s.To, db.opts.Now().UnixNano())
	})
	return db.translate("note a section of a daily note", err)
}
