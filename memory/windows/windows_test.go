package windows_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"mcp-memory/memory"
	"mcp-memory/memory/openai"
	"mcp-memory/memory/sqlite"
	"mcp-memory/memory/windows"
)

// The interfaces of this package that its neighbours fulfil.
var (
	_ windows.Store    = (*sqlite.DB)(nil)
	_ windows.Reporter = (*openai.Chat)(nil)
)

// live is a table in both shapes, with vendors that disagree.
const live = `{
	"openai": {"models": {
		"gpt-4o": {"limit": {"context": 111000, "output": 1000}},
		"gpt-4o-2024-05-13": {"limit": {"context": 112000}}}},
	"github-copilot": {"models": {"gpt-4o": {"limit": {"context": 64000}}, "new-one": {"limit": {"context": 30000}}}},
	"openrouter": {"models": {"openai/gpt-4o": {"limit": {"context": 113000}}, "other/new-one": {"limit": {"context": 50000}}}},
	"third": {"models": {"new-one": {"limit": {"context": 50000}}}},
	"fourth": {"models": {"tied-one": {"limit": {"context": 20000}}, "same.one": {"limit": {"context": 6000}}}},
	"fifth": {"models": {"tied-one": {"limit": {"context": 10000}}, "fifth/claude-made": {"limit": {"context": 11000}}}},
	"sixth": {"models": {"claude-made": {"limit": {"context": 11000}}}},
	"anthropic": {"models": {"claude-made": {"limit": {"context": 12000}}}},
	"deepseek": {"models": {"deepseek-flash": {"limit": {"context": 65536}}}},
	"fourth/same-one": {"max_input_tokens": 5000},
	"groq/flat-one": {"max_input_tokens": 70000, "max_tokens": 8000},
	"flat-two": {"litellm_provider": "anthropic", "max_tokens": 80000}
}`

// loaded is a table that has read the live table and a report, on a store.
func loaded(t *testing.T, store windows.Store, body string, report ...memory.ModelWindow) *windows.Table {
	t.Helper()
	var table *windows.Table
	synctest.Test(t, func(t *testing.T) {
		p := &page{body: body}
		client, stop := p.serve()
		defer stop()
		table = newTable(t, windows.Config{Store: store, URL: "http://tables.example/", HTTPClient: client,
			Endpoints: []windows.Reporter{&reporter{err: errors.New("down")}, &reporter{list: report}}})
		end := run(t, table)
		synctest.Wait()
		end()
	})
	return table
}

