package budget

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Step is a tool step as text: what the assistant said with it, and its calls.
type Step struct {
	Said  string
	Calls []Call
}

// Call is one call of a Step.
type Call struct {
	Name      string
	Arguments string // as JSON
	Result    string
	Answered  bool // false = there is no result
}

// notePrefix begins the text of a step; the names of its tools follow.
const notePrefix = "[Earlier tool step: "

// How much of a step's parts its short text keeps, in characters.
const (
	shortArguments = 240
	shortResult    = 320
	shortSaid      = 240
	shortTodo      = 4000 // of the arguments of write_todo, which are the list
	mostCalls      = 12   // of one step
)

// stepOf is the step of a unit.
func (r *run) stepOf(u *unit) Step {
	var s Step
	var said []string
	for _, i := range u.parts {
		m := &r.messages[i]
		if m.role == roleAssistant && m.text != "" {
			said = append(said, m.text)
		}
		for _, c := range m.calls {
			s.Calls = append(s.Calls, Call{Name: c.name, Arguments: c.arguments, Result: c.result, Answered: c.answered})
		}
	}
	s.Said = strings.Join(said, "\n")
	return s
}

// names lists the tools of a step, each once.
func (s Step) names() []string {
	var names []string
	for _, c := range s.Calls {
		if name := strings.Join(strings.Fields(strings.ReplaceAll(c.Name, "]", " ")), " "); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Text is the whole of a step as text, for a model that cannot read its calls.
func (s Step) Text() string {
	whole := func(t string, _ int) string { return t }
	return s.render(whole, len(s.Calls))
}

// Short is the text of a step that keeps what it was about: each tool with its
// arguments, and how the result begins and ends.
func (s Step) Short() string { return s.render(clip, mostCalls) }

// render writes a step, each text of it through cut, and at most so many calls.
func (s Step) render(cut func(text string, max int) string, calls int) string {
	var b strings.Builder
	b.WriteString(notePrefix + strings.Join(s.names(), ", ") + "]")
	if s.Said != "" {
		b.WriteString("\n" + cut(s.Said, shortSaid))
	}
	for i, c := range s.Calls {
		if i == calls {
			fmt.Fprintf(&b, "\nand %d more calls", len(s.Calls)-calls)
			break
		}
		room := shortArguments
		if strings.HasSuffix(c.Name, todoTool) {
			room = shortTodo
		}
		b.WriteString("\n" + c.Name + " " + cut(c.Arguments, room))
		if c.Answered {
			b.WriteString("\nResult: " + cut(c.Result, shortResult))
		} else {
			b.WriteString("\nNo result.")
		}
	}
	return b.String()
}

// clip keeps the beginning and the end of a text, about max characters of it, and
// says how much is left out between. It cuts at lines where one ends near.
func clip(s string, max int) string {
	n := utf8.RuneCountInString(s)
	if n <= max+max/4 { // what is left out must be worth the words
		return s
	}
	head := tidyEnd(s[:offset(s, max*2/3)])
	tail := tidyStart(s[last(s, max/3):])
	left := n - utf8.RuneCountInString(head) - utf8.RuneCountInString(tail)
	return fmt.Sprintf("%s … (%d characters left out) … %s", head, left, tail)
}

// offset is where the n-th character of s begins.
func offset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// last is where the last n characters of s begin.
func last(s string, n int) int {
	end := len(s)
	for ; n > 0 && end > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:end])
		end -= size
	}
	return end
}

// tidyEnd ends a beginning after its last line, if that leaves half of it.
func tidyEnd(s string) string {
	if i := strings.LastIndexByte(s, '\n'); i >= len(s)/2 {
		s = s[:i]
	}
	return strings.TrimSpace(s)
}

// tidyStart begins an end with its first whole line, if that leaves half of it.
func tidyStart(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 && i < len(s)/2 {
		s = s[i+1:]
	}
	return strings.TrimSpace(s)
}

// shortNote is the short text of a unit: of a step, or of a note that is still
// long.
func (r *run) shortNote(u *unit) string {
	if u.kind == step {
		return r.stepOf(u).Short()
	}
	room := shortSaid + shortArguments + shortResult
	if u.todo {
		room = shortTodo + shortResult
	}
	header, rest, _ := strings.Cut(r.messages[u.parts[0]].text, "\n")
	return header + "\n" + clip(rest, room)
}
