package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"mcp-memory/memory"
)

// Waiting returns up to n passages that need a vector now, oldest first, each
// with its text.
func (db *DB) Waiting(ctx context.Context, n int) ([]memory.Pending, error) {
	list, err := collect(ctx, db.reader, `
		SELECT q.ref, q.tries, coalesce(CAST(substr(CAST(m.content AS BLOB), p.start + 1, p.length) AS TEXT), m.content)
		FROM embed_queue q
		CROSS JOIN messages m ON m.id = q.ref >> 8
		LEFT JOIN passages p ON p.id = q.ref
		WHERE q.corpus = 'message' AND q.not_before <= ?
		ORDER BY q.ref
		LIMIT ?`, []any{db.opts.Now().UnixNano(), n},
		func(rows *sql.Rows) (memory.Pending, error) {
			var p memory.Pending
			err := rows.Scan(&p.Ref, &p.Tries, &p.Text)
			return p, err
		})
	return list, db.translate("read the embed queue", err)
}

// SaveVectors stores vectors of the model and takes their passages off the
// queue, in one transaction. A passage that is no longer queued (deleted or
// archived meanwhile, or done by another process) is left alone. A vector that
// is zero, not finite or of the wrong length is ErrInvalid or ErrDimension and
// nothing is stored.
func (db *DB) SaveVectors(ctx context.Context, model memory.EmbeddingModel, vectors []memory.Vector) error {
	for _, v := range vectors {
		if err := memory.CheckVector(v.Values, model.Dimensions); err != nil {
			return err
		}
	}
	err := db.writer.do(ctx, func(tx tx) error {
		var id int64
		err := tx.row(findModel, modelKey(model), &id)
		if errors.Is(err, sql.ErrNoRows) {
			return memory.Unavailablef("the embedding model is not in use: call UseModel first")
		}
		if err != nil {
			return err
		}
		saved := int64(0)
		for _, v := range vectors {
			gone, err := tx.change(`DELETE FROM embed_queue WHERE corpus = 'message' AND ref = ?`, v.Ref)
			if err != nil {
				return err
			}
			if gone == 0 {
				continue
			}
			n, err := saveVector(tx, id, v)
			if err != nil {
				return err
			}
			saved += n
		}
		return tx.exec(`UPDATE embedding_models SET vectors = vectors + ? WHERE id = ?`, saved, id)
	})
	return db.translate("save vectors", err)
}

// saveVector stores a vector, unless its message is gone; it returns how many
// that were.
func saveVector(tx tx, table int64, v memory.Vector) (int64, error) {
	message, _ := splitPassageID(v.Ref)
	return tx.change(`
		INSERT INTO `+vectorTable(table)+`(passage_id, session_id, sent_at, role, embedding)
		SELECT ?, session_id, sent_at, role, ? FROM messages WHERE id = ?`,
		v.Ref, encodeVector(v.Values), message)
}

// Skip takes passages that can have no vector (no word in them is known to the
// model) off the queue; not when another model has become active, which may know
// them.
func (db *DB) Skip(ctx context.Context, model memory.EmbeddingModel, refs []int64) error {
	err := db.writer.do(ctx, func(tx tx) error {
		var id int64
		err := tx.row(findModel+` AND active`, modelKey(model), &id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, ref := range refs {
			if err := tx.exec(`DELETE FROM embed_queue WHERE corpus = 'message' AND ref = ?`, ref); err != nil {
				return err
			}
		}
		return nil
	})
	return db.translate("skip passages", err)
}

// Postpone notes a failed try: the passages are not offered again before then.
func (db *DB) Postpone(ctx context.Context, refs []int64, until time.Time, reason string) error {
	err := db.writer.do(ctx, func(tx tx) error {
		for _, ref := range refs {
			if err := tx.exec(`
				UPDATE embed_queue SET tries = tries + 1, not_before = ?, last_error = ?
				WHERE corpus = 'message' AND ref = ?`, until.UnixNano(), reason, ref); err != nil {
				return err
			}
		}
		return nil
	})
	return db.translate("postpone passages", err)
}

// OfferAgain offers the passages, and the chunks of notes, that were put off now.
func (db *DB) OfferAgain(ctx context.Context) error {
	var later int
	if err := db.reader.row(ctx, `
		SELECT (SELECT count(*) FROM embed_queue WHERE corpus = 'message' AND not_before > 0)
			+ (SELECT count(*) FROM note_vectors WHERE vector IS NULL AND tries > 0 AND not_before > 0)`, nil, &later); err != nil || later == 0 {
		return db.translate("look for passages put off", err)
	}
	err := db.writer.do(ctx, func(tx tx) error {
		if err := tx.exec(`UPDATE note_vectors SET not_before = 0 WHERE vector IS NULL AND tries > 0 AND not_before > 0`); err != nil {
			return err
		}
		return tx.exec(`UPDATE embed_queue SET not_before = 0 WHERE corpus = 'message' AND not_before > 0`)
	})
	return db.translate("offer passages again", err)
}

// Progress says how many passages have a vector of the model, how many wait for
// one, and how many of these have failed before.
func (db *DB) Progress(ctx context.Context, model memory.EmbeddingModel) (memory.Progress, error) {
	var p memory.Progress
	err := db.reader.row(ctx, `
		SELECT coalesce((SELECT vectors FROM embedding_models WHERE provider = ? AND name = ? AND dimensions = ?), 0),
			count(*), count(*) FILTER (WHERE tries > 0)
		FROM embed_queue
		WHERE corpus = 'message'`, modelKey(model),
		&p.Indexed, &p.Waiting, &p.Failing)
	return p, db.translate("read index progress", err)
}
