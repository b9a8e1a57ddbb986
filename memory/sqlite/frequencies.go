package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"math"
	"sync"

	"mcp-memory/memory"
)

// frequencyCache remembers how many passages hold a token. The numbers steer a
// ranking, which does not notice a small error, and to look one up takes as long
// as to read fifty messages. It is emptied when the number of messages has
// changed by a fiftieth.
type frequencyCache struct {
	mu        sync.Mutex
	documents int
	counts    map[string]int
}

// maxFrequencies bounds the cache, about 1 MB.
const maxFrequencies = 20_000

// known fills in what is cached and returns the other tokens.
func (c *frequencyCache) known(documents int, tokens []string, into map[string]int) (missing []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if change := documents - c.documents; c.counts == nil || max(change, -change) > c.documents/50 || len(c.counts) > maxFrequencies {
		c.documents, c.counts = documents, map[string]int{}
	}
	for _, t := range tokens {
		if n, ok := c.counts[t]; ok {
			into[t] = n
		} else {
			missing = append(missing, t)
		}
	}
	return missing
}

func (c *frequencyCache) learn(counts map[string]int, tokens []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range tokens {
		c.counts[t] = counts[t]
	}
}

// Frequencies counts, for each token, the passages that hold it; in a large store
// the counts may be out by the fiftieth part that has changed since.
func (db *DB) Frequencies(ctx context.Context, tokens []string) (memory.Frequencies, error) {
	f := memory.Frequencies{ByToken: make(map[string]int, len(tokens))}
	err := db.repairing(ctx, func() error {
		var terms int
		if err := db.reader.row(ctx, `SELECT documents, terms FROM corpus_totals WHERE corpus = 'message'`, nil, &f.Documents, &terms); err != nil {
			return err
		}
		f.MeanTerms = float64(terms) / math.Max(1, float64(f.Documents))
		missing := db.frequencies.known(f.Documents, tokens, f.ByToken)
		if len(missing) == 0 {
			return nil
		}
		if err := db.countTokens(ctx, missing, f.ByToken); err != nil {
			return err
		}
		db.frequencies.learn(f.ByToken, missing)
		return nil
	})
	return f, db.translate("count tokens", err)
}

func (db *DB) countTokens(ctx context.Context, tokens []string, into map[string]int) error {
	list, err := json.Marshal(tokens)
	if err != nil {
		return err
	}
	return db.countEach(ctx, `
		SELECT j.value, (SELECT doc FROM message_terms WHERE term = j.value)
		FROM json_each(?) j`, string(list), into)
}

// countEach runs a query for tokens, given as a JSON list, and their counts.
func (db *DB) countEach(ctx context.Context, query, list string, into map[string]int) error {
	rows, err := db.reader.query(ctx, query, list)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var token string
		var n sql.NullInt64
		if err := rows.Scan(&token, &n); err != nil {
			return err
		}
		into[token] = int(n.Int64)
	}
	return rows.Err()
}
