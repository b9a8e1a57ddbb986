//go:build cgo && compat

package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// BenchmarkCompatNearest searches one file with the store and with sqlite-vec in
// C, in turns, and reports the median time of each and their ratio.
func BenchmarkCompatNearest(b *testing.B) {
	for _, size := range []struct{ dimensions, messages int }{{64, 10_000}, {64, 100_000}, {384, 20_000}} {
		b.Run(fmt.Sprintf("%dx%d", size.dimensions, size.messages), func(b *testing.B) {
			compareNearest(b, writeMemory(b, size.dimensions, size.messages))
		})
	}
}

func compareNearest(b *testing.B, w *written) {
	w.with(b, func(db *sqlite.DB) {
		// Without locks, so that two libraries in one process do not take each
		// other's; nobody writes.
		pool := upstream(b, w.path, "mode=ro&immutable=1")
		defer pool.Close()
		theirs, err := pool.PrepareContext(b.Context(), `
			SELECT passage_id, distance
			FROM `+tableOf(b, pool)+`
			WHERE embedding MATCH ? AND k = ?`)
		if err != nil {
			b.Fatalf("prepare in C: %v", err)
		}
		defer theirs.Close()
		var oursTook, theirsTook []time.Duration
		for b.Loop() {
			v := w.random()
			blob := serialized(b, unit(v))
			oursTook = append(oursTook, timed(b, func(ctx context.Context) (int, error) {
				hits, err := db.Nearest(ctx, w.model, v, memory.Filter{}, benchmarkK)
				return len(hits), err
			}))
			theirsTook = append(theirsTook, timed(b, func(ctx context.Context) (int, error) { return countNearest(ctx, theirs, blob) }))
		}
		ours, c := median(oursTook), median(theirsTook)
		b.ReportMetric(ours.Seconds()*1000, "ms/search")
		b.ReportMetric(c.Seconds()*1000, "ms/search-in-C")
		b.ReportMetric(ours.Seconds()/c.Seconds(), "x-C")
	})
}

// benchmarkK is how many neighbours the benchmark asks for.
const benchmarkK = 20

// timed measures a search, which must find all that it asked for.
func timed(b *testing.B, search func(context.Context) (int, error)) time.Duration {
	b.Helper()
	begin := time.Now()
	n, err := search(b.Context())
	took := time.Since(begin)
	if err != nil || n != benchmarkK {
		b.Fatalf("search found %d, %v, want %d", n, err, benchmarkK)
	}
	return took
}

// countNearest searches in C and reads what was found.
func countNearest(ctx context.Context, search *sql.Stmt, vector []byte) (n int, err error) {
	rows, err := search.QueryContext(ctx, vector, benchmarkK)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for ; rows.Next(); n++ {
		var ref int64
		var distance float64
		if err := rows.Scan(&ref, &distance); err != nil {
			return 0, err
		}
	}
	return n, rows.Err()
}

func median(list []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(list))[len(list)/2]
}
