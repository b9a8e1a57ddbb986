package text_test

import (
	"database/sql"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	_ "modernc.org/sqlite"

	"mcp-memory/memory/text"
)

// TestTokensSurviveFullText puts the tokens of every character there is through
// the full-text table that keeps them, which must neither cut, fold nor drop
// them.
func TestTokensSurviveFullText(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	for _, stmt := range []string{
		`CREATE VIRTUAL TABLE f USING fts5(x, tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co M*'")`,
		`CREATE VIRTUAL TABLE v USING fts5vocab(f, 'row')`,
	} {
		if _, err := db.ExecContext(t.Context(), stmt); err != nil {
			t.Fatal(err)
		}
	}
	tokens := everyToken()
	for batch := range slices.Chunk(tokens, 5000) {
		if _, err := db.ExecContext(t.Context(), `INSERT INTO f(x) VALUES (?)`, strings.Join(batch, " ")); err != nil {
			t.Fatal(err)
		}
	}
	kept := vocabulary(t, db)
	lost := 0
	for _, token := range tokens {
		if !kept[token] {
			if lost++; lost <= 10 {
				t.Errorf("the full-text table does not keep the token %+q", token)
			}
		}
		delete(kept, token)
	}
	if lost > 0 || len(kept) > 0 {
		t.Errorf("%d tokens lost, %d foreign ones, want none", lost, len(kept))
	}
}

// everyToken returns the distinct tokens of each code point, alone and between
// letters, and of names and emoji that need private-use characters.
func everyToken() []string {
	all := make(map[string]bool)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		for token := range text.Tokens(string(r)) {
			all[token.Text] = true
		}
	}
	for token := range text.Tokens("C++ F# 👨‍👩‍👧 🇩🇪 部署步骤 ไทย running отчёты") {
		all[token.Text] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// vocabulary returns the terms of the full-text table.
func vocabulary(t *testing.T, db *sql.DB) map[string]bool {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT term FROM v`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	kept := make(map[string]bool)
	for rows.Next() {
		var term string
		if err := rows.Scan(&term); err != nil {
			t.Fatal(err)
		}
		kept[term] = true
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return kept
}
