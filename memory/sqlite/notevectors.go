package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"mcp-memory/memory"
)

// NearestNotes returns the k chunks nearest to the vector that pass f, with cosine
// similarity as score; none when there are no vectors of the model. All vectors
// are compared: notes are few, and a plain table takes any filter.
func (db *DB) NearestNotes(ctx context.Context, model memory.EmbeddingModel, vector []float32, f memory.NoteFilter, k int) ([]memory.NoteHit, error) {
	if err := memory.CheckVector(vector, model.Dimensions); err != nil {
		return nil, err
	}
	id, err := db.table(ctx, model)
	if err != nil || id == 0 {
		return nil, db.translate("look up the embedding model", err)
	}
	query := `SELECT v.chunk_id, vec_distance_L2(v.vector, ?) AS distance FROM note_vectors v`
	where, args := noteFilter(f)
	if where != "" {
		query += `
			CROSS JOIN note_chunks c ON c.id = v.chunk_id
			CROSS JOIN note_files f ON f.id = c.file_id`
	}
	// The sign keeps SQLite from the index: nearly all rows are of one model.
	query += ` WHERE +v.model_id = ? AND v.vector IS NOT NULL` + where + ` ORDER BY distance LIMIT ?`
	args = append([]any{encodeVector(vector), id}, args...)
	hits, err := collect(ctx, db.reader, query, append(args, k),
		func(rows *sql.Rows) (memory.NoteHit, error) {
			var h memory.NoteHit
			var distance float64
			err := rows.Scan(&h.Chunk, &distance)
			h.Score = 1 - distance*distance/2
			return h, err
		})
	return hits, db.translate("search the vectors of notes", err)
}

// NoteProgress says how many chunks have a vector of the model, how many wait for
// one, and how many of these have failed before. Those that can have none count
// as done.
func (db *DB) NoteProgress(ctx context.Context, model memory.EmbeddingModel) (memory.Progress, error) {
	var p memory.Progress
	id, err := db.table(ctx, model)
	if err != nil {
		return p, db.translate("look up the embedding model", err)
	}
	var rows int
	err = db.reader.row(ctx, `
		SELECT (SELECT documents FROM corpus_totals WHERE corpus = 'note'),
			(SELECT count(*) FROM note_vectors WHERE +model_id = ?1),
			(SELECT count(*) FROM note_vectors WHERE model_id = ?1 AND vector IS NULL AND tries > 0)`, []any{id},
		&p.Waiting, &rows, &p.Failing)
	p.Indexed = rows - p.Failing
	p.Waiting -= p.Indexed
	return p, db.translate("read the progress of notes", err)
}

// noteQueue is the queue of chunks that need a vector of the active model: those
// that have no row of it. Nothing is queued by hand, so that nothing is to be
// done when the model changes.
type noteQueue struct{ db *DB }

// NoteQueue returns the queue of the notes' chunks.
func (db *DB) NoteQueue() memory.EmbedQueue { return noteQueue{db} }

// Waiting returns up to n chunks that need a vector now, each with its text.
func (q noteQueue) Waiting(ctx context.Context, n int) ([]memory.Pending, error) {
	list, err := collect(ctx, q.db.reader, `
		WITH active(id) AS MATERIALIZED (SELECT id FROM embedding_models WHERE active)
		SELECT c.id, coalesce(v.tries, 0), CASE c.heading WHEN '' THEN c.content ELSE c.heading || char(10) || c.content END
		FROM active
		CROSS JOIN note_chunks c
		LEFT JOIN note_vectors v ON v.chunk_id = c.id AND v.model_id = active.id
		WHERE v.chunk_id IS NULL OR v.vector IS NULL AND v.tries > 0 AND v.not_before <= ?
		ORDER BY c.id
		LIMIT ?`, []any{q.db.opts.Now().UnixNano(), n},
		func(rows *sql.Rows) (memory.Pending, error) {
			var p memory.Pending
			err := rows.Scan(&p.Ref, &p.Tries, &p.Text)
			return p, err
		})
	return list, q.db.translate("read which notes need a vector", err)
}

// SaveVectors stores vectors of the model. Those of chunks that are gone
// meanwhile are left out; ErrUnavailable: the model is not known any more.
func (q noteQueue) SaveVectors(ctx context.Context, model memory.EmbeddingModel, vectors []memory.Vector) error {
	for _, v := range vectors {
		if err := memory.CheckVector(v.Values, model.Dimensions); err != nil {
			return err
		}
	}
	err := q.db.writer.do(ctx, func(tx tx) error {
		var id int64
		err := tx.row(findModel, modelKey(model), &id)
		if errors.Is(err, sql.ErrNoRows) {
			return memory.Unavailablef("the embedding model is not in use any more")
		}
		for i := 0; err == nil && i < len(vectors); i++ {
			err = putNoteVector(tx, id, vectors[i].Ref, encodeVector(vectors[i].Values))
		}
		return err
	})
	return q.db.translate("save vectors of notes", err)
}

// putNoteVector stores the vector of a chunk, nil when it can have none.
func putNoteVector(tx tx, model, chunk int64, vector []byte) error {
	return tx.exec(`
		INSERT INTO note_vectors(chunk_id, model_id, vector)
		SELECT id, ?2, ?3 FROM note_chunks WHERE id = ?1
		ON CONFLICT(chunk_id, model_id) DO UPDATE SET vector = excluded.vector, tries = 0, not_before = 0, last_error = NULL`,
		chunk, model, vector)
}

// Skip notes that chunks can have no vector of the model.
func (q noteQueue) Skip(ctx context.Context, model memory.EmbeddingModel, refs []int64) error {
	err := q.db.writer.do(ctx, func(tx tx) error {
		var id int64
		err := tx.row(findModel, modelKey(model), &id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		for i := 0; err == nil && i < len(refs); i++ {
			err = putNoteVector(tx, id, refs[i], nil)
		}
		return err
	})
	return q.db.translate("skip notes", err)
}

// Postpone notes a failed try with the active model: the chunks are not offered
// again before then.
func (q noteQueue) Postpone(ctx context.Context, refs []int64, until time.Time, reason string) error {
	err := q.db.writer.do(ctx, func(tx tx) error {
		for _, ref := range refs {
			if err := tx.exec(`
				INSERT INTO note_vectors(chunk_id, model_id, tries, not_before, last_error)
				SELECT c.id, m.id, 1, ?2, ?3
				FROM note_chunks c
				CROSS JOIN embedding_models m
				WHERE c.id = ?1 AND m.active
				ON CONFLICT(chunk_id, model_id) DO UPDATE SET tries = tries + 1, not_before = excluded.not_before, last_error = excluded.last_error
				WHERE vector IS NULL AND tries > 0`, ref, until.UnixNano(), reason); err != nil {
				return err
			}
		}
		return nil
	})
	return q.db.translate("postpone notes", err)
}
