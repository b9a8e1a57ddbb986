package sqlite

import (
	"context"
	"database/sql"
	"strings"

	"mcp-memory/memory"
)

// Match returns n passages that satisfy q and f, after skipping offset ones. An
// empty q is satisfied by every message. Words are looked for in the whole
// message, those of q.Any in its parts, its sender and its date too.
func (db *DB) Match(ctx context.Context, q memory.TextQuery, f memory.Filter, order memory.Order, offset, n int) ([]memory.Hit, error) {
	var hits []memory.Hit
	err := db.repairing(ctx, func() error {
		s, err := db.textSearch(ctx, q, f)
		if err != nil {
			return err
		}
		query, args := s.list(order, offset, n)
		hits, err = collect(ctx, db.reader, query, args, scanHit)
		return err
	})
	return hits, db.translate("search the full text", err)
}

// Count counts the passages that satisfy q and f, up to limit.
func (db *DB) Count(ctx context.Context, q memory.TextQuery, f memory.Filter, limit int) (int, error) {
	var n int
	err := db.repairing(ctx, func() error {
		s, err := db.textSearch(ctx, q, f)
		if err != nil {
			return err
		}
		return db.reader.row(ctx, `SELECT count(*) FROM (SELECT 1`+s.from+` LIMIT ?)`, append(s.args, limit), &n)
	})
	return n, db.translate("count in the full text", err)
}

func scanHit(rows *sql.Rows) (memory.Hit, error) {
	var passage int64
	var h memory.Hit
	err := rows.Scan(&passage, &h.Score)
	h.MessageID, h.Ord = splitPassageID(passage)
	return h, err
}

// textSearch is the FROM and WHERE of a search, with its parameters.
type textSearch struct {
	from    string
	args    []any
	id      string // expression of the passage number
	newest  string // column that orders by arrival, without a sort when the whole table is read
	bm25    bool   // there is a rank to order by
	plain   bool   // nothing but the full-text index is read
	session int64
}

// textSearch writes the search. The full-text table always comes first: with a
// plain JOIN the planner may make messages the outer loop and look every one of
// them up in the index, a thousand times slower.
func (db *DB) textSearch(ctx context.Context, q memory.TextQuery, f memory.Filter) (*textSearch, error) {
	s := &textSearch{plain: f.Since.IsZero() && f.Until.IsZero() && !f.HotOnly}
	scope := []string{}
	if f.Session != "" {
		id, err := db.sessionID(ctx, f.Session)
		if err != nil {
			return nil, err
		}
		s.session = id
		scope = append(scope, quote(sessionToken(id)))
	}
	if f.Role != "" {
		scope = append(scope, quote(roleToken(f.Role)))
	}
	if q.Empty() {
		s.fromMessages(f)
		return s, nil
	}
	s.id, s.newest, s.bm25 = "message_fts.rowid", "message_fts.rowid", true
	s.from = ` FROM message_fts`
	if !s.plain {
		s.from += ` CROSS JOIN messages m ON m.id = message_fts.rowid >> 8`
	}
	if f.HotOnly {
		s.from += ` CROSS JOIN message_meta h ON h.session_id = m.session_id`
	}
	s.from += ` WHERE message_fts MATCH ?`
	s.args = append(s.args, matchExpression(q, scope, columns{"body", "head body part"}))
	s.timeAndHot(f)
	return s, nil
}

// fromMessages searches without words: the messages that pass the filter.
func (s *textSearch) fromMessages(f memory.Filter) {
	s.id, s.newest = "m.id << 8", "m.id"
	s.from = ` FROM messages m`
	if f.HotOnly {
		s.from += ` CROSS JOIN message_meta h ON h.session_id = m.session_id`
	}
	s.from += ` WHERE m.features IS NOT NULL`
	if f.Session != "" {
		s.from += ` AND m.session_id = ?`
		s.args = append(s.args, s.session)
	}
	if f.Role != "" {
		s.from += ` AND m.role = ?`
		s.args = append(s.args, roleCode(f.Role))
	}
	s.timeAndHot(f)
}

func (s *textSearch) timeAndHot(f memory.Filter) {
	if !f.Since.IsZero() {
		s.from += ` AND m.sent_at >= ?`
		s.args = append(s.args, f.Since.UnixNano())
	}
	if !f.Until.IsZero() {
		s.from += ` AND m.sent_at < ?`
		s.args = append(s.args, f.Until.UnixNano())
	}
	if f.HotOnly {
		s.from += ` AND NOT m.dropped AND (m.sent_at, m.seq) >= (h.start_at, h.start_seq)`
	}
}

// list writes the whole query. bm25 comes out of FTS5 negative, best first.
func (s *textSearch) list(order memory.Order, offset, n int) (string, []any) {
	score, by := "0.0", s.newest+" DESC"
	if order == memory.BestFirst && s.bm25 {
		score, by = "-message_fts.rank", "message_fts.rank"
		if !s.plain {
			by += ", message_fts.rowid DESC"
		}
	}
	return `SELECT ` + s.id + `, ` + score + s.from + ` ORDER BY ` + by + ` LIMIT ? OFFSET ?`, append(s.args, n, offset)
}

// columns are those of a full-text table in which words are looked for: those
// that a text has to have, and those of TextQuery.Any.
type columns struct{ words, any string }

// matchExpression writes q as an FTS5 query. Every token is quoted, so that no
// text is an operator, a column or a syntax error.
func matchExpression(q memory.TextQuery, scope []string, c columns) string {
	var all []string
	in := func(columns, expression string) { all = append(all, "{"+columns+"} : ("+expression+")") }
	for _, s := range scope {
		in("scope", s)
	}
	for _, t := range q.All {
		in(c.words, quote(t))
	}
	for _, p := range q.Phrases {
		in(c.words, quote(strings.Join(p, " ")))
	}
	for _, p := range q.Prefix {
		in(c.words, quote(p)+" *")
	}
	for _, group := range q.OneOf {
		in(c.words, anyOf(group))
	}
	if len(q.Any) > 0 {
		in(c.any, anyOf(q.Any))
	}
	return strings.Join(all, " AND ")
}

// anyOf joins tokens by OR; no token at all is found nowhere.
func anyOf(tokens []string) string {
	if len(tokens) == 0 {
		return quote("")
	}
	quoted := make([]string, len(tokens))
	for i, t := range tokens {
		quoted[i] = quote(t)
	}
	return strings.Join(quoted, " OR ")
}

// quote makes an FTS5 string of a token. Tokens hold no quotes and no NUL, at
// which FTS5 stops reading; the query stays whole should one ever do.
func quote(token string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(token, `"`, `""`), "\x00", " ") + `"`
}

// Senders lists the names of all senders.
func (db *DB) Senders(ctx context.Context) ([]string, error) {
	names, err := collect(ctx, db.reader, `SELECT name FROM senders ORDER BY id`, nil,
		func(rows *sql.Rows) (string, error) {
			var name string
			err := rows.Scan(&name)
			return name, err
		})
	return names, db.translate("list senders", err)
}
