// Package storetest is the contract of a store, as tests. Whatever keeps the
// memory, be it one SQLite file or a database server, must pass them; the
// engines in history, recall, summary, lessons and index rely on nothing else.
//
// A new store uses it in one test of its own:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) storetest.Store {
//			db, err := postgres.Open(t.Context(), …)
//			if err != nil {
//				t.Fatal(err)
//			}
//			t.Cleanup(func() { db.Close() })
//			return db
//		})
//	}
//
// The tests see a store through the interfaces of its users alone: they know no
// SQL and no tables, and compare no scores between stores. Two stores may rank
// differently; they must find the same messages, in an order of scores.
package storetest

import (
	"context"
	"testing"

	"mcp-memory/memory"
	local "mcp-memory/memory/embed"
	"mcp-memory/memory/history"
	"mcp-memory/memory/index"
	"mcp-memory/memory/jobs"
	"mcp-memory/memory/lessons"
	"mcp-memory/memory/notes"
	"mcp-memory/memory/openai"
	"mcp-memory/memory/recall"
	"mcp-memory/memory/summary"
	"mcp-memory/memory/windows"
)

// Store is what one store must do for all engines together.
type Store interface {
	history.Store
	recall.Store
	index.Store
	local.LocalStore
	openai.Ledger
	jobs.Store
	summary.Store
	windows.Store
	lessons.Store
	notes.Store
	noteQueue
	summaryImporter
	marker
	appender
}

// appender is AppendSince for a session that nobody resets.
type appender interface {
	Append(ctx context.Context, session string, batch []memory.Entry) (memory.Appended, error)
}

// marker tells whether messages have changed; the server asks it for the
// subscribers of its resources.
type marker interface {
	Mark(ctx context.Context, session string) (string, error)
}

// summaryImporter takes over summaries that were made elsewhere.
type summaryImporter interface {
	// ImportSummary gives a session that has none a summary without a cursor;
	// the session is made when it is new. False = it had one.
	ImportSummary(ctx context.Context, session string, s memory.Summary, model string) (bool, error)
}

// theme is a group of tests, each on an empty store of its own.
type theme map[string]func(t *testing.T, s Store)

// Run runs the contract. open gives a new, empty store each time it is called
// and sees to it that the store is closed when its test ends; it is called from
// several tests at once. The store's clock must be near the real one. With
// -short, less stands in the way of what is looked for.
func Run(t *testing.T, open func(t *testing.T) Store) {
	for name, tests := range map[string]theme{
		"append":      appending,
		"read":        reading,
		"archive":     archiving,
		"text":        searching,
		"filter":      filtering,
		"vectors":     embedding,
		"models":      learning,
		"training":    training,
		"words":       foldingIn,
		"queue":       queueing,
		"marks":       marking,
		"ledger":      spending,
		"limits":      limiting,
		"concurrency": sharing,
		"jobs":        scheduling,
		"work":        working,
		"summaries":   summarising,
		"lessons":     remembering,
		"drop":        dropping,
		"reset":       resetting,
		"notes":       noting,
		"notevectors": embeddingNotes,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for name, test := range tests {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					test(t, open(t))
				})
			}
		})
	}
}
