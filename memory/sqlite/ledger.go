package sqlite

import (
	"context"
	"database/sql"
	"time"

	"mcp-memory/memory"
)

// Spend adds to what was spent on a day, a date as 2006-01-02, for a purpose
// with a model. A negative count or another day is ErrInvalid.
func (db *DB) Spend(ctx context.Context, day, purpose, model string, u memory.Usage) error {
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return memory.Invalidf("a day must be a date such as 2006-01-02, got %q", day)
	}
	if u.Requests < 0 || u.Input < 0 || u.Output < 0 {
		return memory.Invalidf("a usage has no negative counts, got %+v", u)
	}
	err := db.writer.do(ctx, func(tx tx) error {
		return tx.exec(`
			INSERT INTO token_usage(day, purpose, model, requests, input, output)
			VALUES(?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET
				requests = requests + excluded.requests,
				input = input + excluded.input,
				output = output + excluded.output`,
			day, purpose, model, u.Requests, u.Input, u.Output)
	})
	return db.translate("book used tokens", err)
}

// Spent is the sum of a day, over purposes and models.
func (db *DB) Spent(ctx context.Context, day string) (memory.Usage, error) {
	var u memory.Usage
	err := db.reader.row(ctx, `
		SELECT coalesce(sum(requests), 0), coalesce(sum(input), 0), coalesce(sum(output), 0)
		FROM token_usage
		WHERE day = ?`, []any{day},
		&u.Requests, &u.Input, &u.Output)
	return u, db.translate("read the used tokens", err)
}

// Spending lists what was spent since a day, that day included, by day, purpose
// and model; "" = since ever.
func (db *DB) Spending(ctx context.Context, since string) ([]memory.Spending, error) {
	list, err := collect(ctx, db.reader, `
		SELECT day, purpose, model, requests, input, output
		FROM token_usage
		WHERE day >= ?
		ORDER BY day, purpose, model`, []any{since},
		func(rows *sql.Rows) (memory.Spending, error) {
			var s memory.Spending
			err := rows.Scan(&s.Day, &s.Purpose, &s.Model, &s.Requests, &s.Input, &s.Output)
			return s, err
		})
	return list, db.translate("list the used tokens", err)
}
