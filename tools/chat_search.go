package tools

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/recall"
	"mcp-memory/memory/text"
)

// Hit is a message that a search found; its text is in the segment.
type Hit struct {
	MessageID string  `json:"message_id"`
	ClientID  string  `json:"client_id,omitempty"`
	SessionID string  `json:"session_id"`
	Score     float64 `json:"score" doc:"0 to 1, larger is better; comparable inside one result only."`
	Tier      string  `json:"tier" enum:"recent,archive" doc:"Whether compaction has moved it to the archive."`
	Segment   int     `json:"segment" doc:"Index of the segment that holds it."`

	Signals []string `json:"signals" doc:"What found it, the strongest first."`
}

// Segment is a stretch of one session around one or more hits.
type Segment struct {
	SessionID string           `json:"session_id"`
	Messages  []SegmentMessage `json:"messages"`
}

// SegmentMessage is a message of a segment.
type SegmentMessage struct {
	ID       string    `json:"id"`
	ClientID string    `json:"client_id,omitempty"`
	Role     string    `json:"role"`
	Sender   string    `json:"sender,omitempty"`
	SentAt   time.Time `json:"sent_at" doc:"RFC 3339, UTC."`
	Content  string    `json:"content"`
	Size     int       `json:"size,omitempty" doc:"Bytes of the whole message; present when content is only a part of it."`
	Source   string    `json:"source"`
	Hit      bool      `json:"hit"`
}

func (t *ChatHistory) search(ctx context.Context, args ChatHistoryArgs) (ChatHistoryResult, string, error) {
	req, err := t.searchRequest(args)
	if err != nil {
		return ChatHistoryResult{}, "", err
	}
	found, err := t.Recall.Search(ctx, req)
	if err != nil {
		return ChatHistoryResult{}, "", fmt.Errorf("search: %w", err)
	}
	result, text := fitSearch(found, req)
	return result, text, nil
}

// searchRequest checks the arguments of a search.
func (t *ChatHistory) searchRequest(args ChatHistoryArgs) (recall.Request, error) {
	if strings.TrimSpace(args.Query) == "" {
		return recall.Request{}, memory.Invalidf("query is empty: say what to look for, or use mode list or read")
	}
	filter, err := t.searchFilter(args)
	if err != nil {
		return recall.Request{}, err
	}
	return recall.Request{
		Query:  args.Query,
		Match:  recall.Match(args.Match),
		Filter: filter,
		Limit:  args.limit(recall.DefaultLimit, recall.MaxLimit),
		Cursor: args.Cursor,
	}, nil
}

func (t *ChatHistory) searchFilter(args ChatHistoryArgs) (memory.Filter, error) {
	filter := memory.Filter{Role: memory.Role(args.Role)}
	if args.Scope != "all" {
		filter.Session = args.SessionID
	}
	var err error
	if args.Scope == "session" {
		if filter.Session, err = chooseSession(args.SessionID, t.Session); err != nil {
			return filter, err
		}
	}
	if filter.Since, err = args.Since.in("since", t.Zone); err != nil {
		return filter, err
	}
	if filter.Until, err = args.Until.in("until", t.Zone); err != nil {
		return filter, err
	}
	start, err := periodStart(args.TimeRange, t.Now())
	if err != nil {
		return filter, err
	}
	if filter.Since.IsZero() {
		filter.Since = start
	}
	if !filter.Until.IsZero() && filter.Until.Before(filter.Since) {
		return filter, memory.Invalidf("until (%s) is before since (%s)", formatTime(filter.Until), formatTime(filter.Since))
	}
	return filter, nil
}

// room is how much a search result shows of each message, in characters.
type room struct {
	hit, other int
	terse      bool // the text names the hits alone; structured content keeps the rest
}

// rooms go from comfortable to tight.
var rooms = [...]room{
	{600, 240, false}, {400, 160, false}, {260, 100, false}, {180, 60, false}, {120, 40, false},
	{80, 24, true}, {40, 12, true}, {20, 4, true},
}

