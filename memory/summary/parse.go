package summary

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// The keys of a summary.
const (
	decisionsKey   = "key_decisions"
	discussionsKey = "past_discussions"
	currentKey     = "current_discussion"
)

// errNoSummary is the fault of a reply without any part of a summary.
var errNoSummary = errors.New("it holds no JSON object with " + decisionsKey + ", " + discussionsKey + " and " + currentKey)

// UnmarkedError is the fault of a key decision without "Do:" or "Don't:".
type UnmarkedError struct {
	Index int // of the key decision in the reply
}

// Error says which one it is.
func (e *UnmarkedError) Error() string {
	return fmt.Sprintf("%s[%d] does not begin with Do: or Don't:", decisionsKey, e.Index)
}

// Parse reads what a model answered when it was given the previous summary. It
// takes the first JSON object in the reply that is a summary, whatever stands
// around it, and checks it: the types must be right, every key decision marked,
// and nothing that the previous summary has may be missing altogether or all of
// it empty. Of lists that are too long, the end stays. The error says what is
// wrong without quoting the reply.
func Parse(reply string, previous memory.Summary) (memory.Summary, error) {
	first := errNoSummary
	for object := range objects(reply) {
		s, err := read(object, previous)
		if err == nil {
			return s, nil
		}
		if first == errNoSummary {
			first = err
		}
	}
	return memory.Summary{}, first
}

// read reads one object as a summary.
func read(object []byte, previous memory.Summary) (s memory.Summary, err error) {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(object, &parts); err != nil {
		return s, errNoSummary
	}
	if absent(parts[decisionsKey]) && absent(parts[discussionsKey]) && absent(parts[currentKey]) {
		return s, errNoSummary
	}
	for _, part := range []struct {
		key string
		had bool
	}{
		{decisionsKey, len(previous.KeyDecisions) > 0},
		{discussionsKey, len(previous.PastDiscussions) > 0},
		{currentKey, previous.CurrentDiscussion != memory.CurrentDiscussion{}},
	} {
		if part.had && absent(parts[part.key]) {
			return s, fmt.Errorf("%s is missing, although the summary before has it", part.key)
		}
	}
	// The mark of a decision comes last: it alone is worth asking again.
	if s.PastDiscussions, err = readDiscussions(parts[discussionsKey]); err != nil {
		return memory.Summary{}, err
	}
	if s.CurrentDiscussion, err = readCurrent(parts[currentKey]); err != nil {
		return memory.Summary{}, err
	}
	if s.KeyDecisions, err = readDecisions(parts[decisionsKey]); err != nil {
		return memory.Summary{}, err
	}
	if s.Empty() && !previous.Empty() {
		return s, errors.New("it is empty, although the summary before is not")
	}
	return s, nil
}

// marked finds the mark of a key decision, also where the model wrote it a little
// differently.
var marked = regexp.MustCompile(`(?i)^(?:[-*•]\s*)?(do|don['’]?t|do not)\s*[:：]\s*`)

func readDecisions(raw json.RawMessage) ([]string, error) {
	list, err := readList(raw, decisionsKey)
	if err != nil {
		return nil, err
	}
	decisions := []string{}
	var unmarked error
	for i, one := range list {
		s, err := readString(one, fmt.Sprintf("%s[%d]", decisionsKey, i))
		if err != nil {
			return nil, err
		}
		if s == "" {
			continue
		}
		m := marked.FindStringSubmatchIndex(s)
		switch {
		case m == nil && unmarked == nil:
			unmarked = &UnmarkedError{i}
		case m != nil && m[1] < len(s):
			decisions = append(decisions, mark(s[m[2]:m[3]])+" "+s[m[1]:])
		}
	}
	return decisions[max(0, len(decisions)-memory.MaxKeyDecisions):], unmarked
}

// mark is the exact form of a mark.
func mark(written string) string {
	if strings.EqualFold(written, "do") {
		return "Do:"
	}
	return "Don't:"
}

func readDiscussions(raw json.RawMessage) ([]memory.PastDiscussion, error) {
	list, err := readList(raw, discussionsKey)
	if err != nil {
		return nil, err
	}
	discussions := []memory.PastDiscussion{}
	for i, one := range list {
		var d memory.PastDiscussion
		err := readFields(one, fmt.Sprintf("%s[%d]", discussionsKey, i), map[string]*string{
			"topic": &d.Topic, "description": &d.Description, "direction": &d.Direction, "last_discussed": &d.LastDiscussed,
		})
		if err != nil {
			return nil, err
		}
		if d.Topic != "" || d.Description != "" {
			discussions = append(discussions, d)
		}
	}
	return discussions[max(0, len(discussions)-memory.MaxPastDiscussions):], nil
}

func readCurrent(raw json.RawMessage) (c memory.CurrentDiscussion, err error) {
	if absent(raw) {
		return c, nil
	}
	return c, readFields(raw, currentKey, map[string]*string{
		"topic": &c.Topic, "description": &c.Description, "perspectives": &c.Perspectives, "direction": &c.Direction,
	})
}

// readFields reads an object of strings. A field that is missing or null is
// empty; perspectives may also be a list of strings.
func readFields(raw json.RawMessage, name string, fields map[string]*string) error {
	var parts map[string]json.RawMessage
	if kind(raw) != "an object" {
		return fmt.Errorf("%s is %s, not an object", name, kind(raw))
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return fmt.Errorf("%s is no valid JSON", name)
	}
	for key, field := range fields {
		value, at := parts[key], name+"."+key
		if absent(value) {
			continue
		}
		var err error
		if key == "perspectives" && kind(value) == "an array" {
			*field, err = readJoined(value, at)
		} else {
			*field, err = readString(value, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func readJoined(raw json.RawMessage, name string) (string, error) {
	list, err := readList(raw, name)
	if err != nil {
		return "", err
	}
	texts := make([]string, len(list))
	for i, one := range list {
		if texts[i], err = readString(one, fmt.Sprintf("%s[%d]", name, i)); err != nil {
			return "", err
		}
	}
	return strings.Join(texts, "; "), nil
}

// readList reads an array; a missing one is empty.
func readList(raw json.RawMessage, name string) ([]json.RawMessage, error) {
	if absent(raw) {
		return nil, nil
	}
	if kind(raw) != "an array" {
		return nil, fmt.Errorf("%s is %s, not an array", name, kind(raw))
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("%s is no valid JSON", name)
	}
	return list, nil
}

func readString(raw json.RawMessage, name string) (string, error) {
	var s string
	if kind(raw) != "a string" || json.Unmarshal(raw, &s) != nil {
		return "", fmt.Errorf("%s is %s, not a string", name, kind(raw))
	}
	s, _ = text.Clean(s)
	return strings.TrimSpace(s), nil
}

// absent says whether a value is missing or null.
func absent(raw json.RawMessage) bool { return len(raw) == 0 || kind(raw) == "null" }

// kind names the type of a JSON value.
func kind(raw json.RawMessage) string {
	switch trimmed := strings.TrimSpace(string(raw)); {
	case trimmed == "" || trimmed == "null":
		return "null"
	case trimmed[0] == '"':
		return "a string"
	case trimmed[0] == '[':
		return "an array"
	case trimmed[0] == '{':
		return "an object"
	case trimmed[0] == 't' || trimmed[0] == 'f':
		return "a boolean"
	}
	return "a number"
}