// TestNames asks for models under the names that people give them.
func TestNames(t *testing.T) {
	t.Parallel()
	table := loaded(t, openStore(t, ""), live, memory.ModelWindow{Model: "Qwen/Qwen3-Local", Tokens: 9000})
	for _, c := range []struct {
		model  string
		tokens int
		source string
	}{
		// A vendor's own entry wins, else the maker's, else the most common.
		{"gpt-4o", 111000, windows.Live},
		{"openai/gpt-4o", 111000, windows.Live},
		{"openai@gpt-4o", 111000, windows.Live},
		{"github-copilot/gpt-4o", 64000, windows.Live},
		{"github-copilot@gpt-4o", 64000, windows.Live},
		{"openrouter/openai/gpt-4o", 113000, windows.Live},
		{"openrouter@openai/gpt-4o", 113000, windows.Live},
		{"openrouter/gpt-4o", 113000, windows.Live},
		{"elsewhere/openai/gpt-4o", 111000, windows.Live},
		{"elsewhere/gpt-4o", 111000, windows.Live},
		{"new-one", 50000, windows.Live},
		{"github-copilot/new-one", 30000, windows.Live},
		{"groq/flat-one", 70000, windows.Live},
		{"flat-one", 70000, windows.Live},
		{"anthropic/flat-two", 80000, windows.Live},
		{"claude/flat-two", 80000, windows.Live},

		{"tied-one", 10000, windows.Live},
		{"fourth/tied-one", 20000, windows.Live},
		{"claude-made", 12000, windows.Live},
		{"fifth/claude-made", 11000, windows.Live},
		{"fourth/same.one", 5000, windows.Live},
		{"same-one", 5000, windows.Live},

		// Spelling, dates, tags.
		{" GPT-4o ", 111000, windows.Live},
		{"OpenAI/GPT_4o", 111000, windows.Live},
		{"models/gpt-4o", 111000, windows.Live},
		{"accounts/openai/models/gpt-4o", 111000, windows.Live},
		{"gpt-4o-2024-05-13", 112000, windows.Live},
		{"openai/gpt-4o-2024-05-13:free", 112000, windows.Live},
		{"gpt-4o-2025-01-31", 111000, windows.Live},
		{"gpt-4o-20250131", 111000, windows.Live},
		{"gpt-4o-0131", 111000, windows.Live},
		{"gpt-4o-01-2025", 111000, windows.Live},
		{"gpt-4o-latest", 111000, windows.Live},
		{"gpt-4o-preview-05-06", 111000, windows.Live},
		{"gpt-4o@20250131", 111000, windows.Live},
		{"gpt-4o@2025-01-31", 111000, windows.Live},
		{"gpt-4o@latest", 111000, windows.Live},
		{"gpt-4o:free", 111000, windows.Live},
		{"github-copilot/gpt-4o-2025-01-31:free", 64000, windows.Live},
		{"gpt-4o[1m]", 111000, windows.Live},

		{"qwen/qwen3-local", 9000, windows.Endpoint},
		{"qwen3-local:latest", 9000, windows.Endpoint},

		{"claude-sonnet-4-20250514", 200000, windows.BuiltIn},
		{"claude-sonnet-4@20250514", 200000, windows.BuiltIn},
		{"anthropic/claude-3.5-sonnet", 200000, windows.BuiltIn},
		{"claude-3-5-sonnet-v2@20241022", 200000, windows.BuiltIn},
		{"us.anthropic.claude-3-5-sonnet-20241022-v2:0", 200000, windows.BuiltIn},
		{"bedrock/eu.anthropic.claude-opus-4-1-20250805-v1:0", 200000, windows.BuiltIn},
		{"models/gemini-2.5-pro", 1048576, windows.BuiltIn},
		{"gemini-2.5-flash-preview-09-2025", 1048576, windows.BuiltIn},
		{"publishers/google/models/gemini-1.5-pro-002", 2097152, windows.BuiltIn},
		{"gpt-4-0613", 8192, windows.BuiltIn},
		{"gpt-4-32k-0613", 32768, windows.BuiltIn},
		{"gpt-4-1106-preview", 128000, windows.BuiltIn},
		{"gpt-5-chat-latest", 128000, windows.BuiltIn},
		{"azure/gpt-35-turbo", 16385, windows.BuiltIn},
		{"moonshotai/kimi-k2-0905-preview", 262144, windows.BuiltIn},
		{"kimi-k2-0711-preview", 131072, windows.BuiltIn},
		{"meta-llama/llama-3.3-70b-instruct:free", 131072, windows.BuiltIn},
		{"x-ai/grok-4", 256000, windows.BuiltIn},

		{"", 128000, windows.Default},
		{" / @ ", 128000, windows.Default},
		{"@", 128000, windows.Default},
		{"openai/", 128000, windows.Default},
		{"openai", 128000, windows.Default},
		{"gpt", 128000, windows.Default},
		{"my gpt-4o", 128000, windows.Default},
		{strings.Repeat("gpt-4o/", 100) + "gpt-4o", 128000, windows.Default},
	} {
		wantWindow(t, table, c.model, c.tokens, c.source)
	}
}

