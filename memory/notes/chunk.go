package notes

import (
	"strings"
	"unicode/utf8"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// chunkTokens is how long a chunk may be, in tokens of a language model as far as
// they can be estimated: about 1,200 Latin letters or 300 Chinese characters. A
// longer one would bury what it is found for.
const chunkTokens = 300

// chunk is a stretch of a file, before it is analysed.
type chunk struct {
	heading    string // the headings that stand over it, "A > B"; "" = none
	start, end int    // lines, from 1, both inclusive
	text       string
}

// cut takes a Markdown text apart: at every heading, and where a section is long
// at the ends of its paragraphs, else of its lines, else of its sentences.
// Headings in fenced code are code. Nothing but blank lines is left out, and the
// marks of our own sections.
func cut(content string) []chunk {
	c := cutter{}
	line := 0
	for s := range strings.Lines(content) {
		line++
		c.line(line, strings.TrimRight(strings.TrimPrefix(s, "\ufeff"), "\r\n"))
	}
	c.flush()
	return c.done
}

// cutter reads a text line by line.
type cutter struct {
	done  []chunk
	above []title // the headings that the next line stands under
	fence string  // what ends the code that is being read; "" = none is
	key   bool    // in a private key, which must stay whole to be masked

	heading    string // of the chunk that is being read
	start, end int    // its first and last line that are not blank; start 0 = it is empty
	lines      []string
	tokens     int
	body       bool // it has more than headings
}

type title struct {
	level int
	text  string
}

func (c *cutter) line(number int, s string) {
	level, name := atx(s)
	switch {
	case strings.HasPrefix(s, "<!-- mcp-memory "):
		return
	case c.fence == "" && !c.key && level > 0:
		c.under(number, s, level, name)
		return
	case strings.TrimSpace(s) == "":
		if c.tokens > chunkTokens*2/3 && !c.key {
			c.flush()
		} else if c.start > 0 {
			c.lines = append(c.lines, "")
		}
		return
	}
	whole := c.key // the last line of a key belongs to it
	c.block(s)
	whole = whole || c.key
	size := tokens(s)
	if c.tokens+size > chunkTokens && c.body && !whole {
		c.flush()
	}
	if size > chunkTokens && !whole {
		c.long(number, s, size)
		return
	}
	c.add(number, s, size)
	c.body = true
}

// under begins a section. A few headings with nothing between them stay together.
func (c *cutter) under(number int, s string, level int, name string) {
	if c.body || c.tokens > chunkTokens {
		c.flush()
	}
	for len(c.above) > 0 && c.above[len(c.above)-1].level >= level {
		c.above = c.above[:len(c.above)-1]
	}
	c.add(number, s, tokens(s))
	c.above = append(c.above, title{level, name})
}

// add takes a line into the chunk.
func (c *cutter) add(number int, s string, size int) {
	if c.start == 0 {
		c.start, c.heading, c.lines = number, c.path(), nil
	}
	c.lines = append(c.lines, s)
	c.end = number
	c.tokens += size
}

// long makes chunks of a line that is too long for one.
func (c *cutter) long(number int, s string, size int) {
	head := c.lines // headings right above it
	start := number
	if c.start > 0 {
		start = c.start
	} else {
		c.heading = c.path()
	}
	limit := utf8.RuneCountInString(s) * chunkTokens / size
	for i, span := range text.Passages(s, limit) {
		part := chunk{heading: c.heading, start: number, end: number, text: s[span.Start:span.End]}
		if i == 0 {
			part.start, part.text = start, strings.Join(append(head, part.text), "\n")
			c.heading = c.path()
		}
		c.done = append(c.done, part)
	}
	c.reset()
}

// flush ends the chunk that is being read.
func (c *cutter) flush() {
	if c.start > 0 {
		body := strings.TrimRight(strings.Join(c.lines, "\n"), "\n")
		c.done = append(c.done, chunk{heading: c.heading, start: c.start, end: c.end, text: body})
	}
	c.reset()
}

func (c *cutter) reset() {
	c.start, c.end, c.lines, c.tokens, c.body = 0, 0, nil, 0, false
}

// path writes the headings above.
func (c *cutter) path() string {
	names := make([]string, len(c.above))
	for i, t := range c.above {
		names[i] = t.text
	}
	return strings.Join(names, " > ")
}

// block follows where fenced code and private keys begin and end.
func (c *cutter) block(s string) {
	trimmed := strings.TrimSpace(s)
	switch {
	case c.fence != "":
		if strings.HasPrefix(trimmed, c.fence) && strings.Trim(trimmed, c.fence[:1]) == "" {
			c.fence = ""
		}
	case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
		c.fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, trimmed[:1]))]
	}
	if strings.Contains(s, "PRIVATE KEY") && strings.Contains(s, "-----") {
		c.key = strings.Contains(s, "BEGIN") && c.tokens < maxKeyTokens
	} else if c.tokens > maxKeyTokens {
		c.key = false
	}
}

// maxKeyTokens bounds a private key that has no end.
const maxKeyTokens = 20 * chunkTokens

// atx reads a heading like "## Name"; level 0 = it is none.
func atx(s string) (level int, name string) {
	rest := strings.TrimLeft(s, "#")
	level = len(s) - len(rest)
	if level == 0 || level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	return level, strings.TrimSpace(strings.TrimRight(strings.TrimSpace(rest), "#"))
}

// tokens estimates how many tokens of a language model a text has: four letters
// of a script that writes spaces make one, and each character of another.
func tokens(s string) int {
	letters, others := 0, 0
	for _, r := range s {
		if r < 0x2E80 {
			letters++
		} else {
			others++
		}
	}
	return (letters+3)/4 + others
}

// describe makes index entries of the chunks of a file.
func (n *Notes) describe(f memory.NoteFile, content string) []memory.NoteChunk {
	head := fileHead(f)
	list := []memory.NoteChunk{}
	for i, c := range cut(content) {
		list = append(list, n.analyse(f, i, c, head))
	}
	return list
}
