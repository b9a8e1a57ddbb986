package tools

import (
	"context"
	"fmt"

	"mcp-memory/memory/notes"
)

// MemoryWriteArgs are the arguments of memory_write.
type MemoryWriteArgs struct {
	Target  string `json:"target" enum:"core,daily,user,system" doc:"core: what lasts (MEMORY.md); daily: today's note; user: who the user is; system: who you are and how you work."`
	Mode    string `json:"mode,omitempty" enum:"append,replace,edit,undo" doc:"append (default): add lines at the end; edit: put content in the place of old_text; replace: the whole note; undo: take the last write to this note back."`
	Content string `json:"content,omitempty" doc:"The text, Markdown. With edit it may be absent: old_text is then deleted."`
	OldText string `json:"old_text,omitempty" doc:"edit: the passage to replace, exactly as it stands in the note; it must occur once. replace: the whole note as you know it, to be refused when it has changed."`
}

// MemoryWriteResult is the result of memory_write.
type MemoryWriteResult struct {
	Path       string `json:"path"`
	Version    int    `json:"version" doc:"Grows with each write to this note; after undo it is that of before. 0: as it was found."`
	TotalLines int    `json:"total_lines"`
}

// NoteWriter writes notes.
type NoteWriter interface {
	Write(ctx context.Context, c notes.Change) (notes.Written, error)
}

// MemoryWrite is the tool memory_write.
type MemoryWrite struct{ Notes NoteWriter }

// Tool describes the tool to clients.
func (t *MemoryWrite) Tool() (Tool, error) {
	return newTool(about{
		name:  "memory_write",
		title: "Write a note",
		description: "Write into the long-term notes. Write to core what should still be known in months: preferences, decisions, facts about the user's world. " +
			"Correct what has changed with mode edit instead of adding the opposite. Every write can be undone.",
		destructive: true,
	}, t.Call)
}

// Call writes. Once it has begun it is not cut short by a cancelled request.
func (t *MemoryWrite) Call(ctx context.Context, args MemoryWriteArgs) (MemoryWriteResult, string, error) {
	if err := ctx.Err(); err != nil {
		return MemoryWriteResult{}, "", err
	}
	done, err := t.Notes.Write(ctx, notes.Change{
		Target: notes.Target(args.Target), Mode: notes.Mode(args.Mode), Content: args.Content, OldText: args.OldText,
	})
	if err != nil {
		return MemoryWriteResult{}, "", fmt.Errorf("write a note: %w", err)
	}
	result := MemoryWriteResult{Path: done.Path, Version: done.Version, TotalLines: done.TotalLines}
	verb := "Written to"
	if notes.Mode(args.Mode) == notes.Undo {
		verb = "Undone in"
	}
	return result, fmt.Sprintf("%s %s: version %d, %s.", verb, done.Path, done.Version, count(done.TotalLines, "line")), nil
}
