package sqlite

import "context"

// tidyPages is how many pages of the full-text index a step of Tidy writes at
// most, about 10 ms of work: other writers wait no longer.
const tidyPages = 250

// Tidy merges the segments that appends have left in the full-text index. A
// search looks a word up in each segment; with one instead of ten it takes half
// the time. The work is done in short transactions; it may end at any moment
// and begin again.
func (db *DB) Tidy(ctx context.Context) error {
	// A negative number begins a merge of all segments, positive ones go on
	// with it. It is done when a step changes no row but its own.
	for pages := -tidyPages; ; pages = tidyPages {
		var changed int64
		err := db.writer.do(ctx, func(tx tx) error {
			var before, after int64
			if err := tx.row(`SELECT total_changes()`, nil, &before); err != nil {
				return err
			}
			if err := tx.exec(`INSERT INTO message_fts(message_fts, rank) VALUES('merge', ?)`, pages); err != nil {
				return err
			}
			err := tx.row(`SELECT total_changes()`, nil, &after)
			changed = after - before
			return err
		})
		if err != nil || changed < 2 {
			return db.translate("merge the full-text index", err)
		}
	}
}
