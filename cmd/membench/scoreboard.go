package main

import (
	"maps"
	"slices"
)

// scoreRow is what was measured of one group of questions.
type scoreRow struct {
	Dataset  string `json:"dataset"`  // "overall" = all datasets
	Category string `json:"category"` // "all" = all categories, "no overlap" = see markOverlap
	Match    string `json:"match"`
	scores
	MeanMillis float64 `json:"mean_ms"`
	P95Millis  float64 `json:"p95_ms"`
	MeanBytes  float64 `json:"mean_answer_bytes"` // text and structured content
}

// group names the questions that a row is about.
type group struct{ dataset, category, match string }

// sheet collects what happens in one group.
type sheet struct {
	tally  tally
	millis []float64
	bytes  []float64
}

// scoreboard keeps a sheet for each group.
type scoreboard struct {
	datasets []string // in order of appearance
	matches  []string // likewise
	sheets   map[group]*sheet
}

func newScoreboard() *scoreboard { return &scoreboard{sheets: make(map[group]*sheet)} }

// add scores one answered question in every group that it belongs to.
func (b *scoreboard) add(dataset string, q labels, match string, found answer) {
	b.datasets = appendNew(b.datasets, dataset)
	b.matches = appendNew(b.matches, match)
	groups := map[group]bool{ // a set: a category may itself be called "all"
		{dataset, q.Category, match}:         true,
		{dataset, wholeCategory, match}:      true,
		{wholeDataset, wholeCategory, match}: true,
	}
	if q.noOverlap {
		groups[group{dataset, withoutCategory, match}] = true
		groups[group{wholeDataset, withoutCategory, match}] = true
	}
	for g := range groups {
		if b.sheets[g] == nil {
			b.sheets[g] = &sheet{}
		}
		s := b.sheets[g]
		s.tally.add(found.clientIDs, q.Gold)
		s.millis = append(s.millis, millis(found.elapsed))
		s.bytes = append(s.bytes, float64(found.bytes))
	}
}

// rows returns the datasets in order of appearance and then all together; in
// each, match by match, the whole, its questions without overlap, and then the
// categories.
func (b *scoreboard) rows() []scoreRow {
	var rows []scoreRow
	for _, dataset := range appendNew(slices.Clone(b.datasets), wholeDataset) {
		for _, match := range b.matches {
			rows = append(rows, b.row(group{dataset, wholeCategory, match}), b.row(group{dataset, withoutCategory, match}))
			for _, category := range b.categories(dataset, match) {
				rows = append(rows, b.row(group{dataset, category, match}))
			}
		}
	}
	return rows
}

// categories returns the categories of a dataset, sorted, without the rows
// that every dataset has.
func (b *scoreboard) categories(dataset, match string) []string {
	var names []string
	for g := range maps.Keys(b.sheets) {
		if g.dataset == dataset && g.match == match && g.category != wholeCategory && g.category != withoutCategory {
			names = append(names, g.category)
		}
	}
	slices.Sort(names)
	return names
}

// row sums up a group, which may be empty.
func (b *scoreboard) row(g group) scoreRow {
	s := b.sheets[g]
	if s == nil {
		s = &sheet{}
	}
	return scoreRow{
		Dataset: g.dataset, Category: g.category, Match: g.match, scores: s.tally.mean(),
		MeanMillis: average(s.millis), P95Millis: percentile(s.millis, 95), MeanBytes: average(s.bytes),
	}
}

// appendNew appends name unless list has it.
func appendNew(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}
