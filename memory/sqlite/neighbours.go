package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"mcp-memory/memory"
)

// Neighbours returns the messages that the hits belong to and span messages
// before and after each in its session, each once, ordered by session and
// position, with their features and those of the parts that were hit.
func (db *DB) Neighbours(ctx context.Context, hits []memory.Hit, span int) ([]memory.Neighbour, error) {
	ids := make([]int64, 0, len(hits))
	parts := make([]int64, 0)
	for _, h := range hits {
		ids = append(ids, h.MessageID)
		if h.Ord > 0 {
			parts = append(parts, passageID(h.MessageID, h.Ord))
		}
	}
	list, err := db.stretches(ctx, ids, span)
	if err != nil {
		return nil, db.translate("read neighbours", err)
	}
	if len(parts) > 0 {
		err = db.addParts(ctx, list, parts)
	}
	return list, db.translate("read features", err)
}

// stretches reads the messages around ids. Each seed walks the index of its
// session in both directions; only the small columns are read.
func (db *DB) stretches(ctx context.Context, ids []int64, span int) ([]memory.Neighbour, error) {
	list, err := jsonArray(ids)
	if err != nil {
		return nil, err
	}
	return collect(ctx, db.reader, `
		WITH seeds AS MATERIALIZED (
			SELECT DISTINCT m.id, m.session_id, m.sent_at, m.seq
			FROM json_each(?1) j
			CROSS JOIN messages m ON m.id = j.value
		), wanted(id) AS MATERIALIZED (
			SELECT id FROM seeds
			UNION
			SELECT n.id
			FROM seeds s
			CROSS JOIN messages n ON n.id IN (
				SELECT id FROM messages INDEXED BY messages_order
				WHERE session_id = s.session_id AND (sent_at, seq) < (s.sent_at, s.seq)
				ORDER BY sent_at DESC, seq DESC
				LIMIT ?2)
			UNION
			SELECT n.id
			FROM seeds s
			CROSS JOIN messages n ON n.id IN (
				SELECT id FROM messages INDEXED BY messages_order
				WHERE session_id = s.session_id AND (sent_at, seq) > (s.sent_at, s.seq)
				ORDER BY sent_at, seq
				LIMIT ?2)
		)
		SELECT m.id, s.name, m.sent_at, m.seq, m.role, coalesce(n.name, ''),
			m.dropped OR (m.sent_at, m.seq) < (h.start_at, h.start_seq), m.features
		FROM wanted w
		CROSS JOIN messages m ON m.id = w.id
		CROSS JOIN sessions s ON s.id = m.session_id
		CROSS JOIN message_meta h ON h.session_id = m.session_id
		LEFT JOIN senders n ON n.id = m.sender_id
		ORDER BY m.session_id, m.sent_at, m.seq`, []any{list, span}, scanNeighbour)
}

func scanNeighbour(rows *sql.Rows) (memory.Neighbour, error) {
	var n memory.Neighbour
	var role int
	err := rows.Scan(&n.MessageID, &n.Session, &n.Position.SentAt, &n.Position.Seq, &role, &n.Sender, &n.Archived, &n.Features)
	n.Role, n.SentAt = roles[role], time.Unix(0, n.Position.SentAt).UTC()
	return n, err
}

// addParts fills in the features of the parts that were asked for.
func (db *DB) addParts(ctx context.Context, list []memory.Neighbour, parts []int64) error {
	ids, err := jsonArray(parts)
	if err != nil {
		return err
	}
	rows, err := db.reader.query(ctx, `
		SELECT p.id, p.features
		FROM json_each(?) j
		CROSS JOIN passages p ON p.id = j.value`, ids)
	if err != nil {
		return err
	}
	defer rows.Close()
	at := make(map[int64]int, len(list))
	for i := range list {
		at[list[i].MessageID] = i
	}
	for rows.Next() {
		var id int64
		var features []byte
		if err := rows.Scan(&id, &features); err != nil {
			return err
		}
		message, ord := splitPassageID(id)
		n := &list[at[message]]
		if n.Parts == nil {
			n.Parts = map[int][]byte{}
		}
		n.Parts[ord] = features
	}
	return rows.Err()
}

func jsonArray(ids []int64) (string, error) {
	b, err := json.Marshal(ids)
	return string(b), err
}
