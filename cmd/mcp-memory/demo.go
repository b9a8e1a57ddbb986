package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/transfer"
	"mcp-memory/tools"
)

// demoCommand shows what the memory does.
type demoCommand struct{}

//go:embed demo.jsonl
var demoConversation []byte

// demoSession is the session whose context the demo shows.
const demoSession = "kite-backend"

// demoQuestion is a question of the demo and the message that answers it, by
// its own id.
type demoQuestion struct {
	language string
	match    string
	query    string
	answer   string
}

// demoQuestions are asked in this order.
var demoQuestions = [...]demoQuestion{
	{"English", "keyword", "certificate expired", "en-07"},
	{"English", "semantic", "Why does the map work in a van without network?", "en-06"},
	{"中文", "keyword", "彰化", "zh-06"},
	{"中文", "semantic", "深色模式幾點會切換？", "zh-02"},
	{"日本語", "keyword", "文字コード", "ja-02"},
	{"日本語", "semantic", "常温品のラベルは何色で印刷しますか？", "ja-04"},
}

// Run records the conversation into a temporary file, asks about it, shows a
// context, and removes the file.
func (demoCommand) Run(ctx context.Context, p *program, s *settings) (err error) {
	folder, err := os.MkdirTemp("", "mcp-memory-demo-")
	if err != nil {
		return fmt.Errorf("create the demo's folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	own := *s
	own.DB, own.Session = filepath.Join(folder, "demo.db"), demoSession
	a, err := p.open(ctx, &own)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	d := demo{program: p, app: a}
	for _, step := range []func(context.Context) error{d.record, d.ask, d.summarise, d.showContext} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	d.farewell()
	return nil
}

// demo is one run of the demo.
type demo struct {
	*program
	app *app
}

func (d demo) title(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	fmt.Fprintf(d.stdout, "\n%s\n%s\n", text, strings.Repeat("=", len([]rune(text))))
}

// record stores the bundled conversation and lists what is there then.
func (d demo) record(ctx context.Context) error {
	d.title("1. Record")
	began := time.Now()
	read := transfer.Import{Append: d.app.appender("demo"), Zone: time.UTC}
	report, err := read.Run(ctx, bytes.NewReader(demoConversation))
	if err != nil {
		return fmt.Errorf("record the conversation: %w", err)
	}
	fmt.Fprintf(d.stdout, "%d messages went into %s in %v:\n", report.Added, d.app.settings.DB, time.Since(began).Round(time.Millisecond))
	if err := d.app.loop.Drain(ctx); err != nil {
		return fmt.Errorf("index the conversation: %w", err)
	}
	list, _, err := d.app.chatHistory().Call(ctx, tools.ChatHistoryArgs{Mode: "list"})
	if err != nil {
		return err
	}
	for _, s := range list.Sessions {
		fmt.Fprintf(d.stdout, "  %s: %d messages, beginning %q\n", s.SessionID, s.Messages, s.Title)
	}
	return nil
}

// ask puts the questions, each over all sessions.
func (d demo) ask(ctx context.Context) error {
	d.title("2. Ask")
	for _, q := range demoQuestions {
		limit := 1
		began := time.Now()
		result, _, err := d.app.chatHistory().Call(ctx, tools.ChatHistoryArgs{Query: q.query, Match: q.match, Limit: &limit})
		if err != nil {
			return fmt.Errorf("ask %q: %w", q.query, err)
		}
		fmt.Fprintf(d.stdout, "\n? %s   [%s, %s, %v]\n", q.query, q.language, q.match, time.Since(began).Round(100*time.Microsecond))
		printSearch(d.stdout, result, time.UTC)
	}
	return nil
}

// summarise makes the rolling summaries and shows that of one session.
func (d demo) summarise(ctx context.Context) error {
	d.title("3. Summarise")
	if err := d.app.summary.Tick(ctx); err != nil {
		return fmt.Errorf("summarise the conversation: %w", err)
	}
	v, err := d.app.summary.Current(ctx, demoSession)
	if err != nil {
		return fmt.Errorf("read the summary: %w", err)
	}
	author := v.Model
	if author == memory.LocalModel {
		author = "quoted from the messages, since no model is configured"
	}
	fmt.Fprintf(d.stdout, "The rolling summary of %s (%s):\n\n", demoSession, author)
	printSummary(d.stdout, tools.ShowSummary(v.Summary))
	return nil
}

// showContext shows what an agent gets before it goes on with a session.
func (d demo) showContext(ctx context.Context) error {
	d.title("4. What an agent gets before it goes on with %s", demoSession)
	result, _, err := d.app.contexts().Call(ctx, tools.GetContextArgs{})
	if err != nil {
		return err
	}
	fmt.Fprintf(d.stdout, "%s\n\nThe summary above and the last %d messages, about %d tokens with the rules:\n", result.Rules, len(result.Messages), result.Tokens)
	for _, m := range result.Messages {
		printMessage(d.stdout, "  ", speaker(m.Role, m.Sender), m.SentAt, m.Content)
	}
	return nil
}

// farewell says what to do next.
func (d demo) farewell() {
	command, err := os.Executable()
	if err != nil || strings.HasPrefix(command, os.TempDir()) { // go run
		command = "mcp-memory"
	}
	d.title("5. Use it")
	fmt.Fprintf(d.stdout, "Put this into the configuration of Claude Desktop, Cursor or Claude Code, under \"mcpServers\":\n"+
		"  \"memory\": {\"command\": %q, \"args\": [\"stdio\"]}\n", command)
}
