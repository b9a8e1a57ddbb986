package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"math"
	"time"

	"mcp-memory/memory"
)

// noteFilter is f as a condition on a file f of notes, with its parameters.
func noteFilter(f memory.NoteFilter) (where string, args []any) {
	if f.Source != "" {
		where, args = where+" AND f.source = ?", append(args, f.Source)
	}
	if !f.Since.IsZero() {
		where, args = where+" AND f.to_at > ?", append(args, f.Since.UnixNano())
	}
	if !f.Until.IsZero() {
		where, args = where+" AND f.from_at < ?", append(args, f.Until.UnixNano())
	}
	return where, args
}

// MatchNotes returns up to n chunks that satisfy q and f. Words are looked for in
// headings and text, and those of q.Any also in the name and the day of the file;
// newest first goes by when a chunk was first seen.
func (db *DB) MatchNotes(ctx context.Context, q memory.TextQuery, f memory.NoteFilter, order memory.Order, n int) ([]memory.NoteHit, error) {
	if q.Empty() {
		return nil, nil
	}
	query := `SELECT note_fts.rowid, -note_fts.rank FROM note_fts`
	where, args := noteFilter(f)
	if where != "" {
		query += `
			CROSS JOIN note_chunks c ON c.id = note_fts.rowid
			CROSS JOIN note_files f ON f.id = c.file_id`
	}
	by := ` ORDER BY note_fts.rank LIMIT ?`
	if order == memory.NewestFirst {
		query = `SELECT note_fts.rowid, 0.0` + query[len(`SELECT note_fts.rowid, -note_fts.rank`):]
		by = ` ORDER BY note_fts.rowid DESC LIMIT ?`
	}
	args = append([]any{matchExpression(q, nil, columns{"head body", "head body"})}, args...)
	var hits []memory.NoteHit
	err := db.mendingNotes(ctx, "search the notes", func() (err error) {
		hits, err = collect(ctx, db.reader, query+` WHERE note_fts MATCH ?`+where+by, append(args, n), scanNoteHit)
		return err
	})
	return hits, err
}

func scanNoteHit(rows *sql.Rows) (memory.NoteHit, error) {
	var h memory.NoteHit
	err := rows.Scan(&h.Chunk, &h.Score)
	return h, err
}

// NoteFrequencies counts, for each token, the chunks that hold it.
func (db *DB) NoteFrequencies(ctx context.Context, tokens []string) (memory.Frequencies, error) {
	f := memory.Frequencies{ByToken: make(map[string]int, len(tokens))}
	list, err := json.Marshal(tokens)
	if err != nil {
		return f, err
	}
	err = db.mendingNotes(ctx, "count tokens in notes", func() error {
		var terms int
		if err := db.reader.row(ctx, `SELECT documents, terms FROM corpus_totals WHERE corpus = 'note'`, nil, &f.Documents, &terms); err != nil {
			return err
		}
		f.MeanTerms = float64(terms) / math.Max(1, float64(f.Documents))
		return db.countEach(ctx, `
			SELECT j.value, (SELECT doc FROM note_terms WHERE term = j.value)
			FROM json_each(?) j`, string(list), f.ByToken)
	})
	return f, err
}

// NoteNeighbours returns the chunks and span chunks before and after each in its
// file, each once, in order of file and place.
func (db *DB) NoteNeighbours(ctx context.Context, chunks []int64, span int) ([]memory.Neighbour, error) {
	ids, err := jsonArray(chunks)
	if err != nil {
		return nil, err
	}
	list, err := collect(ctx, db.reader, `
		WITH near(id) AS MATERIALIZED (
			SELECT DISTINCT o.id
			FROM json_each(?) j
			CROSS JOIN note_chunks c ON c.id = j.value
			CROSS JOIN note_chunks o ON o.file_id = c.file_id AND o.ord BETWEEN c.ord - ? AND c.ord + ?
		)
		SELECT c.id, f.path, f.from_at, c.ord, c.features
		FROM near
		CROSS JOIN note_chunks c ON c.id = near.id
		CROSS JOIN note_files f ON f.id = c.file_id
		ORDER BY c.file_id, c.ord`, []any{ids, span, span},
		func(rows *sql.Rows) (memory.Neighbour, error) {
			var n memory.Neighbour
			var at int64
			err := rows.Scan(&n.MessageID, &n.Session, &at, &n.Position.Seq, &n.Features)
			n.SentAt, n.Position.SentAt = time.Unix(0, at).UTC(), at
			return n, err
		})
	return list, db.translate("read what stands around in notes", err)
}

// NoteChunks returns chunks with their text, in any order; those that are gone
// are left out.
func (db *DB) NoteChunks(ctx context.Context, ids []int64) ([]memory.NoteChunk, error) {
	list, err := jsonArray(ids)
	if err != nil {
		return nil, err
	}
	chunks, err := collect(ctx, db.reader, `
		SELECT c.id, f.path, c.ord, c.start_line, c.end_line, c.terms, c.hash, c.heading, c.content
		FROM json_each(?) j
		CROSS JOIN note_chunks c ON c.id = j.value
		CROSS JOIN note_files f ON f.id = c.file_id`, []any{list},
		func(rows *sql.Rows) (memory.NoteChunk, error) {
			var c memory.NoteChunk
			err := rows.Scan(&c.ID, &c.Path, &c.Ord, &c.StartLine, &c.EndLine, &c.Terms, &c.Hash, &c.Heading, &c.Text)
			return c, err
		})
	return chunks, db.translate("read notes", err)
}
