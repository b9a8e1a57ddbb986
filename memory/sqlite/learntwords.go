package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"mcp-memory/memory"
)

// LearntWords returns the words that were folded into the model after the one
// with the given id, in the order in which they were.
func (db *DB) LearntWords(ctx context.Context, model memory.EmbeddingModel, after int64) ([]memory.LearntWord, error) {
	// The sign keeps SQLite from the index of the model, which holds what the
	// caller knows already.
	list, err := collect(ctx, db.reader, `
		SELECT w.id, w.hash, w.idf, w.scale, w.vector
		FROM learnt_words w
		WHERE w.id > ? AND +w.model_id = (`+findModel+`)
		ORDER BY w.id`, append([]any{after}, modelKey(model)...),
		func(rows *sql.Rows) (memory.LearntWord, error) {
			var w memory.LearntWord
			err := rows.Scan(&w.ID, &w.Hash, &w.IDF, &w.Scale, &w.Vector)
			return w, err
		})
	return list, db.translate("read learnt words", err)
}

// AddLearntWords folds words into the model. One that it has already stays as it
// is: the first to add a word decides on its vector, for all processes.
// ErrUnavailable: the model has been replaced.
func (db *DB) AddLearntWords(ctx context.Context, model memory.EmbeddingModel, words []memory.LearntWord) error {
	err := db.writer.do(ctx, func(tx tx) error {
		var id int64
		err := tx.row(findModel, modelKey(model), &id)
		if errors.Is(err, sql.ErrNoRows) {
			return memory.Unavailablef("the model %s has been replaced", model.Name)
		}
		if err != nil {
			return err
		}
		for _, w := range words {
			if err := tx.exec(`
				INSERT OR IGNORE INTO learnt_words(model_id, hash, idf, scale, vector)
				VALUES(?, ?, ?, ?, ?)`, id, w.Hash, w.IDF, w.Scale, w.Vector); err != nil {
				return err
			}
		}
		return nil
	})
	return db.translate("add learnt words", err)
}
