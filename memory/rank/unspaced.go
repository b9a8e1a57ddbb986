package rank

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// character is what the lexicon knows of a Chinese or Japanese character.
type character struct {
	self    bool     // the text speaks of its sender
	some    bool     // a number that is not said
	place   bool     // it may end the name of a place
	phrases []phrase // the time expressions that begin with it, longer ones first
}

// characters is the lexicon by character.
var characters = byCharacter()

func byCharacter() map[rune]character {
	table := map[rune]character{}
	mark := func(list string, set func(*character)) {
		for _, r := range list {
			c := table[r]
			set(&c)
			table[r] = c
		}
	}
	mark(selfCharacters, func(c *character) { c.self = true })
	mark(someCharacters, func(c *character) { c.some = true })
	mark(placeEndings, func(c *character) { c.place = true })
	for _, p := range phrases {
		first, _ := utf8.DecodeRuneInString(p.text)
		c := table[first]
		c.phrases = append(c.phrases, p)
		table[first] = c
	}
	for _, c := range table {
		slices.SortStableFunc(c.phrases, func(a, b phrase) int { return len(b.text) - len(a.text) })
	}
	return table
}

// unspaced looks at a run of Chinese or Japanese, in which nothing separates the
// words: at each character it tries the expressions that begin with it.
func (f *formReader) unspaced(s string) {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		c := characters[r]
		f.FirstPerson = f.FirstPerson || c.self
		if p, ok := startsWithPhrase(s[i:], c.phrases); ok {
			i += len(p.text)
			f.phrase(p, s[i:])
			continue
		}
		if width := f.numberAt(s[i:], r, c.some); width > 0 {
			i += width
			continue
		}
		i += size
		f.Place = f.Place || c.place && endsPlace(s, i, r)
	}
}

// startsWithPhrase returns the first of the phrases that s begins with.
func startsWithPhrase(s string, phrases []phrase) (phrase, bool) {
	for _, p := range phrases {
		if strings.HasPrefix(s, p.text) {
			return p, true
		}
	}
	return phrase{}, false
}

// phrase notes what a time expression means; rest is the text behind it, which
// may name the day of the week (上周五, 先週の金曜日).
func (f *formReader) phrase(p phrase, rest string) {
	if p.unit == noSpan {
		f.Time = true
		return
	}
	meant := p.unit.shifted(f.sent, p.shift)
	if p.unit == weeks {
		rest = strings.TrimPrefix(rest, "の")
		name, _ := utf8.DecodeRuneInString(rest)
		day, ok := weekdayCharacters[name]
		switch {
		case name == '末':
			meant.from += 5
		case ok && !startsWithAny(rest, noWeekdays):
			meant.from += civil(day)
			meant.to = meant.from
		}
	}
	f.says(meant)
}

// numberAt reads the number that s begins with, and returns its length in bytes;
// 0 when there is none. r is the first character, some says that it stands for a
// number by itself.
func (f *formReader) numberAt(s string, r rune, some bool) int {
	value, width := leadingNumber(s)
	if some {
		value, width = several, utf8.RuneLen(r)
	}
	figures := unicode.IsDigit(r)
	if width == 0 || !figures && value < 2 { // 一 is mostly "a"
		return width
	}
	rest := s[width:]
	tenths := value == 10 && strings.HasPrefix(rest, "分") // 十分 is "very"
	f.Number = f.Number || figures || isSum(s[:width]) || !tenths && startsWithAny(rest, counters)
	f.timeAfter(value, rest)
	return width
}

// timeAfter looks whether the text behind a number makes it a time.
func (f *formReader) timeAfter(value int, rest string) {
	for _, c := range timeCounters {
		after, ok := strings.CutPrefix(rest, c.text)
		if !ok {
			continue
		}
		f.Time = true
		if c.unit != noSpan && startsWithAny(after, agoWords) {
			f.says(c.unit.ago(f.sent, value))
		}
		return
	}
}

// isSum says whether a number in characters is put together (三百, 十二), so that
// it is one even without a counter. 千万 ("by all means") and 万一 ("in case")
// are not.
func isSum(s string) bool {
	first, size := utf8.DecodeRuneInString(s)
	second, _ := utf8.DecodeRuneInString(s[size:])
	digit, times := figure(first)
	nextDigit, nextTimes := figure(second)
	return digit > 0 && nextTimes > 0 || times == 10 && nextDigit > 0
}

func startsWithAny(s string, list []string) bool {
	for _, p := range list {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// endsPlace says whether the character r that ends before byte end of s ends the
// name of a place: 北京市, 東京都, 京都府.
func endsPlace(s string, end int, r rune) bool {
	start := end - utf8.RuneLen(r)
	if start == 0 {
		return false
	}
	if before, _ := utf8.DecodeLastRuneInString(s[:start]); !unicode.In(before, unicode.Han, unicode.Katakana) {
		return false
	}
	for _, w := range noPlaces {
		if strings.HasPrefix(s[start:], w) || strings.HasSuffix(s[:end], w) {
			return false
		}
	}
	return r != '都' || strings.HasSuffix(s[:end], "京都") || strings.HasSuffix(s[:end], "首都")
}

// isUnspacedRune says whether the character is of a script without spaces that
// the lexicon knows.
func isUnspacedRune(r rune) bool {
	return isCommonUnspaced(r) || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// isCommonUnspaced is isUnspacedRune for nearly all of them, and quick: the letters of
// kana and the first block of Han.
func isCommonUnspaced(r rune) bool {
	return 'ぁ' <= r && r <= 'ゖ' || 'ァ' <= r && r <= 'ヺ' || 0x4E00 <= r && r <= 0x9FFF
}
