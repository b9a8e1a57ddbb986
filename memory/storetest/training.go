package storetest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"mcp-memory/memory"
)

var training = theme{
	"sees passages in order":        ordersTrainingRows,
	"sees the parts of a long text": trainsOnParts,
	"may stop":                      stopsTraining,
	"ends with its context":         endsTraining,
	"nothing was deleted at first":  startsWithoutDeletions,
}

// trainingRows reads all rows, to be kept.
func trainingRows(t *testing.T, s Store) []memory.TrainingRow {
	t.Helper()
	var list []memory.TrainingRow
	for r, err := range s.TrainingRows(t.Context()) {
		if err != nil {
			t.Fatalf("TrainingRows(): %v", err)
		}
		list = append(list, memory.TrainingRow{Session: r.Session, Features: slices.Clone(r.Features)})
	}
	return list
}

func ordersTrainingRows(t *testing.T, s Store) {
	add(t, s, "a", said("one", at(5)), said("", at(6)))
	add(t, s, "b", said("two", at(0)))
	add(t, s, "a", said("three", at(1)))
	rows := trainingRows(t, s)
	if len(rows) != 3 || rows[0].Session != rows[1].Session || rows[2].Session == rows[0].Session {
		t.Fatalf("TrainingRows() = %d rows, want the two of a, then the one of b", len(rows))
	}
	want := said("three", at(1)).Passages[0].Features
	if !slices.Equal(rows[1].Features, want) {
		t.Error("TrainingRows() does not keep the order of arrival")
	}
	if n, err := s.Documents(t.Context()); err != nil || n != 3 {
		t.Errorf("Documents() = %d, %v, want 3", n, err)
	}
}

func trainsOnParts(t *testing.T, s Store) {
	long := said(strings.Repeat("a long message in parts. ", 100), at(0))
	add(t, s, "s", long, said("short", at(1)))
	rows := trainingRows(t, s)
	if len(rows) != len(long.Passages) { // its parts, not the whole, and the short one
		t.Fatalf("TrainingRows() = %d rows, want %d", len(rows), len(long.Passages))
	}
	for i, p := range long.Passages[1:] {
		if !slices.Equal(rows[i].Features, p.Features) {
			t.Errorf("row %d is not part %d of the long message", i, p.Ord)
		}
	}
}

func stopsTraining(t *testing.T, s Store) {
	add(t, s, "s", said("one", at(0)), said("two", at(1)))
	seen := 0
	for _, err := range s.TrainingRows(t.Context()) {
		if seen++; err != nil {
			t.Errorf("TrainingRows(): %v", err)
		}
		break
	}
	if rows := trainingRows(t, s); seen != 1 || len(rows) != 2 {
		t.Errorf("TrainingRows() = %d rows after a look at %d, want 2 after 1", len(rows), seen)
	}
}

func endsTraining(t *testing.T, s Store) {
	add(t, s, "s", said("one", at(0)))
	var got []error
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range s.TrainingRows(ctx) {
		got = append(got, err)
	}
	if len(got) != 1 || got[0] == nil {
		t.Errorf("TrainingRows() of a context that has ended = %v, want one error", got)
	}
}

func startsWithoutDeletions(t *testing.T, s Store) {
	add(t, s, "s", said("one", at(0)))
	if n, err := s.Deletions(t.Context()); err != nil || n != 0 {
		t.Errorf("Deletions() = %d, %v, want 0", n, err)
	}
}
