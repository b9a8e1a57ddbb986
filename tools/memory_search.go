package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/notes"
	"mcp-memory/memory/text"
)

// MemorySearchArgs are the arguments of memory_search.
type MemorySearchArgs struct {
	Query      string   `json:"query" doc:"What to look for, as words or as a question; \"quoted words\" are a phrase."`
	MaxResults *int     `json:"max_results,omitempty" doc:"10 by default, at most 50."`
	MinScore   *float64 `json:"min_score,omitempty" doc:"The least score of results that do not have all the words; default: 0.1."`
	Source     string   `json:"source,omitempty" enum:"core,daily,profile,other,all" doc:"core: MEMORY.md; daily: the notes of days; profile: system.md and user.md; other: further Markdown. Default: all."`
	Since      Moment   `json:"since,omitempty" doc:"Only notes of this time or later: of daily notes the day counts, of others the last change."`
	Until      Moment   `json:"until,omitempty" doc:"Only notes of before this time."`
}

// MemorySearchResult is the result of memory_search.
type MemorySearchResult struct {
	Results []NoteResult `json:"results" doc:"Best first."`
	Note    string       `json:"note,omitempty" doc:"What to know of this search: why meaning took no part, that there are no notes."`
}

// NoteResult is a stretch of a note.
type NoteResult struct {
	Path      string  `json:"path"`
	StartLine int     `json:"start_line" doc:"The first line of a file is 1."`
	EndLine   int     `json:"end_line" doc:"Inclusive."`
	Score     float64 `json:"score" doc:"0 to 1, larger is better; from 0.5 on all the words are there."`
	Snippet   string  `json:"snippet" doc:"What stands around the match; memory_get gives the whole."`
}

// NoteSearcher finds stretches of notes.
type NoteSearcher interface {
	Search(ctx context.Context, req notes.Request) (*notes.Result, error)
}

// MemorySearch is the tool memory_search.
type MemorySearch struct {
	Notes NoteSearcher
	Zone  *time.Location // of times written without one
}

// Tool describes the tool to clients.
func (t *MemorySearch) Tool() (Tool, error) {
	return newTool(about{
		name:  "memory_search",
		title: "Search notes",
		description: "Search the long-term notes: lasting facts and preferences (MEMORY.md), the notes of each day, the profile and other Markdown. " +
			"Use it beside chat_history before you say that you do not know something about the user, a decision or an earlier day.",
		readOnly:   true,
		idempotent: true,
	}, t.Call)
}

// Call searches.
func (t *MemorySearch) Call(ctx context.Context, args MemorySearchArgs) (MemorySearchResult, string, error) {
	req, err := t.request(args)
	if err != nil {
		return MemorySearchResult{}, "", err
	}
	found, err := t.Notes.Search(ctx, req)
	if err != nil {
		return MemorySearchResult{}, "", fmt.Errorf("search notes: %w", err)
	}
	result, shown := fitNotes(found, req)
	return result, shown, nil
}

// request checks the arguments.
func (t *MemorySearch) request(args MemorySearchArgs) (notes.Request, error) {
	req := notes.Request{Query: args.Query, Min: args.MinScore}
	if strings.TrimSpace(args.Query) == "" {
		return req, memory.Invalidf("query is empty: say what to look for, or read a note with memory_get")
	}
	if args.MaxResults != nil {
		if req.Limit = *args.MaxResults; req.Limit <= 0 {
			return req, memory.Invalidf("max_results must be 1 or more, got %d", req.Limit)
		}
	}
	if args.Source != "" && args.Source != "all" {
		req.Filter.Source = memory.NoteSource(args.Source)
	}
	var err error
	if req.Filter.Since, err = args.Since.in("since", t.Zone); err != nil {
		return req, err
	}
	if req.Filter.Until, err = args.Until.in("until", t.Zone); err != nil {
		return req, err
	}
	if !req.Filter.Until.IsZero() && req.Filter.Until.Before(req.Filter.Since) {
		return req, memory.Invalidf("until (%s) is before since (%s)", formatTime(req.Filter.Until), formatTime(req.Filter.Since))
	}
	return req, nil
}

// noteRooms are how many characters of each result are shown, from comfortable to
// tight.
var noteRooms = [...]int{400, 280, 180, 110, 60, 30}

// fitNotes shows as much of each result as fits into the limits of an answer. None
// is left out.
func fitNotes(found *notes.Result, req notes.Request) (result MemorySearchResult, shown string) {
	query := text.ParseQuery(req.Query)
	limit := min(max(minSearchText, searchTextPerHit*req.Limit), maxSearchText)
	for _, room := range noteRooms {
		result = MemorySearchResult{Results: make([]NoteResult, len(found.Found)), Note: found.Note}
		for i, f := range found.Found {
			result.Results[i] = NoteResult{
				Path: text.Visible(f.Path), StartLine: f.StartLine, EndLine: f.EndLine, Score: f.Score,
				Snippet: text.Visible(text.Snippet(f.Snippet, query, room)),
			}
		}
		if shown = notesText(result); len(shown) < limit && replySize(result, shown) <= maxSearchReply {
			break
		}
	}
	return result, shown
}

// notesText is the readable form of the result.
func notesText(r MemorySearchResult) string {
	var b strings.Builder
	if len(r.Results) == 0 {
		b.WriteString("Nothing found in the notes.")
		writeDegraded(&b, r.Note)
		b.WriteString("\n")
		return b.String()
	}
	b.WriteString(quoteNotice + "\n" + count(len(r.Results), "passage") + " of notes.")
	writeDegraded(&b, r.Note)
	b.WriteString("\n")
	for _, f := range r.Results {
		fmt.Fprintf(&b, "\n%s, lines %d–%d (score %.2f)\n| %s\n", oneLine(f.Path, 400), f.StartLine, f.EndLine, f.Score, lineBreaks.Replace(f.Snippet))
	}
	b.WriteString("\nmemory_get with path and start_line gives the whole.\n")
	return b.String()
}
