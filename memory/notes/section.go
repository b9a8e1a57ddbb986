package notes

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// Section is a part of a day's note: what was said in a session from one message
// to another.
type Section struct {
	Session string
	From    int64 // the first message, by Seq
	To      int64 // the last one
	Text    string
}

// AppendSection writes a section into the note of a day (YYYY-MM-DD), exactly
// once however often it is asked for and whoever is killed meanwhile; false = it
// was there already, or a person has taken it out since. The text is masked.
//
// The section says in the file what it is, so that one which was written just
// before a crash is known again although the store has not heard of it.
func (n *Notes) AppendSection(ctx context.Context, day string, s Section) (bool, error) {
	if _, err := ParseDay(day); err != nil {
		return false, err
	}
	s.Text, _ = text.Clean(s.Text)
	if s.Text = strings.TrimSpace(n.mask(s.Text)); s.Text == "" {
		return false, memory.Invalidf("the section is empty")
	}
	if len(s.Text) > MaxWriteBytes {
		return false, memory.Invalidf("the section has %d bytes: at most %d (1 MiB) are written at once", len(s.Text), MaxWriteBytes)
	}
	mark, err := s.mark()
	if err != nil {
		return false, err
	}
	key := memory.DailySection{Day: day, Session: s.Session, From: s.From, To: s.To}
	wrote := false
	err = n.locked(ctx, func(ctx context.Context) error {
		known, err := n.c.Store.HasDailySection(ctx, key)
		if err != nil || known {
			return err
		}
		if wrote, err = n.writeSection(ctx, DailyPath(day), mark, s); err != nil {
			return err
		}
		return n.c.Store.AddDailySection(ctx, key)
	})
	return wrote && err == nil, err
}

// writeSection appends a section unless the file has it. It keeps no version:
// undo is for what somebody asked to be written.
func (n *Notes) writeSection(ctx context.Context, path, mark string, s Section) (wrote bool, err error) {
	put := func(ctx context.Context, path string, now, content []byte) (Written, error) {
		if !wrote {
			return Written{}, nil
		}
		return Written{}, n.c.Files.Write(ctx, path, now, content)
	}
	_, err = n.rewrite(ctx, path, put, func(now []byte) ([]byte, error) {
		if wrote = !bytes.Contains(now, []byte(mark)); !wrote {
			return now, nil
		}
		ends := lineEnds(now)
		next := beginning(path, now)
		if now != nil {
			next = appendText(next, ends, "\n")
		}
		return appendText(next, ends, s.heading()+"\n"+mark+"\n\n"+s.Text), nil
	})
	if wrote && err == nil {
		n.c.OnWrite()
	}
	return wrote, err
}

// heading is what a reader sees of where a section comes from.
func (s Section) heading() string {
	return fmt.Sprintf("## %s, messages %d–%d", strings.Join(strings.Fields(text.Visible(s.Session)), " "), s.From, s.To)
}

// mark is the line by which the section is known again. JSON writes > in another
// way, so that no session id ends the comment.
func (s Section) mark() (string, error) {
	b, err := json.Marshal(struct {
		Session string `json:"session"`
		From    int64  `json:"from"`
		To      int64  `json:"to"`
	}{s.Session, s.From, s.To})
	if err != nil {
		return "", fmt.Errorf("mark a section: %w", err)
	}
	return "<!-- mcp-memory " + string(b) + " -->", nil
}