// TestTrust puts every source against every other.
func TestTrust(t *testing.T) {
	t.Parallel()
	const published = `{"v": {"models": {"a": {"limit": {"context": 50000}}, "gpt-4o": {"limit": {"context": 60000}}, "bad": {"limit": {"context": 12}}}},
		"deepseek": {"models": {"deepseek-flash": {"limit": {"context": 65536}}}}}`
	report := []memory.ModelWindow{{Model: "a", Tokens: 20000}, {Model: "b", Tokens: 30000}, {Model: "gpt-4.1", Tokens: 40000},
		{Model: "deepseek-flash", Tokens: 4096}, {Model: "bad", Tokens: 13}}
	for _, c := range []struct {
		name, model string
		learnt      int // 0 = nothing
		want        memory.Window
	}{
		{"live before report", "a", 0, memory.Window{Tokens: 50000, Source: windows.Live}},
		{"live before built-in", "gpt-4o", 0, memory.Window{Tokens: 60000, Source: windows.Live}},
		{"report alone", "b", 0, memory.Window{Tokens: 30000, Source: windows.Endpoint}},
		{"report before built-in", "gpt-4.1", 0, memory.Window{Tokens: 40000, Source: windows.Endpoint}},
		{"built-in alone", "o3", 0, memory.Window{Tokens: 200000, Source: windows.BuiltIn}},
		{"nobody", "z", 0, memory.Window{Tokens: 128000, Source: windows.Default}},
		{"absurd ones count for nothing", "bad", 0, memory.Window{Tokens: 128000, Source: windows.Default}},
		{"learnt, smaller than live", "a", 49999, memory.Window{Tokens: 49999, Source: windows.Learnt}},
		{"learnt, as large as live", "a", 50000, memory.Window{Tokens: 50000, Source: windows.Live}},
		{"learnt, larger than live", "a", 60000, memory.Window{Tokens: 50000, Source: windows.Live}},
		{"learnt, smaller than a report", "b", 29000, memory.Window{Tokens: 29000, Source: windows.Learnt}},
		{"learnt, larger than a report", "b", 31000, memory.Window{Tokens: 30000, Source: windows.Endpoint}},
		{"learnt, smaller than built-in", "o3", 131072, memory.Window{Tokens: 131072, Source: windows.Learnt}},
		{"learnt, larger than built-in", "o3", 262144, memory.Window{Tokens: 200000, Source: windows.BuiltIn}},
		{"learnt, smaller than nobody's", "z", 4096, memory.Window{Tokens: 4096, Source: windows.Learnt}},
		{"learnt, larger than nobody's", "z", 1000000, memory.Window{Tokens: 1000000, Source: windows.Learnt}},
		{"flash, whatever the tables say", "deepseek-flash", 0, memory.Window{Tokens: 1048576, Source: windows.Fixed}},
		{"flash of its vendor", "deepseek/deepseek-flash", 0, memory.Window{Tokens: 1048576, Source: windows.Fixed}},
		{"flash of its vendor, @", "DeepSeek@DeepSeek-Flash", 0, memory.Window{Tokens: 1048576, Source: windows.Fixed}},
		{"flash with a date", "deepseek-flash-20260101", 0, memory.Window{Tokens: 1048576, Source: windows.Fixed}},
		{"flash through another", "openrouter/deepseek/deepseek-flash:free", 0, memory.Window{Tokens: 1048576, Source: windows.Fixed}},
		{"flash of another vendor", "v/deepseek-flash", 0, memory.Window{Tokens: 65536, Source: windows.Live}},
		{"flash, smaller learnt", "deepseek-flash", 131072, memory.Window{Tokens: 131072, Source: windows.Learnt}},
		{"flash, larger learnt", "deepseek-flash", 2000000, memory.Window{Tokens: 1048576, Source: windows.Fixed}},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := loaded(t, notebook{}, published, report...)
			if c.learnt > 0 {
				if err := table.Learn(t.Context(), c.model, c.learnt); err != nil {
					t.Fatalf("Learn(%q, %d): %v", c.model, c.learnt, err)
				}
			}
			wantWindow(t, table, c.model, c.want.Tokens, c.want.Source)
		})
	}
}

// TestLearn: a limit holds for the name with its vendor and date, in any
// spelling; the smallest stays.
func TestLearn(t *testing.T) {
	t.Parallel()
	store := openStore(t, "")
	table := newTable(t, windows.Config{Store: store})
	for _, limit := range []int{64000, 32000, 48000} {
		if err := table.Learn(t.Context(), "openai@gpt-4.1", limit); err != nil {
			t.Fatalf("Learn(%d): %v", limit, err)
		}
	}
	for model, want := range map[string]memory.Window{
		"openai/gpt-4.1":            {Tokens: 32000, Source: windows.Learnt},
		"OpenAI / GPT-4.1 ":         {Tokens: 32000, Source: windows.Learnt},
		"gpt-4.1":                   {Tokens: 1047576, Source: windows.BuiltIn},
		"azure/gpt-4.1":             {Tokens: 1047576, Source: windows.BuiltIn},
		"openai/gpt-4.1-2025-04-14": {Tokens: 1047576, Source: windows.BuiltIn},
	} {
		wantWindow(t, table, model, want.Tokens, want.Source)
	}
	for _, c := range []struct {
		model string
		limit int
	}{{"m", 0}, {"m", -5}, {"m", 255}, {"m", 100_000_001}, {"", 4096}, {"//", 4096}, {strings.Repeat("m", 257), 4096}} {
		if err := table.Learn(t.Context(), c.model, c.limit); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("Learn(%.20q, %d) = %v, want ErrInvalid", c.model, c.limit, err)
		}
	}
	wantWindow(t, table, "m", 128000, windows.Default)
}

