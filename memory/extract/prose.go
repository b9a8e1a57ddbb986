package extract

import (
	"iter"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/memory/text"
)

// What is read of one message: the beginning and the end, where people say what
// they want; what lies between is most often pasted.
const (
	maxHead = 16 << 10
	maxTail = 8 << 10
)

// prose returns what somebody wrote in a message: without code blocks, quoted
// lines and pasted logs. Of a long text it holds the
// first 16 KB and the last 8 KB. Lines that an editor broke are one again.
func prose(s string) string {
	var kept []text.Span
	total := 0
	for line := range written(s) {
		kept = append(kept, line)
		total += line.End - line.Start
	}
	if total > maxHead+maxTail {
		kept = ends(s, kept)
	}
	var b strings.Builder
	for _, line := range kept {
		b.WriteString(lineBreak(b.String(), s[line.Start:line.End]))
		b.WriteString(s[line.Start:line.End])
	}
	return text.Visible(b.String())
}

// written gives the lines of s that are prose, without the blanks around them.
func written(s string) iter.Seq[text.Span] {
	return func(yield func(text.Span) bool) {
		fence := ""
		for start := 0; start < len(s); {
			end := len(s)
			if i := strings.IndexByte(s[start:], '\n'); i >= 0 {
				end = start + i
			}
			line := trimmed(s, start, end)
			mark := fenceOf(s[line.Start:line.End])
			switch {
			case mark != "" && fence == "":
				fence = mark
			case mark != "" && strings.HasPrefix(mark, fence):
				fence = ""
			case fence == "" && line.End > line.Start && !pasted(s[line.Start:line.End]):
				if !yield(line) {
					return
				}
			}
			start = end + 1
		}
	}
}

// fenceOf returns the marks that open or close a block of code, or "".
func fenceOf(line string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) {
			return mark
		}
	}
	return ""
}

// ends returns the spans of the first maxHead and the last maxTail bytes.
func ends(s string, lines []text.Span) []text.Span {
	var head, tail []text.Span
	room := maxHead
	for len(lines) > 0 && room > 0 {
		line := lines[0]
		if size := line.End - line.Start; size > room {
			head = append(head, text.Span{Start: line.Start, End: runeStart(s, line.Start+room)})
			lines[0].Start = head[len(head)-1].End
			break
		}
		head, lines, room = append(head, line), lines[1:], room-(line.End-line.Start)
	}
	room = maxTail
	for len(lines) > 0 && room > 0 {
		line := lines[len(lines)-1]
		line.Start = runeStart(s, max(line.Start, line.End-room))
		tail, lines, room = append(tail, line), lines[:len(lines)-1], room-(line.End-line.Start)
	}
	for i := range tail {
		head = append(head, tail[len(tail)-1-i])
	}
	return head
}

// runeStart moves a place in s back to the beginning of a character.
func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// lineBreak returns what joins a line to the text before it: a blank when an
// editor broke the line there, a line break otherwise, nothing at the start.
func lineBreak(before, line string) string {
	if before == "" {
		return ""
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(line)
	length := len(before) - strings.LastIndexByte(before, '\n') - 1
	if length >= minBroken && unicode.IsLower(first) && (unicode.IsLetter(last) || last == ',') {
		return " "
	}
	return "\n"
}

// minBroken is the length in bytes from which a line may be one that an editor
// broke.
const minBroken = 40

// pasted says whether a line is a quotation, a log or code rather than written
// for the reader.
func pasted(line string) bool {
	if line[0] == '>' || !strings.ContainsFunc(line, isWordRune) || strings.HasPrefix(line, "$ ") || strings.HasPrefix(line, "diff --git") {
		return true
	}
	start := line[:runeStart(line, min(len(line), maxLookedAt))]
	return logged.MatchString(start) || strings.HasPrefix(line, "@@ ") || codeLike(start)
}

// maxLookedAt is how many bytes of a line tell whether it is pasted.
const maxLookedAt = 400

// logged is the beginning of a line that a program wrote: a time, a level, a
// frame of a stack.
var logged = regexp.MustCompile(`^(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b[\]:\s]|` +
	`goroutine \d+|Traceback |File "|at [\w.$<>/]+\(|panic: |\w+(?:\.\w+)*(?:Error|Exception): |[\w./-]+\.\w{1,4}:\d+(?::\d+)?:? )`)

// codeLike says whether a line has more signs than prose has, or no blank where
// words of its script would have some.
func codeLike(line string) bool {
	signs, length, run, longest := 0, 0, 0, 0
	for _, r := range line {
		length++
		if strings.ContainsRune("{}[]()<>=;_/\\|&$#*+@^~", r) {
			signs++
		}
		if run++; unicode.IsSpace(r) || r >= 0x2E80 {
			run = 0
		}
		longest = max(longest, run)
	}
	if strings.HasSuffix(line, ";") || strings.HasSuffix(line, "{") || strings.HasSuffix(line, "}") {
		return signs > 1
	}
	return signs*4 > length && length > 3 || longest > 200
}

// trimmed returns the span s[start:end] without the blanks around it.
func trimmed(s string, start, end int) text.Span {
	start += len(s[start:end]) - len(strings.TrimLeftFunc(s[start:end], unicode.IsSpace))
	return text.Span{Start: start, End: start + len(strings.TrimRightFunc(s[start:end], unicode.IsSpace))}
}
