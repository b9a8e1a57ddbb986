package server

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/memory"
	"mcp-memory/tools"
)

const jsonType = "application/json"

// resources is what can be read without a call. Each shows what a tool shows
// too, since not every client has resources.
type resources struct {
	home      string // the session of memory://summary
	history   *tools.ChatHistory
	summaries Summaries         // nil = there are no summaries
	marks     Marks             // nil = changes of messages are not seen
	lessons   *tools.FindErrors // nil = there are no lessons
	notes     Notes             // nil = there are no notes
}

// register adds the resources to the library's server.
func (r *resources) register(s *server.MCPServer) {
	s.AddResource(mcp.NewResource(sessionsURI, "sessions",
		mcp.WithResourceTitle("Sessions"),
		mcp.WithResourceDescription("The recorded conversations, most recently used first."),
		mcp.WithMIMEType(jsonType),
	), r.sessions)
	s.AddResourceTemplate(mcp.NewResourceTemplate(messagesTemplate, "messages",
		mcp.WithTemplateTitle("Messages of a session"),
		mcp.WithTemplateDescription("The newest messages of one conversation, oldest first."),
		mcp.WithTemplateMIMEType(jsonType),
	), r.messages)
	if r.lessons != nil {
		s.AddResource(mcp.NewResource(lessonsURI, "lessons",
			mcp.WithResourceTitle("Lessons"),
			mcp.WithResourceDescription("Errors of tools and what solved them, the most recent first."),
			mcp.WithMIMEType(jsonType),
		), r.listLessons)
	}
	r.registerNotes(s)
	if r.summaries == nil {
		return
	}
	s.AddResource(mcp.NewResource(summaryURI, "summary",
		mcp.WithResourceTitle("Summary"),
		mcp.WithResourceDescription("The rolling summary of this conversation: key decisions, past and current discussions."),
		mcp.WithMIMEType(jsonType),
	), r.summary)
	s.AddResourceTemplate(mcp.NewResourceTemplate(summaryTemplate, "session summary",
		mcp.WithTemplateTitle("Summary of a session"),
		mcp.WithTemplateDescription("The rolling summary of one conversation."),
		mcp.WithTemplateMIMEType(jsonType),
	), r.summary)
}

// listed is how many sessions the list of them shows, and how many lessons at most.
const listed = 200

func (r *resources) sessions(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	limit := listed
	result, _, err := r.history.Call(ctx, tools.ChatHistoryArgs{Mode: "list", Limit: &limit})
	if err != nil {
		return nil, err
	}
	return contentsOf(req.Params.URI, result, nil)
}

func (r *resources) messages(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	at, err := addressOf(req.Params.URI, r.home)
	if err != nil {
		return nil, err
	}
	result, _, err := r.history.Call(ctx, tools.ChatHistoryArgs{Mode: "read", SessionID: at.session})
	if err != nil {
		return nil, err
	}
	return contentsOf(req.Params.URI, result, nil)
}

// listLessons shows the lessons as find_errors lists them.
func (r *resources) listLessons(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	result, err := r.allLessons(ctx)
	if err != nil {
		return nil, err
	}
	return contentsOf(req.Params.URI, result, nil)
}

func (r *resources) allLessons(ctx context.Context) (tools.FindErrorsResult, error) {
	limit := listed
	result, _, err := r.lessons.Call(ctx, tools.FindErrorsArgs{Limit: &limit})
	return result, err
}

// lessonsVersion changes with anything that the lessons show: there are few.
func (r *resources) lessonsVersion(ctx context.Context) (string, error) {
	result, err := r.allLessons(ctx)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(result)
	if err != nil {
		return "", fmt.Errorf("encode resource: %w", err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(b)), nil
}

// summary shows the current summary of a session. What is not the summary
// itself (which version it is, what wrote it, when, and up to which message)
// goes beside it.
func (r *resources) summary(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	at, err := addressOf(req.Params.URI, r.home)
	if err != nil {
		return nil, err
	}
	v, err := r.summaries.Current(ctx, at.session)
	if err != nil {
		return nil, fmt.Errorf("read summary: %w", err)
	}
	var beside map[string]any
	if v.Version > 0 {
		beside = map[string]any{
			"version":  v.Version,
			"model":    v.Model,
			"saved_at": v.SavedAt.UTC().Format(time.RFC3339Nano),
			"cursor":   v.Cursor,
		}
	}
	return contentsOf(req.Params.URI, tools.ShowSummary(v.Summary), beside)
}

// contentsOf writes a result as the JSON of a resource, with what stands beside
// it.
func contentsOf(uri string, result any, beside map[string]any) ([]mcp.ResourceContents, error) {
	b, err := json.Marshal(result)
	if err != nil {
		return nil, fmt.Errorf("encode resource: %w", err)
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{Meta: beside, URI: uri, MIMEType: jsonType, Text: string(b)}}, nil
}

// find returns ErrNotFound when the URI names a session that does not exist.
// The summary of the home session always exists: it is empty before the first.
func (r *resources) find(ctx context.Context, uri string) error {
	at, err := addressOf(uri, r.home)
	switch {
	case err != nil:
		return err
	case at.kind == dailyKind:
		return r.findDaily(ctx, at.day)
	case at.session == "" || uri == summaryURI:
		return nil
	}
	if at.kind == summaryKind && r.summaries != nil { // may outlive the messages
		if v, err := r.summaries.Current(ctx, at.session); err != nil || v.Version > 0 {
			return err
		}
	}
	one := 1
	_, _, err = r.history.Call(ctx, tools.ChatHistoryArgs{Mode: "read", SessionID: at.session, Limit: &one})
	return err
}

// refuseMissing makes the library answer a read of what does not exist with the
// code for that. A handler cannot: whatever error it returns is an internal
// error to the library. So the request gets a URI for which there is no handler,
// the old one with the reason.
func (r *resources) refuseMissing(ctx context.Context, _ any, req *mcp.ReadResourceRequest) {
	defer func() { _ = recover() }() // what panics here does so again in the handler, which is guarded
	var public *memory.PublicError
	if err := r.find(ctx, req.Params.URI); errors.Is(err, memory.ErrNotFound) && errors.As(err, &public) {
		req.Params.URI = fmt.Sprintf("%s (%v)", req.Params.URI, public)
	}
}

// version is a text that is another one whenever what the resource shows has
// changed. A URI that names no resource, or one whose changes are not seen, is
// ErrNotFound.
func (r *resources) version(ctx context.Context, uri string) (version string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
		}
	}()
	at, err := addressOf(uri, r.home)
	switch {
	case err != nil:
		return "", err
	case at.kind == summaryKind && r.summaries != nil:
		v, err := r.summaries.Current(ctx, at.session)
		return fmt.Sprint(v.Version), err
	case at.kind == lessonsKind && r.lessons != nil:
		return r.lessonsVersion(ctx)
	case at.kind == coreKind || at.kind == dailyKind:
		return r.noteVersion(ctx, at)
	case (at.kind == sessionsKind || at.kind == messagesKind) && r.marks != nil:
		return r.marks.Mark(ctx, at.session)
	}
	return "", memory.NotFoundf("nobody can be told of its changes")
}
