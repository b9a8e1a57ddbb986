package lessons

import (
	"math"
	"regexp"
	"strings"

	"mcp-memory/memory"
	"mcp-memory/memory/text"
)

// The least likeness of what is found, measured on testdata (docs/lessons.md). The
// name of the tool is evidence too, so that less is asked of its own lessons.
const (
	sameTool  = .30
	otherTool = .40
)

// The weights of a term that two errors share. What nearly every error says counts
// little; so does the name of a tool, which is compared by itself.
const (
	commonWeight = .25
	numberWeight = .5
	causeShare   = .5 // of the weight, for a word of the cause alone
)

// keywordShare is what is added when an error has all keywords of a lesson.
const keywordShare = .25

// commonWords are words of errors in general.
var commonWords = [...]string{
	"error errors err fail failed fails failure failing fatal exception traceback panic warning warn info message",
	"cannot could can unable invalid problem issue trying try tried found exist exists",
	"code exit status line file files name value type command process request response server project user app application node",
	"run running get make set use used using new while when after because",
	"错误 失败 无法 报错 出错 异常 问题 提示 不能 发生 进行",
	"錯誤 失敗 無法 報錯 出錯 異常 問題",
	"エラー に失敗しました が失敗する できません できない ありません しました している されています されている するため なります",
}

// commonTerms are the terms of commonWords.
func commonTerms() map[string]bool {
	common := map[string]bool{}
	for _, words := range commonWords {
		for _, t := range text.Terms(words) {
			common[t] = true
		}
	}
	return common
}

// weight says how much a term tells of an error.
func (s *Lessons) weight(term string) float64 {
	switch {
	case s.common[term]:
		return commonWeight
	case strings.Trim(term, "0123456789") == "":
		return numberWeight
	}
	return 1
}

// terms are the distinct terms of an error text with their weights: abbreviations
// spelled out, without what chance has put there.
func (s *Lessons) terms(texts ...string) map[string]float64 {
	terms := map[string]float64{}
	for _, one := range texts {
		for _, t := range text.Terms(spell(bare(one, "$2"))) {
			terms[t] = s.weight(t)
		}
	}
	return terms
}

// portrait is a lesson as errors are compared with it.
type portrait struct {
	symptom  map[string]float64
	keywords map[string]float64
	all      map[string]float64 // with tool and cause, at their lower weights
}

func (s *Lessons) portrait(l *memory.Lesson) portrait {
	p := portrait{symptom: s.terms(l.Symptom), keywords: s.terms(l.Keywords...), all: map[string]float64{}}
	for t, w := range s.terms(l.Cause) {
		p.all[t] = w * causeShare
	}
	for _, part := range []map[string]float64{p.symptom, p.keywords} {
		for t, w := range part {
			p.all[t] = w
		}
	}
	for t := range s.terms(l.Tool) {
		for _, part := range []map[string]float64{p.symptom, p.keywords} {
			if _, ok := part[t]; ok {
				part[t] = commonWeight
			}
		}
		p.all[t] = commonWeight
	}
	return p
}

// likeness says how much of an error and a lesson is the same: the weight of the
// shared terms over that of the shorter text, the longer one's counting a little
// (a mean of both, 3 : 1), plus one, so that two words of two are less than ten of
// ten. The keywords that occur bring it nearer to 1.
func likeness(query map[string]float64, p portrait) float64 {
	long, short := sum(query), sum(p.symptom)
	if long < short {
		long, short = short, long
	}
	shared := 0.
	for t := range query {
		shared += min(query[t], p.all[t])
	}
	like := min(1, shared/(1+math.Pow(short, .75)*math.Pow(long, .25)))
	return like + keywordShare*hit(query, p.keywords, like)*(1-like)
}

// hit is the share of the keywords that occur in an error, less when all of them
// are common words. A lesson without keywords is none the worse for that: its share
// is what it is expected to be.
func hit(query, keywords map[string]float64, expected float64) float64 {
	if len(keywords) == 0 {
		return expected
	}
	there := 0.
	for t, w := range keywords {
		if _, ok := query[t]; ok {
			there += w
		}
	}
	return there / max(1, sum(keywords))
}

func sum(terms map[string]float64) (total float64) {
	for _, w := range terms {
		total += w
	}
	return total
}

// What is looked at of an error: of a text over maxQuery bytes its beginning and
// its end; of one with more than longQuery terms the lines that name an error, and
// the last one, in which many programs say what it is.
const (
	maxQuery  = 32 << 10
	longQuery = 40
)

var cue = regexp.MustCompile(`(?i)error|exception|fatal|fail|denied|refused|cannot|can't|could not|unable|panic|not found|` +
	`错误|失败|无法|出错|異常|异常|錯誤|失敗|無法|エラー|例外|ません`)

// gist is what is said of the error itself in what a tool printed.
func gist(s string) string {
	if len(s) > maxQuery {
		s = strings.ToValidUTF8(s[:maxQuery/2], "") + "\n" + strings.ToValidUTF8(s[len(s)-maxQuery/2:], "")
	}
	s = strings.TrimSpace(s)
	if len(text.Terms(s)) <= longQuery {
		return s
	}
	lines := strings.Split(s, "\n")
	var kept []string
	for i, line := range lines {
		if cue.MatchString(line) || i == len(lines)-1 {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
