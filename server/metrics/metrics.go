// Package metrics counts what is done with the memory, for Prometheus. Each
// namespace has Metrics of its own, so that nobody sees from the numbers what
// another does; those of the process are for all. No label holds anything that
// people wrote or named.
package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// space is what the names of all metrics begin with.
const space = "mcp_memory"

// Metrics are the numbers of one namespace. They are safe for concurrent use.
type Metrics struct {
	registry   *prometheus.Registry
	calls      *prometheus.CounterVec
	operations *prometheus.CounterVec
	callTime   *prometheus.HistogramVec
	restTime   *prometheus.HistogramVec
}

// latencies are the bounds of the buckets in seconds: from a small append to a
// call that waits for a model.
var latencies = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 25, 60}

// New makes the metrics of a namespace. What it keeps is looked up in the source
// whenever somebody asks; nil = it keeps nothing.
func New(source Source) *Metrics {
	m := &Metrics{
		registry:   prometheus.NewRegistry(),
		calls:      counter("tool_calls_total", "Calls of tools, by how they ended.", "tool", "outcome"),
		callTime:   histogram("tool_seconds", "How long calls of tools took.", "tool"),
		operations: counter("rest_requests_total", "Operations of REST, by status.", "operation", "status"),
		restTime:   histogram("rest_seconds", "How long operations of REST took.", "operation"),
	}
	m.registry.MustRegister(m.calls, m.callTime, m.operations, m.restTime)
	if source != nil {
		m.registry.MustRegister(newState(source))
	}
	return m
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: space, Name: name, Help: help}, labels)
}

func histogram(name, help string, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: space, Name: name, Help: help, Buckets: latencies}, labels)
}

// Call counts a call of a tool.
func (m *Metrics) Call(tool string, took time.Duration, failed bool) {
	outcome := "ok"
	if failed {
		outcome = "failed"
	}
	m.calls.WithLabelValues(tool, outcome).Inc()
	m.callTime.WithLabelValues(tool).Observe(took.Seconds())
}

// Operation counts an operation of REST.
func (m *Metrics) Operation(operation string, took time.Duration, status int) {
	m.operations.WithLabelValues(operation, strconv.Itoa(status)).Inc()
	m.restTime.WithLabelValues(operation).Observe(took.Seconds())
}

// Handler shows the metrics together with those of the process.
func (m *Metrics) Handler(p *Process) http.Handler {
	return promhttp.HandlerFor(prometheus.Gatherers{p.registry, m.registry}, promhttp.HandlerOpts{})
}

// Process are the numbers of the process, which everybody may see.
type Process struct {
	registry *prometheus.Registry
	refused  *prometheus.CounterVec
}

// NewProcess makes the metrics of the process.
func NewProcess(version string) *Process {
	p := &Process{
		registry: prometheus.NewRegistry(),
		refused:  counter("refused_requests_total", "Requests that were refused before it was known whose they are.", "status"),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: space, Name: "build_info", Help: "Always 1.", ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	p.registry.MustRegister(p.refused, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return p
}

// Refused counts a request that was not let in.
func (p *Process) Refused(status int) { p.refused.WithLabelValues(strconv.Itoa(status)).Inc() }
