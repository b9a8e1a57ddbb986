package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"mcp-memory/memory"
)

// Source tells what a namespace keeps.
type Source interface {
	// Queue says how many passages have a vector and how many wait for one.
	Queue(ctx context.Context) (memory.Progress, error)
	// Spending lists what models have cost since a day, that day included; "" =
	// since ever.
	Spending(ctx context.Context, since string) ([]memory.Spending, error)
}

// lookTime is how long looking up may take. What is not known then is left out:
// an error would hide the other numbers, and show its text to everybody.
const lookTime = 2 * time.Second

// state looks up what is kept when it is asked for.
type state struct {
	source   Source
	passages *prometheus.Desc
	tokens   *prometheus.Desc
}

func newState(source Source) *state {
	return &state{
		source: source,
		passages: prometheus.NewDesc(space+"_passages",
			"Passages of messages: indexed ones have a vector, waiting ones do not yet, and failing ones among these have been tried.", []string{"state"}, nil),
		tokens: prometheus.NewDesc(space+"_model_tokens_total",
			"Tokens that models have read and written.", []string{"purpose", "model", "direction"}, nil),
	}
}

// Describe implements prometheus.Collector.
func (s *state) Describe(out chan<- *prometheus.Desc) {
	out <- s.passages
	out <- s.tokens
}

// Collect implements prometheus.Collector.
func (s *state) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	if p, err := s.source.Queue(ctx); err == nil {
		for name, n := range map[string]int{"indexed": p.Indexed, "waiting": p.Waiting, "failing": p.Failing} {
			out <- prometheus.MustNewConstMetric(s.passages, prometheus.GaugeValue, float64(n), name)
		}
	}
	if days, err := s.source.Spending(ctx, ""); err == nil {
		for spent, n := range sum(days) {
			out <- prometheus.MustNewConstMetric(s.tokens, prometheus.CounterValue, float64(n), spent.purpose, spent.model, spent.direction)
		}
	}
}

// spent is what tokens are counted by.
type spent struct{ purpose, model, direction string }

// sum adds the days up.
func sum(days []memory.Spending) map[spent]int {
	total := map[spent]int{}
	for _, d := range days {
		total[spent{d.Purpose, d.Model, "read"}] += d.Input
		total[spent{d.Purpose, d.Model, "written"}] += d.Output
	}
	return total
}
