package main

import (
	"math"
	"testing"
)

func TestTally(t *testing.T) {
	t.Parallel()
	log2 := math.Log2
	for _, tc := range []struct {
		name   string
		ranked []string
		gold   []string
		want   scores
	}{
		{"first of one", []string{"a", "b"}, []string{"a"},
			scores{1, 1, 1, 1, 1, 1}},
		{"third of one", []string{"x", "y", "a"}, []string{"a"},
			scores{1, 1, 1, 1 / log2(4), 1.0 / 3, 1}},
		{"nothing found", []string{"x"}, []string{"a"},
			scores{N: 1}},
		{"no hits", nil, []string{"a"},
			scores{N: 1}},
		{"one of two in five, the other in ten", []string{"x", "a", "y", "z", "w", "v", "b"}, []string{"a", "b"},
			scores{1, .5, 1, (1/log2(3) + 1/log2(8)) / (1 + 1/log2(3)), .5, 1}},
		{"eleventh counts for MRR alone", []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a"}, []string{"a"},
			scores{N: 1, MRR: 1.0 / 11}},
		{"a gold id twice in both lists counts once", []string{"a", "a", "b"}, []string{"a", "a", "b"},
			scores{1, 1, 1, (1 + 1/log2(4)) / (1 + 1/log2(3)), 1, 1}},
		{"ideal list is cut at ten", []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"},
			[]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19"},
			scores{1, .25, .5, 1, 1, 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var sum tally
			sum.add(tc.ranked, tc.gold)
			if got := sum.mean(); !near(got, tc.want) {
				t.Errorf("add(%v, %v) = %+v, want %+v", tc.ranked, tc.gold, got, tc.want)
			}
		})
	}
}

func TestTallyMean(t *testing.T) {
	t.Parallel()
	var sum tally
	if got := sum.mean(); got != (scores{}) {
		t.Errorf("mean() of nothing = %+v, want zeros", got)
	}
	sum.add([]string{"a"}, []string{"a"})
	sum.add([]string{"x", "b"}, []string{"b", "c"})
	sum.add([]string{"x"}, []string{"d"})
	want := scores{3, 1.5 / 3, 1.5 / 3, (1 + 1/math.Log2(3)/(1+1/math.Log2(3))) / 3, 1.5 / 3, 2.0 / 3}
	if got := sum.mean(); !near(got, want) {
		t.Errorf("mean() = %+v, want %+v", got, want)
	}
}

func near(a, b scores) bool {
	const tolerance = 1e-12
	return a.N == b.N && math.Abs(a.Recall5-b.Recall5) < tolerance && math.Abs(a.Recall10-b.Recall10) < tolerance &&
		math.Abs(a.NDCG10-b.NDCG10) < tolerance && math.Abs(a.MRR-b.MRR) < tolerance && math.Abs(a.Any10-b.Any10) < tolerance
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(100 - i)
	}
	for _, tc := range []struct {
		values []float64
		p      float64
		want   float64
	}{
		{nil, 50, 0},
		{[]float64{7}, 99, 7},
		{[]float64{3, 1, 2}, 50, 2},
		{[]float64{4, 1, 3, 2}, 50, 2},
		{[]float64{5, 3, 1, 4, 2}, 95, 5},
		{hundred, 50, 50},
		{hundred, 95, 95},
		{hundred, 99, 99},
		{hundred, 100, 100},
		{hundred, 0, 1},
	} {
		if got := percentile(tc.values, tc.p); got != tc.want {
			t.Errorf("percentile(%v, %v) = %v, want %v", tc.values, tc.p, got, tc.want)
		}
	}
	if hundred[0] != 100 {
		t.Errorf("percentile changed its argument: first value = %v, want 100", hundred[0])
	}
}

func TestAverage(t *testing.T) {
	t.Parallel()
	if got := average([]float64{1, 2, 6}); got != 3 {
		t.Errorf("average(1, 2, 6) = %v, want 3", got)
	}
	if got := average(nil); got != 0 {
		t.Errorf("average() = %v, want 0", got)
	}
}
