package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"mcp-memory/memory"
)

// Neighbours returns the messages that the hits belong to and span messages
// before and after each in its session, each once, ordered by session and
// arrival, with their features and those of the parts that were hit.
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

// neighbourRow is a neighbour with numbers where names belong: hundreds of rows
// share a few sessions and senders, so these are looked up once.
type neighbourRow struct {
	memory.Neighbour
	session int64
	sender  sql.NullInt64
	dropped bool
}

// stretches reads the messages around ids: a range of arrival numbers for each
// run of seeds that are near each other. Only the small columns are read.
func (db *DB) stretches(ctx context.Context, ids []int64, span int) ([]memory.Neighbour, error) {
	ranges, err := db.ranges(ctx, ids, int64(span))
	if err != nil {
		return nil, err
	}
	rows, err := collect(ctx, db.reader, `
		SELECT m.id, m.session_id, m.sent_at, m.seq, m.role, m.sender_id, m.dropped <> 0, m.features
		FROM json_each(?) r
		CROSS JOIN messages m ON m.session_id = r.value ->> 0 AND m.seq BETWEEN r.value ->> 1 AND r.value ->> 2`,
		[]any{ranges}, scanNeighbour)
	if err != nil {
		return nil, err
	}
	return db.nameNeighbours(ctx, rows)
}

// ranges finds where the messages are and returns, as JSON, triples of session,
// first and last arrival number that cover span messages around each of them;
// in order, none overlapping another.
func (db *DB) ranges(ctx context.Context, ids []int64, span int64) (string, error) {
	list, err := jsonArray(ids)
	if err != nil {
		return "", err
	}
	places, err := collect(ctx, db.reader, `
		SELECT DISTINCT m.session_id, m.seq
		FROM json_each(?) j
		CROSS JOIN messages m ON m.id = j.value
		ORDER BY m.session_id, m.seq`, []any{list},
		func(rows *sql.Rows) (place [2]int64, err error) {
			return place, rows.Scan(&place[0], &place[1])
		})
	if err != nil {
		return "", err
	}
	ranges := make([][3]int64, 0, len(places))
	for _, p := range places {
		session, first, last := p[0], p[1]-span, p[1]+span
		if n := len(ranges); n > 0 && ranges[n-1][0] == session && first <= ranges[n-1][2]+1 {
			ranges[n-1][2] = last
			continue
		}
		ranges = append(ranges, [3]int64{session, first, last})
	}
	b, err := json.Marshal(ranges)
	return string(b), err
}

func scanNeighbour(rows *sql.Rows) (neighbourRow, error) {
	var n neighbourRow
	var role int
	err := rows.Scan(&n.MessageID, &n.session, &n.Position.SentAt, &n.Position.Seq, &role, &n.sender, &n.dropped, &n.Features)
	n.Role, n.SentAt = roles[role], time.Unix(0, n.Position.SentAt).UTC()
	return n, err
}

// nameNeighbours puts the names in, and says what is archived.
func (db *DB) nameNeighbours(ctx context.Context, rows []neighbourRow) ([]memory.Neighbour, error) {
	type session struct {
		name  string
		start memory.Position
	}
	sessions, senders := map[int64]session{}, map[int64]string{}
	list := make([]memory.Neighbour, 0, len(rows))
	for i := range rows {
		n := &rows[i]
		s, ok := sessions[n.session]
		if !ok {
			err := db.reader.row(ctx, `
				SELECT s.name, h.start_at, h.start_seq
				FROM sessions s
				JOIN message_meta h ON h.session_id = s.id
				WHERE s.id = ?`, []any{n.session}, &s.name, &s.start.SentAt, &s.start.Seq)
			if errors.Is(err, sql.ErrNoRows) { // removed meanwhile
				continue
			}
			if err != nil {
				return nil, err
			}
			sessions[n.session] = s
		}
		if _, ok := senders[n.sender.Int64]; n.sender.Valid && !ok {
			var name string
			err := db.reader.row(ctx, `SELECT name FROM senders WHERE id = ?`, []any{n.sender.Int64}, &name)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return nil, err
			}
			senders[n.sender.Int64] = name
		}
		n.Session, n.Sender = s.name, senders[n.sender.Int64]
		n.Archived = n.dropped || n.Position.Before(s.start)
		list = append(list, n.Neighbour)
	}
	return list, nil
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
		i, ok := at[message]
		if !ok { // its session was removed meanwhile
			continue
		}
		n := &list[i]
		if n.Parts == nil {
			n.Parts = map[int][]byte{}
		}
		n.Parts[ord] = features
	}
	return rows.Err()
}

// jsonArray writes a list for json_each.
func jsonArray[T any](list []T) (string, error) {
	b, err := json.Marshal(append([]T{}, list...)) // nil would be null, a list of one
	return string(b), err
}