// TestLearnFrom reads texts of endpoints; only a context error with a possible
// limit is learnt.
func TestLearnFrom(t *testing.T) {
	t.Parallel()
	store := openStore(t, "")
	table := newTable(t, windows.Config{Store: store})
	for i, c := range []struct {
		text  string
		limit int
		is    bool
		kind  string
	}{
		{"prompt is too long: 208310 tokens > 20000 maximum", 20000, true, "comparison"},
		{"Range of input length should be [1, 30720]", 30720, true, "range"},
		{"the request exceeds the available context size, try increasing it", 0, true, ""},
		{"prompt is too long: 300 tokens > 100 maximum", 0, true, ""},
		{"This model's maximum context length is 900000000 tokens, however you requested more", 0, true, ""},
		{"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 342389.", 0, false, ""},
		{"ThrottlingException: Too many tokens, please wait before trying again.", 0, false, ""},
		{"max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for the model", 0, false, ""},
		{"", 0, false, ""},
	} {
		model := fmt.Sprint("vendor/m", i)
		limit, is, err := table.LearnFrom(t.Context(), model, c.text)
		if err != nil || limit != c.limit || is != c.is {
			t.Errorf("LearnFrom(%q) = %d, %v, %v, want %d, %v", c.text, limit, is, err, c.limit, c.is)
		}
		l, found, err := store.LearntLimit(t.Context(), model)
		if err != nil || found != (c.limit > 0) || l.Tokens != c.limit || l.Kind != c.kind || l.At.IsZero() == found {
			t.Errorf("LearntLimit(after %q) = %+v, %v, %v, want %d by %q", c.text, l, found, err, c.limit, c.kind)
		}
		if c.limit > 0 {
			wantWindow(t, table, model, c.limit, windows.Learnt)
		} else {
			wantWindow(t, table, model, 128000, windows.Default)
		}
	}
	if _, _, err := table.LearnFrom(t.Context(), "", "prompt is too long: 208310 tokens > 20000 maximum"); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("LearnFrom(no model) = %v, want ErrInvalid", err)
	}
}

// TestStoreFails: a store that cannot be read has learnt nothing.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	log, warned := warnings()
	table := newTable(t, windows.Config{Log: log})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	want := memory.Window{Tokens: 128000, Source: windows.BuiltIn}
	if got := table.Window(ctx, "gpt-4o"); got != want {
		t.Errorf("Window(cancelled) = %+v, want %+v", got, want)
	}
	if line := <-warned; !strings.Contains(line, "learnt limit") {
		t.Errorf("the log has %q, want that the learnt limit cannot be read", line)
	}
}

// TestNew refuses what cannot work, without repeating a URL.
func TestNew(t *testing.T) {
	t.Parallel()
	if _, err := windows.New(windows.Config{}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("New(no store) = %v, want ErrInvalid", err)
	}
	for _, url := range []string{"tables.json", "ftp://user:hidden@host/", "http://", "http://host:hidden/%zz", "/hidden"} {
		_, err := windows.New(windows.Config{Store: openStore(t, ""), URL: url})
		if !errors.Is(err, memory.ErrInvalid) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("New(%q) = %v, want ErrInvalid without the URL", url, err)
		}
	}
}

// TestEndpoint asks a real server through the client of the program.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"data":[{"id":"local/model","max_model_len":5000}]}`)
	}))
	t.Cleanup(server.Close)
	chat, err := openai.NewChat(openai.ChatConfig{BaseURL: server.URL + "/v1", Model: "local/model"})
	if err != nil {
		t.Fatalf("NewChat(): %v", err)
	}
	answered := make(chan struct{})
	table := newTable(t, windows.Config{Endpoints: []windows.Reporter{observed{chat, answered}}})
	end := run(t, table)
	<-answered
	end()
	wantWindow(t, table, "local/model", 5000, windows.Endpoint)
	wantWindow(t, table, "model", 5000, windows.Endpoint)
}

// observed says when an endpoint has answered.
type observed struct {
	windows.Reporter
	answered chan<- struct{}
}

func (o observed) Windows(ctx context.Context) ([]memory.ModelWindow, error) {
	defer close(o.answered)
	return o.Reporter.Windows(ctx)
}
