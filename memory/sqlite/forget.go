package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// findings are what a deletion finds in the messages that go, and what may have
// nothing else to belong to then.
type findings struct {
	words   map[string]string // and their tokens
	senders map[int64]bool
	user    bool // a message of the user
}

// survey looks at the messages that go.
func (d *deletion) survey(context.Context) error {
	d.found = findings{words: map[string]string{}, senders: map[int64]bool{}}
	return each(d.tx, `SELECT role, sender_id, features IS NOT NULL, content FROM messages WHERE `+d.condition, d.args, func(rows *sql.Rows) error {
		var role int
		var sender sql.NullInt64
		var indexed bool
		var content string
		if err := rows.Scan(&role, &sender, &indexed, &content); err != nil {
			return err
		}
		d.messages++
		if indexed {
			d.documents++
		}
		if sender.Valid {
			d.found.senders[sender.Int64] = true
		}
		d.found.user = d.found.user || roles[role] == memory.RoleUser
		for t := range text.Tokens(content) {
			if t.Word != "" {
				d.found.words[t.Word] = t.Text
			}
		}
		return nil
	})
}

// doubtWords leaves the words to the wipe, which looks for them when the index has
// been tidied: it would take too long here, while nobody else can write.
func (d *deletion) doubtWords(context.Context) error {
	pairs := make([][2]string, 0, len(d.found.words))
	for word, token := range d.found.words {
		pairs = append(pairs, [2]string{word, token})
	}
	list, err := jsonArray(pairs)
	if err != nil {
		return err
	}
	return d.tx.exec(`
		INSERT OR IGNORE INTO doubtful_words(word, token)
		SELECT value ->> 0, value ->> 1
		FROM json_each(?)`, list)
}

// doubted is how many words are looked for in one transaction.
const doubted = 200

// forgetWords deletes the words that no message has any more.
func (db *DB) forgetWords(ctx context.Context) error {
	defer db.vocabulary.forget()
	for left := doubted; left == doubted; {
		err := db.repairing(ctx, func() error {
			return db.writer.do(ctx, func(tx tx) (err error) {
				left, err = forgetSome(tx)
				return err
			})
		})
		if err != nil {
			return db.translate("forget words", err)
		}
	}
	return nil
}

// forgetSome looks for the next words and returns how many they were. The index
// knows tokens only, so that a word that differs from its token is looked for in
// messages with that token.
func forgetSome(tx tx) (int, error) {
	tokens := map[string]string{}
	err := each(tx, `SELECT word, token FROM doubtful_words ORDER BY word LIMIT ?`, []any{doubted}, func(rows *sql.Rows) error {
		var word, token string
		err := rows.Scan(&word, &token)
		tokens[word] = token
		return err
	})
	if err != nil {
		return 0, err
	}
	alive := map[string]bool{}
	words := slices.Sorted(maps.Keys(tokens))
	var gone []string
	for _, word := range words {
		if alive[word] {
			continue
		}
		if err := lookFor(tx, word, tokens[word], alive); err != nil {
			return 0, err
		}
		if !alive[word] {
			gone = append(gone, word)
		}
	}
	if err := deleteWords(tx, `words`, gone); err != nil {
		return 0, err
	}
	return len(words), deleteWords(tx, `doubtful_words`, words)
}

func deleteWords(tx tx, table string, words []string) error {
	list, err := jsonArray(words)
	if err != nil {
		return err
	}
	return tx.exec(`DELETE FROM `+table+` WHERE word IN (SELECT value FROM json_each(?))`, list)
}

// spelt is how many messages are read at most to find a word in one of the ways
// it is written. A word that is in none of them goes: a part of it finds it no
// more until it is written again, which is better than to keep what may be
// deleted.
const spelt = 100

// lookFor marks the word alive when a message has it, and with it all words of
// the messages that it reads.
func lookFor(tx tx, word, token string, alive map[string]bool) error {
	query := `{body} : ` + quote(token)
	if word == token {
		var id int64
		err := tx.row(`SELECT rowid FROM message_fts WHERE message_fts MATCH ? LIMIT 1`, []any{query}, &id)
		alive[word] = err == nil
		if none(err) {
			return nil
		}
		return err
	}
	errFound := errors.New("found")
	err := each(tx, `
		SELECT m.content
		FROM message_fts
		CROSS JOIN messages m ON m.id = message_fts.rowid >> 8
		WHERE message_fts MATCH ?
		LIMIT ?`, []any{query, spelt}, func(rows *sql.Rows) error {
		var content string
		if err := rows.Scan(&content); err != nil {
			return err
		}
		for t := range text.Tokens(content) {
			if t.Word != "" {
				alive[t.Word] = true
			}
		}
		if alive[word] {
			return errFound
		}
		return nil
	})
	if errors.Is(err, errFound) {
		return nil
	}
	return err
}

// dropSenders deletes the senders that have no message any more.
func (d *deletion) dropSenders(context.Context) error {
	list, err := jsonArray(slices.Sorted(maps.Keys(d.found.senders)))
	if err != nil {
		return err
	}
	return d.tx.exec(`
		DELETE FROM senders
		WHERE id IN (SELECT value FROM json_each(?))
		AND NOT EXISTS (SELECT 1 FROM messages WHERE sender_id = senders.id)`, list)
}

// none says whether err is that a query has no row.
func none(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// each runs a query inside a transaction and calls use for each row, until it
// returns an error.
func each(tx tx, query string, args []any, use func(*sql.Rows) error) error {
	st, err := tx.statement(query)
	if err != nil {
		return err
	}
	rows, err := st.Query(args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := use(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