// What a search answer may have, in bytes. The whole is text and structured
// content as they travel.
const (
	searchTextPerHit = 1_000
	minSearchText    = 8_000
	maxSearchText    = 30_000
	maxSearchReply   = 78_000
)

// fitSearch shows as much of each message as fits into the limits of an answer.
// Messages are shortened; none is left out.
func fitSearch(found *recall.Result, req recall.Request) (result ChatHistoryResult, shown string) {
	query := text.ParseQuery(req.Query)
	limit := min(max(minSearchText, searchTextPerHit*req.Limit), maxSearchText)
	contents := wholeContents(found)
	for _, r := range rooms {
		cutContents(contents, found, query, r)
		result = searchResult(found, contents)
		shown = searchText(result, req, r)
		if len(shown) < limit && replySize(result, shown) <= maxSearchReply {
			break
		}
	}
	return result, shown
}

// wholeContents gives the contents of all segments, by segment and message.
func wholeContents(found *recall.Result) [][]string {
	contents := make([][]string, len(found.Segments))
	for i, s := range found.Segments {
		contents[i] = make([]string, len(s.Messages))
		for j, m := range s.Messages {
			contents[i][j] = m.Content
		}
	}
	return contents
}

// cutContents shortens the contents to the room: a hit to what surrounds the
// words that were searched for, any other message to its beginning. A tighter
// room cuts further into what the one before has left, which is short by then.
func cutContents(contents [][]string, found *recall.Result, query text.Query, r room) {
	for i, s := range found.Segments {
		for j, hit := range s.Hit {
			if hit {
				contents[i][j] = text.Snippet(contents[i][j], query, r.hit)
			} else {
				contents[i][j] = beginning(contents[i][j], r.other)
			}
		}
	}
}

// beginning gives the first max characters of s, marked when there are more.
func beginning(s string, max int) string {
	n := 0
	for i := range s {
		if n == max {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// searchResult writes what was found, with the contents given.
func searchResult(found *recall.Result, contents [][]string) ChatHistoryResult {
	result := ChatHistoryResult{
		Hits:       make([]Hit, len(found.Hits)),
		Segments:   make([]Segment, len(found.Segments)),
		Total:      &found.Total,
		Relaxed:    found.Relaxed,
		Degraded:   found.Degraded,
		NextCursor: found.NextCursor,
	}
	for i, h := range found.Hits {
		result.Hits[i] = Hit{
			MessageID: formatID(h.Message.ID),
			ClientID:  text.Visible(h.Message.ClientID),
			SessionID: h.Message.Session,
			Score:     math.Round(h.Score*1e4) / 1e4,
			Tier:      tier(h.Message),
			Segment:   h.Segment,
			Signals:   strongest(h.Signals),
		}
	}
	for i, s := range found.Segments {
		segment := Segment{SessionID: s.Session, Messages: make([]SegmentMessage, len(s.Messages))}
		for j, m := range s.Messages {
			segment.Messages[j] = segmentMessage(m, contents[i][j], s.Hit[j])
		}
		result.Segments[i] = segment
	}
	return result
}

// shownSignals is how many signals of a hit are told.
const shownSignals = 4

// strongest is the first signals, never nil.
func strongest(signals []string) []string {
	return append([]string{}, signals[:min(len(signals), shownSignals)]...)
}

func tier(m memory.Message) string {
	if m.Archived {
		return "archive"
	}
	return "recent"
}

func segmentMessage(m memory.Message, content string, hit bool) SegmentMessage {
	shown := messageOf(m, content, content != m.Content || m.Size > len(m.Content))
	return SegmentMessage{
		ID: shown.ID, ClientID: shown.ClientID, Role: shown.Role, Sender: shown.Sender, SentAt: shown.SentAt,
		Content: shown.Content, Size: shown.Size, Source: shown.Source, Hit: hit,
	}
}
