package lessons

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// Outcome is how the work on an error ended.
type Outcome string

// The outcomes. Only what was resolved is a lesson.
const (
	Resolved  Outcome = "resolved"
	Failed    Outcome = "failed"
	Abandoned Outcome = "abandoned"
)

// The limits of a lesson, in characters; of keywords also their number.
const (
	MaxTool     = 200
	MaxText     = 4000 // symptom, cause and action, each
	MaxKeyword  = 100
	MaxKeywords = 20
)

// Draft is a lesson as an agent hands it in, before it is cleaned and masked.
type Draft struct {
	Tool     string
	Keywords []string // words to find it by; blank ones and repeats are left out
	Symptom  string
	Cause    string // "" = not known
	Action   string
	Outcome  Outcome
	Session  string // in which the error was solved; "" = none
	Source   string // what writes: "mcp", "cli", …
}

// Written is what became of a draft.
type Written struct {
	Stored  bool
	ID      int64  // of the lesson; 0 = not stored
	Updated bool   // the lesson was known
	Masked  int    // secrets that were masked
	Reason  string // why it was not stored
}

// Write stores a lesson. The same lesson again (the same tool, class of error and
// action) replaces what was said of it before and renews it. An error that was not
// solved leaves no trace. What is missing or too long is ErrInvalid.
func (s *Lessons) Write(ctx context.Context, d Draft) (Written, error) {
	switch d.Outcome {
	case Resolved:
	case Failed, Abandoned:
		return Written{Reason: "nothing is kept of an error that was not solved (outcome " + string(d.Outcome) + ")"}, nil
	default:
		return Written{}, memory.Invalidf("outcome must be one of resolved, failed, abandoned; got %q", d.Outcome)
	}
	if err := d.check(); err != nil {
		return Written{}, err
	}
	done := Written{Stored: true}
	now := s.now().UTC()
	saved, err := s.store.SaveLesson(ctx, s.entry(s.lesson(&d, &done), now.Add(s.life)), now)
	if err != nil {
		return Written{}, err
	}
	done.ID, done.Updated = saved.ID, saved.Updated
	return done, nil
}

// check refuses what cannot be stored.
func (d *Draft) check() error {
	for _, f := range []struct {
		name, value string
		max         int
		optional    bool
	}{
		{"tool_name", d.Tool, MaxTool, false}, {"symptom", d.Symptom, MaxText, false},
		{"cause", d.Cause, MaxText, true}, {"action", d.Action, MaxText, false},
	} {
		if strings.TrimSpace(f.value) == "" && !f.optional {
			return memory.Invalidf("%s is empty", f.name)
		}
		if err := fits(f.name, f.value, f.max); err != nil {
			return err
		}
	}
	if len(d.Keywords) > MaxKeywords {
		return memory.Invalidf("keywords has %d entries: at most %d are kept", len(d.Keywords), MaxKeywords)
	}
	for _, k := range d.Keywords {
		if err := fits("a keyword", k, MaxKeyword); err != nil {
			return err
		}
	}
	if d.Session == "" {
		return nil
	}
	return memory.CheckSessionID(d.Session)
}

// fits refuses a value that is too long.
func fits(name, value string, max int) error {
	if n := utf8.RuneCountInString(value); n > max {
		return memory.Invalidf("%s has %d characters: at most %d are kept; say it in fewer words", name, n, max)
	}
	return nil
}

// lesson cleans and masks a draft.
func (s *Lessons) lesson(d *Draft, done *Written) memory.Lesson {
	l := memory.Lesson{
		Tool:    oneLine(s.clean(d.Tool, done)),
		Symptom: strings.TrimSpace(s.clean(d.Symptom, done)),
		Cause:   strings.TrimSpace(s.clean(d.Cause, done)),
		Action:  strings.TrimSpace(s.clean(d.Action, done)),
		Session: d.Session,
		Source:  d.Source,
	}
	for _, k := range d.Keywords {
		if k = oneLine(s.clean(k, done)); k != "" && !slices.Contains(l.Keywords, k) {
			l.Keywords = append(l.Keywords, k)
		}
	}
	return l
}

// entry makes a lesson ready for the store.
func (s *Lessons) entry(l memory.Lesson, expires time.Time) memory.LessonEntry {
	l.ExpiresAt = expires
	e := memory.LessonEntry{Lesson: l, ToolKey: fold(l.Tool), Key: key(l.Tool, l.Symptom, l.Action)}
	for term := range s.portrait(&l).all {
		e.Tokens = append(e.Tokens, term)
	}
	slices.Sort(e.Tokens)
	return e
}

func (s *Lessons) clean(value string, done *Written) string {
	value, _ = text.Clean(value)
	if s.masker == nil {
		return value
	}
	value, found := s.masker.Mask(value)
	done.Masked += found
	return value
}

// oneLine lays a name flat.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
