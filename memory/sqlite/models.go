package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"mcp-memory/memory"
)

// ActiveModel is the model that is searched with; the zero model when there is
// none yet.
func (db *DB) ActiveModel(ctx context.Context) (memory.EmbeddingModel, error) {
	var m memory.EmbeddingModel
	err := db.reader.row(ctx, `SELECT provider, name, dimensions FROM embedding_models WHERE active`, nil, &m.Provider, &m.Name, &m.Dimensions)
	if errors.Is(err, sql.ErrNoRows) {
		return memory.EmbeddingModel{}, nil
	}
	return m, db.translate("read the active model", err)
}

// LearntModel reads a model that was learnt from the messages; ErrNotFound when
// it has been replaced.
func (db *DB) LearntModel(ctx context.Context, model memory.EmbeddingModel) (memory.LearntModel, error) {
	l := memory.LearntModel{Model: model}
	err := db.reader.row(ctx, `
		SELECT l.trained_on, l.body
		FROM embedding_models m
		JOIN local_models l ON l.model_id = m.id
		WHERE m.provider = ? AND m.name = ? AND m.dimensions = ?`, modelKey(model), &l.TrainedOn, &l.Body)
	return l, db.translate("read the learnt model", err)
}

// BeginModel adds a model that is not active yet, with an empty table. Another one
// in the making goes; the same one, which a crash has left, goes on where it
// stopped, unless it was learnt: then what was learnt now counts.
func (db *DB) BeginModel(ctx context.Context, l memory.LearntModel) error {
	if err := checkModel(l.Model); err != nil {
		return err
	}
	err := db.writer.do(ctx, func(tx tx) error {
		if _, err := inTheMaking(tx, l.Model); err == nil && l.Body == nil {
			return nil
		}
		if err := dropModels(tx, "NOT active"); err != nil {
			return err
		}
		id, err := tx.insert(`
			INSERT INTO embedding_models(provider, name, dimensions, active, created_at)
			VALUES(?, ?, ?, 0, ?)`, l.Model.Provider, l.Model.Name, l.Model.Dimensions, db.opts.Now().UnixNano())
		if err != nil {
			return err
		}
		if l.Body != nil {
			if err := tx.exec(`INSERT INTO local_models(model_id, trained_on, body) VALUES(?, ?, ?)`, id, l.TrainedOn, l.Body); err != nil {
				return err
			}
		}
		return tx.script(vectorTableSQL(id, l.Model.Dimensions))
	})
	return db.translate("begin the model", err)
}

// Unbuilt returns the next n passages that the model in the making has no vector
// of, each with its text; none when it has all. It is given those that are hot and
// those that the active model has a vector of.
func (db *DB) Unbuilt(ctx context.Context, model memory.EmbeddingModel, n int) ([]memory.Pending, error) {
	var active int64
	if err := db.reader.row(ctx, activeModel, nil, &active); err != nil {
		return nil, db.translate("look up the active model", err)
	}
	list, err := collect(ctx, db.reader, `
		WITH done(built_to) AS MATERIALIZED (SELECT built_to FROM embedding_models WHERE provider = ? AND name = ? AND dimensions = ?)
		SELECT coalesce(p.id, m.id << 8), coalesce(CAST(substr(CAST(m.content AS BLOB), p.start + 1, p.length) AS TEXT), m.content)
		FROM done
		CROSS JOIN messages m ON m.id >= done.built_to >> 8
		CROSS JOIN message_meta h ON h.session_id = m.session_id
		LEFT JOIN passages p ON p.message_id = m.id
		WHERE coalesce(p.id, m.id << 8) > done.built_to AND `+wantsVector(active)+`
		ORDER BY m.id, p.id
		LIMIT ?`, append(modelKey(model), n),
		func(rows *sql.Rows) (memory.Pending, error) {
			var p memory.Pending
			err := rows.Scan(&p.Ref, &p.Text)
			return p, err
		})
	return list, db.translate("read passages to embed", err)
}

// activeModel is the query for the number of the active model; 0 = none.
const activeModel = `SELECT coalesce(max(id), 0) FROM embedding_models WHERE active`

// wantsVector is true of a passage p of message m, h being the meta data of its
// session, that is hot or has a vector of the active model: the archive may have
// kept its vectors.
func wantsVector(active int64) string {
	if active == 0 {
		return isHot
	}
	return `(` + isHot + ` OR m.features IS NOT NULL AND EXISTS (
		SELECT 1 FROM ` + vectorTable(active) + ` v WHERE v.passage_id = coalesce(p.id, m.id << 8)))`
}

