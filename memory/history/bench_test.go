package history_test

import (
	"fmt"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
	"mcp-memory/memory/sqlite"
)

func BenchmarkAppend(b *testing.B) {
	for _, sync := range []string{"normal", "full"} {
		b.Run(sync, func(b *testing.B) {
			db, err := sqlite.Open(b.Context(), sqlite.Options{Path: b.TempDir() + "/m.db", Sync: sync})
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			h, err := history.New(history.Config{Store: db})
			if err != nil {
				b.Fatal(err)
			}
			i := 0
			for b.Loop() {
				i++
				m := memory.Draft{Role: memory.RoleUser, ClientID: fmt.Sprint(i), Content: fmt.Sprintf("Message %d says that the release of version %d waits for the review of the billing service", i, i*7)}
				if _, err := h.Append(b.Context(), fmt.Sprintf("s%d", i/200), "bench", []memory.Draft{m}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
