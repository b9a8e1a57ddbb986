package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// mostFailing is how many passages that failed the check names.
const mostFailing = 5

// failing is a passage that could not be embedded.
type failing struct {
	message int64
	ord     int
	tries   int
	reason  string
}

// String names the message, and which of its parts when it has some.
func (f failing) String() string {
	name := fmt.Sprintf("message %d", f.message)
	if f.ord > 0 {
		name += fmt.Sprintf(", part %d", f.ord)
	}
	return fmt.Sprintf("%s: %s (tries: %d)", name, f.reason, f.tries)
}

// checkQueue tells what waits for a vector, and of what failed before, why. That is
// no fault of the file.
func (db *DB) checkQueue(ctx context.Context) (string, bool, error) {
	var waiting, failed int
	if err := db.reader.row(ctx, `
		SELECT (SELECT count(*) FROM embed_queue),
			(SELECT count(*) FROM embed_queue WHERE tries > 0) + (SELECT count(*) FROM refused_passages)`, nil, &waiting, &failed); err != nil {
		return "", false, err
	}
	detail := fmt.Sprintf("%d waiting, %d failed before", waiting, failed)
	if failed == 0 {
		return detail, true, nil
	}
	list, err := db.failing(ctx)
	if err != nil {
		return "", false, err
	}
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.String()
	}
	if more := failed - len(list); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return detail + ": " + strings.Join(names, "; "), true, nil
}

// failing lists the first passages that failed, those that a model in the making
// was refused among them.
func (db *DB) failing(ctx context.Context) ([]failing, error) {
	return collect(ctx, db.reader, `
		SELECT ref, tries, coalesce(last_error, '')
		FROM embed_queue
		WHERE tries > 0
		UNION ALL
		SELECT passage, 1, reason
		FROM refused_passages
		ORDER BY 1
		LIMIT ?`, []any{mostFailing}, func(rows *sql.Rows) (failing, error) {
		var f failing
		var passage int64
		err := rows.Scan(&passage, &f.tries, &f.reason)
		f.message, f.ord = splitPassageID(passage)
		return f, err
	})
}
