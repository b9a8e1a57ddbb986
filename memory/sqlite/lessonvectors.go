package sqlite

import (
	"context"
	"database/sql"
	"time"

	"mcp-memory/memory"
)

// LessonsToEmbed returns up to n lessons that have not expired by now and of which
// the model has made no vector, those written last first.
func (db *DB) LessonsToEmbed(ctx context.Context, model memory.EmbeddingModel, now time.Time, n int) ([]memory.Lesson, error) {
	list, err := collect(ctx, db.reader, `SELECT`+lessonColumns+`
		FROM lessons l
		LEFT JOIN lesson_vectors v ON v.lesson_id = l.id AND (v.provider, v.name, v.dimensions) = (?, ?, ?)
		WHERE v.lesson_id IS NULL AND l.expires_at > ?
		ORDER BY l.updated_at DESC, l.id DESC
		LIMIT ?`, append(modelKey(model), now.UnixNano(), n), scanLessonRow)
	return list, db.translate("list lessons without a vector", err)
}

// SaveLessonVectors stores what the model made of lessons, in one transaction; Ref
// is the lesson, no Values = the model knows no word of it. Vectors of other models
// go. A lesson that is gone, or that was written again since the given time, is
// left alone.
func (db *DB) SaveLessonVectors(ctx context.Context, model memory.EmbeddingModel, vectors []memory.Vector, since time.Time) error {
	if err := checkModel(model); err != nil {
		return err
	}
	for _, v := range vectors {
		if v.Values == nil {
			continue
		}
		if err := memory.CheckVector(v.Values, model.Dimensions); err != nil {
			return err
		}
	}
	err := db.writer.do(ctx, func(tx tx) error {
		for _, v := range vectors {
			var blob any // NULL
			if v.Values != nil {
				blob = encodeVector(v.Values)
			}
			if err := tx.exec(`
				INSERT OR REPLACE INTO lesson_vectors(lesson_id, provider, name, dimensions, vector)
				SELECT id, ?, ?, ?, ? FROM lessons WHERE id = ? AND updated_at <= ?`,
				append(modelKey(model), blob, v.Ref, since.UnixNano())...); err != nil {
				return err
			}
		}
		return nil
	})
	return db.translate("save vectors of lessons", err)
}

// NearestLessons returns the n lessons nearest to the vector that have not expired
// by now, with cosine similarity as score; those without a vector of the model are
// left out. There are few lessons, so that all are compared.
func (db *DB) NearestLessons(ctx context.Context, model memory.EmbeddingModel, vector []float32, now time.Time, n int) ([]memory.LessonHit, error) {
	if err := memory.CheckVector(vector, model.Dimensions); err != nil {
		return nil, err
	}
	args := append([]any{encodeVector(vector)}, modelKey(model)...)
	list, err := collect(ctx, db.reader, `SELECT`+lessonColumns+`, 1 - vec_distance_cosine(v.vector, ?) AS score
		FROM lesson_vectors v
		JOIN lessons l ON l.id = v.lesson_id
		WHERE v.vector IS NOT NULL AND (v.provider, v.name, v.dimensions) = (?, ?, ?) AND l.expires_at > ?
		ORDER BY score DESC, l.id DESC
		LIMIT ?`, append(args, now.UnixNano(), n),
		func(rows *sql.Rows) (memory.LessonHit, error) {
			var h memory.LessonHit
			var err error
			h.Lesson, err = scanLesson(rows, &h.Score)
			return h, err
		})
	return list, db.translate("search vectors of lessons", err)
}
