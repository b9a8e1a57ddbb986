package server

import (
	"net/url"
	"strings"
	"time"

	"mcp-memory/memory"
)

// The URIs of the resources. A session id in one is percent-encoded.
const (
	summaryURI       = "memory://summary"
	lessonsURI       = "memory://lessons"
	sessionsURI      = "memory://sessions"
	coreURI          = "memory://core"
	dailyPrefix      = "memory://daily/"
	dailyTemplate    = dailyPrefix + "{date}"
	sessionPrefix    = sessionsURI + "/"
	summaryTemplate  = sessionPrefix + "{id}/summary"
	messagesTemplate = sessionPrefix + "{id}/messages"
)

// kind is what a resource shows.
type kind string

const (
	summaryKind  kind = "summary"
	messagesKind kind = "messages"
	sessionsKind kind = "sessions"
	lessonsKind  kind = "lessons"
	coreKind     kind = "core"
	dailyKind    kind = "daily"
)

// address is what the URI of a resource names.
type address struct {
	kind    kind
	session string // "" = none: the resource is about all of them, or about a note
	day     string // of a daily note, YYYY-MM-DD
}

// addressOf reads a URI. memory://summary is the summary of the home session. A
// URI that names no resource is ErrNotFound.
func addressOf(uri, home string) (address, error) {
	switch uri {
	case summaryURI:
		return address{kind: summaryKind, session: home}, nil
	case sessionsURI:
		return address{kind: sessionsKind}, nil
	case lessonsURI:
		return address{kind: lessonsKind}, nil
	case coreURI:
		return address{kind: coreKind}, nil
	}
	if day, ok := strings.CutPrefix(uri, dailyPrefix); ok {
		if _, err := time.Parse(time.DateOnly, day); err != nil {
			return address{}, memory.NotFoundf("there is no such day: write YYYY-MM-DD")
		}
		return address{kind: dailyKind, day: day}, nil
	}
	rest, ok := strings.CutPrefix(uri, sessionPrefix)
	encoded, last, _ := strings.Cut(rest, "/")
	if k := kind(last); !ok || k != summaryKind && k != messagesKind {
		return address{}, memory.NotFoundf("there is no such resource")
	}
	id, err := url.PathUnescape(encoded)
	if err != nil {
		return address{}, memory.NotFoundf("the session id is not percent-encoded as it should be")
	}
	if err := memory.CheckSessionID(id); err != nil {
		return address{}, memory.NotFoundf("there is no such session: %v", err)
	}
	return address{kind: kind(last), session: id}, nil
}
