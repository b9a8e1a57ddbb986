package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"mcp-memory/tools"
)

// searchCommand finds recorded messages.
type searchCommand struct {
	Query     []string `arg:"" help:"What to look for: words, a question, or a \"phrase\" in quotes."`
	Match     string   `enum:"semantic,keyword" default:"semantic" help:"By meaning or by exact words: ${enum}."`
	Limit     int      `short:"n" default:"8" help:"How many hits."`
	Role      string   `enum:",user,assistant,system,tool" default:"" help:"Only what this role said."`
	TimeRange string   `placeholder:"RANGE" help:"Only this recent, such as 7d, 1m, 1y."`
	Since     string   `placeholder:"TIME" help:"Only what was said at or after this time."`
	Until     string   `placeholder:"TIME" help:"Only what was said before this time."`
	All       bool     `help:"Search all sessions, also when --session is set."`
	JSON      bool     `name:"json" help:"Print the result as JSON."`
}

// Run searches the session that is set, or all of them.
func (c searchCommand) Run(ctx context.Context, p *program, s *settings) error {
	return p.withFile(ctx, s, func(a *app) error {
		if err := a.index(ctx, time.Second); err != nil {
			return err
		}
		result, _, err := a.chatHistory().Call(ctx, c.arguments(s))
		if err != nil {
			return err
		}
		if c.JSON {
			return p.printJSON(result)
		}
		printSearch(p.stdout, result, s.zone)
		return nil
	})
}

func (c searchCommand) arguments(s *settings) tools.ChatHistoryArgs {
	args := tools.ChatHistoryArgs{
		Mode: "search", Query: strings.Join(c.Query, " "), Match: c.Match, Limit: &c.Limit, Role: c.Role,
		TimeRange: c.TimeRange, Since: tools.Moment(c.Since), Until: tools.Moment(c.Until),
	}
	if !c.All {
		args.SessionID = s.Session
	}
	return args
}

func (p *program) printJSON(v any) error {
	out := json.NewEncoder(p.stdout)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	if err := out.Encode(v); err != nil {
		return fmt.Errorf("print result: %w", err)
	}
	return nil
}
