package lessons

import (
	"crypto/sha256"
	"encoding/binary"
	"regexp"
	"strings"

	"mcp-memory/memory/text"
)

// chance matches what differs from one occurrence of an error to the next and says
// nothing about it: ids, times, addresses of the net and of the memory.
var chance = [...]*regexp.Regexp{
	regexp.MustCompile(`(?i)\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`),
	regexp.MustCompile(`\b\d{4}[-/]\d{2}[-/]\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?`),
	regexp.MustCompile(`\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b`),
	regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>()（）「」，。：；]+`),
	regexp.MustCompile(`\b0[xX][0-9a-fA-F]+\b`),
}

// paths matches names of files with folders before them or lines after them: the
// folders are the first group, the name is the second.
var paths = [...]*regexp.Regexp{
	regexp.MustCompile(`\b([A-Za-z]:\\(?:[^\s"'<>|:\\]*\\)*)([^\s"'<>|:\\]*)`),
	regexp.MustCompile("\\B((?:~|\\.{1,2})?/(?:[^\\s\"'`<>|:;,/()（）「」，。：；]+/)*)([^\\s\"'`<>|:;,/()（）「」，。：；]+)(?::\\d+)*"),
	regexp.MustCompile(`((?:[\w.-]+/)+)([\w.-]*\.\w{1,5})\b(?::\d+)*`),
	regexp.MustCompile(`()\b([\w.-]*\w\.[A-Za-z]\w{0,4}):\d+(?::\d+)?\b`),
}

// hash matches what may be a commit or a digest; only with a digit in it is it one.
var hash = regexp.MustCompile(`\b[0-9a-f]{7,64}\b`)

// particular matches what an error is about this time: names in quotes, and
// numbers. The first group, where there is one, stays.
var particular = [...]*regexp.Regexp{
	regexp.MustCompile(`"[^"\n]{0,200}"`),
	regexp.MustCompile("`[^`\n]{0,200}`"),
	regexp.MustCompile(`((?:^|[^\w]))'[^'\n]{0,200}'`),
	regexp.MustCompile(`“[^”\n]{0,200}”|‘[^’\n]{0,200}’|«[^»\n]{0,200}»|「[^」\n]{0,200}」|『[^』\n]{0,200}』`),
	regexp.MustCompile(`\b\d+(?:[.,:]\d+)*\b`),
}

// bare is an error text without what differs from one occurrence to the next by
// chance. Of a path it leaves what stands for the name of the file, "$2".
func bare(s, name string) string {
	for _, pattern := range chance {
		s = pattern.ReplaceAllString(s, " ")
	}
	for _, pattern := range paths {
		s = pattern.ReplaceAllString(s, " "+name+" ")
	}
	return hash.ReplaceAllStringFunc(s, func(word string) string {
		if strings.ContainsAny(word, "0123456789") {
			return " "
		}
		return word
	})
}

// class names the kind of an error: two occurrences of one error have the same
// class, whatever they were about. It consists of the words of the symptom, without
// chance parts, quoted names and numbers. A symptom of nothing else is a class by
// itself.
func class(symptom string) string {
	words := bare(symptom, "")
	for _, pattern := range particular {
		words = pattern.ReplaceAllString(words, "$1 ")
	}
	for _, s := range []string{words, symptom} {
		if c := tokens(s); c != "" {
			return c
		}
	}
	return strings.Join(strings.Fields(symptom), " ")
}

// tokens is a text as the index sees it: folded, stemmed, without signs.
func tokens(s string) string {
	var list []string
	for t := range text.Tokens(s) {
		list = append(list, t.Text)
	}
	return strings.Join(list, " ")
}

// key is the duplicate key of a lesson: the same tool, class of error and action
// are the same lesson.
func key(tool, symptom, action string) []byte {
	h := sha256.New()
	for _, s := range []string{fold(tool), class(symptom), said(action)} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	return h.Sum(nil)[:16]
}

// said is what an action says, however it is spelled: an action of signs alone is
// taken as it stands.
func said(action string) string {
	if t := tokens(action); t != "" {
		return t
	}
	return strings.Join(strings.Fields(action), " ")
}

// fold is the name of a tool as it is compared: case and width do not count.
func fold(tool string) string { return strings.Join(strings.Fields(text.Fold(tool)), " ") }