// Build stores vectors of the model in the making, remembers the passages that
// could not be embedded, and notes that all passages up to the given one are done.
// Those of messages that are gone meanwhile are left out.
func (db *DB) Build(ctx context.Context, model memory.EmbeddingModel, vectors []memory.Vector, refused []memory.Refused, upTo int64) error {
	for _, v := range vectors {
		if err := memory.CheckVector(v.Values, model.Dimensions); err != nil {
			return err
		}
	}
	err := db.writer.do(ctx, func(tx tx) error {
		id, err := inTheMaking(tx, model)
		if err != nil {
			return err
		}
		saved := int64(0)
		for _, v := range vectors {
			n, err := saveVector(tx, id, v)
			if err != nil {
				return err
			}
			saved += n
		}
		for _, r := range refused {
			message, _ := splitPassageID(r.Ref)
			if err := tx.exec(`
				INSERT OR REPLACE INTO refused_passages(model_id, passage, reason)
				SELECT ?, ?, ? FROM messages WHERE id = ?`, id, r.Ref, r.Reason, message); err != nil {
				return err
			}
		}
		return tx.exec(`UPDATE embedding_models SET vectors = vectors + ?, built_to = ? WHERE id = ?`, saved, upTo, id)
	})
	return db.translate("build the model", err)
}

func inTheMaking(tx tx, model memory.EmbeddingModel) (int64, error) {
	var id int64
	err := tx.row(findModel+` AND NOT active`, modelKey(model), &id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, memory.Unavailablef("the model %s is not in the making any more", model.Name)
	}
	return id, err
}

// ActivateModel makes the model in the making the one that is searched with, in
// one short transaction: what came in since it was built and what it could not
// embed is queued for it, the model before goes.
func (db *DB) ActivateModel(ctx context.Context, model memory.EmbeddingModel) error {
	err := db.writer.do(ctx, func(tx tx) error {
		id, err := inTheMaking(tx, model)
		if err != nil {
			return err
		}
		if err := requeue(tx, id); err != nil {
			return err
		}
		if err := dropModels(tx, "active"); err != nil {
			return err
		}
		return tx.exec(`UPDATE embedding_models SET active = 1 WHERE id = ?`, id)
	})
	return db.translate("activate the model", err)
}

// requeue makes the queue that of model id, which is about to become active.
func requeue(tx tx, id int64) error {
	var active int64
	if err := tx.row(activeModel, nil, &active); err != nil {
		return err
	}
	for _, step := range []string{
		// What was brought back into hot history meanwhile may lie before built_to.
		`DELETE FROM embed_queue
		WHERE corpus = 'message' AND ref <= (SELECT built_to FROM embedding_models WHERE id = ?1)
		AND EXISTS (SELECT 1 FROM ` + vectorTable(id) + ` v WHERE v.passage_id = ref)`,
		`INSERT OR REPLACE INTO embed_queue(corpus, ref, tries, last_error)
		SELECT 'message', passage, 1, reason FROM refused_passages WHERE model_id = ?1`,
		`DELETE FROM refused_passages WHERE model_id = ?1`,
		`INSERT OR IGNORE INTO embed_queue(corpus, ref)
		SELECT 'message', coalesce(p.id, m.id << 8)
		FROM (SELECT built_to FROM embedding_models WHERE id = ?1) done
		CROSS JOIN messages m ON m.id >= done.built_to >> 8
		CROSS JOIN message_meta h ON h.session_id = m.session_id
		LEFT JOIN passages p ON p.message_id = m.id
		WHERE coalesce(p.id, m.id << 8) > done.built_to AND ` + wantsVector(active),
	} {
		if err := tx.exec(step, id); err != nil {
			return err
		}
	}
	return nil
}

// Making returns the model in the making and how many passages have been built;
// the zero model when there is none.
func (db *DB) Making(ctx context.Context) (memory.EmbeddingModel, memory.Progress, error) {
	var m memory.EmbeddingModel
	var p memory.Progress
	err := db.reader.row(ctx, `
		SELECT provider, name, dimensions, vectors, (SELECT count(*) FROM refused_passages r WHERE r.model_id = e.id)
		FROM embedding_models e
		WHERE NOT active`, nil, &m.Provider, &m.Name, &m.Dimensions, &p.Indexed, &p.Failing)
	if errors.Is(err, sql.ErrNoRows) {
		return m, p, nil
	}
	return m, p, db.translate("read the model in the making", err)
}

// dropModels deletes the models that the condition selects, with their vectors.
func dropModels(tx tx, condition string) error {
	ids, err := modelIDs(tx, condition)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := tx.script(fmt.Sprintf("DROP TABLE %s; DELETE FROM embedding_models WHERE id = %d;", vectorTable(id), id)); err != nil {
			return err
		}
	}
	return nil
}
