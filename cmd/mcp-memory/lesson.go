package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// lessonCommand is about how errors of tools were solved.
type lessonCommand struct {
	List   lessonListCommand   `cmd:"" help:"Show the lessons, the most recent first. That renews none."`
	Edit   lessonEditCommand   `cmd:"" help:"Rewrite what solved the error. When the lesson expires stays as it is."`
	Forget lessonForgetCommand `cmd:"" help:"Delete a lesson."`
}

// lessonListCommand shows the lessons.
type lessonListCommand struct {
	Limit int  `short:"n" default:"50" help:"How many."`
	JSON  bool `name:"json" help:"Print them as JSON."`
}

// Run prints the lessons.
func (c lessonListCommand) Run(ctx context.Context, p *program, s *settings) error {
	if c.Limit < 1 {
		return usagef("--limit must be 1 or more, got %d", c.Limit)
	}
	return p.withFile(ctx, s, func(a *app) error {
		list, err := a.lessons.List(ctx, c.Limit)
		if err != nil {
			return err
		}
		if c.JSON {
			return p.printJSON(lessonRecords(list))
		}
		if len(list) == 0 {
			fmt.Fprintln(p.stdout, "No lesson is kept.")
		}
		for _, l := range list {
			printLesson(p.stdout, l, s.zone)
		}
		return nil
	})
}

// lessonEditCommand rewrites the action of a lesson.
type lessonEditCommand struct {
	ID     int64    `arg:"" help:"Which one, as lesson list numbers it."`
	Action []string `arg:"" help:"What solves the error."`
}

// Run edits the lesson and prints it.
func (c lessonEditCommand) Run(ctx context.Context, p *program, s *settings) error {
	return p.withFile(ctx, s, func(a *app) error {
		l, err := a.lessons.Edit(ctx, c.ID, strings.Join(c.Action, " "))
		if err != nil {
			return err
		}
		printLesson(p.stdout, l, s.zone)
		return nil
	})
}

// lessonForgetCommand deletes a lesson.
type lessonForgetCommand struct {
	ID int64 `arg:"" help:"Which one, as lesson list numbers it."`
}

// Run deletes the lesson.
func (c lessonForgetCommand) Run(ctx context.Context, p *program, s *settings) error {
	return p.withFile(ctx, s, func(a *app) error {
		if err := a.lessons.Forget(ctx, c.ID); err != nil {
			return err
		}
		fmt.Fprintf(p.stdout, "lesson %d: forgotten\n", c.ID)
		return nil
	})
}

// printLesson writes a lesson for a person, its texts set in.
func printLesson(out io.Writer, l memory.Lesson, zone *time.Location) {
	fmt.Fprintf(out, "%d  %s  until %s\n", l.ID, text.Visible(l.Tool), l.ExpiresAt.In(zone).Format(time.DateOnly))
	for _, part := range []struct{ name, value string }{
		{"keywords", strings.Join(l.Keywords, ", ")}, {"error", l.Symptom}, {"cause", l.Cause}, {"solved by", l.Action},
	} {
		if part.value != "" {
			fmt.Fprintf(out, "   %-10s %s\n", part.name, strings.ReplaceAll(text.Visible(part.value), "\n", "\n              "))
		}
	}
}

// lessonRecord is a lesson as JSON.
type lessonRecord struct {
	ID        string    `json:"id"`
	ToolName  string    `json:"tool_name"`
	Keywords  []string  `json:"keywords"`
	Symptom   string    `json:"symptom"`
	Cause     string    `json:"cause"`
	Action    string    `json:"action"`
	SessionID string    `json:"session_id"`
	Source    string    `json:"source"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

func lessonRecords(list []memory.Lesson) []lessonRecord {
	records := make([]lessonRecord, len(list))
	for i, l := range list {
		records[i] = lessonRecord{
			ID: strconv.FormatInt(l.ID, 10), ToolName: l.Tool, Keywords: append([]string{}, l.Keywords...), Symptom: l.Symptom, Cause: l.Cause, Action: l.Action,
			SessionID: l.Session, Source: l.Source, CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt, ExpiresAt: l.ExpiresAt,
		}
	}
	return records
}
