package sqlite

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"mcp-memory/memory"
)

// NoteFiles lists the files that are indexed, in order of path, with the revision
// of the list. While that is still the given one there is no list.
func (db *DB) NoteFiles(ctx context.Context, known int64) ([]memory.NoteFile, int64, error) {
	var revision int64 // read first: of a newer list it makes the next look read it once more
	err := db.reader.row(ctx, `SELECT revision FROM note_state`, nil, &revision)
	if err != nil || revision == known {
		return nil, revision, db.translate("list notes", err)
	}
	list, err := collect(ctx, db.reader, `
		SELECT path, source, from_at, to_at, size, modified_at, seen_at, hash
		FROM note_files
		ORDER BY path`, nil,
		func(rows *sql.Rows) (memory.NoteFile, error) {
			var f memory.NoteFile
			var from, to, modified, seen int64
			err := rows.Scan(&f.Path, &f.Source, &from, &to, &f.Size, &modified, &seen, &f.Hash)
			f.From, f.To, f.ModTime, f.SeenAt = utc(from), utc(to), utc(modified), utc(seen)
			return f, err
		})
	return list, revision, db.translate("list notes", err)
}

// reviseNotes gives the list of files a new revision.
func reviseNotes(tx tx) error { return tx.exec(`UPDATE note_state SET revision = revision + 1`) }

func utc(nanoseconds int64) time.Time { return time.Unix(0, nanoseconds).UTC() }

// SaveNotes puts notes in the place of those with the same paths, in one
// transaction. A chunk with the hash of one that was there keeps its id, its full
// text and its vectors; without chunks only the file is written.
func (db *DB) SaveNotes(ctx context.Context, notes []memory.Note) error {
	return db.mendingNotes(ctx, "save notes", func() error {
		return db.writer.do(ctx, func(tx tx) error {
			for i := range notes {
				if err := saveNote(tx, &notes[i]); err != nil {
					return err
				}
			}
			return reviseNotes(tx)
		})
	})
}

func saveNote(tx tx, n *memory.Note) error {
	f := &n.File
	var id int64
	err := tx.row(`
		INSERT INTO note_files(path, source, from_at, to_at, size, modified_at, seen_at, hash)
		VALUES(?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT(path) DO UPDATE SET
			source = excluded.source, from_at = excluded.from_at, to_at = excluded.to_at, size = excluded.size,
			modified_at = excluded.modified_at, seen_at = excluded.seen_at, hash = excluded.hash
		RETURNING id`, []any{f.Path, f.Source, f.From.UnixNano(), f.To.UnixNano(), f.Size, f.ModTime.UnixNano(), f.SeenAt.UnixNano(), f.Hash}, &id)
	if err != nil || n.Chunks == nil {
		return err
	}
	before, err := chunkIDs(tx, id)
	if err != nil {
		return err
	}
	for i := range n.Chunks {
		c := &n.Chunks[i]
		if same := before[string(c.Hash)]; len(same) > 0 {
			before[string(c.Hash)] = same[1:]
			err = moveChunk(tx, same[0], c)
		} else {
			err = insertChunk(tx, id, c)
		}
		if err != nil {
			return err
		}
	}
	for _, gone := range before {
		for _, chunk := range gone {
			if err := tx.exec(`DELETE FROM note_chunks WHERE id = ?`, chunk); err != nil {
				return err
			}
		}
	}
	return nil
}

// chunkIDs lists the chunks of a file by their hash, in order: a text may occur
// twice.
func chunkIDs(tx tx, file int64) (map[string][]int64, error) {
	st, err := tx.statement(`SELECT id, hash FROM note_chunks WHERE file_id = ? ORDER BY ord`)
	if err != nil {
		return nil, err
	}
	rows, err := st.Query(file)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	ids := map[string][]int64{}
	for rows.Next() {
		var id int64
		var hash []byte
		if err := rows.Scan(&id, &hash); err != nil {
			return nil, err
		}
		ids[string(hash)] = append(ids[string(hash)], id)
	}
	return ids, rows.Err()
}

// moveChunk gives a chunk that has stayed the same its new place.
func moveChunk(tx tx, id int64, c *memory.NoteChunk) error {
	return tx.exec(`
		UPDATE note_chunks SET ord = ?2, start_line = ?3, end_line = ?4
		WHERE id = ?1 AND (ord, start_line, end_line) IS NOT (?2, ?3, ?4)`, id, c.Ord, c.StartLine, c.EndLine)
}

func insertChunk(tx tx, file int64, c *memory.NoteChunk) error {
	id, err := tx.insert(`
		INSERT INTO note_chunks(file_id, ord, start_line, end_line, terms, hash, features, heading, content)
		VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)`, file, c.Ord, c.StartLine, c.EndLine, c.Terms, c.Hash, c.Features, c.Heading, c.Text)
	if err != nil {
		return err
	}
	if err := tx.exec(`INSERT INTO note_fts(rowid, head, body) VALUES(?, ?, ?)`,
		id, strings.Join(c.Head, " "), strings.Join(c.Tokens, " ")); err != nil {
		return err
	}
	return tx.exec(`UPDATE corpus_totals SET documents = documents + 1, terms = terms + ? WHERE corpus = 'note'`, c.Terms)
}

// DropNotes forgets files, with their chunks and vectors.
func (db *DB) DropNotes(ctx context.Context, paths []string) error {
	return db.mendingNotes(ctx, "forget notes", func() error {
		return db.writer.do(ctx, func(tx tx) error {
			for _, path := range paths {
				if err := tx.exec(`DELETE FROM note_files WHERE path = ?`, path); err != nil {
					return err
				}
			}
			return reviseNotes(tx)
		})
	})
}

// mendingNotes runs fn. When it meets a damaged full-text index of notes, all
// that is known of the files is forgotten: ErrUnavailable tells to read them anew.
func (db *DB) mendingNotes(ctx context.Context, doing string, fn func() error) error {
	err := fn()
	if !corrupt(err) {
		return db.translate(doing, err)
	}
	db.opts.Log.Warn("the full-text index of the notes is damaged: the notes are read anew")
	if err := db.forgetNotes(ctx); err != nil {
		db.opts.Log.Error("empty the index of the notes", "error", err)
		return memory.Unavailablef("the database %s is damaged and could not be mended by itself: run mcp-memory doctor", db.opts.Path)
	}
	return memory.Unavailablef("the index of the notes was damaged and has been emptied; try again")
}

// forgetNotes empties the index of the notes. The index is emptied before the
// chunks: a damaged one cannot delete a single row.
func (db *DB) forgetNotes(ctx context.Context) error {
	return db.writer.do(ctx, func(tx tx) error {
		return tx.script(`
			INSERT INTO note_fts(note_fts) VALUES('delete-all');
			DELETE FROM note_files;
			UPDATE note_state SET revision = revision + 1;
			UPDATE corpus_totals SET documents = 0, terms = 0 WHERE corpus = 'note';`)
	})
}
