package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"mcp-memory/memory"
)

// LearnLimit remembers the context window of a model. A smaller one replaces a
// larger one, never the other way round: one name can stand for several
// deployments, and what fits the smallest fits them all. A window that is no
// context window, or no model, is ErrInvalid. At is set by the store.
func (db *DB) LearnLimit(ctx context.Context, l memory.LearntLimit) error {
	if l.Model == "" {
		return memory.Invalidf("a learnt limit needs the name of a model")
	}
	if l.Tokens < memory.MinWindow || l.Tokens > memory.MaxWindow {
		return memory.Invalidf("a context window has %d to %d tokens, got %d", memory.MinWindow, memory.MaxWindow, l.Tokens)
	}
	now := db.opts.Now().UnixNano()
	err := db.writer.do(ctx, func(tx tx) error {
		return tx.exec(`
			INSERT INTO model_limits(model, tokens, kind, learnt_at)
			VALUES(?, ?, ?, ?)
			ON CONFLICT(model) DO UPDATE SET
				tokens = excluded.tokens,
				kind = excluded.kind,
				learnt_at = excluded.learnt_at
			WHERE excluded.tokens < tokens`,
			l.Model, l.Tokens, l.Kind, now)
	})
	return db.translate("learn the limit of a model", err)
}

// LearntLimit returns what was learnt of a model; false when nothing was.
func (db *DB) LearntLimit(ctx context.Context, model string) (memory.LearntLimit, bool, error) {
	l := memory.LearntLimit{Model: model}
	var at int64
	err := db.reader.row(ctx, `
		SELECT tokens, kind, learnt_at
		FROM model_limits
		WHERE model = ?`, []any{model},
		&l.Tokens, &l.Kind, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return memory.LearntLimit{}, false, nil
	}
	if err != nil {
		return memory.LearntLimit{}, false, db.translate("read the limit of a model", err)
	}
	l.At = time.Unix(0, at).UTC()
	return l, true, nil
}
