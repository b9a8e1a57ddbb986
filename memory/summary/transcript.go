package summary

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"mcp-memory/memory"
)

// timeLayout is how times stand in transcripts and summaries.
const timeLayout = "2006-01-02 15:04"

// How much of a text is shown, in characters, when it only gives the setting.
const (
	shownTool   = 600 // a tool's result
	shownCalls  = 400 // the calls of an assistant message
	shownSender = 100
)

// line is a message as a model sees it: one JSON object, so that nothing in a
// text can end the quotation.
type line struct {
	Role    memory.Role `json:"role"`
	Sender  string      `json:"sender,omitempty"`
	Tool    string      `json:"tool,omitempty"`
	Time    string      `json:"time"`
	Part    string      `json:"part,omitempty"` // "characters 1 to 900 of 2000"
	Text    string      `json:"text"`
	Calls   string      `json:"tool_calls,omitempty"`
	LeftOut string      `json:"left_out,omitempty"` // of text and calls together
}

// describe is the line of a message without its text.
func describe(m *memory.Message, loc *time.Location) line {
	l := line{Role: m.Role, Time: m.SentAt.In(loc).Format(timeLayout)}
	l.Sender, _ = shorten(m.Sender, shownSender)
	l.Tool, _ = shorten(m.ToolName, shownSender)
	return l
}

// item renders what comes after offset bytes of a message. A tool's part is
// shortened: it is long and gives the setting only.
func (e *Engine) item(m memory.Message, offset int) item {
	l := describe(&m, e.location)
	var text, calls int
	l.Text = m.Content[offset:]
	if m.Role == memory.RoleTool {
		l.Text, text = shorten(l.Text, shownTool)
	}
	l.Calls, calls = shorten(string(m.ToolCalls), shownCalls)
	if text+calls > 0 {
		l.LeftOut = fmt.Sprintf("%d characters", text+calls)
	}
	if offset > 0 {
		done, all := utf8.RuneCountInString(m.Content[:offset]), utf8.RuneCountInString(m.Content)
		l.Part = partLabel(done+1, all, all)
	}
	it := item{message: m, offset: offset, line: encode(l)}
	it.runes = utf8.RuneCountInString(it.line) + 1
	return it
}

func partLabel(first, last, all int) string {
	return fmt.Sprintf("characters %d to %d of %d", first, last, all)
}

// split takes a part off the front of an item, of at most so many characters as
// shown; ok is false when there is no room for a part worth showing, or when the
// item cannot be split. Tool calls and what else is beside the text come with the
// last part.
func (e *Engine) split(it item, room int) (part, rest item, ok bool) {
	m := &it.message
	all := utf8.RuneCountInString(m.Content)
	first := utf8.RuneCountInString(m.Content[:it.offset]) + 1
	l := describe(m, e.location)
	l.Part = partLabel(all, all, all) // no longer than this
	room -= utf8.RuneCountInString(encode(l)) + 1
	length := fitting(m.Content[it.offset:], room)
	if m.Role == memory.RoleTool || room < LeastRunes/8 || length == 0 || it.offset+length == len(m.Content) {
		return item{}, item{}, false
	}
	l.Text = m.Content[it.offset : it.offset+length]
	l.Part = partLabel(first, first+utf8.RuneCountInString(l.Text)-1, all)
	part = item{message: *m, offset: it.offset, line: encode(l)}
	part.runes = utf8.RuneCountInString(part.line) + 1
	return part, e.item(*m, it.offset+length), true
}

// fitting is how many bytes of a text fit into so many characters of a JSON
// string. It ends after a line or a word when one ends near.
func fitting(s string, room int) int {
	end := len(s)
	for i, r := range s {
		if room -= shownRunes(r); room < 0 {
			end = i
			break
		}
	}
	if end == len(s) {
		return end
	}
	near := end - end/8
	if i := strings.LastIndexByte(s[near:end], '\n'); i >= 0 {
		return near + i + 1
	}
	if i := strings.LastIndexByte(s[near:end], ' '); i >= 0 {
		return near + i + 1
	}
	return end
}

// shownRunes is how many characters a character takes inside a JSON string.
func shownRunes(r rune) int {
	switch {
	case r == '"' || r == '\\' || r == '\n' || r == '\r' || r == '\t':
		return 2
	case r < ' ' || r == '\u2028' || r == '\u2029' || r == utf8.RuneError:
		return 6
	}
	return 1
}

// shorten cuts the middle out of a text of more than max characters: two thirds
// of what stays are from its beginning. It returns how many characters went.
func shorten(s string, max int) (short string, leftOut int) {
	if len(s) <= max {
		return s, 0
	}
	n := utf8.RuneCountInString(s)
	if n <= max {
		return s, 0
	}
	head, tail := max*2/3, max-max*2/3
	return firstRunes(s, head) + " … " + s[len(firstRunes(s, n-tail)):], n - max
}

// firstRunes are the first n characters of s.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// encode writes a value as one line of JSON, characters as they are.
func encode(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "{}" // the values here are structs of strings, numbers and lists of them: they always encode
	}
	return strings.TrimSuffix(b.String(), "\n")
}
