package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"mcp-memory/memory"
)

// maxNeighbours is sqlite-vec's limit of k.
const maxNeighbours = 4096

func vectorTable(id int64) string { return fmt.Sprintf("%s%d", vectorPrefix, id) }

const vectorPrefix = "vec_message_"

// namesVectorTable says whether a statement is about a vector table.
func namesVectorTable(query string) bool { return strings.Contains(query, vectorPrefix) }

// findModel is the query for the number of a model; modelKey are its parameters.
const findModel = `SELECT id FROM embedding_models WHERE provider = ? AND name = ? AND dimensions = ?`

func modelKey(m memory.EmbeddingModel) []any { return []any{m.Provider, m.Name, m.Dimensions} }

// table returns the number of the model's vector table; 0 when it has none. It
// is asked each time: another process may have changed to another model, which
// takes the table away.
func (db *DB) table(ctx context.Context, model memory.EmbeddingModel) (int64, error) {
	var id int64
	err := db.reader.row(ctx, findModel, modelKey(model), &id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

// UseModel makes the model the one whose vectors are kept. A model that is new
// to the file gets an empty table, and all hot messages are queued for it; the
// tables of other models go. Calling it again changes nothing.
func (db *DB) UseModel(ctx context.Context, model memory.EmbeddingModel) error {
	if err := checkModel(model); err != nil {
		return err
	}
	id, err := db.table(ctx, model)
	if err != nil || id != 0 {
		return db.translate("look up the embedding model", err)
	}
	err = db.writer.do(ctx, func(tx tx) error {
		err := tx.row(findModel, modelKey(model), &id)
		if !errors.Is(err, sql.ErrNoRows) { // another process has been here
			return err
		}
		if err := dropModels(tx, "true"); err != nil {
			return err
		}
		id, err := tx.insert(`
			INSERT INTO embedding_models(provider, name, dimensions, active, created_at)
			VALUES(?, ?, ?, 1, ?)`, model.Provider, model.Name, model.Dimensions, db.opts.Now().UnixNano())
		if err != nil {
			return err
		}
		if err := tx.script(vectorTableSQL(id, model.Dimensions)); err != nil {
			return err
		}
		return tx.exec(`INSERT OR IGNORE INTO embed_queue(corpus, ref) SELECT 'message', id FROM (` + hotPassages + `)`)
	})
	return db.translate("set up the vectors", err)
}

func checkModel(model memory.EmbeddingModel) error {
	if model.Dimensions < 1 || model.Dimensions > memory.MaxDimensions {
		return memory.Invalidf("an embedding has 1 to %d dimensions, got %d", memory.MaxDimensions, model.Dimensions)
	}
	return nil
}

// vectorTableSQL makes the table of a model. The chunk size is measured: larger
// chunks search faster and take a little more room when there is little in them.
func vectorTableSQL(id int64, dimensions int) string {
	return fmt.Sprintf(`
		CREATE VIRTUAL TABLE %s USING vec0(
			passage_id INTEGER PRIMARY KEY,
			session_id INTEGER,
			sent_at INTEGER,
			role INTEGER,
			embedding FLOAT[%d] distance_metric=L2,
			chunk_size=1024
		)`, vectorTable(id), dimensions)
}

// hotPassages selects the passages of all hot messages that may have a vector.
const hotPassages = `
	SELECT coalesce(p.id, m.id << 8) AS id
	FROM message_meta h
	CROSS JOIN messages m ON m.session_id = h.session_id
	LEFT JOIN passages p ON p.message_id = m.id
	WHERE ` + isHot

// isHot is true of a hot message m with text, h being the meta data of its session.
const isHot = `m.features IS NOT NULL AND NOT m.dropped AND (m.sent_at, m.seq) >= (h.start_at, h.start_seq)`

// modelIDs lists the models that the condition selects.
func modelIDs(tx tx, condition string) ([]int64, error) {
	var list string
	if err := tx.row(`SELECT json_group_array(id) FROM embedding_models WHERE `+condition, nil, &list); err != nil {
		return nil, err
	}
	var ids []int64
	return ids, json.Unmarshal([]byte(list), &ids)
}

// dropVectors deletes the vectors and the queue places of the messages that
// the condition selects. By id: a condition on a vec0 column scans the table.
func (db *DB) dropVectors(ctx context.Context, tx tx, condition string, args []any) error {
	ids := `
		SELECT coalesce(p.id, m.id << 8)
		FROM (SELECT id FROM messages WHERE ` + condition + `) m
		LEFT JOIN passages p ON p.message_id = m.id`
	if err := tx.exec(`DELETE FROM embed_queue WHERE corpus = 'message' AND ref IN (`+ids+`)`, args...); err != nil {
		return err
	}
	models, err := modelIDs(tx, "true")
	if err != nil {
		return err
	}
	for _, id := range models {
		n, err := tx.change(`DELETE FROM `+vectorTable(id)+` WHERE passage_id IN (`+ids+`)`, args...)
		if err != nil {
			return err
		}
		if err := tx.exec(`UPDATE embedding_models SET vectors = vectors - ? WHERE id = ?`, n, id); err != nil {
			return err
		}
	}
	return nil
}

// Nearest returns the k passages (at most 4,096) nearest to the vector that pass
// f, with cosine similarity as score. The filter is part of the search: every
// place goes to a passage that passes. ErrUnavailable: the model has no vectors
// yet; ErrDimension: the vector has another length than the model.
func (db *DB) Nearest(ctx context.Context, model memory.EmbeddingModel, vector []float32, f memory.Filter, k int) ([]memory.Hit, error) {
	if err := memory.CheckVector(vector, model.Dimensions); err != nil {
		return nil, err
	}
	id, err := db.table(ctx, model)
	if err != nil {
		return nil, db.translate("look up the embedding model", err)
	}
	if id == 0 {
		return nil, noVectors()
	}
	hits, err := db.searchTable(ctx, id, vector, f, min(k, maxNeighbours))
	if err != nil {
		if now, lookErr := db.table(ctx, model); lookErr == nil && now != id { // the model has just been changed
			return nil, noVectors()
		}
	}
	return hits, db.translate("search vectors", err)
}

func noVectors() error { return memory.Unavailablef("there are no vectors of this model yet") }

// searchTable is the search in one vector table.
func (db *DB) searchTable(ctx context.Context, id int64, vector []float32, f memory.Filter, k int) ([]memory.Hit, error) {
	where, args, err := db.vectorFilter(ctx, f)
	if err != nil {
		return nil, err
	}
	return collect(ctx, db.reader, nearestSQL(id, where),
		append([]any{encodeVector(vector), k}, args...),
		func(rows *sql.Rows) (memory.Hit, error) {
			var passage int64
			var distance float64
			err := rows.Scan(&passage, &distance)
			message, ord := splitPassageID(passage)
			return memory.Hit{MessageID: message, Ord: ord, Score: 1 - distance*distance/2}, err
		})
}

// nearestSQL is the query for the nearest vectors; its first parameters are the
// vector and k, those of the filter follow.
func nearestSQL(id int64, where string) string {
	return `
		SELECT passage_id, distance
		FROM ` + vectorTable(id) + `
		WHERE embedding MATCH ? AND k = ?` + where
}

func (db *DB) vectorFilter(ctx context.Context, f memory.Filter) (where string, args []any, err error) {
	if f.Session != "" {
		id, err := db.sessionID(ctx, f.Session)
		if err != nil {
			return "", nil, err
		}
		where, args = where+" AND session_id = ?", append(args, id)
	}
	if f.Role != "" {
		where, args = where+" AND role = ?", append(args, roleCode(f.Role))
	}
	if !f.Since.IsZero() {
		where, args = where+" AND sent_at >= ?", append(args, f.Since.UnixNano())
	}
	if !f.Until.IsZero() {
		where, args = where+" AND sent_at < ?", append(args, f.Until.UnixNano())
	}
	if f.HotOnly {
		where += " AND passage_id IN (" + hotPassages + ")"
	}
	return where, args, nil
}

// sessionID is the number of a session; 0, which none has, for an unknown one.
func (db *DB) sessionID(ctx context.Context, name string) (int64, error) {
	var id int64
	err := db.reader.row(ctx, `SELECT id FROM sessions WHERE name = ?`, []any{name}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

// encodeVector writes the vector, scaled to length 1, as sqlite-vec reads it:
// little-endian float32. Of unit vectors the Euclidean distance d gives the
// cosine, 1 - d²/2, and is computed in half the time of sqlite-vec's own.
func encodeVector(v []float32) []byte {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	scale := 1 / math.Sqrt(sum)
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(float64(x)*scale)))
	}
	return b
}
