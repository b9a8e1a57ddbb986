package notes

import (
	"path"
	"strings"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/rank"
	"mcp-memory/memory/text"
)

// fileHead are the tokens of what stands over a whole file: its name, and the day
// in words of a daily one.
func fileHead(f memory.NoteFile) []string {
	head := text.Terms(strings.TrimSuffix(f.Path, path.Ext(f.Path)))
	if day, ok := dayOf(f); ok {
		head = append(head, rank.Head("", day)...)
	}
	return head
}

// dayOf is the day of a daily note, as a date that is nowhere in particular.
func dayOf(f memory.NoteFile) (time.Time, bool) {
	source, name := sourceOf(f.Path)
	if source != memory.NoteDaily {
		return time.Time{}, false
	}
	day, err := ParseDay(name)
	return day, err == nil
}

// analyse makes the index entry of a chunk. Its secrets are masked: what people
// write into their files stays there.
func (n *Notes) analyse(f memory.NoteFile, ord int, c chunk, head []string) memory.NoteChunk {
	heading, body := n.mask(c.heading), n.mask(c.text)
	e := memory.NoteChunk{
		Path: f.Path, Ord: ord, StartLine: c.start, EndLine: c.end,
		Heading: heading, Text: body, Hash: hash([]byte(heading), []byte(body)), Head: head,
	}
	whole := embedded(heading, body)
	for t := range text.Tokens(whole) {
		e.Tokens = append(e.Tokens, t.Text)
	}
	day, _ := dayOf(f)
	features := rank.Describe(whole, day)
	e.Features, e.Terms = features.Encode(), features.Length
	return e
}

// embedded is the text by which a chunk is found, by its words and its vector.
func embedded(heading, body string) string {
	if heading == "" {
		return body
	}
	return heading + "\n" + body
}
