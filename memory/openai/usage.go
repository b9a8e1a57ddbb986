package openai

import (
	"encoding/json"
	"unicode"

	"mcp-memory/memory"
)

// used is what an answer has cost: as the reply says, and as estimated where it
// says nothing.
func used(reported json.RawMessage, p memory.Prompt, answer string) memory.Usage {
	var counts struct {
		Prompt     float64 `json:"prompt_tokens"`
		Completion float64 `json:"completion_tokens"`
	}
	if json.Unmarshal(reported, &counts) != nil {
		counts.Prompt, counts.Completion = 0, 0
	}
	u := memory.Usage{Requests: 1, Input: count(counts.Prompt), Output: count(counts.Completion)}
	if u.Input == 0 {
		u.Input = estimate(p.System)
		for _, t := range p.Turns {
			u.Input += estimate(t.Content)
		}
	}
	if u.Output == 0 {
		u.Output = estimate(answer)
	}
	return u
}

// count is a number of tokens as an endpoint gave it; 0 when it is none.
func count(n float64) int {
	const most = 1 << 40
	if n < 0 || n > most {
		return 0
	}
	return int(n)
}

// estimate guesses how many tokens s has: one for each Chinese, Japanese or
// Korean character, one for each four others, rounded up.
func estimate(s string) int {
	var wide, others int
	for _, r := range s {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			wide++
		} else {
			others++
		}
	}
	return wide + (others+3)/4
}
