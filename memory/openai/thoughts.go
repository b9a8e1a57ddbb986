package openai

import (
	"regexp"
	"strings"
)

// A block of thoughts begins a line, so that a tag which an answer speaks of, in
// a sentence or in a string of JSON, is left alone.
var (
	thinks  = regexp.MustCompile(`(?im)^[ \t]*<think(?:ing)?>`)
	thought = regexp.MustCompile(`(?i)</think(?:ing)?>`)
	inLine  = regexp.MustCompile(`(?i)<think(?:ing)?>[^\n]*$`)
)

// withoutThoughts removes what a reasoning model thought before it answered:
// <think>…</think> and <thinking>…</thinking>, a block that is never closed, and
// all before a closing tag whose opening one the server has cut. The rest is
// trimmed.
func withoutThoughts(s string) string {
	for {
		s = strings.TrimSpace(s)
		begin := thinks.FindStringIndex(s)
		if end := unopened(s); end > 0 && (begin == nil || end <= begin[0]) {
			s = s[end:]
			continue
		}
		if begin == nil {
			return s
		}
		end := thought.FindStringIndex(s[begin[1]:])
		if end == nil {
			return strings.TrimSpace(s[:begin[0]])
		}
		s = s[:begin[0]] + s[begin[1]+end[1]:]
	}
}

// unopened is the end of the first closing tag that ends thoughts; 0 = there is
// none. It ends them when it begins a line, which no string of JSON can contain;
// elsewhere not when the answer is JSON, nor when the tag is in quotes or has an
// opening one in its line: then it is spoken of.
func unopened(s string) int {
	structured := strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[") || strings.HasPrefix(s, "```")
	for _, tag := range thought.FindAllStringIndex(s, -1) {
		before, after := s[:tag[0]], s[tag[1]:]
		begins := before == "" || strings.HasSuffix(strings.TrimRight(before, " \t"), "\n")
		if begins || !structured && !quoted(before, after) && !inLine.MatchString(before) {
			return tag[1]
		}
	}
	return 0
}

// quoted says whether there is a quotation mark on one side.
func quoted(before, after string) bool {
	const marks = "`\"'"
	return before != "" && strings.ContainsAny(before[len(before)-1:], marks) || after != "" && strings.ContainsAny(after[:1], marks)
}
