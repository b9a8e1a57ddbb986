package main

import (
	"math"
	"slices"
	"time"
)

// scores are the means over n questions of how well a ranked list finds the
// messages that answer (gold). Relevance is binary; each gold message counts
// once, at its best rank. With n 0 all are 0.
type scores struct {
	N        int     `json:"n"`
	Recall5  float64 `json:"recall@5"`  // share of the gold messages among the first 5
	Recall10 float64 `json:"recall@10"` // share of the gold messages among the first 10
	NDCG10   float64 `json:"ndcg@10"`   // Σ 1/log2(rank+1) over gold in the first 10, / that of the ideal list
	MRR      float64 `json:"mrr"`       // 1 / rank of the first gold message; 0 when the list has none
	Any10    float64 `json:"any@10"`    // 1 when a gold message is among the first 10
}

// tally sums scores over questions; its zero value is ready.
type tally struct{ sum scores }

// add scores one question. gold must not be empty.
func (t *tally) add(ranked, gold []string) {
	wanted := make(map[string]bool, len(gold))
	for _, id := range gold {
		wanted[id] = true
	}
	total := len(wanted)
	found5, found10, gain := 0, 0, 0.0
	for i, id := range ranked {
		if !wanted[id] {
			continue
		}
		delete(wanted, id)
		if len(wanted) == total-1 {
			t.sum.MRR += 1 / float64(i+1)
		}
		if i < 5 {
			found5++
		}
		if i < 10 {
			found10++
			gain += discount(i)
		}
	}
	t.sum.N++
	t.sum.Recall5 += float64(found5) / float64(total)
	t.sum.Recall10 += float64(found10) / float64(total)
	t.sum.NDCG10 += gain / idealGain(total)
	if found10 > 0 {
		t.sum.Any10++
	}
}

// mean returns the scores of all questions added.
func (t *tally) mean() scores {
	n := float64(max(t.sum.N, 1))
	return scores{
		N:       t.sum.N,
		Recall5: t.sum.Recall5 / n, Recall10: t.sum.Recall10 / n,
		NDCG10: t.sum.NDCG10 / n, MRR: t.sum.MRR / n, Any10: t.sum.Any10 / n,
	}
}

// discount is the worth of a gold message at place i, counted from 0.
func discount(i int) float64 { return 1 / math.Log2(float64(i+2)) }

// idealGain is the gain of a list that begins with all gold messages.
func idealGain(gold int) float64 {
	sum := 0.0
	for i := range min(gold, 10) {
		sum += discount(i)
	}
	return sum
}

// percentile returns the p-th percentile by nearest rank: the smallest value
// that at least p % of the values do not exceed; 0 without values.
func percentile(values []float64, p float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(p / 100 * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// average returns the arithmetic mean; 0 without values.
func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(len(values), 1))
}

// latency sums up how long calls took, in milliseconds.
type latency struct {
	P50 float64 `json:"p50_ms"`
	P95 float64 `json:"p95_ms"`
	P99 float64 `json:"p99_ms"`
}

func latencyOf(millis []float64) latency {
	return latency{percentile(millis, 50), percentile(millis, 95), percentile(millis, 99)}
}

// millis returns d in milliseconds.
func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
