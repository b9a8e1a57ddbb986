package lessons_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"mcp-memory/memory/lessons"
	"mcp-memory/memory/sqlite"
)

// BenchmarkRelated asks for the lessons of an error among 3,000, renewals included.
func BenchmarkRelated(b *testing.B) {
	db, err := sqlite.Open(b.Context(), sqlite.Options{Path: filepath.Join(b.TempDir(), "memory.db"), Sync: "normal"})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	s, err := lessons.New(lessons.Config{Store: db})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 3000 {
		d := solved(fmt.Sprint("tool", i%20), fmt.Sprintf("the step alpha%d failed: cannot open the device beta%d, permission denied", i, i%300), fmt.Sprint("way ", i))
		if _, err := s.Write(b.Context(), d); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if found, err := s.Related(b.Context(), "tool7", "permission denied: cannot open beta67 in step alpha67", 0); err != nil || len(found) != 3 {
			b.Fatalf("Related() = %d, %v, want 3", len(found), err)
		}
	}
}
