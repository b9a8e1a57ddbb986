package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"slices"
	"sync"

	"mcp-memory/memory"
)

// vocabulary holds the words of the file in memory, about 20 bytes each, so that
// a search by a part of a word does not scan the table for each part. It grows
// by what other processes and this one have added since the last look; a word
// that another process has deleted stays until the next start and finds nothing.
type vocabulary struct {
	mu    sync.Mutex
	last  int64
	lines []byte // "word\ttoken\n", in order of id
}

// Words returns the words of the vocabulary that contain part, shortest first,
// at most n. An empty part is in every word.
func (db *DB) Words(ctx context.Context, part string, n int) ([]memory.Word, error) {
	v := &db.vocabulary
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.catchUp(ctx, db.reader); err != nil {
		return nil, db.translate("read the vocabulary", err)
	}
	found := v.containing([]byte(part))
	slices.SortFunc(found, func(a, b memory.Word) int {
		return cmp.Or(cmp.Compare(len(a.Text), len(b.Text)), cmp.Compare(a.Text, b.Text))
	})
	found = slices.Compact(found) // a rebuild gives words new ids
	return found[:min(len(found), n)], nil
}

// forget makes the next look read all words again, without those that were
// deleted.
func (v *vocabulary) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.last, v.lines = 0, nil
}

// catchUp reads the words that were added since.
func (v *vocabulary) catchUp(ctx context.Context, r *reader) error {
	rows, err := r.query(ctx, `SELECT id, word, token FROM words WHERE id > ? ORDER BY id`, v.last)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var word, token sql.RawBytes
		var id int64
		if err := rows.Scan(&id, &word, &token); err != nil {
			return err
		}
		v.lines = append(append(append(append(v.lines, word...), '\t'), token...), '\n')
		v.last = id
	}
	return rows.Err()
}

// containing looks through the lines; a match counts in the word only, not in
// the token behind it.
func (v *vocabulary) containing(part []byte) []memory.Word {
	var found []memory.Word
	for at := 0; at < len(v.lines); {
		i := bytes.Index(v.lines[at:], part)
		if i < 0 {
			break
		}
		i += at
		start := bytes.LastIndexByte(v.lines[:i], '\n') + 1
		end := i + bytes.IndexByte(v.lines[i:], '\n')
		word, token, _ := bytes.Cut(v.lines[start:end], []byte{'\t'})
		if i+len(part) <= start+len(word) {
			found = append(found, memory.Word{Text: string(word), Token: string(token)})
		}
		at = end + 1
	}
	return found
}
