package metrics_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/server/metrics"
)

// shelf is what a namespace keeps.
type shelf struct{ fail error }

func (s shelf) Queue(context.Context) (memory.Progress, error) {
	return memory.Progress{Indexed: 7, Waiting: 3, Failing: 1}, s.fail
}

func (s shelf) Spending(context.Context, string) ([]memory.Spending, error) {
	usage := memory.Usage{Requests: 1, Input: 100, Output: 10}
	return []memory.Spending{
		{Day: "2026-05-08", Purpose: "summary", Model: "m", Usage: usage}, {Day: "2026-05-09", Purpose: "summary", Model: "m", Usage: usage},
	}, s.fail
}

func show(t *testing.T, m *metrics.Metrics, p *metrics.Process) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler(p).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("metrics = %d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func TestWhatIsCounted(t *testing.T) {
	t.Parallel()
	p := metrics.NewProcess("1.2")
	one, other := metrics.New(shelf{}), metrics.New(nil)
	one.Call("reset", 3*time.Millisecond, false)
	one.Call("reset", time.Second, true)
	one.Operation("GET /v1/sessions", time.Millisecond, 200)
	p.Refused(401)
	got := show(t, one, p)
	for _, want := range []string{
		`mcp_memory_tool_calls_total{outcome="failed",tool="reset"} 1`,
		`mcp_memory_tool_calls_total{outcome="ok",tool="reset"} 1`,
		`mcp_memory_tool_seconds_bucket{tool="reset",le="0.005"} 1`,
		`mcp_memory_rest_requests_total{operation="GET /v1/sessions",status="200"} 1`,
		`mcp_memory_passages{state="waiting"} 3`,
		`mcp_memory_model_tokens_total{direction="read",model="m",purpose="summary"} 200`,
		`mcp_memory_model_tokens_total{direction="written",model="m",purpose="summary"} 20`,
		`mcp_memory_refused_requests_total{status="401"} 1`,
		`mcp_memory_build_info{version="1.2"} 1`,
		"go_goroutines",
	} {
		if !strings.Contains(got, want+" ") && !strings.Contains(got, want+"\n") {
			t.Errorf("metrics lack %s:\n%s", want, got)
		}
	}
	if got := show(t, other, p); strings.Contains(got, "reset") || strings.Contains(got, "sessions") || !strings.Contains(got, "refused_requests") {
		t.Errorf("another namespace sees %s, want the process alone", got)
	}
}

// What cannot be looked up hides nothing else, and its error is shown to nobody.
func TestWhatCannotBeLookedUp(t *testing.T) {
	t.Parallel()
	m := metrics.New(shelf{fail: errors.New("/home/someone")})
	m.Call("reset", time.Millisecond, false)
	if got := show(t, m, metrics.NewProcess("")); strings.Contains(got, "/home/someone") || strings.Contains(got, "passages") || !strings.Contains(got, "tool_calls") {
		t.Errorf("metrics = %s, want the calls alone", got)
	}
}
