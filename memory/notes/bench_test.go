package notes_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory/notes"
)

// fill writes files of sections, one chunk each, in words of a small vocabulary:
// the first are in nearly every chunk, the last in few.
func fill(b *testing.B, dir string, files, sections int) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.1, 4, 20_000)
	for f := range files {
		var s strings.Builder
		for i := range sections {
			fmt.Fprintf(&s, "## Section %d of %d\n\n", i, f)
			for w := range 80 {
				fmt.Fprintf(&s, "w%dx ", zipf.Uint64())
				if w%16 == 15 {
					s.WriteString("\n")
				}
			}
			s.WriteString("\n\n")
		}
		put(b, dir, fmt.Sprintf("knowledge/%d/%d.md", f%20, f), s.String())
	}
	past := time.Now().Add(-time.Hour)
	matches, err := filepath.Glob(filepath.Join(dir, "knowledge", "*", "*.md"))
	if err != nil || len(matches) != files {
		b.Fatal(len(matches), err)
	}
	for _, name := range matches {
		if err := os.Chtimes(name, past, past); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkUnchanged looks over 2,000 files that have not changed. Target: 20 ms.
func BenchmarkUnchanged(b *testing.B) {
	d := newDesk(b, options{now: time.Now})
	fill(b, d.dir, 2000, 1)
	if err := d.notes.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := d.notes.Sync(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "ms/look")
}

// BenchmarkSearch searches 10,000 chunks of 1,000 files, in turn for a rare word,
// a common one, one that is in every chunk, and a question. Target: p95 of 30 ms.
func BenchmarkSearch(b *testing.B) {
	d := newDesk(b, options{now: time.Now})
	fill(b, d.dir, 1000, 10)
	if err := d.notes.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
	if err := d.loop.Drain(b.Context()); err != nil {
		b.Fatal(err)
	}
	queries := []string{"w7000x", "w30x", "section", "where did w2x and w500x meet w4000x?", "w0x w1x w2x"}
	var times []time.Duration
	byQuery := map[string]time.Duration{}
	for b.Loop() {
		query := queries[len(times)%len(queries)]
		start := time.Now()
		res, err := d.notes.Search(b.Context(), notes.Request{Query: query})
		took := time.Since(start)
		if err != nil || len(res.Found) == 0 || res.Note != "" {
			b.Fatalf("Search(%s) = %+v, %v", query, res, err)
		}
		times = append(times, took)
		byQuery[query] = max(byQuery[query], took)
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "ms/p95")
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms/p50")
	b.Log(byQuery)
}
