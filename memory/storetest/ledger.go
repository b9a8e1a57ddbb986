package storetest

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"mcp-memory/memory"
)

var spending = theme{
	"adds up by day, purpose and model":  addsSpending,
	"lists since a day":                  listsSpending,
	"refuses what is no usage":           refusesBadUsage,
	"many who book at once lose nothing": booksAmongMany,
}

func spend(t *testing.T, s Store, day, purpose, model string, u memory.Usage) {
	t.Helper()
	if err := s.Spend(t.Context(), day, purpose, model, u); err != nil {
		t.Fatalf("Spend(%s, %s, %s): %v", day, purpose, model, err)
	}
}

func wantSpent(t *testing.T, s Store, day string, want memory.Usage) {
	t.Helper()
	if got, err := s.Spent(t.Context(), day); err != nil || got != want {
		t.Errorf("Spent(%s) = %+v, %v, want %+v", day, got, err, want)
	}
}

func addsSpending(t *testing.T, s Store) {
	wantSpent(t, s, "2026-11-01", memory.Usage{})
	spend(t, s, "2026-11-01", "summary", "big", memory.Usage{Requests: 1, Input: 1000, Output: 20})
	spend(t, s, "2026-11-01", "summary", "big", memory.Usage{Requests: 2, Input: 300, Output: 4})
	spend(t, s, "2026-11-01", "judge", "big", memory.Usage{Requests: 1, Input: 50, Output: 6})
	spend(t, s, "2026-11-01", "judge", "small", memory.Usage{Requests: 1, Input: 7, Output: 8})
	spend(t, s, "2026-11-02", "summary", "big", memory.Usage{Requests: 1, Input: 1 << 40, Output: 9})
	spend(t, s, "2026-11-02", "", "", memory.Usage{})
	wantSpent(t, s, "2026-11-01", memory.Usage{Requests: 5, Input: 1357, Output: 38})
	wantSpent(t, s, "2026-11-02", memory.Usage{Requests: 1, Input: 1 << 40, Output: 9})
	wantSpent(t, s, "2026-11-03", memory.Usage{})
}

func listsSpending(t *testing.T, s Store) {
	if list, err := s.Spending(t.Context(), ""); err != nil || len(list) != 0 {
		t.Errorf("Spending() of an empty store = %+v, %v, want none", list, err)
	}
	all := []memory.Spending{
		{Day: "2026-09-30", Purpose: "judge", Model: "small", Usage: memory.Usage{Requests: 1, Input: 2, Output: 3}},
		{Day: "2026-10-01", Purpose: "judge", Model: "big", Usage: memory.Usage{Requests: 4, Input: 5, Output: 6}},
		{Day: "2026-10-01", Purpose: "judge", Model: "small", Usage: memory.Usage{Requests: 7, Input: 8, Output: 9}},
		{Day: "2026-10-01", Purpose: "要約", Model: "it's \"odd\"", Usage: memory.Usage{Requests: 1}},
		{Day: "2026-12-24", Purpose: "daily", Model: "big", Usage: memory.Usage{Requests: 1, Output: 1}},
	}
	for _, i := range []int{3, 0, 4, 2, 1} {
		spend(t, s, all[i].Day, all[i].Purpose, all[i].Model, all[i].Usage)
	}
	for since, want := range map[string][]memory.Spending{
		"": all, "2026-09-30": all, "2026-10-01": all[1:], "2026-10-02": all[4:], "2027-01-01": nil,
	} {
		if got, err := s.Spending(t.Context(), since); err != nil || !slices.Equal(got, want) {
			t.Errorf("Spending(%q) = %+v, %v, want %+v", since, got, err, want)
		}
	}
}

func refusesBadUsage(t *testing.T, s Store) {
	for _, c := range []struct {
		day string
		u   memory.Usage
	}{
		{"", memory.Usage{Requests: 1}},
		{"today", memory.Usage{Requests: 1}},
		{"2026-02-30", memory.Usage{Requests: 1}},
		{"2026-11-01", memory.Usage{Requests: -1}},
		{"2026-11-01", memory.Usage{Input: -1}},
		{"2026-11-01", memory.Usage{Output: -1}},
	} {
		if err := s.Spend(t.Context(), c.day, "p", "m", c.u); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("Spend(%q, %+v) = %v, want ErrInvalid", c.day, c.u, err)
		}
	}
	if list, err := s.Spending(t.Context(), ""); err != nil || len(list) != 0 {
		t.Errorf("Spending() = %+v, %v, want nothing booked", list, err)
	}
}

func booksAmongMany(t *testing.T, s Store) {
	var work sync.WaitGroup
	for range writers {
		work.Go(func() {
			for range batches {
				if err := s.Spend(t.Context(), "2026-11-01", "summary", "big", memory.Usage{Requests: 1, Input: 10, Output: 2}); err != nil {
					t.Errorf("Spend(): %v", err)
				}
			}
		})
	}
	work.Wait()
	const n = writers * batches
	wantSpent(t, s, "2026-11-01", memory.Usage{Requests: n, Input: 10 * n, Output: 2 * n})
}
