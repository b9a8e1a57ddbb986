package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

const (
	largestK        = 50 // what the tool returns at most
	halfEven        = "even"
	halfOdd         = "odd"
	wholeCategory   = "all"        // the row of a dataset as a whole
	withoutCategory = "no overlap" // the row of the questions that share no word with an answer
	wholeDataset    = "overall"    // the row of all datasets together
)

// retrievalCommand measures how well questions find their messages.
type retrievalCommand struct {
	Files []string `arg:"" name:"FILE" help:"Corpora, one a line: {dataset, conv, docs, queries}." type:"existingfile"`
	Match []string `help:"Ways of matching." enum:"semantic,keyword" default:"semantic,keyword" sep:","`
	K     int      `name:"k" help:"Messages to ask for (1 to 50)." default:"10"`
	Limit int      `name:"limit-queries" help:"Ask at most so many questions of each corpus (0: all)." default:"0" placeholder:"N"`
	Half  string   `help:"Ask only every second question, by its place in the corpus, counted from 0: ${enum}." enum:"even,odd,all" default:"all"`
	setting
}

// Validate is called by kong.
func (c *retrievalCommand) Validate() error {
	if c.K < 1 || c.K > largestK {
		return fmt.Errorf("--k must be from 1 to %d, got %d", largestK, c.K)
	}
	if c.Limit < 0 {
		return fmt.Errorf("--limit-queries must not be negative, got %d", c.Limit)
	}
	return nil
}

// Run measures the corpora of all files, one after the other.
func (c *retrievalCommand) Run(ctx context.Context, b *bench) error {
	corpora, skipped, err := c.load()
	if err != nil {
		return err
	}
	board := newScoreboard()
	for i := range corpora {
		if err := c.measureCorpus(ctx, b, &corpora[i], board); err != nil {
			return fmt.Errorf("%s %s: %w", corpora[i].Dataset, corpora[i].Conv, err)
		}
	}
	report := retrievalReport{
		Command: "retrieval", Machine: thisMachine(), K: c.K, Half: c.Half, setting: c.setting,
		LimitQueries: c.Limit, Skipped: skipped, Rows: board.rows(),
	}
	return b.report(report.table(), report.notes(), report)
}

// load reads the corpora of all files, as they are to be recorded and with the
// questions that are to be asked, and counts the questions without an answer.
func (c *retrievalCommand) load() (corpora []corpus, skipped int, err error) {
	for _, path := range c.Files {
		list, err := loadCorpora(path)
		if err != nil {
			return nil, 0, err
		}
		for _, one := range list {
			asked, without := c.choose(one.Queries)
			one.Queries = asked
			skipped += without
			one.markOverlap()
			if c.Nameless {
				one.forgetSpeakers()
			}
			corpora = append(corpora, one)
		}
	}
	if c.Together {
		corpora = together(corpora)
	}
	return corpora, skipped, nil
}

// choose returns the questions to ask, and how many were left out because the
// corpus has no answer to them.
func (c *retrievalCommand) choose(all []labels) (asked []labels, without int) {
	for i, q := range all {
		if c.Half == halfEven && i%2 == 1 || c.Half == halfOdd && i%2 == 0 {
			continue
		}
		if len(q.Gold) == 0 {
			without++
			continue
		}
		if c.Limit > 0 && len(asked) == c.Limit {
			continue
		}
		asked = append(asked, q)
	}
	return asked, without
}

// measureCorpus records one corpus in a new database and asks its questions.
func (c *retrievalCommand) measureCorpus(ctx context.Context, b *bench, from *corpus, board *scoreboard) error {
	dir, err := b.folder()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := startServer(ctx, b.Binary, filepath.Join(dir, "memory.db"))
	if err != nil {
		return err
	}
	defer b.stop(ctx, s)
	b.log("%s %s: recording %d messages", from.Dataset, from.Conv, len(from.Docs))
	if err := c.record(ctx, s, from, b.wait()); err != nil {
		return err
	}
	if _, err := s.waitIndexed(ctx, from.Docs[0].Text, b.wait()); err != nil {
		return err
	}
	b.log("%s %s: asking %d questions", from.Dataset, from.Conv, len(from.Queries))
	for _, match := range c.Match {
		for _, q := range from.Queries {
			found, err := s.search(ctx, question{Query: q.Question, Match: match, Limit: c.K})
			if err != nil {
				return fmt.Errorf("ask %q: %w", q.Question, err)
			}
			board.add(from.Dataset, q, match, found)
		}
	}
	return nil
}

// retrievalReport is the result of the command.
type retrievalReport struct {
	Command string  `json:"command"`
	Machine machine `json:"machine"`
	K       int     `json:"k"` // messages asked for; the first ten and five of them are scored
	Half    string  `json:"half"`
	setting
	LimitQueries int        `json:"limit_queries"`          // per corpus; 0 = no limit
	Skipped      int        `json:"questions_without_gold"` // left out
	Rows         []scoreRow `json:"rows"`
}

// table has a line for each row.
func (r *retrievalReport) table() table {
	t := table{left: 3}
	t.add("dataset", "category", "match", "n", "recall@5", "recall@10", "nDCG@10", "MRR", "any@10",
		"mean (ms)", "p95 (ms)", "answer (bytes)")
	for _, row := range r.Rows {
		t.add(row.Dataset, row.Category, row.Match, strconv.Itoa(row.N),
			share(row.Recall5), share(row.Recall10), share(row.NDCG10), share(row.MRR), share(row.Any10),
			number(row.MeanMillis), number(row.P95Millis), number(row.MeanBytes))
	}
	return t
}

// notes says what the table covers.
func (r *retrievalReport) notes() []string {
	asked := "all questions"
	if r.Half != "all" {
		asked = "the " + r.Half + " half of the questions"
	}
	if r.LimitQueries > 0 {
		asked += fmt.Sprintf(", at most %d a corpus", r.LimitQueries)
	}
	notes := []string{fmt.Sprintf("k %d; %s; %d without gold left out", r.K, asked, r.Skipped)}
	for _, option := range []struct {
		set  bool
		note string
	}{
		{r.Nameless, "nameless: no message has a sender"},
		{r.Together, "together: all corpora of a dataset in one database"},
		{r.Trickle, "trickle: recorded message by message"},
	} {
		if option.set {
			notes = append(notes, option.note)
		}
	}
	return notes
}
